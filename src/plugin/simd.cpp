// The instruction set of the kernels, where the user wants another than the largest.
#include "mat/format/simd.hpp"
#include "plugin/plugin.hpp"

namespace petscspmv {

PetscErrorCode ChooseSimd()
{
  const PetscInt largest = static_cast<PetscInt>(LargestSimd());
  PetscInt       simd    = largest;

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Instruction set of PetscSpMV", "Mat");
  PetscCall(PetscOptionsEList("-spmv_simd", "Instruction set of the library's kernels", NULL, kSimdNames, static_cast<PetscInt>(std::size(kSimdNames)), kSimdNames[simd], &simd, NULL));
  PetscOptionsEnd();
  PetscCheck(simd <= largest, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-spmv_simd is %s, which this processor does not have; the largest is %s", kSimdNames[simd], kSimdNames[largest]);
  SetSimd(static_cast<Simd>(simd));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
