// Preconditioners of PETSc that ask for AIJ by its exact name, and otherwise decide differently without a word (ilu), or refuse the
// matrix (cp, tfs, the classical form of gamg). While they set up, a matrix of our types passes for its base type. tfs then also
// multiplies with the blocks of a parallel matrix by itself.
//
// During the set-up PETSc looks up factorizations by the name of the base type. For its first factor ilu therefore looks before, by
// the real name. When the nonzero pattern has changed, it looks for another factor of the same solver, by the base type's name: a
// solver that is registered for our types has to be registered, under the same solver's name, for the base types too.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

/// Replaces them, for all objects that are made from now on.
PetscErrorCode LetPCsPass();

} // namespace petscspmv
