#include "mat/layout/lend.hpp"

#include "mat/exec/device.hpp"
#include "mat/report/asked.hpp"
#include "petsc/guard.hpp"
#include "petsc/vector_memory.hpp"

namespace petscspmv {

PetscErrorCode PlaceOfProduct(Mat A, Vec x, Vec y, Place *place)
{
  bool      x_there = false, y_there = false;
  PetscBool bound;

  PetscFunctionBegin;
  *place = Place::Host;
  if (!kHasDevice) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatBoundToCPU(A, &bound));
  if (bound) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(IsOnDevice(x, &x_there));
  PetscCall(IsOnDevice(y, &y_there));
  if (x_there && y_there) *place = Place::Device;
  else if (x_there || y_there)
    PetscCall(PetscInfo(A, "One vector of a product is on the device and one is not: both are copied to the host\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LendArrays(Place place, Vec x, Vec v, Vec y, LentArrays *arrays)
{
  Result<PetscScalar> &result = arrays->result;
  PetscMemType         type;
  PetscInt             size;

  PetscFunctionBegin;
  result.v = nullptr;
  if (place == Place::Host) {
    if (v && v != y) {
      PetscCall(VecGetLocalSize(v, &size));
      PetscCall(VecGetArrayRead(v, &result.v));
      PetscCheck(result.v || size == 0, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL,
                 "The vector that the product is added to has no array");
    }
    PetscCall(VecGetArrayRead(x, &arrays->x));
    PetscCall(v == y ? VecGetArray(y, &result.y) : VecGetArrayWrite(y, &result.y));
  } else {
    PetscCall(VecGetArrayReadAndMemType(x, &arrays->x, &type));
    PetscCall(v == y ? VecGetArrayAndMemType(y, &result.y, &type) : VecGetArrayWriteAndMemType(y, &result.y, &type));
    PetscCall(PetscLogGpuTimeBegin());
  }
  if (v == y) result.v = result.y;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReturnArrays(Place place, Vec x, Vec v, Vec y, LentArrays *arrays)
{
  Result<PetscScalar> &result = arrays->result;

  PetscFunctionBegin;
  if (place == Place::Host) {
    PetscCall(VecRestoreArrayRead(x, &arrays->x));
    if (v && v != y) PetscCall(VecRestoreArrayRead(v, &result.v));
    PetscCall(v == y ? VecRestoreArray(y, &result.y) : VecRestoreArrayWrite(y, &result.y));
  } else {
    if (Auditing()) PetscCall(Guard([] { Kokkos::fence(); })); // with -spmv_audit, errors are reported where they occur
    PetscCall(PetscLogGpuTimeEnd());
    PetscCall(VecRestoreArrayReadAndMemType(x, &arrays->x));
    PetscCall(v == y ? VecRestoreArrayAndMemType(y, &result.y) : VecRestoreArrayWriteAndMemType(y, &result.y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
