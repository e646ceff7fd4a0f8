// A second layout of the entries of a matrix, and what it was made from.
#pragma once

#include "mat/exec/workspace.hpp"
#include "mat/format/format.hpp"
#include "mat/tuning/kernel_variant.hpp"
#include "petsc/compat.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace petscspmv {

using PetscLayout = AnyLayout<PetscScalar, PetscInt>;

/// The state of the AIJ arrays that a layout was made from. Nothing invalidates a shadow from outside: every use compares the
/// stamp with the matrix.
struct Stamp {
  PetscObjectState   state = -1, nonzerostate = -1;
  const PetscInt    *i = nullptr, *j = nullptr;
  const PetscScalar *a    = nullptr;
  PetscInt           rows = -1, cols = -1, nnz = -1;

  bool SamePattern(const Stamp &s) const
  {
    return nonzerostate == s.nonzerostate && i == s.i && j == s.j && rows == s.rows && cols == s.cols && nnz == s.nnz;
  }
  bool SameValues(const Stamp &now) const { return state == now.state && a == now.a; }

  /// Takes the stamp of a sequential matrix.
  PetscErrorCode Take(Mat A);

  /// The bytes of the three arrays; 0 if there are none.
  double CsrBytes() const
  {
    const double index = sizeof(PetscInt);
    return static_cast<double>(std::max<PetscInt>(nnz, 0)) * (sizeof(PetscScalar) + index) + static_cast<double>(rows + 1) * index;
  }

  /// The arrays, as formats receive them.
  Csr<PetscScalar, PetscInt> Lent() const;
};

/// The workspaces of a layout: a product takes one and returns it. Further ones are made for products at the same time.
class Workspaces {
public:
  /// What may throw is done here, unless products coincide.
  void        Start(const PetscLayout &layout) { *this = Workspaces(layout, false); }
  void        MakeForMany(const PetscLayout &layout); // for many vectors from now on
  bool        ForMany() const { return for_many_; }
  Workspace   Take(const PetscLayout &layout);
  void        Return(Workspace workspace, bool for_many) noexcept;
  std::size_t Bytes() const;

  Workspaces() = default;

private:
  Workspaces(const PetscLayout &layout, bool for_many);

  std::vector<Workspace> idle_; // its capacity is that for all that there are
  bool                   for_many_ = false;
};

/// A layout, how it is built, and what it was made from.
struct MadeLayout {
  const PetscFormat *format = nullptr;
  Place              place  = Place::Host;
  OptionValues       options;

  std::shared_ptr<PetscLayout> layout     = {}; // null unless complete; products under way have it too
  Workspaces                   workspaces = {};
  LayoutWay                    way        = {}; // on hosts
  Stamp                        stamp      = {};
  std::uint64_t                pattern    = 0; // digest of the row pointers and, unless borrowed, columns
  std::uint64_t                values     = 0; // digest of the values, with -spmv_audit

  void        Forget() { *this = {.format = format, .place = place, .options = std::move(options)}; }
  std::size_t Bytes() const { return layout ? layout->Bytes() + workspaces.Bytes() : 0; }
};

} // namespace petscspmv
