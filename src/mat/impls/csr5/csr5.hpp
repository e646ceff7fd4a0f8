// The format CSR5: W. Liu and B. Vinter, "CSR5: An Efficient Storage Format for Cross-Platform
// Sparse Matrix-Vector Multiplication", ICS 2015.
#pragma once

#include "mat/arithmetic/shape_values.hpp"
#include "mat/arithmetic/store.hpp"
#include "mat/exec/warp_width.hpp"
#include "mat/exec/workspace.hpp"
#include "mat/format/csr.hpp"
#include "mat/format/features.hpp"
#include "mat/format/options.hpp"
#include "mat/format/pack_size.hpp"
#include "mat/impls/csr5/layout.hpp"

#include <algorithm>
#include <array>

namespace petscspmv::csr5 {

/// On devices each column needs a lane of its own.
template <class Exec>
inline constexpr int kMostOmega = kOnHost<Exec> ? kMaxOmega : kWarp;

struct Csr5 {
  static constexpr const char *alias  = "csr5";
  static constexpr const char *root   = "aijcsr5";
  static constexpr const char *symbol = "CSR5";
  static constexpr const char *title  = "CSR5";

  static constexpr auto segmented_sums =
    ByEnumerator<SegmentedSum::Prefix, const char *>({{SegmentedSum::Separate, "separate"}, {SegmentedSum::Prefix, "prefix"}});
  enum Option { kOmega, kSigma, kSegmentedSum, kOffsets, kValues };
  static constexpr auto options = ByEnumerator<kValues, OptionSpec>({
    {kOmega, {.key = "omega", .help = "columns of a tile", .lower = 1, .upper = kMaxOmega}},
    {kSigma, {.key = "sigma", .help = "rows of a tile (SIMD steps)", .lower = 1, .upper = kMaxSigma}},
    {kSegmentedSum,
     {.key  = "segmented_sum",
      .help = "how sums across a tile's columns are formed: row by row, or as differences of prefix sums (the paper's Algorithm 6)",
      .initial = 0,
      .names   = segmented_sums}},
    {kOffsets,
     {.key = "offsets", .help = "store column indices as 16-bit offsets in tiles that allow it", .initial = 1, .names = kFlag}},
    {kValues,
     {.key     = "values",
      .help    = "store values in fewer bytes in tiles where this is exact, in full, or rounded to single precision",
      .upper   = kValueStorages.size() - 1,
      .initial = 0,
      .names   = kValueStorages}},
  });

  template <class Scalar, class Index, class Exec>
  using Layout = csr5::Layout<Scalar, Index, Exec>;

  /// Every entry costs the same, whatever the rows look like. Values are assumed to be stored in full.
  template <class Scalar, class Index>
  static Forecast Expect(const Features &features, const Csr<Scalar, Index> &)
  {
    return {.build = 5, .bytes = sizeof(Scalar) + features.ColumnBytes(sizeof(Index)), .waits = 0.3};
  }

  template <class Exec, class Scalar, class CsrIndex, class Index>
  static void Build(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, const OptionValues &values,
                    Layout<Scalar, Index, Exec> &layout)
  {
    const int omega =
      values[kOmega] == kDecide ? DefaultOmega<Exec>() : std::min(static_cast<int>(values[kOmega]), kMostOmega<Exec>);
    const int sigma      = values[kSigma] == kDecide ? DefaultSigma<Exec>() : static_cast<int>(values[kSigma]);
    layout               = {};
    layout.rows          = static_cast<Index>(csr.rows);
    layout.cols          = static_cast<Index>(csr.cols);
    layout.nnz           = csr.nnz();
    layout.fields        = DescriptorFields::For(omega, sigma);
    layout.segmented_sum = static_cast<SegmentedSum>(values[kSegmentedSum]);
    layout.offsets       = values[kOffsets] != 0;
    layout.complete      = layout.nnz / layout.TileSize();
    layout.tiles         = layout.complete + (layout.nnz % layout.TileSize() != 0);
    BuildPattern(exec, csr, layout);
    FillColumns(exec, csr, layout);
    WithValues(exec, csr, layout, [&](const auto &source) {
      FillValues(exec, source, static_cast<ValueStorage>(values[kValues]), layout.columns.Bytes(), layout.values);
    });
  }

  template <class Exec, class Scalar, class CsrIndex, class Index>
  static void Refresh(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
  {
    WithValues(exec, csr, layout, [&](const auto &source) { RefillValues(exec, source, layout.values); });
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

  /// A partial sum for each block, and on devices for the tail: what it adds to a row that began before it.
  template <class Scalar, class Index, class Exec>
  static std::size_t WorkspaceBytes(const Layout<Scalar, Index, Exec> &layout)
  {
    return (static_cast<std::size_t>(layout.Blocks()) + 1) * sizeof(Scalar);
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
    return layout.columns.Bytes() + layout.values.Bytes() + ExtraBytes(layout) + SegmentBytes(layout);
  }

  template <class Exec, class Scalar, class Index>
  static Stats Statistics(const Exec &, const Layout<Scalar, Index, Exec> &layout)
  {
    return {
      {"omega", static_cast<double>(layout.fields.omega), Stat::Parameter},
      {"sigma", static_cast<double>(layout.fields.sigma), Stat::Parameter},
      {"segmented_sum", static_cast<double>(layout.segmented_sum), Stat::Parameter},
      {"offsets", static_cast<double>(layout.offsets), Stat::Parameter},
      {"values", static_cast<double>(layout.values.storage), Stat::Parameter},
      {"tiles", static_cast<double>(layout.tiles)},
      {"offset_tiles", static_cast<double>(layout.columns.offset_blocks)},
      {"single_tiles", static_cast<double>(layout.values.single_blocks)},
      {"few_values_tiles", static_cast<double>(layout.values.few_blocks)},
      {"one_value_tiles", static_cast<double>(layout.values.one_blocks)},
      {"tiles_with_empty_rows", static_cast<double>(layout.tiles_with_empty_rows)},
      {"tail_entries", static_cast<double>(layout.nnz - layout.CompleteEntries())},
      {"extra_bytes", static_cast<double>(ExtraBytes(layout))},
      {"segment_bytes", static_cast<double>(SegmentBytes(layout))},
    };
  }

private:
  /// Bytes of the arrays by which products find the sums of segments.
  template <class Scalar, class Index, class Exec>
  static std::size_t SegmentBytes(const Layout<Scalar, Index, Exec> &layout)
  {
    return layout.inner_ends.bytes() + layout.block_ptr.bytes() + layout.segment_end.bytes();
  }

  /// Bytes of the paper's descriptor arrays, the rows of the incomplete tile, and `continues`.
  template <class Scalar, class Index, class Exec>
  static std::size_t ExtraBytes(const Layout<Scalar, Index, Exec> &layout)
  {
    const std::size_t descriptors =
      layout.tile_ptr.bytes() + layout.tile_desc.bytes() + layout.empty_ptr.bytes() + layout.empty_offset.bytes();
    return descriptors + layout.tail_ptr.bytes() + layout.tail_row.bytes() + layout.continues.bytes();
  }
};

} // namespace petscspmv::csr5
