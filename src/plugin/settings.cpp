// Options of how kernels run.
#include "mat/exec/settings.hpp"
#include "mat/report/prefetching_names.hpp"
#include "mat/tuning/choose_target.hpp"
#include "plugin/plugin.hpp"

namespace petscspmv {

PetscErrorCode ChooseKernels()
{
  PetscInt prefetch = static_cast<PetscInt>(Prefetching::Auto);

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Kernels of PetscSpMV", "Mat");
  PetscCall(PetscOptionsEList("-spmv_prefetch", "Whether products prefetch the matrix's arrays", "PetscSpMVRegisterAll",
                              kPrefetchingNames.data(), static_cast<PetscInt>(std::size(kPrefetchingNames)),
                              kPrefetchingNames[static_cast<std::size_t>(prefetch)], &prefetch, NULL));
  PetscOptionsEnd();
  PetscCall(ReadTarget());
  SetPrefetching(static_cast<Prefetching>(prefetch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
