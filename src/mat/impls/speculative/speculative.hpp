// The speculative segmented sum: W. Liu and B. Vinter, "Speculative segmented sum for sparse
// matrix-vector multiplication on heterogeneous processors", Parallel Computing, 2015.
#pragma once

#include "mat/arithmetic/rows.hpp"
#include "mat/arithmetic/scalar.hpp"
#include "mat/arithmetic/warp.hpp"
#include "mat/exec/host.hpp"
#include "mat/format/csr.hpp"
#include "mat/format/options.hpp"
#include "mat/impls/speculative/layout.hpp"
#include "mat/impls/speculative/sparse.hpp"

#include <algorithm>
#include <array>

namespace petscspmv::speculative {

/// T, W, B and S.
struct Defaults {
  int width, height, bunches, steps;
};

/// On devices those of Table 1 for nVidia. On hosts measured ones: with eight entries in a lane there are three passes, and wide
/// tiles amortize the fixed cost per tile.
template <class Exec, class Scalar>
constexpr Defaults DefaultsFor()
{
  if (kOnHost<Exec>) return {64, 8, 4, 8};
  return {32, sizeof(typename Parts<Scalar>::Real) <= 4 ? 8 : 4, 5, 7};
}

/// On devices a lane of a tile is a lane of a warp, and the products of a tile take at most 8 KiB of its scratch memory.
template <class Exec>
inline constexpr int kMostWidth = kOnHost<Exec> ? kMaxWidth : kWarp;
template <class Exec, class Scalar>
inline constexpr int kMostHeight = kOnHost<Exec> ? kMaxHeight : static_cast<int>(8192 / (kWarp * sizeof(Scalar)));

struct Speculative {
  static constexpr const char *alias   = "speculative";
  static constexpr const char *root    = "aijspeculative";
  static constexpr const char *symbol  = "Speculative"; // in names of functions and events
  static constexpr const char *title   = "Speculative segmented sum";
  static constexpr bool        borrows = true; // CSR as it is, no copy

  // The type spmv does not try this format: in benchmarks/ it was the fastest of all for none of 670 pairs of matrix and
  // processor, and 3 % faster than IPCSR, which needs no copy either, for only 18.
  static constexpr bool by_name_only = true;

  static constexpr auto checks = ByEnumerator<Check::Device, const char *>({{Check::Host, "host"}, {Check::Device, "device"}});
  enum Option { kTileWidth, kTileHeight, kBunches, kSteps, kCheck };
  static constexpr auto options = ByEnumerator<kCheck, OptionSpec>({
    {kTileWidth, {.key = "tile_width", .help = "lanes of a tile, T", .lower = 1, .upper = kMaxWidth}},
    {kTileHeight, {.key = "tile_height", .help = "consecutive nonzeros of a lane, W", .lower = 1, .upper = kMaxHeight}},
    {kBunches, {.key = "bunches", .help = "thread-bunches that a worker takes at a time, B", .lower = 1, .upper = kMaxBunches}},
    {kSteps, {.key = "steps", .help = "consecutive tiles of a thread-bunch, S", .lower = 1, .upper = kMaxSteps}},
    {kCheck,
     {.key     = "check",
      .help    = "where partial sums are synchronized and the sums of dirty tiles corrected",
      .initial = 0,
      .names   = checks}},
  });

  template <class Scalar, class Index, class Exec>
  using Layout = speculative::Layout<Scalar, Index, Exec>;

  template <class Exec, class Scalar, class Index>
  static void Build(const Exec &exec, const Csr<Scalar, Index> &csr, const OptionValues &values,
                    Layout<Scalar, Index, Exec> &layout)
  {
    constexpr Defaults defaults = DefaultsFor<Exec, Scalar>();
    const auto         choose   = [&](Option option, int initial) {
      return values[option] == kDecide ? initial : static_cast<int>(values[option]);
    };
    layout.nnz    = csr.nnz();
    layout.width  = std::min(choose(kTileWidth, defaults.width), kMostWidth<Exec>);
    layout.height = std::min(choose(kTileHeight, defaults.height), kMostHeight<Exec, Scalar>);
    layout.bunch  = choose(kBunches, defaults.bunches);
    layout.steps  = choose(kSteps, defaults.steps);
    layout.check  = kOnHost<Exec> ? static_cast<Check>(values[kCheck]) : Check::Device; // the host cannot read device memory
    if constexpr (!kOnHost<Exec>) layout.rows_to_clear = RowsToClear(csr.host_row_ptr, csr.rows);
    Refresh(exec, csr, layout);
  }

  template <class Exec, class Scalar, class Index>
  static void Refresh(const Exec &, const Csr<Scalar, Index> &csr, Layout<Scalar, Index, Exec> &layout)
  {
    layout.csr = csr;
  }

  /// A x only: the paper has no product with the transpose, and AIJ's own reads the same arrays.
  template <Op op, bool add, class Exec, class Scalar, class Index>
  requires(op == Op::N) static void Apply(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
  {
    Mult<add>(exec, layout, x, y);
  }

  template <class Scalar, class Index, class Exec>
  static std::size_t WorkspaceBytes(const Layout<Scalar, Index, Exec> &layout)
  {
    return Containers<Scalar, Index>(layout, nullptr).bytes;
  }

  /// A layout owns no memory.
  template <class Scalar, class Index, class Exec>
  static std::size_t Bytes(const Layout<Scalar, Index, Exec> &)
  {
    return 0;
  }

  /// Dirty tiles and corrections (the sums that the check of a product without add moves) are computed from the row pointers.
  template <class Exec, class Scalar, class Index>
  static Stats Statistics(const Exec &, const Layout<Scalar, Index, Exec> &layout)
  {
    const Prediction prediction = Predict(layout.csr.host_row_ptr, layout.csr.rows, layout.nnz, layout.TileSize());
    return {
      {"tile_width", static_cast<double>(layout.width), Stat::Parameter},
      {"tile_height", static_cast<double>(layout.height), Stat::Parameter},
      {"bunches", static_cast<double>(layout.bunch), Stat::Parameter},
      {"steps", static_cast<double>(layout.steps), Stat::Parameter},
      {"check", static_cast<double>(layout.check), Stat::Parameter},
      {"tiles", static_cast<double>(layout.Tiles())},
      {"dirty_tiles", static_cast<double>(prediction.dirty_tiles)},
      {"corrections", static_cast<double>(prediction.corrections)},
    };
  }

private:
  struct Prediction {
    std::int64_t dirty_tiles = 0, corrections = 0;
  };

  /// A tile is dirty if a row between its first row and the next tile's first row is empty; the sums of the rows after the empty
  /// one are then stored to wrong rows first.
  template <class Index>
  static Prediction Predict(const Index *row_ptr, Index rows, Index nnz, std::int64_t tile_size)
  {
    Prediction prediction;
    Index      row = RowOf(row_ptr, rows, Index{0}); // row of the tile's first entry
    for (std::int64_t begin = 0; begin < nnz; begin += tile_size) {
      const std::int64_t end = std::min<std::int64_t>(begin + tile_size, nnz);
      if (row_ptr[row + 1] > end) continue; // the whole tile is in one row
      bool empty = false;
      for (++row; row < rows && row_ptr[row + 1] <= end; ++row) {
        if (row_ptr[row] == row_ptr[row + 1]) empty = true;
        else prediction.corrections += empty;
      }
      prediction.dirty_tiles += empty;
    }
    return prediction;
  }
};

} // namespace petscspmv::speculative
