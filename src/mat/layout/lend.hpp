// The arrays of vectors, borrowed for a product, on the host or on the device.
#pragma once

#include "mat/format/format.hpp"
#include "petsc/compat.hpp"

namespace petscspmv {

struct LentArrays {
  const PetscScalar *x;
  PetscScalar       *y;
};

/// Where a product with these vectors runs: on the device if both are there already and kernels can run there; otherwise vectors
/// are copied to the host.
PetscErrorCode PlaceOfProduct(Mat A, Vec x, Vec y, Place *place);

/// x is read; y is overwritten or, with `add`, added to.
PetscErrorCode LendArrays(Place place, Vec x, Vec y, bool add, LentArrays *arrays);
PetscErrorCode ReturnArrays(Place place, Vec x, Vec y, bool add, LentArrays *arrays);

} // namespace petscspmv
