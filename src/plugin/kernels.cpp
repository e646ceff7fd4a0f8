// Which kernels run, where the user does not leave it to the library.
#include "mat/format/prefetch.hpp"
#include "mat/format/simd.hpp"
#include "plugin/plugin.hpp"

namespace petscspmv {

PetscErrorCode ChooseKernels()
{
  const PetscInt largest = static_cast<PetscInt>(LargestSimd());
  PetscInt       simd = largest, prefetch = static_cast<PetscInt>(Prefetching::Auto);

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Kernels of PetscSpMV", "Mat");
  PetscCall(PetscOptionsEList("-spmv_simd", "Instruction set of the library's kernels", NULL, kSimdNames, static_cast<PetscInt>(std::size(kSimdNames)), kSimdNames[simd], &simd, NULL));
  PetscCall(PetscOptionsEList("-spmv_prefetch", "Whether products ask ahead for the matrix' arrays", NULL, kPrefetchingNames, static_cast<PetscInt>(std::size(kPrefetchingNames)), kPrefetchingNames[prefetch], &prefetch, NULL));
  PetscOptionsEnd();
  PetscCheck(simd <= largest, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-spmv_simd is %s, which this processor does not have; the largest is %s", kSimdNames[simd], kSimdNames[largest]);
  SetSimd(static_cast<Simd>(simd));
  SetPrefetching(static_cast<Prefetching>(prefetch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
