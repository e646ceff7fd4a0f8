// What users set for a matrix of our types.
#pragma once

#include "mat/registry/registry.hpp"
#include "petscspmv.h"

namespace petscspmv {

/// By options and setters. A duplicate has the same, and so have the blocks of a parallel matrix.
struct Settings {
  const TypeInfo  *type;
  OptionValues     options;
  OptionValues     chosen; // the defaults or the values from setters: what the options database starts from
  PetscBool        eager        = PETSC_FALSE;
  MatSpMVTranspose transpose_by = MAT_SPMV_TRANSPOSE_AUTO;
  MatSpMVSweeps    sweeps       = MAT_SPMV_SWEEPS_AUTO;

  explicit Settings(const TypeInfo &t) : type(&t)
  {
    chosen.reserve(t.options.size());
    for (const OptionSpec &option : t.options) chosen.push_back(option.initial);
    options = chosen;
  }
};

} // namespace petscspmv
