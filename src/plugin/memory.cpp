// How much memory layouts may take.
#include "mat/exec/memory_use.hpp"
#include "petsc/option_text.hpp"
#include "plugin/plugin.hpp"

#include <limits>

namespace petscspmv {

PetscErrorCode LimitMemory()
{
  constexpr int     kNoLimit = 1000; // not infinity, which PetscOptionsReal() of PETSc 3.25 refuses as a default
  const FixedString allowed("0 to %d", kNoLimit);
  PetscReal         share = kNoLimit;

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Memory of PetscSpMV", "Mat");
  PetscCall(CheckOptionText(PetscOptionsObject, "-spmv_memory_limit", OptionKind::Real, [&] { return allowed; }));
  PetscCall(PetscOptionsReal("-spmv_memory_limit",
                             "Most bytes of layouts and of what is kept for the next ones, as a share of the matrices' own "
                             "(1000: no limit)",
                             "PetscSpMVRegisterAll", share, &share, NULL));
  PetscOptionsEnd();
  PetscCheck(share >= 0 && share <= kNoLimit, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-spmv_memory_limit is %g, must be %s",
             static_cast<double>(share), allowed.c_str());
  StartMemoryUse(share < kNoLimit ? static_cast<double>(share) : std::numeric_limits<double>::infinity());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
