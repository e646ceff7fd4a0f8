// One product with a sequential matrix: AIJ does it, or a layout. Threads of a program may multiply with a matrix at the same time,
// as they may with AIJ: what changes layouts and choices happens under the lock before the product and after it, and the product
// itself uses nothing that another one changes.
#pragma once

#include "mat/format/csr.hpp"
#include "mat/format/result.hpp"
#include "mat/layout/layouts.hpp"

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
  PetscInt nnz = 0, nonempty_rows = 0;

  Product() = default;
  ~Product() { GiveBack(); }
  Product(const Product &)            = delete;
  Product &operator=(const Product &) = delete;

  bool IsByAij() const { return !slot; }

  /// Takes the layout and a workspace of its own.
  void Take(Op op, bool dense);

  /// Takes a workspace for many vectors in place of the one for a single vector. Where memory is short that one stays.
  void TakeForMany();
  bool HasForMany() const { return for_many_; }

  /// The result of op(A) x, where A is what the layout holds: with one of A^T callers ask for Op::N.
  void Apply(Op op, const PetscScalar *x, const Result<PetscScalar> &result);

  const FormatLayout &Layout() const { return *layout_; }
  const PetscFormat  *Format() const { return format_; } // null: AIJ
  const Execution    &HowToRun() const { return execution_; }
  bool                OnDevice() const { return place_ == Place::Device; }

  /// Seconds of the rows that a layout in parts had when the product was taken; 0 if it is whole.
  double SecondsByParts() const { return seconds_by_parts_; }

  /// Reports the time of the product, if that was asked for to find the fastest way.
  PetscErrorCode EndTrial(Mat A);

  /// Returns what it has taken; done by the destructor if an error ends a product.
  void GiveBack() noexcept;

private:
  bool IsStillThere() const; // the layout, in its slot, and no part was added

  std::shared_ptr<FormatLayout> layout_; // another product may replace it in its slot
  const PetscFormat            *format_ = nullptr;
  Place                         place_  = Place::Host;
  int                           made_ = 0, parts_ = 0; // parts of it: made, current
  Csr<PetscScalar, PetscInt>    rest_;                 // the matrix, if other rows are multiplied with its own arrays
  Execution                     execution_;
  Workspace                     workspace_;
  bool                          for_many_ = false;
  LayoutVariant                 variant_; // to be timed
  bool                          timed_   = false;
  double                        seconds_ = 0, seconds_by_parts_ = 0;
};

/// Has the chooser of the layouts decide what does a product, and makes the layout current.
PetscErrorCode Choose(Mat A, Layouts &layouts, const Operand &with, Product *product);

} // namespace petscspmv
