// Making a layout current: it is built, or its values are refreshed, unless it is that of the matrix as it is now.
#pragma once

#include "mat/exec/execution.hpp"
#include "mat/layout/layouts.hpp"

#include <cstddef>
#include <limits>

namespace petscspmv {

/// How much of a layout is made current.
struct Extent {
  int parts   = 1;                               // of a layout that is begun
  int current = std::numeric_limits<int>::max(); // so many of them are made current, unless they are already
};

/// Makes the layout in a slot current. Layouts of A^T also take A. The caller holds the lock (exec/session.hpp), also for counts.
PetscErrorCode MakeCurrent(Mat A, Layouts &layouts, std::size_t slot, Extent extent = {});
/// The same; falls back to AIJ without memory for it.
PetscErrorCode MakeCurrentIfItFits(Mat A, Layouts &layouts, std::size_t slot, bool *made, Extent extent = {});
/// Likewise, but without a limit it is an error.
PetscErrorCode MakeCurrentWithinLimit(Mat A, Layouts &layouts, std::size_t slot, bool *made, Extent extent = {});

/// How the kernels of a layout run: by the settings of the process and the findings of its products, on PETSc's stream.
Execution ExecutionOf(const MadeLayout &made);

} // namespace petscspmv
