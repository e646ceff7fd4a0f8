// What -spmv_view prints. Every line begins with the name of the library.
#pragma once

#include "mat/report/statistics.hpp"

namespace petscspmv {

/// Prints the statistics of all processes together, on a viewer of PETSC_COMM_WORLD. Collective.
PetscErrorCode ViewStatistics(const Statistics &of_process, PetscViewer viewer, bool in_detail);

} // namespace petscspmv
