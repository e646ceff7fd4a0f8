#include "benchmarks/reference.hpp"

#include "petsc/success.hpp"

#include <algorithm>
#include <limits>

namespace petscspmv::benchmarks {

PetscErrorCode MultiplyInLongDouble(Mat A, Vec x, Reference &product)
{
  VecScatter         everywhere;
  Vec                all;
  const PetscScalar *values, *row_values;
  const PetscInt    *columns;
  PetscInt           begin, end, length;

  PetscFunctionBegin;
  PetscCall(VecScatterCreateToAll(x, &everywhere, &all));
  PetscCall(VecScatterBegin(everywhere, x, all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(everywhere, x, all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayRead(all, &values));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  product.assign(static_cast<std::size_t>(end - begin), {});
  for (PetscInt row = begin; row < end; ++row) {
    auto &sum = product[static_cast<std::size_t>(row - begin)];
    PetscCall(MatGetRow(A, row, &length, &columns, &row_values));
    for (PetscInt k = 0; k < length; ++k) sum.Add(Widen(row_values[k]), Widen(values[columns[k]]));
    PetscCall(MatRestoreRow(A, row, &length, &columns, &row_values));
  }
  PetscCall(VecRestoreArrayRead(all, &values));
  PetscCall(VecDestroy(&all));
  PetscCall(VecScatterDestroy(&everywhere));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LargestError(const Reference &product, Vec y, PetscReal factor, double *error)
{
  const PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(y, &values));
  *error = 0;
  for (std::size_t row = 0; row < product.size(); ++row) {
    const auto difference =
      static_cast<double>(std::abs(Widen(values[row]) - static_cast<long double>(factor) * product[row].value));
    const auto bound = static_cast<double>(factor * product[row].Bound());
    if (!(difference <= 0))
      *error = std::max(*error, difference <= std::numeric_limits<double>::max() && bound > 0
                                  ? difference / bound
                                  : std::numeric_limits<double>::infinity()); // a NaN too
  }
  PetscCall(VecRestoreArrayRead(y, &values));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE, MPI_MAX, PetscObjectComm((PetscObject)y)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::benchmarks
