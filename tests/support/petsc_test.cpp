#include "support/petsc_test.hpp"
#include "support/fill_nan.hpp"

namespace petscspmv::test {

PetscErrorCode Difference(Mat A, Mat R, PetscReal *difference)
{
  Vec                x, y, everywhere;
  VecScatter         scatter;
  PetscInt           begin, end;
  const PetscScalar *x_array, *y_array;
  long double        worst = 0;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(R, &x, &y));
  PetscCall(FillVec(x, 11));
  PetscCall(FillNaN(y));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecScatterCreateToAll(x, &scatter, &everywhere));
  PetscCall(VecScatterBegin(scatter, x, everywhere, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, x, everywhere, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayRead(everywhere, &x_array));
  PetscCall(VecGetArrayRead(y, &y_array));
  PetscCall(MatGetOwnershipRange(R, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    PetscInt           n;
    const PetscInt    *columns;
    const PetscScalar *values;
    Sum<PetscScalar>   sum;
    PetscCall(MatGetRow(R, row, &n, &columns, &values));
    for (PetscInt k = 0; k < n; ++k) sum.Add(Widen(values[k]), Widen(x_array[columns[k]]));
    PetscCall(MatRestoreRow(R, row, &n, &columns, &values));
    const long double error = std::abs(Widen(y_array[row - begin]) - sum.value),
                      bound = 2 * sum.Bound(); // twice: values of A and R may be rounded differently
    const long double ratio = error == 0 ? 0 : bound > 0 ? error / bound : 2;
    if (!(ratio <= worst)) worst = std::isnan(ratio) ? 1e30L : ratio;
  }
  PetscCall(VecRestoreArrayRead(everywhere, &x_array));
  PetscCall(VecRestoreArrayRead(y, &y_array));
  double global = static_cast<double>(worst);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &global, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  *difference = static_cast<PetscReal>(global);
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(VecDestroy(&everywhere));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::test
