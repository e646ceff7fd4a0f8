// How much memory layouts may take.
#include "mat/exec/memory_use.hpp"
#include "petsc/option_text.hpp"
#include "plugin/plugin.hpp"

#include <limits>

namespace petscspmv {

PetscErrorCode LimitMemory()
{
  constexpr int     kMost = 1000;
  const FixedString allowed("0 to %d", kMost);
  PetscReal         share = std::numeric_limits<PetscReal>::infinity();

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Memory of PetscSpMV", "Mat");
  PetscCall(CheckOptionText(PetscOptionsObject, "-spmv_memory_limit", OptionKind::Real, [&] { return allowed; }));
  PetscCall(PetscOptionsReal("-spmv_memory_limit",
                             "Most bytes of layouts and of what is kept for the next ones, as a share of the matrices' own "
                             "(inf: no limit)",
                             "PetscSpMVRegisterAll", share, &share, NULL));
  PetscOptionsEnd();
  PetscCheck((share >= 0 && share <= kMost) || share == std::numeric_limits<PetscReal>::infinity(), PETSC_COMM_WORLD,
             PETSC_ERR_ARG_OUTOFRANGE, "-spmv_memory_limit is %g, must be %s", static_cast<double>(share), allowed.c_str());
  StartMemoryUse(static_cast<double>(share));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
