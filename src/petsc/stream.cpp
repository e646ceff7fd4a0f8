#include "petsc/stream.hpp"

#include "mat/exec/borrowed_instance.hpp"
#include "mat/exec/device.hpp"
#include "mat/exec/kokkos_start.hpp"
#include "mat/exec/session.hpp"
#include "petsc/guard.hpp"

namespace petscspmv {

#if defined(PETSC_USE_COMPLEX)
static_assert(
  !kHasDevice,
  "Kokkos for GPUs needs a PETSc with real scalars: complex ones are of Thrust's type there, which kernels do not support");
#endif
#if !PETSC_VERSION_GE(3, 20, 0)
static_assert(!kHasDevice, "Kokkos for GPUs needs a PETSc that exports its stream: 3.20 or later");
#endif

namespace {

struct Borrowing {
  bool finalizer_registered = false;
};

PetscErrorCode GiveStreamBack()
{
  PetscFunctionBegin;
  OfSession<Borrowing>() = {};
  PetscCall(Guard([] { BorrowedInstance<KokkosDevice>::GiveBack(); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetDeviceId(PetscDeviceContext context, PetscInt *id)
{
  PetscDevice device;

  PetscFunctionBegin;
  PetscCall(PetscDeviceContextGetDevice(context, &device));
  PetscCall(PetscDeviceGetDeviceId(device, id));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The device that PETSc has initialized, or -1. Avoids PETSc's lazy initialization, which may abort without a device.
int DeviceOfPetsc()
{
  PetscDeviceContext context;
  PetscInt           id = -1;
  if (PETSC_DEVICE_DEFAULT() == PETSC_DEVICE_HOST || !PetscDeviceInitialized(PETSC_DEVICE_DEFAULT())) return -1;
  if (PetscDeviceContextGetCurrentContext(&context) != PETSC_SUCCESS || GetDeviceId(context, &id) != PETSC_SUCCESS) return -1;
  return static_cast<int>(id);
}

} // namespace

void ShareDevice()
{
  if (kHasDevice) SetKokkosDevice(DeviceOfPetsc);
}

const void *BorrowedStream()
{
  return BorrowedInstance<KokkosDevice>::Current();
}

PetscErrorCode BorrowStream()
{
  PetscDeviceContext context;
  PetscInt           id;
  void              *stream = nullptr;

  PetscFunctionBegin;
  PetscCheck(StartKokkos(), PETSC_COMM_SELF, PETSC_ERR_LIB,
             "Kokkos does not run, so that no kernel can be launched on the device: %s. Bind matrices and vectors to the CPU",
             WhyNoKokkos());
  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  if (!OfSession<Borrowing>().finalizer_registered) { // once: neither library changes its device later
    const int device = DeviceIdOf(KokkosDevice());
    PetscCall(GetDeviceId(context, &id));
    PetscCheck(device < 0 || device == id, PETSC_COMM_SELF, PETSC_ERR_ORDER,
               "Kokkos was started on device %d before PETSc chose device %" PetscInt_FMT
               "; with -device_enable eager PETSc chooses first",
               device, id);
    PetscCall(PetscRegisterFinalize(Entry<GiveStreamBack>)); // runs before PETSc destroys its stream
    OfSession<Borrowing>().finalizer_registered = true;
  }
#if PETSC_VERSION_GE(3, 20, 0) // older versions are rejected above
  PetscCall(PetscDeviceContextGetStreamHandle(context, &stream));
#endif
  PetscCall(Guard([stream] { BorrowedInstance<KokkosDevice>::On(stream); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
