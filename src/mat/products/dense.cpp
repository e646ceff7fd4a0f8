#include "mat/products/dense.hpp"

#include "mat/exec/execution.hpp"
#include "mat/exec/session.hpp"
#include "mat/exec/settings.hpp"
#include "mat/exec/target.hpp"
#include "mat/format/pack_size.hpp"
#include "mat/report/statistics.hpp"
#include "petsc/guard.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace petscspmv {

namespace {

using Numeric = PetscErrorCode (*)(Mat, Mat, Mat);

constexpr const char *kOfPetsc = "PetscSpMVNumericOfPetsc_C"; // composed with the product: the numeric phase that ours replaces

thread_local bool in_petsc =
  false; // PETSc's numeric phase of a parallel product has products of its blocks, which AIJ then multiplies too

/// The numeric phase of a product, as PETSc's own symbolic phases set it.
Numeric &NumericOf(Mat C, MatProductType type)
{
  return type == MATPRODUCT_AB ? C->ops->matmultnumeric : C->ops->transposematmultnumeric;
}

/// The entries per column from which packs of vectors pay off: they save reading the entries again, which AIJ does for every four
/// vectors, and its sums of single numbers. In memory, a pack is written and read once more than the vectors themselves, 16 bytes
/// per column and vector; in a core's own cache that costs little. Measured for 1, 2, 4 and 8 vectors (src/benchmarks/tried.md).
double LeastEntries(PetscInt vectors, bool in_cache)
{
  if (vectors == 1) return 0;                                       // the layout's own product
  if (vectors == 2) return std::numeric_limits<double>::infinity(); // packs would be half empty
  if (vectors <= 4) return 8;
  return in_cache ? 3 : 6;
}

/// Whether the layouts of a matrix should multiply with `vectors` vectors. The same on all processes.
PetscErrorCode IsWorthIt(Mat A, MatProductType type, PetscInt vectors, bool *worth)
{
  const ::PetscLayout columns   = type == MATPRODUCT_AB ? A->cmap : A->rmap;
  const Execution     execution = CurrentExecution();
  const std::size_t   packs     = static_cast<std::size_t>(columns->n) * kMostPacked<PetscScalar> * sizeof(PetscScalar);
  const PetscMPIInt   in_cache  = packs <= execution.own_cache; // which all threads read
  PetscMPIInt         all       = 0;
  MatInfo             counts;

  PetscFunctionBegin;
  *worth = HasLayouts(A) && (type == MATPRODUCT_AB || !FindType(((PetscObject)A)->type_name)->transpose);
  if (!*worth) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &counts));
  PetscCallMPI(MPI_Allreduce(&in_cache, &all, 1, MPI_INT, MPI_LAND, PetscObjectComm((PetscObject)A)));
  *worth = counts.nz_used > 0 && counts.nz_used >= LeastEntries(vectors, all) * static_cast<double>(columns->N);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// How to multiply with some vectors: most in packs of the widest target, since a pass over the entries serves as many as a
/// register holds. (Which target is the fastest with a single vector depends on how it loads x, which packs do not.) The last may
/// fill only a small part of such a pack: one is multiplied alone, more in a narrower pack.
struct Split {
  std::size_t  wide, narrow; // targets
  std::int64_t in_wide, in_narrow, alone;
};
Split SplitVectors(std::size_t target, std::int64_t vectors)
{
  const auto  targets = Targets();
  const auto  packed  = [&](std::size_t k) { return VectorsOfPack(targets[k].register_bytes, sizeof(PetscScalar)); };
  std::size_t wide    = WidestTarget(), narrow;
  if (TargetIsForced() || targets[wide].fused != targets[target].fused) wide = target; // results have the same bits
  narrow                  = TargetIsForced() ? target : NarrowerTarget(wide);
  const std::int64_t last = vectors % packed(wide);
  if (last <= 1) return {wide, narrow, vectors - last, 0, last};
  if (last <= packed(narrow) && packed(narrow) < packed(wide)) return {wide, narrow, vectors - last, last, 0};
  return {wide, narrow, vectors, 0, 0};
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
  if (!product->by_aij && vectors > 1) PetscCall(Guard([&] { product->TakeForMany(); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ApplyMany(Product &product, bool add, Vectors<const PetscScalar> x, Vectors<PetscScalar> y)
{
  PetscFunctionBegin;
  {
    const Locked now(Lock());
    PetscCall(PetscLogFlops(2.0 * static_cast<PetscLogDouble>(product.nnz) * static_cast<PetscLogDouble>(x.count)));
  }
  PetscCall(Guard([&] {
    if (!product.HasForMany()) {
      for (std::int64_t k = 0; k < x.count; ++k) product.Apply(Op::N, add, x[k], y[k]);
      return;
    }
    Execution   execution = product.HowToRun();
    const Split split     = SplitVectors(execution.target, x.count);
    for (std::int64_t k = x.count - split.alone; k < x.count; ++k) product.Apply(Op::N, add, x[k], y[k]);
    execution.target = split.wide;
    if (split.in_wide > 0) product.Layout().ApplyMany(execution, add, x.First(split.in_wide), y.First(split.in_wide));
    execution.target = split.narrow;
    if (split.in_narrow > 0) product.Layout().ApplyMany(execution, add, x.From(split.in_wide), y.From(split.in_wide));
  }));
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
  const bool           outer = std::exchange(in_petsc, true);
  const PetscErrorCode code  = (*of_petsc)(A, B, C);
  in_petsc                   = outer;
  PetscCall(code);
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
  if (in_petsc) product.by_aij = true;
  else PetscCall(BeginMany(A, op, vectors, &product));
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

PetscErrorCode MatMatMultNumeric_MPIAIJWatched_MPIDense(Mat A, Mat B, Mat C)
{
  Numeric of_petsc;

  PetscFunctionBegin;
  PetscCall(PrepareBlocks(A));
  PetscCall(PetscObjectQueryFunction((PetscObject)C, kOfPetsc, &of_petsc));
  PetscCall((*of_petsc)(A, B, C)); // layouts multiply as well
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PrepareBlocksBefore(Mat C)
{
  Numeric &numeric = NumericOf(C, MATPRODUCT_AB);

  PetscFunctionBegin;
  if (!numeric || numeric == Entry<MatMatMultNumeric_MPIAIJWatched_MPIDense>) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectComposeFunction((PetscObject)C, kOfPetsc, numeric));
  numeric = Entry<MatMatMultNumeric_MPIAIJWatched_MPIDense>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MultiplyByLayout(Mat C)
{
  MatProductType type;
  Mat            A, B;
  PetscInt       vectors;
  PetscBool      mpi;
  bool           worth;

  PetscFunctionBegin;
  PetscCall(MatProductGetType(C, &type));
  PetscCall(MatProductGetMats(C, &A, &B, NULL));
  PetscCall(MatGetSize(B, NULL, &vectors));
  PetscCall(IsWorthIt(A, type, vectors, &worth));
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
