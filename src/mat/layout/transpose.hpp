// Products with the transpose: by AIJ, or by a layout of A^T.
#pragma once

#include "mat/layout/product.hpp"

#include <memory>

namespace petscspmv {

/// Decides what does a product with A^T, and makes the layout current. `transposed` are the layouts of A^T, made here if needed.
PetscErrorCode BeginTranspose(Mat A, const Layouts &layouts, const Operand &with, std::unique_ptr<Layouts> &transposed,
                              Product *product);

} // namespace petscspmv
