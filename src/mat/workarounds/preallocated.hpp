// Matrices that are preallocated before they get their type: by `-mat_type csr5` and MatSetFromOptions() after preallocation, as by
// DOLFINx with `petsc_options`.
//
// MatSetType() destroys what the old type holds and creates the new one, which is not preallocated. From 3.19 on PETSc then
// collects values in a hash table; 3.18 crashes at the first of them, with every derived type. So there the destroy methods of
// AIJ and of our types hand the preallocated data over to a matrix that is kept until MatSetType() calls the creator of one of our
// types, which takes them back.
#pragma once

#include "mat/shadow/base.hpp"

namespace petscspmv {

void           KeepWhatIsPreallocated(Mat A, bool mpi);       // of a plain matrix, from now on
PetscErrorCode DestroyBase(Mat A, const Base &base);          // for its destroy method
PetscErrorCode MatSetTypeAsPreallocated(Mat A, MatType base); // MatSetType() in the creator of a type
PetscErrorCode GiveUpPreallocated(Mat A);                     // what is kept for another matrix than A
PetscErrorCode ForgetPreallocated();
PetscErrorCode CheckPreallocated(Mat A);

} // namespace petscspmv
