// SOR with layouts of both triangles of a matrix.
#pragma once

#include "mat/exec/array.hpp"
#include "mat/layout/stamp.hpp"
#include "mat/sweeps/blocks.hpp"
#include "mat/sweeps/pair.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace petscspmv {

/// What MatSOR() is asked for.
struct Relaxation {
  PetscReal omega, shift;
  bool      forward, backward, zero_guess;
  PetscInt  iterations;

  /// How many triangles it reads.
  double Triangles() const;
};

/// The triangles of a sequential matrix, and what relaxes with them, row by row or by nodes. With a zero initial guess a forward
/// sweep needs the lower triangle alone and a backward one the upper. With another one x is multiplied with the other triangle
/// before.
class SorLayouts final : public TrianglePair {
public:
  /// Compares with the matrix as it is now, before an application.
  void CompareWith(const Stamp &now, const Nodes &nodes);

  /// Makes what a relaxation needs, unless PETSc's loop has to do it: never where a diagonal entry is missing, columns are outside
  /// of the matrix, or too few rows are side by side, and not now where one is zero.
  PetscErrorCode Prepare(Mat A, const Relaxation &relaxation, Made *made);

  PetscErrorCode Relax(const Relaxation &relaxation, Vec b, Vec x);

  double      BytesOfMatrix() const { return seen_.CsrBytes(); }
  std::size_t Bytes() const override
  {
    return TrianglePair::Bytes() + blocks_.Bytes() + divided_.bytes() + sum_.bytes() + more_.bytes();
  }

private:
  bool        ByNodes() const { return nodes_.count > 0; }
  bool        InvertBlocks(const Relaxation &relaxation);
  Made        PrepareTriangles(const Relaxation &relaxation);
  bool        FindBlocks();
  void        RelaxArrays(const Relaxation &relaxation, const PetscScalar *b, PetscScalar *x);
  void        FreeRest() override;
  TrianglesOf Of() const override { return ByNodes() ? TrianglesOf::Nodes : TrianglesOf::Matrix; }

  Stamp               seen_; // at the last look
  Nodes               nodes_;
  std::optional<bool> uses_nodes_;  // whether AIJ relaxes by them, once it was asked
  std::uint64_t       pattern_ = 0; // digest of what blocks_ were found in
  DiagonalBlocks      blocks_;
  bool                has_inverse_ = false; // of the matrix as seen, for these two:
  PetscReal           omega_ = 0, shift_ = 0;
  Array<PetscScalar>  divided_, sum_, more_; // D^-1 b of nodes, b - L x, - U x or - L x
};

} // namespace petscspmv
