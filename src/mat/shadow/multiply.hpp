// One product with a sequential matrix: AIJ does it, or a layout. Threads of a program may multiply with a matrix at the same time,
// as they may with AIJ: what changes layouts and choices happens under the lock before the product and after it, and the product
// itself uses nothing that another one changes.
#pragma once

#include "mat/layout/product.hpp"
#include "mat/report/statistics.hpp"

namespace petscspmv {

PetscErrorCode PrepareProduct(Mat A); // on the host: what may fail in y = A x
PetscErrorCode BeginProduct(Mat A, Op op, const Operand &with, Product *product);

/// Counts a product with vectors and its flops, with `adds` two per entry, otherwise less one per row; AIJ counts its own.
PetscErrorCode EndProduct(Mat A, Vec x, Vec y, Count count, bool adds, double seconds, Product *product);

/// r = b - A x. PETSc's own way is MatMult(), which checks what it is given, and VecAYPX(). A method of its own has to check: what
/// does not fit goes PETSc's way, and so do matrices whose MatMult() is not `mult`, since a program has set another.
PetscErrorCode FitResidual(Mat A, PetscErrorCode (*mult)(Mat, Vec, Vec), Vec b, Vec x, Vec r, bool *fit);
PetscErrorCode ResidualByMult(Mat A, Vec b, Vec x, Vec r);

/// Has MatMultAdd() of our sequential types subtract, in this thread, as long as this lives: for the blocks of a parallel matrix.
class Subtracting {
public:
  Subtracting() { now_ = true; }
  ~Subtracting() { now_ = false; }
  Subtracting(const Subtracting &)            = delete;
  Subtracting &operator=(const Subtracting &) = delete;

  static bool Now() { return now_; }

private:
  static inline thread_local bool now_ = false;
};

/// Builds the layout in the matrix's assemblyend method, for -mat_<type>_eager, if there is memory for it. The first product still
/// refreshes its values: PETSc increases the state only after that method, and its matrix products and submatrices write values
/// later still.
PetscErrorCode MakeLayoutAtAssembly(Mat A);

} // namespace petscspmv
