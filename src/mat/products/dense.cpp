#include "mat/products/dense.hpp"

#include "mat/exec/target.hpp"
#include "mat/format/pack_size.hpp"
#include "mat/report/flops.hpp"
#include "mat/shadow/multiply.hpp"
#include "mat/tuning/choose_target.hpp"
#include "petsc/guard.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace petscspmv {

namespace {

/// How to multiply with some vectors. Most are multiplied in packs of the widest target, since a pass over the entries serves as
/// many vectors as a register holds. (A single vector may have another fastest target, since kernels differ in how they load x; for
/// packs that does not matter.) The last vectors may fill only a small part of such a pack: a single one is multiplied alone,
/// several in a narrower pack.
struct Split {
  std::size_t  wide, narrow; // targets
  std::int64_t in_wide, in_narrow, alone;
};
Split SplitVectors(std::size_t target, std::int64_t vectors)
{
  const auto  targets = Targets();
  const auto  packed  = [&](std::size_t k) { return VectorsOfPack(targets[k].register_bytes, sizeof(PetscScalar)); };
  std::size_t wide    = WidestTarget(), narrow;
  if (TargetIsForced() || targets[wide].fused != targets[target].fused) wide = target; // so that results have the same bits
  narrow                  = TargetIsForced() ? target : NarrowerTarget(wide);
  const std::int64_t last = vectors % packed(wide);
  if (last <= 1) return {wide, narrow, vectors - last, 0, last};
  if (last <= packed(narrow) && packed(narrow) < packed(wide)) return {wide, narrow, vectors - last, last, 0};
  return {wide, narrow, vectors, 0, 0};
}

} // namespace

bool CanMultiplyMany(Mat A)
{
  const TypeInfo *type = FindType(((PetscObject)A)->type_name);
  if (!type) return false;
  const PetscFormat *format = FormatOf(*type);
  return format ? format->many : std::ranges::any_of(Formats(), &PetscFormat::many);
}

PetscErrorCode BeginMany(Mat A, Op op, PetscInt vectors, Product *product)
{
  PetscFunctionBegin;
  if (CanMultiplyMany(A)) PetscCall(BeginProduct(A, op, {.dense = true, .columns = vectors}, product));
  if (!product->IsByAij() && vectors > 1) PetscCall(Guard([&] { product->TakeForMany(); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ApplyMany(Product &product, bool add, Vectors<const PetscScalar> x, Vectors<PetscScalar> y)
{
  const auto single = [&](std::int64_t k) { product.Apply(Op::N, x[k], {.y = y[k], .v = add ? y[k] : nullptr}); };

  PetscFunctionBegin;
  PetscCall(AddFlops(2.0 * static_cast<PetscLogDouble>(product.nnz) * static_cast<PetscLogDouble>(x.count)));
  PetscCall(Guard([&] {
    if (!product.HasForMany()) {
      for (std::int64_t k = 0; k < x.count; ++k) single(k);
      return;
    }
    Execution   execution = product.HowToRun();
    const Split split     = SplitVectors(execution.target, x.count);
    for (std::int64_t k = x.count - split.alone; k < x.count; ++k) single(k);
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

} // namespace petscspmv
