// The arrays of vectors, lent for a product, on the host or on the device.
#pragma once

#include "mat/format/format.hpp"
#include "mat/impls/shadow/compat.hpp"

namespace petscspmv {

struct LentArrays {
  const PetscScalar *x;
  PetscScalar       *y;
};

/// Where a product with these vectors is: on the device if both are there already and kernels can be; otherwise vectors are
/// brought to the host. y is written as a whole unless it is read.
PetscErrorCode ChoosePlace(Mat A, Vec x, Vec y, bool y_is_read, Place *place);

/// x to read; y to write or, with `add`, to be added to.
PetscErrorCode LendArrays(Place place, Vec x, Vec y, bool add, LentArrays *arrays);
PetscErrorCode ReturnArrays(Place place, Vec x, Vec y, bool add, LentArrays *arrays);

} // namespace petscspmv
