#include "faults/operations.hpp"

#include <petscksp.h>

namespace petscspmv::test {

namespace {

/// A new pattern, of which nothing is known and which has no layout.
PetscErrorCode NewPattern(Subject &s)
{
  PetscFunctionBegin;
  PetscCall(NewEntries(s));
  PetscCall(PetscSpMVForget());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Multiply(Subject &s)
{
  return MatMult(s.A, s.x, s.y);
}

PetscErrorCode MultiplyTransposed(Subject &s)
{
  return MatMultTranspose(s.A, s.x, s.y);
}

template <int kTimes>
PetscErrorCode MultiplyTimes(Subject &s)
{
  PetscFunctionBegin;
  for (int k = 0; k < kTimes; ++k) PetscCall(MatMult(s.A, s.x, s.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr auto MultiplyOften = MultiplyTimes<150>; // as many as a choice takes

PetscErrorCode MultiplyTransposedOften(Subject &s)
{
  PetscFunctionBegin;
  for (int k = 0; k < 150; ++k) PetscCall(MatMultTranspose(s.A, s.x, s.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A product with another option.
PetscErrorCode SetAndMultiply(Subject &s)
{
  PetscFunctionBegin;
  if (s.option) PetscCall(MatSpMVSetOption(s.A, s.option, kOtherOption));
  PetscCall(MatMult(s.A, s.x, s.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A product of matrices, and the same with what it has set up.
PetscErrorCode Product(Subject &s, MatProductType type, Mat B)
{
  Mat *C = &s.made;

  PetscFunctionBegin;
  PetscCall(MatProductCreate(s.A, B, NULL, C));
  PetscCall(MatProductSetType(*C, type));
  PetscCall(MatProductSetFromOptions(*C));
  PetscCall(MatProductSymbolic(*C));
  for (int k = 0; k < 2; ++k) PetscCall(MatProductNumeric(*C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A product after values are put back, whose layout is that of others.
PetscErrorCode RetrieveAndMultiply(Subject &s)
{
  PetscFunctionBegin;
  PetscCall(MatRetrieveValues(s.A));
  PetscCall(MatRetrieveValues(s.plain));
  PetscCall(MatMult(s.A, s.x, s.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StoreAndChange(Subject &s)
{
  PetscFunctionBegin;
  for (Mat A : {s.A.A, s.plain.A}) {
    PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
    PetscCall(MatStoreValues(A));
  }
  PetscCall(NewValues(s));
  PetscCall(MatMult(s.A, s.x, s.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Larger matrices with few entries, whose x does not fit in the L1 cache: first products try the targets. No layouts yet.
PetscErrorCode Enlarge(Subject &s)
{
  constexpr int kLarge = 10000, kEvery = 10; // rows, also enough for two processes; one of so many has an entry
  TestMatrix    large = FromRowLengths("x beyond L1", kLarge, kLarge, [](int row) { return row % kEvery == 0; });

  PetscFunctionBegin;
  for (std::size_t k = 0; k < large.col_idx.size(); ++k) large.col_idx[k] = kEvery * static_cast<int>(k); // as in other processes
  for (Mat *A : {&s.A.A, &s.plain.A}) PetscCall(MatDestroy(A));
  for (Vec *v : {&s.x.v, &s.y.v, &s.z.v}) PetscCall(VecDestroy(v));
  PetscCall(CreateBoth(large, s));
  PetscCall(PetscSpMVForget());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Relax(Subject &s)
{
  PetscFunctionBegin;
  PetscCall(MatSOR(s.A, s.x, 1, static_cast<MatSORType>(SOR_LOCAL_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS), 0, 2, 1, s.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SweepByLayouts(Subject &s)
{
  return MatSpMVSetSweeps(s.A, MAT_SPMV_SWEEPS_LAYOUT);
}

PetscErrorCode SweepPlainly(Subject &s)
{
  return MatSpMVSetSweeps(s.A, MAT_SPMV_SWEEPS_PLAIN);
}

/// With both triangles, from a nonzero guess.
PetscErrorCode RelaxTwice(Subject &s)
{
  PetscFunctionBegin;
  PetscCall(VecSet(s.y, 1));
  PetscCall(MatSOR(s.A, s.x, 1.1, SOR_LOCAL_SYMMETRIC_SWEEP, 0, 2, 1, s.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A matrix with nodes of two rows, at the same distances on all processes.
PetscErrorCode NodesByLayouts(Subject &s)
{
  TestMatrix a{"nodes", kRows, kRows, {0}, {}, {}, {}};

  PetscFunctionBegin;
  for (int row = 0; row < kRows; ++row) {
    for (int col = 0; col < kRows; ++col) {
      const int distance = (col / 2 - row / 2 + kRows / 2) % (kRows / 2);
      if (distance != 0 && distance != 3 && distance != 17) continue;
      a.col_idx.push_back(col);
      a.real.push_back(col == row ? 9 : 1);
      a.imag.push_back(0);
    }
    a.row_ptr.push_back(a.nnz());
  }
  for (Mat *A : {&s.A.A, &s.plain.A}) PetscCall(MatDestroy(A));
  for (Vec *v : {&s.x.v, &s.y.v, &s.z.v}) PetscCall(VecDestroy(v));
  PetscCall(CreateBoth(a, s));
  PetscCall(SweepByLayouts(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RelaxByNodes(Subject &s)
{
  PetscFunctionBegin;
  PetscCall(VecSet(s.y, 1));
  PetscCall(MatSOR(s.A, s.x, 1, SOR_LOCAL_SYMMETRIC_SWEEP, 0, 2, 1, s.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Solves with the factors of the diagonal blocks, and with their transposes.
PetscErrorCode SolveBlocks(Subject &s)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscErrorCode ierr = PCSetType(pc, PCBJACOBI);
  if (!ierr) ierr = PCSetOperators(pc, s.A, s.A);
  if (!ierr) ierr = PCSetUp(pc);
  if (!ierr) ierr = PCApply(pc, s.x, s.y);
  if (!ierr) ierr = PCApplyTranspose(pc, s.x, s.y);
  PetscCall(PCDestroy(&pc));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Solve(Subject &s)
{
  KSP ksp;
  PC  pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetType(ksp, KSPBICG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCNONE));
  PetscCall(KSPSetOperators(ksp, s.A, s.A));
  PetscCall(KSPSetTolerances(ksp, 1e-30, 1e-30, PETSC_DEFAULT, 3));
  const PetscErrorCode ierr = KSPSolve(ksp, s.x, s.y);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Options for the matrix in the database.
PetscErrorCode GiveOptions(Subject &s)
{
  PetscFunctionBegin;
  PetscCall(MatSetOptionsPrefix(s.A, "given_"));
  PetscCall(PetscOptionsInsertString(NULL, "-given_mat_csr5_sigma 16 -given_mat_sellcs_chunk 16 -given_mat_ipcsr_block_size 16 "
                                           "-given_mat_speculative_tile_width 16 -given_mat_spmv_choose csr5 "
                                           "-given_mat_csr5_transpose layout -given_mat_csr5_eager"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TakeOptions(Subject &s)
{
  PetscFunctionBegin;
  PetscCall(MatSetFromOptions(s.A));
  PetscCall(MatMult(s.A, s.x, s.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const Operation kOperations[] = {
  {.name = "product", .run = Multiply},
  {.name = "transposed product", .run = MultiplyTransposed},
  {.name = "first product", .run = Multiply, .prepare = NewPattern, .allocates = Allocates::Layout},
  {.name = "first transposed product", .run = MultiplyTransposed, .prepare = NewPattern, .allocates = Allocates::LayoutOfFormat},
  {.name = "first products", .run = MultiplyOften, .prepare = NewPattern, .allocates = Allocates::Layout},
  {.name = "first transposed products", .run = MultiplyTransposedOften, .prepare = NewPattern, .allocates = Allocates::Layout},
  {.name = "first products, x beyond L1", .run = MultiplyTimes<30>, .prepare = Enlarge, .allocates = Allocates::Layout},
  {.name = "first A X", .run = [](Subject &s) { return Product(s, MATPRODUCT_AB, s.dense); }, .prepare = NewPattern},
  {.name = "product with new values", .run = Multiply, .prepare = NewValues},
  {.name = "transposed product with new values", .run = MultiplyTransposed, .prepare = NewValues},
  {.name = "products with new values", .run = MultiplyOften, .prepare = NewValues},
  {.name = "product with another option", .run = SetAndMultiply},
  {.name = "product with values put back", .run = RetrieveAndMultiply, .prepare = StoreAndChange},
  {.name = "sum", .run = [](Subject &s) { return MatMultAdd(s.A, s.x, s.y, s.y); }},
  {.name = "sum with another vector", .run = [](Subject &s) { return MatMultAdd(s.A, s.x, s.y, s.z); }},
  {.name = "residual", .run = [](Subject &s) { return MatResidual(s.A, s.y, s.x, s.z); }},
  {.name = "transposed sum", .run = [](Subject &s) { return MatMultTransposeAdd(s.A, s.x, s.y, s.y); }},
  {.name = "Hermitian product", .run = [](Subject &s) { return MatMultHermitianTranspose(s.A, s.x, s.y); }},
  {.name = "relaxation", .run = Relax},
  {.name = "relaxation by layouts", .run = RelaxTwice, .prepare = SweepByLayouts},
  {.name = "relaxation by the plain loop", .run = RelaxTwice, .prepare = SweepPlainly},
  {.name = "relaxation by nodes", .run = RelaxByNodes, .prepare = NodesByLayouts},
  {.name = "solves with factors by layouts", .run = SolveBlocks, .prepare = SweepByLayouts},
  {.name = "solves with factors by the plain loop", .run = SolveBlocks, .prepare = SweepPlainly},
  {.name = "A X", .run = [](Subject &s) { return Product(s, MATPRODUCT_AB, s.dense); }},
  {.name = "A^T X", .run = [](Subject &s) { return Product(s, MATPRODUCT_AtB, s.dense); }},
  {.name = "A A^T", .run = [](Subject &s) { return Product(s, MATPRODUCT_ABt, s.A); }},
  {.name = "A A", .run = [](Subject &s) { return Product(s, MATPRODUCT_AB, s.A); }},
  {.name = "A^T A", .run = [](Subject &s) { return Product(s, MATPRODUCT_AtB, s.A); }},
  {.name = "A^T A A", .run = [](Subject &s) { return Product(s, MATPRODUCT_PtAP, s.A); }},
  {.name = "options", .run = TakeOptions, .prepare = GiveOptions},
  {.name = "solve", .run = Solve},
};

} // namespace

std::span<const Operation> ProductOperations()
{
  return kOperations;
}

} // namespace petscspmv::test
