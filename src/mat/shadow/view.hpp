// What MatView() shows of a matrix of our types.
#pragma once

#include "mat/format/options.hpp"
#include "petsc/compat.hpp"

namespace petscspmv {

/// MatView's lines.
PetscErrorCode ViewShadow(Mat A, PetscViewer viewer);

/// The figures of a block's layout, built if needed, or of its chooser, followed by the sizes of layout and CSR.
PetscErrorCode FiguresOf(Mat block, Stats &stats);

} // namespace petscspmv
