// One product with a sequential matrix, by AIJ, the plain loop or a layout. Several threads may multiply with a matrix at the same
// time, as they may with AIJ: layouts and choices change only under the lock, before and after a product, and the product itself
// uses nothing that another product changes.
#pragma once

#include "mat/format/csr.hpp"
#include "mat/format/result.hpp"
#include "mat/layout/layouts.hpp"
#include "mat/layout/nodes.hpp"

#include <cstddef>
#include <memory>

namespace petscspmv {

/// What is multiplied with: a vector, or a dense matrix on the host.
struct Operand {
  Place    place   = Place::Host;
  bool     dense   = false;
  PetscInt columns = 1;
};

/// A product under way.
class Product {
public:
  Layouts *layouts = nullptr; // of A or of A^T
  Slot     slot;              // of the layout that does it
  Chooser *chooser = nullptr; // if it has decided and measures the product
  bool     plain   = false;   // whether the plain loop does it
  PetscInt nnz = 0, nonempty_rows = 0;

  Product() = default;
  ~Product() { GiveBack(); }
  Product(const Product &)            = delete;
  Product &operator=(const Product &) = delete;

  bool IsByAij() const { return !slot && !plain; }

  /// Takes what multiplies in AIJ's arrays: all rows for the plain loop, and those for which a layout has no part yet.
  PetscErrorCode TakeArrays(Mat A);

  /// Takes the slot's layout, and a workspace for this product alone.
  void Take(Op op, bool dense);

  /// Takes a workspace for many vectors in place of the one for a single vector, which stays where memory is short.
  void TakeForMany();
  bool HasForMany() const { return for_many_; }

  /// The result of op(M) x, where M is the matrix that the layout holds: if that is A^T, pass Op::N to multiply with A^T.
  void Apply(Op op, const PetscScalar *x, const Result<PetscScalar> &result);

  const FormatLayout &Layout() const { return *layout_; }
  const PetscFormat  *Format() const { return format_; } // null: AIJ or the plain loop
  const Execution    &HowToRun() const { return execution_; }
  bool                OnDevice() const { return place_ == Place::Device; }

  /// Seconds that the rows with a part took, if the layout was not whole when it was taken; otherwise 0.
  double SecondsByParts() const { return seconds_by_parts_; }

  /// If the product was timed to find the layout's fastest variant, reports its time.
  PetscErrorCode EndTrial(Mat A);

  /// Returns what the product has taken. If an error ends a product, the destructor does this.
  void GiveBack() noexcept;

private:
  bool IsStillThere() const; // whether the layout is still in its slot, and has no more parts

  std::shared_ptr<FormatLayout> layout_; // another product may replace it in its slot
  const PetscFormat            *format_ = nullptr;
  Place                         place_  = Place::Host;
  int                           made_ = 0, parts_ = 0; // parts of layout_ when taken: made, current
  Csr<PetscScalar, PetscInt>    arrays_;               // of the matrix: for the plain loop, and for rows without a part
  Nodes                         nodes_;                // if AIJ uses them
  Execution                     execution_;
  Workspace                     workspace_;
  bool                          for_many_ = false;
  LayoutVariant                 variant_; // to be timed
  bool                          timed_   = false;
  double                        seconds_ = 0, seconds_by_parts_ = 0;
};

/// Has the layouts' chooser decide who does the product, and make the layout current that does.
PetscErrorCode Choose(Mat A, Layouts &layouts, const Operand &with, Product *product);

} // namespace petscspmv
