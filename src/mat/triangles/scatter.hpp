// Fills layouts from triangles that are not InOrder(): stored by columns, backwards, or negated. Entries are taken in the order in
// which their products are added, and each goes to the next place of its row in the layout.
#pragma once

#include "mat/arithmetic/columns.hpp"
#include "mat/arithmetic/shape_values.hpp"
#include "mat/arithmetic/value_lanes.hpp"
#include "mat/exec/host.hpp"
#include "mat/triangles/layout.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace petscspmv::triangles {

/// Calls f(row, column, entry) for all entries. Those of a row come in the order in which their products are added.
template <class Scalar, class Index, class F>
void ForEntries(const TriangleSource<Scalar, Index> &source, const F &f)
{
  for (Index t = 0; t < source.rows; ++t) {
    const Index stored = source.RowAt(t), begin = source.begin[stored], end = source.end[stored];
    for (Index k = begin; k < end; ++k) {
      const Index entry = source.reversed ? begin + (end - 1 - k) : k, col = source.col_idx[entry];
      source.transposed ? f(col, stored, entry) : f(stored, col, entry);
    }
  }
}

/// Writes entries to their places in the chunks. Each array needs a Scatter of its own: writing moves the places on.
template <class Scalar, class Index>
class Scatter {
public:
  explicit Scatter(Layout<Scalar, Index> &layout) : layout_(layout), next_(static_cast<std::size_t>(layout.chunks.cols))
  {
    const auto &chunks = layout.chunks;
    for (std::size_t slot = chunks.perm.size(); slot-- > 0;) // downwards: the first slot of a repeated row remains
      next_[At(chunks.perm[slot])] = chunks.chunk_ptr[slot / kWidth] + static_cast<std::int64_t>(slot % kWidth);
  }

  /// Writes columns, as offsets if all chunks allow it. Padding is the chunk's base or, without offsets, column 0.
  void FillColumns(const TriangleSource<Scalar, Index> &source)
  {
    auto                                  &chunks = layout_.chunks;
    const auto                             count  = static_cast<std::size_t>(chunks.chunks);
    std::vector<ColumnRange<std::int32_t>> range(count);
    Array<std::int32_t>                    chunk_of(next_.size()); // of each row
    for (std::size_t slot = 0; slot < chunks.perm.size(); ++slot)
      chunk_of[At(chunks.perm[slot])] = static_cast<std::int32_t>(slot / kWidth);
    ForEntries(source, [&](Index row, Index col, Index) { range[At(chunk_of[At(row)])].Add(static_cast<std::int32_t>(col)); });
    auto &columns = chunks.columns;
    columns       = {};
    if (std::any_of(range.begin(), range.end(), [](const auto &of) { return of.Base() == kFar; })) {
      columns.plain.Allocate(static_cast<std::size_t>(chunks.entries));
      Clear(columns.plain);
      Write(source, columns.plain, [](Index, Index col, Index) { return static_cast<std::int32_t>(col); });
      return;
    }
    columns.base.Allocate(count);
    columns.at.Allocate(count);
    columns.offsets.Allocate(static_cast<std::size_t>(chunks.entries));
    Clear(columns.offsets);
    columns.offset_blocks = chunks.chunks;
    std::copy_n(chunks.chunk_ptr.data(), count, columns.at.data());
    std::transform(range.begin(), range.end(), columns.base.data(), [](const auto &of) { return of.Base(); });
    Write(source, columns.offsets, [&](Index row, Index col, Index) {
      return static_cast<std::uint16_t>(static_cast<std::int32_t>(col) - columns.base[At(chunk_of[At(row)])]);
    });
  }

  /// Writes values, rounded to single precision if so wanted and if all can be, otherwise in full. Padding is zero.
  void FillValues(const HostExec &exec, const TriangleSource<Scalar, Index> &source)
  {
    auto      &values  = layout_.chunks.values;
    const auto entries = static_cast<std::size_t>(layout_.chunks.entries);
    const auto value   = [&](Index, Index, Index entry) { return source.negated ? -source.val[entry] : source.val[entry]; };
    if (values.storage != ValueStorage::Single || !CanBeRounded(source)) {
      if (values.full.size() != entries) Place(exec, ValueKind::Full);
      return Write(source, values.full, value);
    }
    if (values.single.size() != entries) Place(exec, ValueKind::Single);
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
  static void Clear(Array<T> &array)
  {
    std::fill_n(array.data(), array.size(), T(0));
  }

  /// Whether no value is a NaN or, rounded to single precision, would overflow or be denormal.
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

  /// Allocates values of one kind for all chunks, and sets them to zero.
  void Place(const HostExec &exec, ValueKind kind) const
  {
    const auto &chunks = layout_.chunks;
    auto       &values = layout_.chunks.values;
    ValueSpace  space;
    space.numbers[static_cast<int>(kind)] = chunks.entries;
    space.blocks[static_cast<int>(kind)]  = chunks.chunks;
    FreeValues(values);
    AllocateValues(exec, space, values);
    Clear(values.full);
    Clear(values.single);
    if (kind == ValueKind::Full) return;
    values.place.Allocate(At(chunks.chunks));
    for (std::size_t c = 0; c < values.place.size(); ++c) values.place[c] = ValuePlace(kind, chunks.chunk_ptr[c]);
  }

  /// Writes what(row, column, entry) for all entries, then copies the entries of repeated rows. To be called once only.
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
