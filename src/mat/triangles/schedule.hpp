// The order in which the rows of a triangle are solved: within windows of rows by level. The rows of a level depend on none of the
// same level.
#pragma once

#include "mat/triangles/triangle.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace petscspmv::triangles {

/// Windows that are tried, from the one that reads x from the nearest cache. The first with enough rows side by side is taken.
inline constexpr std::int64_t kWindows[] = {8192, 32768, 131072};

/// Rows of a level, in chunks, from which the next chunk need not wait for the last one's result; and the least for which a layout
/// was faster than a plain loop.
inline constexpr double kEnoughChunks = 8, kLeastChunks = 0.75;

/// The levels of the rows in one window after the other.
template <class Scalar, class Index>
class Levels {
public:
  explicit Levels(const TriangleSource<Scalar, Index> &source) : source_(source) { }

  /// Finds the levels of `count` rows, the first of which is solved as number `first`. Returns how many there are.
  std::int32_t Find(std::int64_t first, std::int64_t count)
  {
    std::int32_t levels = 0;
    level_.resize(static_cast<std::size_t>(count));
    for (std::int64_t t = 0; t < count; ++t) {
      const Index  row = RowAt(first + t);
      std::int32_t at  = 0;
      for (Index e = source_.begin[row]; e < source_.end[row]; ++e) {
        const std::int64_t before = Number(source_.col_idx[e]) - first;
        if (before >= 0) at = std::max(at, level_[static_cast<std::size_t>(before)] + 1);
      }
      level_[static_cast<std::size_t>(t)] = at;
      levels                              = std::max(levels, at + 1);
    }
    return levels;
  }

  /// The row that is solved as number t, and the reverse.
  Index        RowAt(std::int64_t t) const { return static_cast<Index>(source_.upper ? source_.rows - 1 - t : t); }
  std::int64_t Number(Index row) const { return source_.upper ? source_.rows - 1 - row : row; }
  std::int32_t Of(std::int64_t t) const { return level_[static_cast<std::size_t>(t)]; }
  Index        Length(std::int64_t number) const { return source_.end[RowAt(number)] - source_.begin[RowAt(number)]; }

private:
  const TriangleSource<Scalar, Index> &source_;
  std::vector<std::int32_t>            level_;
};

/// Rows side by side in a few windows of this size.
template <class Scalar, class Index>
double SideBySide(const TriangleSource<Scalar, Index> &source, std::int64_t window)
{
  constexpr std::int64_t kSampleRows = 16384;
  const std::int64_t count = std::min<std::int64_t>(window, source.rows), samples = std::max<std::int64_t>(kSampleRows / window, 1);
  Levels<Scalar, Index> levels(source);
  std::int64_t          rows = 0, found = 0;
  for (std::int64_t k = 0; k < samples && (k + 1) * count <= source.rows; ++k) {
    const std::int64_t first = samples == 1 ? (source.rows - count) / 2 : (source.rows - count) / (samples - 1) * k;
    rows += count;
    found += levels.Find(first, count);
  }
  return found > 0 ? static_cast<double>(rows) / static_cast<double>(found) : 0;
}

/// The window to take, or 0 if none has enough rows side by side.
template <class Scalar, class Index>
std::int64_t ChooseWindow(const TriangleSource<Scalar, Index> &source, std::int64_t lanes)
{
  std::int64_t best = 0;
  double       most = kLeastChunks * static_cast<double>(lanes);
  for (const std::int64_t window : kWindows) {
    const double rows = SideBySide(source, window);
    if (rows >= most) {
      best = window;
      most = rows;
    }
    if (rows >= kEnoughChunks * static_cast<double>(lanes) || window >= source.rows) break;
  }
  return best;
}

/// Rows in chunks of `lanes`, in the order in which they are solved. A chunk's last lanes may repeat its last row.
struct Schedule {
  std::vector<std::int32_t> row;
  std::int64_t              levels = 0; // of all windows
};

/// Orders a window's rows by level, those of a level by length.
template <class Scalar, class Index>
class WindowOrder {
public:
  WindowOrder(const Levels<Scalar, Index> &levels, std::int32_t count_of_levels, std::int64_t first, std::int64_t count)
  {
    order_.resize(static_cast<std::size_t>(count));
    for (std::int64_t t = 0; t < count; ++t) order_[static_cast<std::size_t>(t)] = static_cast<std::int32_t>(t);
    Index least = levels.Length(first), most = least;
    for (std::int64_t t = 1; t < count; ++t) {
      least = std::min(least, levels.Length(first + t));
      most  = std::max(most, levels.Length(first + t));
    }
    if (most > least && most - least <= 4 * static_cast<Index>(count))
      Sort(most - least + 1, [&](std::int32_t t) { return most - levels.Length(first + t); });
    Sort(count_of_levels, [&](std::int32_t t) { return levels.Of(t); });
  }

  std::int32_t operator[](std::int64_t k) const { return order_[static_cast<std::size_t>(k)]; }

private:
  /// A counting sort, which keeps the order of equals.
  template <class Key>
  void Sort(std::int64_t keys, const Key &key)
  {
    place_.assign(static_cast<std::size_t>(keys) + 1, 0);
    sorted_.resize(order_.size());
    for (const std::int32_t t : order_) ++place_[static_cast<std::size_t>(key(t)) + 1];
    for (std::size_t k = 1; k < place_.size(); ++k) place_[k] += place_[k - 1];
    for (const std::int32_t t : order_) sorted_[static_cast<std::size_t>(place_[static_cast<std::size_t>(key(t))]++)] = t;
    order_.swap(sorted_);
  }

  std::vector<std::int32_t> order_, sorted_, place_;
};

template <class Scalar, class Index>
Schedule MakeSchedule(const TriangleSource<Scalar, Index> &source, std::int64_t window, std::int64_t lanes)
{
  Schedule              schedule;
  Levels<Scalar, Index> levels(source);
  schedule.row.reserve(static_cast<std::size_t>(source.rows) + static_cast<std::size_t>(source.rows) / 8 + 8);
  for (std::int64_t first = 0; first < source.rows; first += window) {
    const std::int64_t               count = std::min<std::int64_t>(window, source.rows - first);
    const std::int32_t               found = levels.Find(first, count);
    const WindowOrder<Scalar, Index> order(levels, found, first, count);
    schedule.levels += found;
    for (std::int64_t k = 0, lane = 0; k < count; ++k) {
      schedule.row.push_back(static_cast<std::int32_t>(levels.RowAt(first + order[k])));
      ++lane;
      if (k + 1 == count || levels.Of(order[k + 1]) != levels.Of(order[k])) {
        const std::int32_t last = schedule.row.back();
        for (; lane % lanes != 0; ++lane) schedule.row.push_back(last);
        lane = 0;
      }
    }
  }
  return schedule;
}

} // namespace petscspmv::triangles
