// Making a layout current: it is built, or its values are refreshed, unless it is that of the matrix as it is now.
#pragma once

#include "mat/exec/execution.hpp"
#include "mat/layout/layouts.hpp"

#include <cstddef>

namespace petscspmv {

/// Makes the layout in a slot current. Layouts of A^T also take A. The caller holds the lock (exec/session.hpp), also for counts.
PetscErrorCode MakeCurrent(Mat A, Layouts &layouts, std::size_t slot);
PetscErrorCode MakeCurrentIfItFits(Mat A, Layouts &layouts, std::size_t slot,
                                   bool *made); // falls back to AIJ without memory for it
PetscErrorCode MakeCurrentWithinLimit(Mat A, Layouts &layouts, std::size_t slot,
                                      bool *made); // likewise, but without a limit it is an error

/// How the kernels of a layout run: by the settings of the process and the findings of its products, on PETSc's stream.
Execution ExecutionOf(const MadeLayout &made);

} // namespace petscspmv
