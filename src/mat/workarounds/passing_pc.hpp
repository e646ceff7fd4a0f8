// Preconditioners of PETSc that ask for AIJ by its exact name, and otherwise silently decide differently (ilu), or refuse the
// matrix (cp, tfs, the classical form of gamg). While they set up, a matrix of our types passes for its base type. Changes of a
// parallel matrix are reported to its blocks first, since tfs multiplies with the blocks itself.
//
// During the set-up PETSc looks up factorizations by the name of the base type. So ilu's first factor is looked up earlier, by the
// matrix's own type. When the nonzero pattern has changed, ilu looks up a new factor during the set-up, of the same solver but for
// the base type: a solver that is registered for our types has to be registered, under the same name, for the base types too.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

/// Replaces PETSc's implementations, for all objects that are made from now on.
PetscErrorCode LetPCsPass();

} // namespace petscspmv
