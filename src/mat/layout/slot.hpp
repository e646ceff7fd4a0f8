// A layout of a matrix, and what it was made from.
#pragma once

#include "mat/layout/stamp.hpp"
#include "mat/layout/workspaces.hpp"
#include "mat/tuning/kernel_variant.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace petscspmv {

/// Digests of a part: of its row pointers and, unless they are borrowed, columns; of its values only with -spmv_audit.
struct PartDigests {
  std::uint64_t pattern = 0, values = 0;
};

/// A layout, how it is built, and what it was made from.
struct MadeLayout {
  static constexpr double kNotRefused = -std::numeric_limits<double>::infinity();

  const PetscFormat *format = nullptr;
  Place              place  = Place::Host;
  OptionValues       options;

  std::shared_ptr<FormatLayout> layout        = {}; // null if there is none; products under way share it
  Workspaces                    workspaces    = {};
  LayoutVariant                 variant       = {}; // for layouts on the host
  Stamp                         stamp         = {};
  PetscInt                      nonempty_rows = 0;
  std::vector<PartDigests>      digests       = {};          // of the parts that are made
  int                           current       = 0;           // parts with the values of the stamp: the first ones
  double                        left          = kNotRefused; // bytes that the limit left when it refused memory

  /// Replaces the layout by another one or by none; nothing of it is current.
  void Begin(std::shared_ptr<FormatLayout> other)
  {
    layout     = std::move(other);
    workspaces = {};
    variant    = {};
    digests.clear();
    current = 0;
  }
  void        Forget() { *this = {.format = format, .place = place, .options = std::move(options)}; }
  bool        IsWhole() const { return layout && current == layout->Parts(); }
  std::size_t Bytes() const { return layout ? layout->Bytes() + workspaces.Bytes() : 0; }
};

/// The layout that does a product, by its index among those of a matrix; none if AIJ does it.
using Slot = std::optional<std::size_t>;

} // namespace petscspmv
