// SOR with layouts of both triangles of a matrix, or with the plain loop.
#pragma once

#include "mat/exec/array.hpp"
#include "mat/layout/stamp.hpp"
#include "mat/sweeps/blocks.hpp"
#include "mat/sweeps/pair.hpp"

#include <cstddef>
#include <cstdint>

namespace petscspmv {

/// What MatSOR() is asked for.
struct Relaxation {
  PetscReal omega, shift;
  bool      forward, backward, zero_guess;
  PetscInt  iterations = 1;
  bool      goes_on    = false; // more iterations follow in other relaxations: they need what these do not

  /// How many triangles the relaxation reads.
  double Triangles() const;

  /// A number for relaxations that read and write alike.
  std::size_t Kind() const;
};

/// The triangles of a sequential matrix, and relaxation with them, row by row or by nodes. With a zero initial guess a forward
/// sweep needs only the lower triangle, and a backward sweep only the upper. With any other guess, x is multiplied with the
/// opposite triangle first.
class SorLayouts final : public TrianglePair {
public:
  /// Compares with the matrix as it is now, before an application. False if it has changed since the last one.
  bool CompareWith(const Stamp &now, const Nodes &nodes);

  /// Makes what a relaxation by layouts or the plain loop needs. *outcome is Never if a diagonal entry is missing, columns are out
  /// of order or outside of the matrix, or too few rows are side by side; it is NotNow if a diagonal entry or pivot is zero, or
  /// memory is short.
  PetscErrorCode Prepare(Mat A, const Relaxation &relaxation, Outcome *outcome);

  PetscErrorCode Relax(const Relaxation &relaxation, Vec b, Vec x);

  double      BytesOfMatrix() const { return seen_.CsrBytes(); }
  double      EntriesOfTriangle() const { return 0.5 * static_cast<double>(seen_.nnz); } // on average
  PetscInt    BlockEntries() const { return block_entries_; }                            // of nodes
  std::size_t Bytes() const override { return LayoutBytes() + blocks_.Bytes() + divided_.bytes() + sum_.bytes() + more_.bytes(); }

private:
  bool           ByNodes() const { return nodes_.count > 0; }
  PetscErrorCode Audit(bool current);
  bool           InvertBlocks(const Relaxation &relaxation);
  Outcome        PrepareTriangles(const Relaxation &relaxation);
  bool           FindBlocks();
  void           RelaxArrays(const Relaxation &relaxation, const PetscScalar *b, PetscScalar *x);
  void           RelaxNodes(const Relaxation &relaxation, const PetscScalar *b, PetscScalar *x);
  void           FreeRest() override;
  SweepFamily    Family() const override // by nodes D^-1 A is computed besides, and PETSc's loop is fast unless it waits
  {
    if (ByNodes()) return {.name = "nodes", .in_one_part = true, .build = 24, .loop = 0.9, .layouts = 0.8};
    return {.name = "rows"};
  }

  Stamp              seen_; // the matrix at the last CompareWith()
  Nodes              nodes_;
  PetscInt           block_entries_ = 0; // of nodes_
  std::uint64_t      pattern_       = 0; // digest of the pattern that blocks_ were found in
  std::uint64_t      audited_       = 0; // with -spmv_audit: digest of pattern and values at the last application by layouts
  DiagonalBlocks     blocks_;
  bool               has_inverse_ = false; // blocks_ are inverted, for seen_ and these two:
  PetscReal          omega_ = 0, shift_ = 0;
  Array<PetscScalar> divided_, sum_, more_; // D^-1 b of nodes, b - L x, - U x or - L x
};

} // namespace petscspmv
