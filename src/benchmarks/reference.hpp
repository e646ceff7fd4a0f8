// Products in long double, to tell how far others are off.
#pragma once

#include "reference/accuracy.hpp"

#include <petscmat.h>
#include <vector>

namespace petscspmv::benchmarks {

/// The rows of A x that lie on this process.
using Reference = std::vector<Sum<PetscScalar>>;

/// Collective. A is of type MATAIJ.
PetscErrorCode MultiplyInLongDouble(Mat A, Vec x, Reference &product);

/// The largest error of `y` over its bound, over all processes, where `factor` times the product is expected.
PetscErrorCode LargestError(const Reference &product, Vec y, PetscReal factor, double *error);

} // namespace petscspmv::benchmarks
