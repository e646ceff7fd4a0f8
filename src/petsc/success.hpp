// PETSC_SUCCESS for PETSc 3.18, which does not have it yet.
#pragma once

#include <petscsys.h>

#ifndef PETSC_SUCCESS
  #define PETSC_SUCCESS 0
#endif
