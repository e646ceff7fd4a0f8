// PETSc's binary files of sparse matrices, checked before PETSc loads them; without PETSc.
#pragma once

#include <string>

namespace petscspmv::matio {

/// The bytes of an index, 4 or 8, if a file begins like PETSc's binary matrices; otherwise 0.
int IndexBytesOfPetscBinary(const std::string &path);

/// The nonzeros of such a file by its header alone. Throws FileError.
double CountPetscBinary(const std::string &path);

/// Throws FileError unless the file is as long as its counts require and names no column outside the matrix: MatLoad() trusts
/// both. Scalars take `scalar_bytes`.
void CheckPetscBinary(const std::string &path, int scalar_bytes);

} // namespace petscspmv::matio
