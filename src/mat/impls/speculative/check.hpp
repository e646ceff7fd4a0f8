// The second stage: synchronization and checking the prediction (paper, section 3.2; Algorithm 1,
// lines 62-68). Both touch rows that nobody else does, so their order does not matter.
#pragma once

#include "mat/arithmetic/scalar.hpp"
#include "mat/impls/speculative/layout.hpp"

namespace petscspmv::speculative {

/// Adds up the thread-bunches' parts of a row in their order. The first bunch of each row does it for
/// all. If the row's first entry is the bunch's own, y has nothing of it yet; otherwise an earlier bunch has
/// stored its beginning there.
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

/// Moves the sums of a dirty tile, which lie side by side behind row start, to their rows, the last
/// first, and clears the empty rows. Row start's sum, and those before the first empty row, are in place.
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
    for (Index row = stop - 1; row > sum; --row) { // until no empty row is left above
      const bool   nonempty  = row_ptr[row] < row_ptr[row + 1];
      const Scalar either[2] = {Scalar(0), y[sum]}; // a branch would be mispredicted as often as not
      y[row]                 = either[nonempty];
      sum -= nonempty;
    }
  }
};

} // namespace petscspmv::speculative
