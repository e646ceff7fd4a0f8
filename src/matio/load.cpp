#include "matio/load.hpp"

#include "matio/collective.hpp"
#include "matio/families.hpp"
#include "matio/matrixmarket.hpp"
#include "matio/memory.hpp"
#include "matio/petscbinary.hpp"
#include "petsc/success.hpp"

#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <string>
#include <vector>

namespace petscspmv::matio {

namespace {

/// The message of f()'s error about a file; empty if there is none.
template <class F>
std::string ErrorOf(const char path[], const F &f)
{
  try {
    f();
  } catch (const std::exception &e) {
    return std::strstr(e.what(), path) ? e.what() : std::string(path) + ": " + e.what();
  }
  return "";
}

/// Checks a binary file, on the first process, against this PETSc.
std::string CheckBinary(const char path[], int index_bytes)
{
  constexpr int here = sizeof(PetscInt);
  if (index_bytes != here)
    return std::string(path) + ": the file has " + std::to_string(8 * index_bytes) + "-bit indices, this PETSc " +
           std::to_string(8 * here) + "-bit ones";
  return ErrorOf(path, [&] { CheckPetscBinary(path, sizeof(PetscScalar)); });
}

PetscErrorCode LoadBinary(MPI_Comm comm, const char path[], int index_bytes, Mat *A)
{
  PetscViewer viewer;
  PetscMPIInt rank;
  PetscInt    rows, cols;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(CheckEverywhere(comm, PETSC_ERR_FILE_UNEXPECTED, rank == 0 ? CheckBinary(path, index_bytes) : ""));
  PetscCall(PetscViewerBinaryOpen(comm, path, FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatLoad(*A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(MatGetSize(*A, &rows, &cols));
  const PetscErrorCode code = CheckMemory(comm, path, static_cast<double>(rows), static_cast<double>(cols), 0);
  if (code) PetscCall(MatDestroy(A)); // the caller may go on with other files
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Reads the file on the first process, and checks that this PETSc can hold the matrix.
std::string ReadFirst(const char path[], Coordinates &file)
{
  constexpr double  bytes = 2 * (2 * sizeof(std::int64_t) + sizeof(std::complex<double>)); // for an entry and its mirror image
  const std::string error = ErrorOf(path, [&] { file = ReadMatrixMarket(path, static_cast<std::int64_t>(MemoryOf(1) / bytes)); });
  if (!error.empty()) return error;
  if (file.complex && !PetscDefined(USE_COMPLEX))
    return std::string(path) +
           ": the matrix is complex, this PETSc has real numbers; use a PETSc configured with --with-scalar-type=complex";
  constexpr PetscInt most = std::numeric_limits<PetscInt>::max();
  if (file.rows > most || file.cols > most || file.row.size() > static_cast<std::size_t>(most))
    return std::string(path) + ": the matrix is too large for 32-bit indices; use a PETSc configured with --with-64-bit-indices";
  return "";
}

PetscScalar ToScalar(const std::complex<double> &value)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscCMPLX(value.real(), value.imag());
#else
  return value.real();
#endif
}

PetscErrorCode LoadMatrixMarket(MPI_Comm comm, const char path[], Mat *A)
{
  Coordinates file;
  std::string error;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) error = ReadFirst(path, file);
  PetscCall(CheckEverywhere(comm, PETSC_ERR_FILE_UNEXPECTED, error));

  std::array<PetscInt, 3> header{static_cast<PetscInt>(file.rows), static_cast<PetscInt>(file.cols), file.symmetric};
  PetscCallMPI(MPI_Bcast(header.data(), 3, MPIU_INT, 0, comm));
  PetscCall(CheckMemory(comm, path, static_cast<double>(header[0]), static_cast<double>(header[1]), 0));
  std::vector<PetscInt>    row(file.row.begin(), file.row.end()), col(file.col.begin(), file.col.end());
  std::vector<PetscScalar> value;
  value.reserve(file.value.size());
  for (const auto &v : file.value) value.push_back(ToScalar(v));
  file = {};

  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, header[0], header[1]));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSetPreallocationCOO(*A, static_cast<PetscCount>(row.size()), row.data(), col.data())); // sends rows to their owners
  PetscCall(MatSetValuesCOO(*A, value.data(), ADD_VALUES));
  if (header[2]) PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode CreateMatFromFile(MPI_Comm comm, const char path[], Mat *A)
{
  std::string error;
  PetscMPIInt rank;
  int         index_bytes = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) error = ErrorOf(path, [&] { index_bytes = IndexBytesOfPetscBinary(path); });
  PetscCall(CheckEverywhere(comm, PETSC_ERR_FILE_OPEN, error));
  PetscCallMPI(MPI_Bcast(&index_bytes, 1, MPI_INT, 0, comm));
  if (index_bytes) PetscCall(LoadBinary(comm, path, index_bytes, A));
  else PetscCall(LoadMatrixMarket(comm, path, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double CountNonzeros(const std::string &name)
{
  try {
    if (NamesFamily(name)) return CountFamily(name);
    return IndexBytesOfPetscBinary(name) ? CountPetscBinary(name) : CountMatrixMarket(name);
  } catch (const std::exception &) { // whoever opens it learns why
    return 0;
  }
}

} // namespace petscspmv::matio
