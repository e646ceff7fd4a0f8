// Making a layout current: it is built, or its values are refreshed, unless it was made from the matrix as it is now.
#pragma once

#include "mat/exec/execution.hpp"
#include "mat/layout/layouts.hpp"

#include <cstddef>
#include <limits>

namespace petscspmv {

/// How much of a layout is made current.
struct Extent {
  int parts   = 1;                               // the number of parts that a layout is begun with
  int current = std::numeric_limits<int>::max(); // how many of the first parts are to be current, at least
};

/// Makes the layout in a slot current; layouts of A^T also take A. The caller holds the lock (exec/session.hpp), also for counts.
PetscErrorCode MakeCurrent(Mat A, Layouts &layouts, std::size_t slot, Extent extent = {});
/// The same, but lack of memory is no error: if no part is current then, *made is false, and AIJ has to do the product.
PetscErrorCode MakeCurrentIfItFits(Mat A, Layouts &layouts, std::size_t slot, bool *made, Extent extent = {});
/// If -spmv_memory_limit is set, does as MakeCurrentIfItFits(), otherwise as MakeCurrent(): then lack of memory is an error.
PetscErrorCode MakeCurrentWithinLimit(Mat A, Layouts &layouts, std::size_t slot, bool *made, Extent extent = {});

/// How the kernels of a layout run: by the settings of the process and what its products have found; on devices, on PETSc's stream.
Execution ExecutionOf(const MadeLayout &made);

} // namespace petscspmv
