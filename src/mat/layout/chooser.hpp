// How a type without a format of its own chooses which of its layouts does the next product.
#pragma once

#include "mat/format/options.hpp"
#include "mat/layout/slot.hpp"
#include "mat/tuning/why_aij.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace petscspmv {

struct Layouts;

/// Decides for each product of a sequential matrix whether AIJ, the plain loop or one of several layouts does it.
class Chooser {
public:
  virtual ~Chooser() = default;

  /// The layouts to choose from, none of them built.
  virtual std::vector<MadeLayout> MakeSlots(const OptionValues &options) const = 0;

  /// Call when options or nonzero pattern have changed and layouts are gone.
  virtual void Restart() = 0;

  /// Call before a product on the host that must not fail once it has begun, as where communication is under way. Where memory is
  /// short, either this call fails, or AIJ does the product.
  virtual PetscErrorCode PrepareProduct(Mat A, Layouts &layouts) = 0;

  /// Who does a product: the slot's layout, or else the plain loop in AIJ's arrays, or AIJ.
  struct Decision {
    Slot     slot{};
    bool     plain         = false;
    PetscInt nonempty_rows = 0; // if plain: how many rows of the matrix have entries
  };

  /// Call before a product: decides who does it, and makes the slot's layout current.
  virtual PetscErrorCode BeginProduct(Mat A, Layouts &layouts, Place place, Decision *decision) = 0;

  /// The same for a product with a dense matrix of so many columns, with a slot or by AIJ. EndProduct() is not called after it.
  virtual PetscErrorCode BeginDense(Mat A, Layouts &layouts, PetscInt columns, Slot *slot) = 0;

  /// Call after a product with a vector. `by_parts`: if the layout is not whole, seconds of the rows with a part.
  virtual PetscErrorCode EndProduct(Mat A, Layouts &layouts, double by_parts) = 0;

  /// Whether to report relaxation with the matrix, which a layout may make longer; and what it took, by a loop with that number or,
  /// without one, by layouts of its own alone.
  virtual bool WatchesRelaxation() const                                = 0;
  virtual void Relaxed(double seconds, std::optional<std::size_t> loop) = 0;

  /// Why AIJ did the last product.
  virtual WhyAij Why(const Layouts &layouts) const = 0;

  /// For viewers: figures, and lines on each candidate.
  virtual Stats                    Figures(const Layouts &layouts) const = 0;
  virtual std::vector<std::string> Lines() const                         = 0;
};

} // namespace petscspmv
