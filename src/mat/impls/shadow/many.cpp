#include "mat/impls/shadow/many.hpp"

#include "mat/exec/target.hpp"
#include "mat/impls/shadow/guard.hpp"
#include "mat/impls/shadow/statistics.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

namespace petscspmv {

namespace {

using Numeric = PetscErrorCode (*)(Mat, Mat, Mat);

constexpr const char *kOfPetsc = "PetscSpMVNumericOfPetsc_C"; // composed with the product: the numeric phase that ours replaces

/// The numeric phase of a product, as PETSc's own symbolic phases set it.
Numeric &NumericOf(Mat C, MatProductType type)
{
  return type == MATPRODUCT_AB ? C->ops->matmultnumeric : C->ops->transposematmultnumeric;
}

/// Packs of vectors pay off from this many entries per column. A pack is written and read once more than the vectors themselves,
/// 16 bytes per column and vector; it saves reading the entries again, which AIJ does for every four vectors: 1 to 2 bytes per
/// entry and vector.
constexpr double kLeastEntries = 8;

/// Whether the layouts of a matrix should multiply with several vectors at a time. The same on all processes.
PetscErrorCode IsWorthIt(Mat A, MatProductType type, bool *worth)
{
  MatInfo counts;

  PetscFunctionBegin;
  *worth = HasLayouts(A) && (type == MATPRODUCT_AB || !FindType(((PetscObject)A)->type_name)->transpose);
  if (!*worth) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &counts));
  *worth =
    counts.nz_used > 0 && counts.nz_used >= kLeastEntries * static_cast<double>(type == MATPRODUCT_AB ? A->cmap->N : A->rmap->N);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// How many of the last vectors to multiply with by a target with shorter packs, because they would fill only a small part of a
/// pack.
std::int64_t InNarrowPack(const Execution &execution, std::int64_t vectors)
{
  const auto packed       = [](std::size_t target) { return VectorsOfPack(Targets()[target].register_bytes, sizeof(PetscScalar)); };
  const std::int64_t pack = packed(execution.target), narrow = packed(NarrowerTarget(execution.target)), last = vectors % pack;
  return last > 1 && last <= narrow && narrow < pack && !TargetIsForced() ? last : 0;
}

} // namespace

bool HasLayouts(Mat A)
{
  const TypeInfo *type = FindType(((PetscObject)A)->type_name);
  if (!type) return false;
  const PetscFormat *format = FormatOf(*type);
  return format ? format->many : std::ranges::any_of(Formats(), &PetscFormat::many);
}

PetscErrorCode BeginMany(Mat A, Op op, PetscInt vectors, Product *product)
{
  PetscFunctionBegin;
  product->by_aij = !HasLayouts(A);
  if (!product->by_aij) PetscCall(BeginProduct(A, op, {.dense = true, .columns = vectors}, product));
  if (product->by_aij) PetscFunctionReturn(PETSC_SUCCESS);
  MadeLayout &made = product->shadow->Made();
  PetscCall(Guard([&] {
    try {
      if (!made.many) made.workspace = made.layout.MakeWorkspace(true);
      made.many = true;
    } catch (const std::bad_alloc &) { // fall back to one vector at a time
    }
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ApplyMany(const Product &product, bool add, Vectors<const PetscScalar> x, Vectors<PetscScalar> y)
{
  const MadeLayout &made = product.shadow->Made();

  PetscFunctionBegin;
  PetscCall(PetscLogFlops(2.0 * static_cast<PetscLogDouble>(made.stamp.nnz) * static_cast<PetscLogDouble>(x.count)));
  if (made.many) {
    PetscCall(Guard([&] {
      Execution          execution = ExecutionOf(*product.shadow);
      const std::int64_t last = InNarrowPack(execution, x.count), others = x.count - last;
      if (others > 0) made.layout.ApplyMany(execution, add, x.First(others), y.First(others));
      if (last == 0) return;
      execution.target = NarrowerTarget(execution.target);
      made.layout.ApplyMany(execution, add, x.From(others), y.From(others));
    }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (std::int64_t k = 0; k < x.count; ++k) PetscCall(ApplyLayout(*product.shadow, Op::N, add, x[k], y[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Lend(Mat B, Mat C, LentDense *lent)
{
  PetscInt vectors, ldb, ldc;

  PetscFunctionBegin;
  PetscCall(MatGetSize(B, NULL, &vectors));
  PetscCall(MatDenseGetLDA(B, &ldb));
  PetscCall(MatDenseGetLDA(C, &ldc));
  *lent = {{nullptr, ldb, vectors}, {nullptr, ldc, vectors}};
  PetscCall(MatDenseGetArrayRead(B, &lent->b.data));
  PetscCall(MatDenseGetArrayWrite(C, &lent->c.data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Return(Mat B, Mat C, LentDense *lent)
{
  PetscFunctionBegin;
  PetscCall(MatDenseRestoreArrayWrite(C, &lent->c.data));
  PetscCall(MatDenseRestoreArrayRead(B, &lent->b.data));
  PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ByPetsc(Mat A, Mat B, Mat C)
{
  Numeric of_petsc;

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)C, kOfPetsc, &of_petsc));
  PetscCall((*of_petsc)(A, B, C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace {

/// C = op(A) B
PetscErrorCode Multiply(Mat A, Op op, Mat B, Mat C)
{
  Product   product;
  LentDense lent;
  PetscInt  vectors;

  PetscFunctionBegin;
  PetscCall(MatGetSize(B, NULL, &vectors));
  PetscCall(BeginMany(A, op, vectors, &product));
  if (product.by_aij) {
    PetscCall(ByPetsc(A, B, C));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Lend(B, C, &lent));
  PetscCall(ApplyMany(product, false, lent.b, lent.c));
  PetscCall(Return(B, C, &lent));
  PetscCall(CountDenseProduct(A, *product.shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMatMultNumeric_SeqAIJShadow_SeqDense(Mat A, Mat B, Mat C)
{
  return Multiply(A, Op::N, B, C);
}

PetscErrorCode MatTransposeMatMultNumeric_SeqAIJShadow_SeqDense(Mat A, Mat B, Mat C)
{
  return Multiply(A, Op::T, B, C);
}

PetscErrorCode MatMatMultNumeric_MPIAIJShadow_MPIDense(Mat A, Mat B, Mat C)
{
  return MultiplyManyParallel(A, Op::N, B, C);
}

PetscErrorCode MatTransposeMatMultNumeric_MPIAIJShadow_MPIDense(Mat A, Mat B, Mat C)
{
  return MultiplyManyParallel(A, Op::T, B, C);
}

} // namespace

PetscErrorCode MultiplyByLayout(Mat C)
{
  MatProductType type;
  Mat            A;
  PetscBool      mpi;
  bool           worth;

  PetscFunctionBegin;
  PetscCall(MatProductGetType(C, &type));
  PetscCall(MatProductGetMats(C, &A, NULL, NULL));
  PetscCall(IsWorthIt(A, type, &worth));
  if (!worth) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
  const bool    transposed = type == MATPRODUCT_AtB;
  const Numeric sequential = transposed ? Entry<MatTransposeMatMultNumeric_SeqAIJShadow_SeqDense>
                                        : Entry<MatMatMultNumeric_SeqAIJShadow_SeqDense>,
                parallel   = transposed ? Entry<MatTransposeMatMultNumeric_MPIAIJShadow_MPIDense>
                                        : Entry<MatMatMultNumeric_MPIAIJShadow_MPIDense>,
                own = mpi ? parallel : sequential, of_petsc = NumericOf(C, type);
  if (!of_petsc || of_petsc == own) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectComposeFunction((PetscObject)C, kOfPetsc, of_petsc));
  NumericOf(C, type) = own;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
