// A layout of a sequential matrix in one format. It may be made in parts, of consecutive rows: rows whose part is not made yet are
// multiplied from the matrix's own arrays.
#pragma once

#include "mat/registry/registry.hpp"

#include <cstddef>
#include <vector>

namespace petscspmv {

class FormatLayout {
public:
  /// Divides the rows into parts of about equal work, and makes none of these. Layouts of A^T, on devices, or by formats that
  /// borrow have one part.
  FormatLayout(const PetscFormat &format, Place place, const Csr<PetscScalar, PetscInt> &csr, int parts);

  int      Parts() const { return static_cast<int>(first_.size()) - 1; }
  int      Made() const { return static_cast<int>(parts_.size()); } // the first ones
  PetscInt FirstRow(int part) const { return first_[static_cast<std::size_t>(part)]; }

  /// The rows of a part as a matrix. Its row pointers may be in `row_ptr`, which must then live as long.
  Csr<PetscScalar, PetscInt> RowsOfPart(const Csr<PetscScalar, PetscInt> &csr, int part, std::vector<PetscInt> &row_ptr) const;

  /// Build() makes the next part from its rows, Refresh() gives a part new values. If Build() fails, Keep() the parts before; if
  /// Refresh() fails, the layout is of no use.
  void Build(const Execution &execution, const Csr<PetscScalar, PetscInt> &rows, const OptionValues &options);
  void Refresh(int part, const Execution &execution, const Csr<PetscScalar, PetscInt> &rows);

  void Keep(int parts) { parts_.resize(static_cast<std::size_t>(parts)); }

  /// The product for the rows of the first `parts` parts; op other than N only if the layout has one part.
  void Apply(int parts, const Execution &execution, Op op, const PetscScalar *x, const Result<PetscScalar> &result) const;

  /// Y = A X, or Y += A X, by all parts, with a workspace made for many vectors.
  void ApplyMany(const Execution &execution, bool add, Vectors<const PetscScalar> x, Vectors<PetscScalar> y) const;

  std::size_t Bytes() const;
  Workspace   MakeWorkspace(bool many) const;               // for one product at a time, with the parts that are made
  Stats       Statistics(const Execution &execution) const; // of a layout in one part

private:
  const PetscFormat                            *format_;
  Place                                         place_;
  std::vector<PetscInt>                         first_; // the first row of each part, and the number of rows
  std::vector<AnyLayout<PetscScalar, PetscInt>> parts_; // never moved: products under way use them while others are made
};

} // namespace petscspmv
