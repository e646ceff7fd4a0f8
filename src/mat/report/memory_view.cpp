#include "mat/report/memory_view.hpp"

#include "mat/exec/memory_use.hpp"
#include "petsc/fixed_string.hpp"

#include <cmath>

namespace petscspmv {

PetscErrorCode ViewMemory(MPI_Comm comm, PetscViewer viewer, const char *whose)
{
  constexpr double kMegabyte = 1e6;
  const MemoryUse  use       = UseOfMemory();
  FixedString      limit;

  PetscFunctionBegin;
  double all[] = {static_cast<double>(use.most), static_cast<double>(use.arrays), static_cast<double>(use.kept),
                  static_cast<double>(use.refused)};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, 4, MPI_DOUBLE, MPI_SUM, comm));
  const double share = MemoryLimit();
  if (std::isfinite(share)) limit.Add("; limit %g of the matrices, in the way %.0f times", share, all[3]);
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "%s memory beside the matrices: %.4g MB now, %.4g MB at most, %.4g MB kept for later%s\n", whose,
                                   all[1] / kMegabyte, all[0] / kMegabyte, all[2] / kMegabyte, limit.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
