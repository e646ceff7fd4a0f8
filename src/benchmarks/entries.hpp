// The entries of a matrix, from which matrices of any type are made as programs make theirs.
#pragma once

#include <petscmat.h>
#include <string>
#include <vector>

namespace petscspmv::benchmarks {

/// Those of the rows of this process, with global columns.
struct Entries {
  MPI_Comm                 comm = MPI_COMM_NULL;
  PetscInt                 rows = 0, cols = 0; // of this process
  PetscInt                 block = 1;          // unknowns of a node
  std::vector<PetscInt>    row_ptr{0}, columns;
  std::vector<PetscScalar> values;
};

PetscErrorCode EntriesOf(Mat A, Entries &entries);

/// Makes and assembles an AIJ matrix in a type, which may be a peer, without any other type on the way.
PetscErrorCode MakeIn(const std::string &type, const Entries &entries, Mat *A);

/// All entries of a square matrix on one process to a file, and those of each process' rows from there. Throws if that fails.
void           WriteEntries(const Entries &entries, const std::string &path);
PetscErrorCode ReadEntries(MPI_Comm comm, const std::string &path, Entries &entries);

} // namespace petscspmv::benchmarks
