// PETSc's binary files of sparse matrices, read through before PETSc loads them; without PETSc.
#pragma once

#include <string>

namespace petscspmv::matio {

/// Bytes of an index, 4 or 8, if a file begins as PETSc's binary matrices do; 0 if it does not.
int IndexBytesOfPetscBinary(const std::string &path);

/// Throws FileError unless the file is as long as its counts say, and names no column that the matrix does not have. MatLoad()
/// believes both. Scalars take `scalar_bytes`.
void CheckPetscBinary(const std::string &path, int scalar_bytes);

} // namespace petscspmv::matio
