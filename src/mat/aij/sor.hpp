// Relaxation with a sequential matrix: MatSOR().
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

/// Relaxes by layouts of the triangles or the plain loop where they are faster than AIJ's method and do the same, otherwise by
/// that.
PetscErrorCode MatSOR_SeqAIJShadow(Mat A, Vec b, PetscReal omega, MatSORType flag, PetscReal shift, PetscInt its, PetscInt lits,
                                   Vec x);

/// Keeps what is known of the room that AIJ has made in A for the inverted blocks of nodes, as long as A is of no type of ours.
PetscErrorCode LeaveRoom(Mat A);
PetscErrorCode TakeRoom(Mat A);

} // namespace petscspmv
