// What users set for a matrix of our types.
#pragma once

#include "mat/registry/registry.hpp"
#include "petscspmv.h"

namespace petscspmv {

/// Set by options and setters. A duplicate takes over those of its original, and blocks those of their parallel matrix.
struct Settings {
  const TypeInfo  *type;
  OptionValues     options;
  OptionValues     chosen; // defaults and values from setters, which the options database may override
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
