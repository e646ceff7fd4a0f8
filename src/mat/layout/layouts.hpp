// The layouts of a sequential matrix, or of its transpose.
#pragma once

#include "mat/exec/memory_use.hpp"
#include "mat/format/transpose.hpp"
#include "mat/layout/break_even.hpp"
#include "mat/layout/chooser.hpp"
#include "mat/layout/settings.hpp"
#include "mat/layout/slot.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace petscspmv {

/// What layouts of A^T are made from.
struct TransposeSource {
  Transpose<PetscScalar, PetscInt> arrays;
  BreakEven                        break_even; // until then AIJ multiplies with A^T
};

struct Layouts {
  const Settings                  *settings;   // of the matrix
  MatSpMVInfo                     *info;       // its counts
  OwnBytes                        *own;        // its bytes, for the limit of memory
  std::unique_ptr<Chooser>         chooser;    // if the type has no format of its own
  std::unique_ptr<TransposeSource> source;     // only for layouts of A^T
  std::optional<bool>              uses_nodes; // whether AIJ works by the nodes that it has, if that is known

  std::vector<MadeLayout> slots;             // after Need(): indexed by Place if the type has a format, else the chooser's
  std::size_t             latest    = 0;     // the slot that was made current last
  bool                    measuring = false; // a product that the chooser measures is under way
  int                     under_way = 0;     // products under way that use a layout

  Layouts(const Settings &settings, MatSpMVInfo &info, OwnBytes &own);

  PetscErrorCode Need();
  void           Forget();
  double         Bytes() const;
};

} // namespace petscspmv
