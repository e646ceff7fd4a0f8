// The format SELL-C-sigma: M. Kreutzer, G. Hager, G. Wellein, H. Fehske and A. R. Bishop, "A unified
// sparse matrix data format for efficient general sparse matrix-vector multiplication on modern
// processors with wide SIMD units", SIAM J. Sci. Comput. 36 (2014).
#pragma once

#include "mat/arithmetic/shape_values.hpp"
#include "mat/arithmetic/store.hpp"
#include "mat/exec/workspace.hpp"
#include "mat/format/csr.hpp"
#include "mat/format/features.hpp"
#include "mat/format/options.hpp"
#include "mat/format/pack_size.hpp"
#include "mat/impls/sellcs/layout.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace petscspmv::sellcs {

/// What a layout by the default options is expected to share, from samples. In build.hpp.
template <class Scalar, class CsrIndex>
Sharing SampleSharing(const Csr<Scalar, CsrIndex> &csr);

struct Sellcs {
  static constexpr const char *alias  = "sellcs";
  static constexpr const char *root   = "aijscs";
  static constexpr const char *symbol = "SELLCS";
  static constexpr const char *title  = "SELL-C-sigma";

  enum Option { kChunk, kSigma, kTrimmed, kRowBound, kOffsets, kValues, kShapes };
  static constexpr std::array<const char *, 2> kShapesOf{"auto", "none"};
  static constexpr std::int64_t                kMost = std::numeric_limits<std::int32_t>::max();

  static constexpr auto options = ByEnumerator<kShapes, OptionSpec>({
    {kChunk, {.key = "chunk", .help = "C, the rows of a chunk", .lower = 1, .upper = kMost}},
    {kSigma, {.key = "sigma", .help = "size of the windows within which rows are sorted by length", .lower = 1, .upper = kMost}},
    {kTrimmed,
     {.key     = "trimmed",
      .help    = "store only the columns filled by all rows of a chunk, and the rest row by row (TSELL-C-sigma)",
      .initial = 0,
      .names   = kFlag}},
    {kRowBound, {.key = "row_bound", .help = "rows with more nonzeros are stored outside of chunks", .upper = kMost}},
    {kOffsets,
     {.key = "offsets", .help = "store column indices as 16-bit offsets in chunks that allow it", .initial = 1, .names = kFlag}},
    {kValues,
     {.key     = "values",
      .help    = "store values in fewer bytes in chunks where this is exact, in full, or rounded to single precision",
      .upper   = kValueStorages.size() - 1,
      .initial = 0,
      .names   = kValueStorages}},
    {kShapes,
     {.key     = "shapes",
      .help    = "share column indices where those of adjacent rows follow one another, or are the same",
      .initial = 0,
      .names   = kShapesOf}},
  });

  template <class Scalar, class Index, class Exec>
  using Layout = sellcs::Layout<Scalar, Index, Exec>;

  /// A row takes as long as `kRow` entries besides its own. Padding adds to all of it; the automatic sigma is expected to pad no
  /// more than unsorted rows, and at most 0.03 entries per nonzero more than fully sorted ones. Column indices and loads of x are
  /// `kLoads` of it, and taken once where rows share them. Of AIJ's waiting `kWaits` remains. Values are assumed to be stored in
  /// full. With these three numbers the formats that were expected to be the fastest came nearest to those that were, on all
  /// processors measured (src/benchmarks/tried.md); numbers around them are as good.
  template <class Scalar, class Index>
  static Forecast Expect(const Features &features, const Csr<Scalar, Index> &csr)
  {
    constexpr double kLoads = 0.7, kRow = 3, kWaits = 0.35;
    const Sharing    sharing = SampleSharing(csr);
    const double     shared  = sharing.share * (1 - 1. / sharing.rows),
                 padded      = std::min(features.padded, features.padded_sorted + 0.03);
    return {.build = 7,
            .work  = padded * (1 - kLoads * shared) * (1 + kRow / features.length) / (1 + kRow / kMeasuredRow),
            .bytes = padded * (sizeof(Scalar) + (1 - shared) * features.ColumnBytes(sizeof(Index))),
            .waits = kWaits};
  }

  template <class Exec, class Scalar, class CsrIndex, class Index>
  static void Build(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, const OptionValues &values,
                    Layout<Scalar, Index, Exec> &layout)
  {
    layout         = {};
    layout.rows    = static_cast<Index>(csr.rows);
    layout.cols    = static_cast<Index>(csr.cols);
    layout.nnz     = csr.nnz();
    layout.chunk   = values[kChunk] == kDecide ? DefaultChunk<Exec, Scalar>() : values[kChunk];
    layout.height  = std::max<std::int64_t>(1, std::min<std::int64_t>(layout.chunk, csr.rows));
    layout.trimmed = values[kTrimmed] != 0;
    layout.bound   = values[kRowBound];
    layout.offsets = values[kOffsets] != 0;
    layout.shapes  = values[kShapes] == 0;
    BuildPattern(exec, csr, values[kSigma], layout);
    FillColumns(exec, csr, layout);
    WithValues(exec, csr, layout, [&](const auto &source) {
      FillValues(exec, source, static_cast<ValueStorage>(values[kValues]), ColumnBytes(layout), layout.values);
    });
    FillRemainderValues(exec, csr, layout);
  }

  template <class Exec, class Scalar, class CsrIndex, class Index>
  static void Refresh(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
  {
    WithValues(exec, csr, layout, [&](const auto &source) { RefillValues(exec, source, layout.values); });
    FillRemainderValues(exec, csr, layout);
  }

  template <Op op, bool add, class Exec, class Scalar, class Index, class Y>
  requires(op == Op::N && kCanStore<Exec, Scalar, Y>) static void Apply(const Exec &exec, const Layout<Scalar, Index, Exec> &layout,
                                                                        const Scalar *x, Y y)
  {
    Mult<add>(exec, layout, x, y);
  }

  template <bool add, OnProcessor Exec, class Scalar, class Index>
  static void ApplyMany(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, Vectors<const Scalar> x, Vectors<Scalar> y)
  {
    MultMany<add>(exec, layout, WorkspaceBytes(layout), x, y);
  }

  /// One sum per piece of a long row, to be added in order.
  template <class Scalar, class Index, class Exec>
  static std::size_t WorkspaceBytes(const Layout<Scalar, Index, Exec> &layout)
  {
    return layout.remainder.row.size() * sizeof(Scalar);
  }

  /// Packs of x, and the workspace of a product for each vector of a pack.
  template <class Scalar, class Index, OnProcessor Exec>
  static std::size_t ManyWorkspaceBytes(const Layout<Scalar, Index, Exec> &layout)
  {
    return BytesForMany<Scalar>(layout.cols, WorkspaceBytes(layout));
  }

  template <class Scalar, class Index, class Exec>
  static std::size_t Bytes(const Layout<Scalar, Index, Exec> &layout)
  {
    return layout.chunk_ptr.bytes() + layout.full.bytes() + layout.row_len.bytes() + layout.perm.bytes() + layout.rest_ptr.bytes() +
           ColumnBytes(layout) + layout.values.Bytes() + layout.remainder.Bytes();
  }

  template <class Exec, class Scalar, class Index>
  static Stats Statistics(const Exec &, const Layout<Scalar, Index, Exec> &layout)
  {
    return {
      {"chunk", static_cast<double>(layout.chunk), Stat::Parameter},
      {"sigma", static_cast<double>(layout.sigma), Stat::Parameter},
      {"trimmed", static_cast<double>(layout.trimmed), Stat::Parameter},
      {"row_bound", static_cast<double>(layout.bound == kDecide ? layout.longest : layout.bound),
       layout.bound == kDecide ? Stat::Most : Stat::Parameter},
      {"offsets", static_cast<double>(layout.offsets), Stat::Parameter},
      {"values", static_cast<double>(layout.values.storage), Stat::Parameter},
      {"shapes", layout.shapes ? 0. : 1., Stat::Parameter},
      {"chunks", static_cast<double>(layout.chunks)},
      {"offset_chunks", static_cast<double>(layout.columns.offset_blocks)},
      {"block_entries", static_cast<double>(layout.block_entries), Stat::Ratio, static_cast<double>(layout.StoredEntries())},
      {"run_entries", static_cast<double>(layout.runs.entries), Stat::Ratio, static_cast<double>(layout.StoredEntries())},
      {"single_chunks", static_cast<double>(layout.values.single_blocks)},
      {"few_values_chunks", static_cast<double>(layout.values.few_blocks)},
      {"one_value_chunks", static_cast<double>(layout.values.one_blocks)},
      {"beta", static_cast<double>(layout.nnz), Stat::Ratio, static_cast<double>(layout.StoredEntries())},
      {"long_rows", static_cast<double>(layout.remainder.rows)},
      {"long_row_entries", static_cast<double>(layout.remainder.entries)},
      {"nnzr", static_cast<double>(layout.nnz), Stat::Ratio, static_cast<double>(layout.rows), "nonzeros/row"},
      {"alpha", static_cast<double>(layout.cols), Stat::Ratio, static_cast<double>(layout.nnz)},
      {"code_balance", Traffic(layout), Stat::Ratio, Flops(layout), "bytes/flop"},
    };
  }

private:
  template <class Scalar, class Index, class Exec>
  static std::size_t ColumnBytes(const Layout<Scalar, Index, Exec> &layout)
  {
    return layout.columns.Bytes() + layout.runs.Bytes() + layout.column_ptr.bytes();
  }

  template <class Scalar, class Index, class Exec>
  static double Flops(const Layout<Scalar, Index, Exec> &layout)
  {
    return static_cast<double>(layout.nnz) * (Parts<Scalar>::count == 1 ? 2 : 8);
  }

  /// Bytes moved by a product according to eq. 4.3, if x is read once: alpha = cols / nnz.
  template <class Scalar, class Index, class Exec>
  static double Traffic(const Layout<Scalar, Index, Exec> &layout)
  {
    const double vectors = static_cast<double>(layout.cols) + 2 * static_cast<double>(layout.rows);
    return static_cast<double>(layout.values.Bytes() + ColumnBytes(layout) + layout.remainder.val.bytes() +
                               layout.remainder.col_idx.bytes()) +
           sizeof(Scalar) * vectors;
  }
};

} // namespace petscspmv::sellcs
