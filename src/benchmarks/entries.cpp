#include "benchmarks/entries.hpp"

#include "benchmarks/errors.hpp"
#include "benchmarks/peers/use_peer.hpp"
#include "petsc/success.hpp"

#include <cstdint>
#include <fstream>
#include <stdexcept>

namespace petscspmv::benchmarks {

namespace {

template <class T>
void Write(std::ofstream &file, const std::vector<T> &values)
{
  file.write(reinterpret_cast<const char *>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
}

/// `count` values of an array that begins at a place in the file, from the one at `first` on.
template <class T>
std::vector<T> Read(std::ifstream &file, std::int64_t place, std::int64_t first, std::int64_t count)
{
  std::vector<T> values(static_cast<std::size_t>(count));
  file.seekg(place + first * static_cast<std::int64_t>(sizeof(T)));
  file.read(reinterpret_cast<char *>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
  return values;
}

} // namespace

PetscErrorCode EntriesOf(Mat A, Entries &entries)
{
  PetscInt begin, end;

  PetscFunctionBegin;
  entries      = Entries();
  entries.comm = PetscObjectComm((PetscObject)A);
  PetscCall(MatGetLocalSize(A, &entries.rows, &entries.cols));
  PetscCall(MatGetBlockSize(A, &entries.block));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    PetscInt           count;
    const PetscInt    *columns;
    const PetscScalar *values;
    PetscCall(MatGetRow(A, row, &count, &columns, &values));
    entries.columns.insert(entries.columns.end(), columns, columns + count);
    entries.values.insert(entries.values.end(), values, values + count);
    entries.row_ptr.push_back(static_cast<PetscInt>(entries.columns.size()));
    PetscCall(MatRestoreRow(A, row, &count, &columns, &values));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeIn(const std::string &type, const Entries &entries, Mat *A)
{
  const PetscInt    *i = entries.row_ptr.data(), *j = entries.columns.data();
  const PetscScalar *v = entries.values.data();

  PetscFunctionBegin;
  PetscCall(MatCreate(entries.comm, A));
  PetscCall(MatSetSizes(*A, entries.rows, entries.cols, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(*A, IsPeer(type) ? MATAIJ : type.c_str()));
  PetscCall(MatSeqAIJSetPreallocationCSR(*A, i, j, v));
  PetscCall(MatMPIAIJSetPreallocationCSR(*A, i, j, v));
  if (IsPeer(type)) PetscCall(UsePeer(type, *A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void WriteEntries(const Entries &entries, const std::string &path)
{
  std::ofstream file(path, std::ios::binary);
  Write(file, std::vector<PetscInt>{entries.rows, entries.block});
  Write(file, entries.row_ptr);
  Write(file, entries.columns);
  Write(file, entries.values);
  if (!file.flush()) throw std::runtime_error(path + " cannot be written");
}

PetscErrorCode ReadEntries(MPI_Comm comm, const std::string &path, Entries &entries)
{
  constexpr std::int64_t kIndex = sizeof(PetscInt);
  std::ifstream          file(path, std::ios::binary);
  PetscInt               begin;

  PetscFunctionBegin;
  const auto sizes = Read<PetscInt>(file, 0, 0, 2);
  if (!file || sizes[0] < 0 || sizes[1] < 1) throw std::runtime_error(path + " is no file of entries");
  PetscInt rows = sizes[0];
  entries       = Entries();
  entries.comm  = comm;
  entries.block = sizes[1];
  entries.rows  = PETSC_DECIDE;
  PetscCall(PetscSplitOwnershipBlock(comm, entries.block, &entries.rows, &rows));
  entries.cols = entries.rows;
  PetscCallMPI(MPI_Scan(&entries.rows, &begin, 1, MPIU_INT, MPI_SUM, comm));
  begin -= entries.rows;
  const std::int64_t row_ptr = 2 * kIndex, columns = row_ptr + kIndex * (rows + 1);
  const std::int64_t values = columns + kIndex * Read<PetscInt>(file, row_ptr, rows, 1)[0];
  entries.row_ptr           = Read<PetscInt>(file, row_ptr, begin, entries.rows + 1);
  const PetscInt first = entries.row_ptr.front(), count = entries.row_ptr.back() - first;
  for (PetscInt &place : entries.row_ptr) place -= first;
  entries.columns = Read<PetscInt>(file, columns, first, count);
  entries.values  = Read<PetscScalar>(file, values, first, count);
  if (!file) throw std::runtime_error(path + " cannot be read");
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::benchmarks
