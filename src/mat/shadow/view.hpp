// What MatView() shows of a matrix of our types.
#pragma once

#include "mat/format/options.hpp"
#include "petsc/compat.hpp"

namespace petscspmv {

/// Prints the lines that MatView() shows after AIJ's own.
PetscErrorCode ViewShadow(Mat A, PetscViewer viewer);

/// The figures of a block's layout, which is built if needed, or of its chooser, then the sizes of the layouts and of CSR.
PetscErrorCode FiguresOf(Mat block, Stats &stats);

} // namespace petscspmv
