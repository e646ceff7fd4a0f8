// A layout of a matrix, and what it was made from.
#pragma once

#include "mat/layout/stamp.hpp"
#include "mat/layout/workspaces.hpp"
#include "mat/tuning/kernel_variant.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace petscspmv {

/// A layout, how it is built, and what it was made from.
struct MadeLayout {
  const PetscFormat *format = nullptr;
  Place              place  = Place::Host;
  OptionValues       options;

  std::shared_ptr<FormatLayout> layout        = {}; // null unless complete; products under way have it too
  Workspaces                    workspaces    = {};
  LayoutVariant                 variant       = {}; // on hosts
  Stamp                         stamp         = {};
  PetscInt                      nonempty_rows = 0;
  std::uint64_t                 pattern       = 0;  // digest of the row pointers and, unless borrowed, columns
  std::uint64_t                 values        = 0;  // digest of the values, with -spmv_audit
  double                        left          = -1; // by the limit of memory when it was in the way

  void        Forget() { *this = {.format = format, .place = place, .options = std::move(options)}; }
  std::size_t Bytes() const { return layout ? layout->Bytes() + workspaces.Bytes() : 0; }
};

/// The layout that does a product, by its index among those of a matrix; none if AIJ does it.
using Slot = std::optional<std::size_t>;

} // namespace petscspmv
