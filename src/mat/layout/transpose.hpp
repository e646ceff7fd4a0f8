// Products with the transpose: by AIJ, or by a layout of A^T.
#pragma once

#include "mat/layout/product.hpp"

#include <memory>

namespace petscspmv {

/// Selects AIJ or a layout for a product with A^T, and makes that layout current. `transposed`: the layouts of A^T, created here if
/// null.
PetscErrorCode BeginTranspose(Mat A, const Layouts &layouts, const Operand &with, std::unique_ptr<Layouts> &transposed,
                              Product *product);

} // namespace petscspmv
