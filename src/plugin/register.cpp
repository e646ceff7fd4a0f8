#include "plugin/plugin.hpp"

#include "mat/exec/kokkos_start.hpp"
#include "mat/exec/large_memory.hpp"
#include "mat/exec/session.hpp"
#include "mat/factors/factor.hpp"
#include "mat/impls/spmv/type.hpp"
#include "mat/report/view_option.hpp"
#include "mat/tuning/program_budget.hpp"
#include "mat/workarounds/passing_mat.hpp"
#include "mat/workarounds/passing_pc.hpp"
#include "mat/workarounds/preallocated.hpp"
#include "mat/workarounds/watch.hpp"
#include "petsc/guard.hpp"
#include "petsc/stream.hpp"
#include "petscspmv.h"
#include "plugin/mpi_guard.hpp"

namespace petscspmv {

namespace {

struct Registration {
  bool done = false;
};

PetscErrorCode Register()
{
  PetscFunctionBegin;
  static_cast<void>(WatchForks());
  WatchExit();
  PetscCall(CheckPetscBuild());
  PetscCall(CheckOnlyCopy());
  PetscCall(ShowVersion());
  PetscCall(ReadViewAndAudit());
  PetscCall(LimitMemory());
  PetscCall(ShareThreads());
  ShareDevice();
  PetscCall(ChooseKernels());
  PetscCall(StartProgramClock());
  PetscCall(RegisterAllFormats()); // after everything that fails for a wrong option
  PetscCall(spmv::RegisterSpmv());
  PetscCall(RegisterWatch());
  PetscCall(RegisterFactors());
  PetscCall(LetPCsPass());
  PetscCall(LetMatAlgorithmsPass());
  PetscCall(RegisterMisspelledTypes());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Called by PetscFinalize(), possibly after PETSc has finalized its packages, so nothing here creates an object of PETSc's. What
/// is registered stays known, since finalizers that the program has registered come later and may multiply.
PetscErrorCode Finalize()
{
  PetscFunctionBegin;
  const PetscErrorCode errors[]  = {Entry<FinishStatistics>(), Entry<ForgetPreallocated>()};
  OfSession<Registration>().done = false; // PetscInitialize() may come again
  for (const PetscErrorCode ierr : errors) PetscCall(ierr);
  ReleaseLargeMemory();
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

} // namespace petscspmv

/*@C
   PetscSpMVRegisterAll - Registers the matrix types of PetscSpMV.

   Collective; No Fortran Support

   Options Database Keys:
+  -version              - print the library's version after PETSc's
.  -spmv_view viewer     - print at the end what products, relaxation and solves with factors took and gained; more with
                           `::ascii_info_detail`
.  -spmv_audit           - stop with an error if a product would use a layout that differs from the AIJ arrays (slow)
.  -spmv_memory_limit share - limit on the bytes of layouts and of what is kept for the next ones, as a share of the bytes of the
                                AIJ arrays that they are made from, 0 to 1000; AIJ multiplies where a layout would exceed it
                                (default: 1000, no limit)
.  -spmv_num_threads n   - threads of each process, for products if Kokkos has threads, and for copies to a GPU; more than one is
                           an error if the library was built for neither
.  -spmv_launch_work n   - nonzeros of a process from which its threads share a product (default 32768)
.  -spmv_simd target     - target of the kernels on processors (default: the fastest on this processor and for the matrix), see
                           `PetscSpMVSetTarget()`
.  -spmv_prefetch (auto|off|on) - whether products, and relaxation by nodes in the plain loop, prefetch the matrix's arrays
                                 (default auto: if larger than a core's own cache, unless products without prefetching were
                                 faster)
-  -mat_seqaij_type type - the type of all sequential matrices and blocks that a program makes as `MATAIJ`: seqaijspmv, or spmv
                             for short, and likewise for the other types

   Level: beginner

   Notes:
   A program that links the library calls this once, on all processes of `PETSC_COMM_WORLD`, after `PetscInitialize()`. With the
   option `-dll_append /PATH/libpetscspmv.so` PETSc calls it, and no program needs to.

   `-spmv_view` prints lines that begin with "PetscSpMV". The first has the version, the number of processes, and the threads of
   each. A table follows, with a row for each matrix type
.vb
   type      - as of -mat_type
   products  - of whole matrices with vectors: y = A x and z = v + A x, also with A^T; one of a parallel matrix counts once
   seconds   - of local products, by blocks or sequential matrices: without communication, and without making layouts
   overhead  - of MATSPMV: seconds spent on finding the fastest format, with those for the layouts that this takes
   with aij  - of MATSPMV: seconds that AIJ would have taken for all products, by measurement; this and the columns beside it are
               blank unless it measured all
   speed-up  - with aij, over the sum of seconds and overhead
.ve
   On several processes seconds are the mean over them. On a device only launches are timed. A second table is of relaxation (sor)
   and solves with factors (solve): how many local ones layouts, the plain loop and AIJ did, and the same figures. Where little
   was gained and most was left to AIJ, a line says why; another sums up what was gained and spent. The last line has the memory
   of layouts and of what is kept for the next ones. Where nothing was done, a single line says whether any matrix had one of the
   types, and what to try.

   `-spmv_view ::ascii_info_detail` adds the target of the kernels and why it was chosen, whether they prefetch, and counts that
   are not zero, summed over all processes: local products (mult y = A x; multadd z = v + A x or v - A x; multT with the transpose
   by layouts, of MATSPMV all; those on a device) and what did them (formats, or AIJ); layouts (build, refresh) with their
   seconds, again a mean; products with dense matrices; trials of other targets and prefetching. With a file
   (`-spmv_view :FILE`) lines are written to it. Clocks are read for all this only with the option.

   A misspelled type in `-mat_type` or `-mat_seqaij_type` ends in PETSc's error of an unknown type, which shows the closest name.

.seealso: `MatSetType()`, `MatSpMVGetInfo()`, `PetscSpMVGetVersion()`
@*/
PetscErrorCode PetscSpMVRegisterAll(void)
try {
  using namespace petscspmv;

  if (!IsRunningMpi(BuiltWithMpi()) || !IsPetscRunning()) return PETSC_ERR_LIB; // no error of PETSc's can be raised
  PetscFunctionBegin;
  if (OfSession<Registration>().done) PetscFunctionReturn(PETSC_SUCCESS);
  RenewSession();
  PetscErrorCode ierr = Entry<Register>();
  if (!ierr) ierr = PetscRegisterFinalize(Entry<Finalize>);
  if (ierr) static_cast<void>(Entry<CloseView>()); // PetscSpMVRegisterAll() may be called again
  PetscCall(ierr);
  OfSession<Registration>().done = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH
