#include "mat/sweeps/made.hpp"

#include <utility>

namespace petscspmv {

bool MakeTriangle(const Execution &execution, const PetscTriangleSource &source, MatSpMVSweeps sweeps, PetscTriangle &triangle)
{
  PetscTriangle made(TriangleMethodsByTarget());
  if (!made.Build(execution, source, {.always = sweeps == MAT_SPMV_SWEEPS_LAYOUT, .single = sweeps == MAT_SPMV_SWEEPS_SINGLE}))
    return false;
  triangle = std::move(made);
  return true;
}

} // namespace petscspmv
