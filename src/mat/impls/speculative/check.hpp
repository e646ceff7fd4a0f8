// The second stage: synchronization and checking the prediction (paper, section 3.2; Algorithm 1, lines 62-68). No two bunches, and
// no two dirty tiles, write to the same row, so their order does not matter.
#pragma once

#include "mat/arithmetic/scalar.hpp"
#include "mat/impls/speculative/layout.hpp"

namespace petscspmv::speculative {

/// Adds up the thread-bunches' parts of a row, in order. The first bunch with a part of the row adds those of all bunches. If that
/// bunch has the row's first entry, y has nothing of the row yet; otherwise an earlier bunch has stored the row's beginning in y.
template <bool add, class Scalar, class Index>
struct Synchronize {
  const Index                       *row_ptr;
  std::int64_t                       bunch_size, bunches;
  const Synchronized<Scalar, Index> *synchronizer;
  Scalar                            *y;

  KOKKOS_FUNCTION void operator()(std::int64_t bunch) const
  {
    const Index row = synchronizer[bunch].row;
    if (bunch > 0 && synchronizer[bunch - 1].row == row) return;
    if (!add && row_ptr[row] == bunch * bunch_size) y[row] = synchronizer[bunch].value;
    else y[row] = Plus(y[row], synchronizer[bunch].value);
    while (++bunch < bunches && synchronizer[bunch].row == row) y[row] = Plus(y[row], synchronizer[bunch].value);
  }
};

/// Moves the sums of a dirty tile, stored consecutively after row start, to their rows, last first, and clears the empty rows. The
/// sums of row start and of the rows before the first empty one are in place.
template <class Scalar, class Index>
struct Rearrange {
  const Index        *row_ptr;
  const Range<Index> *speculator;
  Scalar             *y;

  KOKKOS_FUNCTION void operator()(std::int64_t dirty) const
  {
    const Index start = speculator[dirty].start, stop = speculator[dirty].stop;
    Index       sum = start;
    for (Index row = start + 1; row < stop; ++row) sum += row_ptr[row] < row_ptr[row + 1];
    for (Index row = stop - 1; row > sum; --row) { // until no empty row is left before this one
      const bool   nonempty  = row_ptr[row] < row_ptr[row + 1];
      const Scalar either[2] = {Scalar(0), y[sum]}; // a branch would be mispredicted half of the time
      y[row]                 = either[nonempty];
      sum -= nonempty;
    }
  }
};

} // namespace petscspmv::speculative
