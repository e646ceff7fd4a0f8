#include "plugin/plugin.hpp"

#include "mat/impls/shadow/guard.hpp"
#include "mat/impls/shadow/shadow.hpp"
#include "mat/impls/shadow/stream.hpp"
#include "mat/impls/spmv/record.hpp"
#include "mat/impls/spmv/type.hpp"

namespace petscspmv {

namespace {

bool registered = false;

PetscErrorCode Register()
{
  PetscFunctionBegin;
  PetscCall(CheckPetscBuild());
  PetscCall(ShowVersion());
  PetscCall(StartStatistics());
  PetscCall(ShareThreads());
  ShareDevice();
  PetscCall(ChooseKernels());
  PetscCall(spmv::ReadRecordOptions());
  PetscCall(RegisterAllFormats()); // after all that an option may be wrong for
  PetscCall(spmv::RegisterSpmv());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Finalize()
{
  PetscFunctionBegin;
  registered                    = false; // PetscInitialize() may come again, also where a file cannot be written now
  const PetscErrorCode errors[] = {Entry<FinishStatistics>(), Entry<spmv::FinalizeSpmv>(), Entry<FinalizeFormats>()};
  for (const PetscErrorCode ierr : errors) PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

} // namespace petscspmv

/*@C
   PetscSpMVRegisterAll - Registers the matrix types of PetscSpMV.

   Collective on `PETSC_COMM_WORLD`

   Options Database Keys:
+  -version              - print the library's version after PETSc's
.  -spmv_view            - print at the end how often the library's kernels ran
.  -spmv_audit           - stop with an error if a product meets a layout that is not that of the AIJ arrays (slow)
.  -spmv_num_threads <n> - threads of each process where Kokkos has threads
.  -spmv_launch_work <n> - nonzeros of a process from which its threads share a product (default 32768)
.  -spmv_simd <target>   - target of the kernels on processors (default: the fastest here and with a matrix), see
                           `PetscSpMVSetTarget()`
-  -spmv_prefetch <auto,off,on> - whether products prefetch the matrix' arrays (default auto: if larger than a core's own cache,
                                 and products without have not been faster)

   Level: beginner

   Notes:
   A program that links the library calls this once, after `PetscInitialize()`. With the option
   `-dll_append libpetscspmv.so` PETSc calls it, and no program needs to.

   The environment variable `PETSCSPMV_STATS` may name a file to which each process appends at the
   end a line with its counts: mult, multadd, multT, mpimult, build, refresh.

.seealso: `MatSetType()`, `MatSpMVGetInfo()`, `PetscSpMVGetVersion()`
@*/
PetscErrorCode PetscSpMVRegisterAll(void)
try {
  using namespace petscspmv;

  PetscFunctionBegin;
  if (registered) PetscFunctionReturn(PETSC_SUCCESS);
  PetscErrorCode ierr = Entry<Register>();
  if (!ierr) ierr = PetscRegisterFinalize(Entry<Finalize>);
  if (ierr) static_cast<void>(FinalizeFormats()); // it may be called again
  PetscCall(ierr);
  registered = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH
