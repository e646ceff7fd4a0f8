// The time of solves within a program.
#pragma once

#include "petsc/success.hpp"

#include <petscksp.h>

namespace petscspmv::benchmarks {

/// Times the solves of a KSP without its set-up, which is done before each.
class SolveClock {
public:
  PetscErrorCode Watch(KSP ksp)
  {
    PetscFunctionBegin;
    PetscCall(KSPSetPreSolve(ksp, Before, this));
    PetscCall(KSPSetPostSolve(ksp, After, this));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  double   seconds    = 0;
  PetscInt iterations = 0;
  bool     converged  = true; // all of them

private:
  static PetscErrorCode Before(KSP ksp, Vec, Vec, void *self)
  {
    PetscFunctionBegin;
    PetscCall(KSPSetUp(ksp));
    PetscCall(KSPSetUpOnBlocks(ksp));
    static_cast<SolveClock *>(self)->start_ = MPI_Wtime();
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  static PetscErrorCode After(KSP ksp, Vec, Vec, void *self)
  {
    SolveClock        &clock = *static_cast<SolveClock *>(self);
    PetscInt           iterations;
    KSPConvergedReason reason;

    PetscFunctionBegin;
    clock.seconds += MPI_Wtime() - clock.start_;
    PetscCall(KSPGetIterationNumber(ksp, &iterations));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    clock.iterations += iterations;
    clock.converged = clock.converged && reason > 0;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  double start_ = 0;
};

} // namespace petscspmv::benchmarks
