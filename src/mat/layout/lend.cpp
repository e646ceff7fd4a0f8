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

PetscErrorCode LendArrays(Place place, Vec x, Vec y, bool add, LentArrays *arrays)
{
  PetscMemType type;

  PetscFunctionBegin;
  if (place == Place::Host) {
    PetscCall(VecGetArrayRead(x, &arrays->x));
    PetscCall(add ? VecGetArray(y, &arrays->y) : VecGetArrayWrite(y, &arrays->y));
  } else {
    PetscCall(VecGetArrayReadAndMemType(x, &arrays->x, &type));
    PetscCall(add ? VecGetArrayAndMemType(y, &arrays->y, &type) : VecGetArrayWriteAndMemType(y, &arrays->y, &type));
    PetscCall(PetscLogGpuTimeBegin());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReturnArrays(Place place, Vec x, Vec y, bool add, LentArrays *arrays)
{
  PetscFunctionBegin;
  if (place == Place::Host) {
    PetscCall(VecRestoreArrayRead(x, &arrays->x));
    PetscCall(add ? VecRestoreArray(y, &arrays->y) : VecRestoreArrayWrite(y, &arrays->y));
  } else {
    if (Auditing()) PetscCall(Guard([] { Kokkos::fence(); })); // with -spmv_audit, errors are reported where they occur
    PetscCall(PetscLogGpuTimeEnd());
    PetscCall(VecRestoreArrayReadAndMemType(x, &arrays->x));
    PetscCall(add ? VecRestoreArrayAndMemType(y, &arrays->y) : VecRestoreArrayWriteAndMemType(y, &arrays->y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
