// Matrices that are preallocated before they get their type: by `-mat_type csr5` and MatSetFromOptions() after preallocation, as
// DOLFINx does with `petsc_options`.
//
// MatSetType() destroys what the old type holds and creates the new type, which is not preallocated. From 3.19 on PETSc then
// collects values in a hash table; 3.18 crashes at the first value, with every derived type. So in 3.18 the destroy methods of AIJ
// and of our types hand the preallocated data over to another matrix. That one is kept until MatSetType() calls the creator of one
// of our types, which takes the data back.
#pragma once

#include "mat/shadow/base.hpp"

namespace petscspmv {

void           KeepWhatIsPreallocated(Mat A, bool mpi);       // gives a plain A a destroy method that keeps its data
PetscErrorCode DestroyBase(Mat A, const Base &base);          // destroys all but the shadow; may keep the data
PetscErrorCode MatSetTypeAsPreallocated(Mat A, MatType base); // for our creators: takes kept data back
PetscErrorCode GiveUpPreallocated(Mat A);                     // destroys data kept for another matrix than A
PetscErrorCode ForgetPreallocated();
PetscErrorCode CheckPreallocated(Mat A);

} // namespace petscspmv
