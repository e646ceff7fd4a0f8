// The entries of triangles that are not stored by rows in the order in which their products are added: each goes to the next place
// of its row in the layout.
#pragma once

#include "mat/arithmetic/columns.hpp"
#include "mat/arithmetic/value_lanes.hpp"
#include "mat/arithmetic/values.hpp"
#include "mat/triangles/layout.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace petscspmv::triangles {

/// Calls f(row, column, entry) for all entries, those of a row in the order in which their products are added.
template <class Scalar, class Index, class F>
void ForEntries(const TriangleSource<Scalar, Index> &source, const F &f)
{
  for (Index t = 0; t < source.rows; ++t) {
    const Index stored = source.upper ? source.rows - 1 - t : t, begin = source.begin[stored], end = source.end[stored];
    for (Index k = begin; k < end; ++k) {
      const Index entry = source.reversed ? begin + (end - 1 - k) : k, col = source.col_idx[entry];
      source.transposed ? f(col, stored, entry) : f(stored, col, entry);
    }
  }
}

/// Where the entries of rows go in the chunks: for one array.
template <class Scalar, class Index>
class Scatter {
public:
  explicit Scatter(Layout<Scalar, Index> &layout) : layout_(layout), next_(static_cast<std::size_t>(layout.chunks.cols))
  {
    const auto &chunks = layout.chunks;
    for (std::size_t slot = chunks.perm.size(); slot-- > 0;) // the first of several slots of a row
      next_[At(chunks.perm[slot])] = chunks.chunk_ptr[slot / kWidth] + static_cast<std::int64_t>(slot % kWidth);
  }

  /// Writes columns, as offsets if all chunks allow it. Where rows have none, padding is column 0 or the base.
  void FillColumns(const TriangleSource<Scalar, Index> &source)
  {
    auto                                  &chunks = layout_.chunks;
    const auto                             count  = static_cast<std::size_t>(chunks.chunks);
    std::vector<ColumnRange<std::int32_t>> range(count);
    Array<std::int32_t>                    chunk_of(next_.size()); // of each row, and then its chunk's base
    for (std::size_t slot = 0; slot < chunks.perm.size(); ++slot)
      chunk_of[At(chunks.perm[slot])] = static_cast<std::int32_t>(slot / kWidth);
    ForEntries(source, [&](Index row, Index col, Index) { range[At(chunk_of[At(row)])].Add(static_cast<std::int32_t>(col)); });
    auto &columns = chunks.columns;
    columns       = {};
    if (std::any_of(range.begin(), range.end(), [](const auto &of) { return of.Base() == kFar; })) {
      Clear(static_cast<std::size_t>(chunks.entries), columns.plain);
      Write(source, columns.plain, [](Index, Index col, Index) { return static_cast<std::int32_t>(col); });
      return;
    }
    columns.base.Allocate(count);
    columns.at.Allocate(count);
    Clear(static_cast<std::size_t>(chunks.entries), columns.offsets);
    columns.offset_blocks = chunks.chunks;
    std::copy_n(chunks.chunk_ptr.data(), count, columns.at.data());
    std::transform(range.begin(), range.end(), columns.base.data(), [](const auto &of) { return of.Base(); });
    for (std::size_t slot = 0; slot < chunks.perm.size(); ++slot) chunk_of[At(chunks.perm[slot])] = columns.base[slot / kWidth];
    Write(source, columns.offsets, [&](Index row, Index col, Index) {
      return static_cast<std::uint16_t>(static_cast<std::int32_t>(col) - chunk_of[At(row)]);
    });
  }

  /// Writes values, in full or, where all can be, rounded to single precision. Padding is zero.
  void FillValues(const TriangleSource<Scalar, Index> &source)
  {
    auto      &values  = layout_.chunks.values;
    const auto entries = static_cast<std::size_t>(layout_.chunks.entries);
    const auto value   = [&](Index, Index, Index entry) { return source.negated ? -source.val[entry] : source.val[entry]; };
    if (values.storage != ValueStorage::Single || !CanBeRounded(source)) {
      if (values.full.size() != entries) {
        DropSingle(values);
        Clear(entries, values.full);
      }
      return Write(source, values.full, value);
    }
    if (values.single.size() != entries) PlaceSingle(values);
    Write(source, values.single,
          [&](Index row, Index col, Index entry) { return static_cast<SingleOf<Scalar>>(value(row, col, entry)); });
  }

private:
  static constexpr std::size_t kWidth = static_cast<std::size_t>(kLanes<Scalar>);

  template <class I>
  static std::size_t At(I i)
  {
    return static_cast<std::size_t>(i);
  }

  template <class T>
  static void Clear(std::size_t size, Array<T> &array)
  {
    array.Allocate(size);
    std::fill_n(array.data(), size, T(0));
  }

  /// Whether no value is infinite, or tiny, in single precision.
  static bool CanBeRounded(const TriangleSource<Scalar, Index> &source)
  {
    if (!kHasSingle<Scalar>) return false;
    ValueRule<Scalar> rule;
    rule.converts = rule.rounded = true;
    BlockBits<Scalar> bits(Scalar(0), rule);
    for (Index row = 0; row < source.rows; ++row)
      AddValues(source.val + source.begin[row], source.end[row] - source.begin[row], rule, bits);
    return bits.Fit(ValueKind::Single);
  }

  static void DropSingle(Values<Scalar, HostSpace> &values)
  {
    values.single.Allocate(0);
    values.place.Allocate(0);
    values.single_blocks = 0;
  }

  void PlaceSingle(Values<Scalar, HostSpace> &values) const
  {
    const auto &chunks = layout_.chunks;
    values.full.Allocate(0);
    Clear(At(chunks.entries), values.single);
    values.place.Allocate(At(chunks.chunks));
    for (std::size_t c = 0; c < values.place.size(); ++c) values.place[c] = ValuePlace(ValueKind::Single, chunks.chunk_ptr[c]);
    values.single_blocks = chunks.chunks;
  }

  /// Writes what(row, column, entry) for all entries, and what a row has also to the other slots of the row. Once.
  template <class To, class What>
  void Write(const TriangleSource<Scalar, Index> &source, Array<To> &to, const What &what)
  {
    const auto &chunks = layout_.chunks;
    ForEntries(source, [&](Index row, Index col, Index entry) {
      std::int64_t &at = next_[At(row)];
      to[At(at)]       = what(row, col, entry);
      at += kLanes<Scalar>;
    });
    for (std::size_t slot = 1; slot < chunks.perm.size(); ++slot) {
      if (slot % kWidth == 0 || chunks.perm[slot] != chunks.perm[slot - 1]) continue;
      To *const lane = to.data() + chunks.chunk_ptr[slot / kWidth] + slot % kWidth, *const before = lane - 1;
      for (std::size_t j = 0; j < At(chunks.row_len[slot]); ++j) lane[j * kWidth] = before[j * kWidth];
    }
  }

  Layout<Scalar, Index> &layout_;
  Array<std::int64_t>    next_; // where the next entry of each row goes
};

} // namespace petscspmv::triangles
