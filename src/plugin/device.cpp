// On a node with several GPUs Kokkos takes the one that PETSc has taken.
#include "mat/format/kokkos_start.hpp"
#include "mat/format/launch.hpp"
#include "plugin/plugin.hpp"

namespace petscspmv {

namespace {

PetscErrorCode GetDeviceOfPetsc(PetscInt *id)
{
  PetscDeviceContext context;
  PetscDevice        device;
  PetscDeviceType    type;

  PetscFunctionBegin;
  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  PetscCall(PetscDeviceContextGetDeviceType(context, &type));
  if (type == PETSC_DEVICE_HOST) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscDeviceContextGetDevice(context, &device));
  PetscCall(PetscDeviceGetDeviceId(device, id));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int DeviceOfPetsc()
{
  PetscInt id = -1;
  return GetDeviceOfPetsc(&id) == PETSC_SUCCESS ? static_cast<int>(id) : -1;
}

} // namespace

void ShareDevice()
{
  if (kHasDevice) SetKokkosDevice(DeviceOfPetsc);
}

} // namespace petscspmv
