#include "matio/load.hpp"

#include "matio/matrixmarket.hpp"
#include "petsc_success.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace petscspmv::matio {

namespace {

/// Raises on all processes the error that the first one has met.
PetscErrorCode CheckEverywhere(MPI_Comm comm, PetscErrorCode code, const std::string &error)
{
  std::array<char, 512> text{};
  PetscMPIInt           failed = !error.empty();

  PetscFunctionBegin;
  std::strncpy(text.data(), error.c_str(), text.size() - 1);
  PetscCallMPI(MPI_Bcast(&failed, 1, MPI_INT, 0, comm));
  if (!failed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, comm));
  SETERRQ(comm, code, "%s", text.data());
}

/// Whether the file begins as PETSc's binary matrices do.
std::string Probe(const char path[], int *binary)
{
  unsigned char begin[4] = {};
  std::FILE    *file     = std::fopen(path, "rb");
  if (!file) return std::string(path) + ": cannot be opened";
  const std::size_t read   = std::fread(begin, 1, sizeof(begin), file);
  const bool        failed = std::ferror(file);
  std::fclose(file);
  if (failed) return std::string(path) + ": cannot be read";
  if (read == 0) return std::string(path) + ", line 1: the file is empty";
  std::uint32_t classid = 0;
  for (unsigned char byte : begin) classid = classid << 8 | byte;
  *binary = classid == MAT_FILE_CLASSID;
  return "";
}

PetscErrorCode LoadBinary(MPI_Comm comm, const char path[], Mat *A)
{
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCall(PetscViewerBinaryOpen(comm, path, FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatLoad(*A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Reads the file on the first process, and finds out whether this PETSc can hold the matrix.
std::string ReadFirst(const char path[], Coordinates &file)
{
  try {
    file = ReadMatrixMarket(path);
  } catch (const std::exception &e) {
    return std::strlen(e.what()) && std::strstr(e.what(), path) ? e.what() : std::string(path) + ": " + e.what();
  }
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
  int         binary = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) error = Probe(path, &binary);
  PetscCall(CheckEverywhere(comm, PETSC_ERR_FILE_OPEN, error));
  PetscCallMPI(MPI_Bcast(&binary, 1, MPI_INT, 0, comm));
  if (binary) PetscCall(LoadBinary(comm, path, A));
  else PetscCall(LoadMatrixMarket(comm, path, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::matio
