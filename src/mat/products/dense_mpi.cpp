#include "mat/products/dense_mpi.hpp"

#include "mat/products/dense.hpp"
#include "mat/products/numeric_phase.hpp"
#include "mat/report/statistics.hpp"
#include "mat/shadow/parallel.hpp"
#include "mat/shadow/shadow.hpp"
#include "petsc/guard.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace petscspmv {

namespace {

/// Y = op(A) X, or Y += A X, by AIJ, one vector at a time.
PetscErrorCode ApplyAij(Mat A, Op op, bool add, Vectors<const PetscScalar> x, Vectors<PetscScalar> y)
{
  const Base *base;
  Vec         in, out;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, op == Op::N ? A->cmap->n : A->rmap->n, NULL, &in));
  PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, op == Op::N ? A->rmap->n : A->cmap->n, NULL, &out));
  for (std::int64_t k = 0; k < x.count; ++k) {
    PetscCall(VecPlaceArray(in, x[k]));
    PetscCall(VecPlaceArray(out, y[k]));
    if (add) PetscCall((*base->ops.multadd)(A, in, out, out));
    else PetscCall((op == Op::N ? *base->ops.mult : *base->ops.multtranspose)(A, in, out));
    PetscCall(VecResetArray(in));
    PetscCall(VecResetArray(out));
  }
  PetscCall(VecDestroy(&in));
  PetscCall(VecDestroy(&out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Prepares the communication of the ghost rows of B, which the off-diagonal block multiplies with, and a buffer for `columns`
/// columns of them.
PetscErrorCode NeedGhosts(Mat A, std::int64_t columns, ParallelShadow &shadow, Vectors<PetscScalar> *ghosts)
{
  Mat             block;
  const PetscInt *rows;
  PetscInt        n;
  PetscSF         sf;
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, NULL, &block, &rows));
  PetscCall(MatGetLocalSize(block, NULL, &n));
  if (!shadow.ghost_rows || shadow.ghost_state != A->nonzerostate) {
    PetscCall(PetscSFDestroy(&shadow.ghost_rows));
    PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)A), &sf));
    ierr = PetscSFSetGraphLayout(sf, A->cmap, n, NULL, PETSC_COPY_VALUES, rows);
    if (ierr) static_cast<void>(PetscSFDestroy(&sf));
    PetscCall(ierr);
    PetscCall(PetscSFSetUp(sf)); // an SF whose setup has failed crashes on reuse, and in PetscSFDestroy()
    shadow.ghost_rows  = sf;
    shadow.ghost_state = A->nonzerostate;
  }
  const std::int64_t ld = std::max<PetscInt>(n, 1); // an SF identifies pending operations by their buffers, which have to differ
  PetscCall(Guard([&] {
    const std::size_t needed = static_cast<std::size_t>(ld * columns);
    if (shadow.ghosts.size() < needed) shadow.ghosts.Allocate(needed);
  }));
  *ghosts = {shadow.ghosts.data(), ld, columns};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The number of columns whose ghost rows are in flight at once.
constexpr std::int64_t kTogether = 16;

/// A parallel product: the products of the two blocks, and the communication of ghost rows.
struct ParallelProduct {
  Mat                  blocks[2]; // diagonal and off-diagonal
  Product              products[2];
  PetscSF              sf;
  Vectors<PetscScalar> ghosts; // ghost rows, for as many columns as are in flight
  bool                 has_ghosts;
};

/// Y = op(A) X, or Y += A X, with one of the blocks.
PetscErrorCode MultiplyBlock(ParallelProduct &p, int block, Op op, bool add, Vectors<const PetscScalar> x, Vectors<PetscScalar> y)
{
  PetscFunctionBegin;
  if (p.products[block].IsByAij()) PetscCall(ApplyAij(p.blocks[block], op, add, x, y));
  else PetscCall(ApplyMany(p.products[block], add, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// C = A B for some columns: the diagonal block multiplies while the ghost rows of B are in flight.
PetscErrorCode MultiplyColumns(ParallelProduct &p, Vectors<const PetscScalar> b, Vectors<PetscScalar> c)
{
  PetscFunctionBegin;
  for (std::int64_t k = 0; k < b.count; ++k) PetscCall(PetscSFBcastBegin(p.sf, MPIU_SCALAR, b[k], p.ghosts[k], MPI_REPLACE));
  PetscCall(MultiplyBlock(p, 0, Op::N, false, b, c));
  for (std::int64_t k = 0; k < b.count; ++k) PetscCall(PetscSFBcastEnd(p.sf, MPIU_SCALAR, b[k], p.ghosts[k], MPI_REPLACE));
  if (p.has_ghosts) PetscCall(MultiplyBlock(p, 1, Op::N, true, p.ghosts.First(b.count), c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// C = A^T B for some columns: the diagonal block multiplies while rows of C are in flight to their owners. It may write C
/// meanwhile, since an SF adds received values only when the reduction ends, and no ghost row is local.
PetscErrorCode MultiplyColumnsTransposed(ParallelProduct &p, Vectors<const PetscScalar> b, Vectors<PetscScalar> c)
{
  const Vectors<PetscScalar> ghosts = p.ghosts.First(b.count);

  PetscFunctionBegin;
  PetscCall(MultiplyBlock(p, 1, Op::T, false, b, ghosts));
  for (std::int64_t k = 0; k < b.count; ++k) PetscCall(PetscSFReduceBegin(p.sf, MPIU_SCALAR, ghosts[k], c[k], MPIU_SUM));
  PetscCall(MultiplyBlock(p, 0, Op::T, false, b, c));
  for (std::int64_t k = 0; k < b.count; ++k) PetscCall(PetscSFReduceEnd(p.sf, MPIU_SCALAR, ghosts[k], c[k], MPIU_SUM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether AIJ multiplies all blocks on all processes, as it does until layouts are worth building. Then PETSc's numeric phase is
/// used, which reads a matrix only once for several columns.
PetscErrorCode IsAllByAij(MPI_Comm comm, const ParallelProduct &p, PetscMPIInt *all)
{
  const PetscMPIInt here = p.products[0].IsByAij() && p.products[1].IsByAij();

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&here, all, 1, MPI_INT, MPI_LAND, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MultiplyManyParallel(Mat A, Op op, Mat B, Mat C)
{
  ParallelShadow *shadow;
  LentDense       lent;
  ParallelProduct p;
  PetscInt        vectors;
  PetscMPIInt     by_petsc = !CanMultiplyMany(A);

  PetscFunctionBegin;
  if (!by_petsc) {
    PetscCall(PrepareBlocks(A));
    PetscCall(MatMPIAIJGetSeqAIJ(A, &p.blocks[0], &p.blocks[1], NULL));
    PetscCall(MatGetSize(B, NULL, &vectors));
    for (int k = 0; k < 2; ++k) PetscCall(BeginMany(p.blocks[k], op, vectors, &p.products[k]));
    if (op == Op::T || p.products[0].layouts->chooser) PetscCall(IsAllByAij(PetscObjectComm((PetscObject)A), p, &by_petsc));
  }
  if (by_petsc) {
    PetscCall(ByPetsc(A, B, C));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(GetShadow(A, &shadow));
  PetscCall(NeedGhosts(A, std::min<std::int64_t>(kTogether, vectors), *shadow, &p.ghosts));
  p.sf         = shadow->ghost_rows;
  p.has_ghosts = p.blocks[1]->cmap->n > 0;
  PetscCall(Lend(B, C, &lent));
  for (std::int64_t k = 0; k < vectors; k += kTogether) {
    const std::int64_t n = std::min<std::int64_t>(kTogether, vectors - k);
    const auto         b = lent.b.From(k).First(n);
    const auto         c = lent.c.From(k).First(n);
    PetscCall(op == Op::N ? MultiplyColumns(p, b, c) : MultiplyColumnsTransposed(p, b, c));
  }
  PetscCall(Return(B, C, &lent));
  if (!p.products[0].IsByAij()) PetscCall(CountDenseProduct(A, shadow->info()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
