#include "benchmarks/entries.hpp"

#include "benchmarks/errors.hpp"
#include "benchmarks/peers/use_peer.hpp"
#include "petsc/success.hpp"

namespace petscspmv::benchmarks {

PetscErrorCode EntriesOf(Mat A, Entries &entries)
{
  PetscInt begin, end;

  PetscFunctionBegin;
  entries      = Entries();
  entries.comm = PetscObjectComm((PetscObject)A);
  PetscCall(MatGetLocalSize(A, &entries.rows, &entries.cols));
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

} // namespace petscspmv::benchmarks
