// Products in AIJ's own arrays, against AIJ's.
#include "mat/layout/plain_product.hpp"

#include "mat/sweeps.hpp"

#include <vector>

namespace petscspmv::test {
namespace {

class PlainProduct : public testing::Test {
protected:
  /// y = A x with and without prefetching, for the rows from each of some first ones on.
  static void Check(const TestMatrix &a, bool nodes)
  {
    SCOPED_TRACE(testing::Message() << a.name << (nodes ? " by nodes" : " by rows"));
    OwnedMat           A;
    OwnedVec           x, y, v, z;
    Nodes              of;
    bool               rounds;
    PetscInt           rows;
    PetscBool          done;
    const PetscInt    *i, *j;
    const PetscScalar *val;
    const PetscScalar *from, *to, *add;
    OK(PetscRoundsProducts(&rounds));
    OK(CreateMat(a, MATAIJ, Distribution::Even, &A));
    if (!nodes) {
      OK(MatSetOption(A, MAT_USE_INODES, PETSC_FALSE));
    }
    OK(MatCreateVecs(A, &x, &y));
    OK(FillVec(x, 3));
    OK(VecDuplicate(y, &v));
    OK(FillVec(v, 8));
    OK(VecDuplicate(y, &z));
    OK(MatMult(A, x, y));
    OK(MatMultAdd(A, x, v, z));
    OK(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &i, &j, &done));
    OK(MatSeqAIJGetArrayRead(A, &val));
    const Csr<PetscScalar, PetscInt> csr{rows, rows, i, j, val};
    if (nodes) {
      OK(of.Take(A));
      if (a.name.starts_with("nodes")) {
        EXPECT_GT(of.count, 0);
      }
    }
    OK(VecGetArrayRead(x, &from));
    OK(VecGetArrayRead(y, &to));
    OK(VecGetArrayRead(v, &add));
    OwnedVec sums;
    OK(VecDuplicate(z, &sums));
    for (const PetscInt first : {0, 1, 2, 3, 4, 5, 6, 7, a.rows / 2, a.rows - 1, a.rows}) {
      if (first < 0 || first > a.rows) continue;
      for (const bool ahead : {false, true}) {
        std::vector<PetscScalar> found(static_cast<std::size_t>(a.rows) + 1, -7);
        MultiplyPlain(csr, of, first, ahead, from, {.y = found.data()});
        for (PetscInt row = 0; row < a.rows; ++row) {
          const PetscScalar is = found[static_cast<std::size_t>(row)], expected = row < first ? PetscScalar(-7) : to[row];
          const PetscReal most = rounds || row < first ? 0 : 1e-5 * (1 + PetscAbsScalar(expected)); // the same bits if PETSc rounds
          EXPECT_LE(PetscAbsScalar(is - expected), most) << "row " << row << " from " << first;
        }
        EXPECT_EQ(found.back(), PetscScalar(-7));
        for (const bool minus : {false, true}) {
          PetscScalar *to_sums;
          OK(VecGetArrayWrite(sums, &to_sums));
          std::copy_n(add, first, to_sums);
          MultiplyPlain(csr, of, first, ahead, from, {.y = to_sums, .v = add, .minus = minus});
          for (PetscInt row = 0; row < a.rows; ++row) {
            const PetscScalar product = minus ? -to[row] : to[row], expected = row < first ? add[row] : add[row] + product;
            EXPECT_LE(PetscAbsScalar(to_sums[row] - expected), rounds ? 0 : 1e-5 * (1 + PetscAbsScalar(expected)));
          }
          OK(VecRestoreArrayWrite(sums, &to_sums));
          if (first == 0 && !minus) {
            EXPECT_NEAR_VECTORS(sums, z, 1e-5);
          }
        }
      }
    }
    OK(MatSeqAIJRestoreArrayRead(A, &val));
    OK(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &rows, &i, &j, &done));
    OK(VecRestoreArrayRead(v, &add));
    OK(VecRestoreArrayRead(y, &to));
    OK(VecRestoreArrayRead(x, &from));
  }
};

TEST_F(PlainProduct, HasAijsBits)
{
  if (Processes() > 1) return;
  for (const TestMatrix &a : Matrices()) {
    for (const bool nodes : {false, true}) Check(a, nodes);
  }
}

} // namespace
} // namespace petscspmv::test
