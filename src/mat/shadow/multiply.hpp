// A product with a sequential matrix, by AIJ or by a layout. As with AIJ, several threads of a program may multiply with a matrix
// at the same time: layouts and choices change only under the lock, before a product or after it, and the product itself uses
// nothing that another product changes.
#pragma once

#include "mat/layout/product.hpp"
#include "mat/report/statistics.hpp"

namespace petscspmv {

PetscErrorCode PrepareProduct(Mat A); // does in advance what may fail in y = A x on the host
PetscErrorCode BeginProduct(Mat A, Op op, const Operand &with, Product *product);

/// Counts a product with vectors, and its flops: two for each entry if it `adds`, otherwise one less for each nonempty row. AIJ
/// counts the flops of its own products.
PetscErrorCode EndProduct(Mat A, Vec x, Vec y, Count count, bool adds, double seconds, Product *product);

/// For r = b - A x. PETSc's own way is MatMult(), which checks its arguments, and VecAYPX(). Sets *fit if a method of ours may do
/// it instead: the vectors fit, which such a method has to check itself, and A's MatMult() is `mult`, not one that a program has
/// set.
PetscErrorCode FitResidual(Mat A, PetscErrorCode (*mult)(Mat, Vec, Vec), Vec b, Vec x, Vec r, bool *fit);
PetscErrorCode ResidualByMult(Mat A, Vec b, Vec x, Vec r);

/// While such an object lives, MatMultAdd() of our sequential types subtracts in this thread: for the blocks of a parallel matrix.
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

/// For -mat_<type>_eager: builds the layout in the matrix's assemblyend method, if there is memory for it. The first product still
/// refreshes the values: PETSc increases the state only after that method, and its matrix products and submatrices write values
/// later still.
PetscErrorCode MakeLayoutAtAssembly(Mat A);

} // namespace petscspmv
