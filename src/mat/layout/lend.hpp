// The arrays of vectors, borrowed for a product, on the host or on the device.
#pragma once

#include "mat/format/format.hpp"
#include "petsc/compat.hpp"

namespace petscspmv {

/// The arrays of y = op(A) x or, if v is not null, y = v + op(A) x or v - op(A) x; v may be y.
struct LentArrays {
  const PetscScalar  *x;
  Result<PetscScalar> result;
};

/// Where a product with these vectors runs: on the device if the build has one, both vectors are of its types, and neither they nor
/// A are bound to the CPU; otherwise on the host.
PetscErrorCode PlaceOfProduct(Mat A, Vec x, Vec y, Place *place);

/// On a device v must be null or y.
PetscErrorCode LendArrays(Place place, Vec x, Vec v, Vec y, LentArrays *arrays);
PetscErrorCode ReturnArrays(Place place, Vec x, Vec v, Vec y, LentArrays *arrays);

} // namespace petscspmv
