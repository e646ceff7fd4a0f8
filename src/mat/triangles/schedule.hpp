// The order in which the rows of a triangle are solved: level scheduling (E. Anderson and Y. Saad, "Solving sparse triangular
// linear systems on parallel computers", Int. J. High Speed Comput. 1, 1989) within windows. No row depends on another of its
// level.
#pragma once

#include "mat/triangles/triangle.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace petscspmv::triangles {

/// Windows to try, in rows: the smaller, the nearer the cache from which x is read. The first with kEnoughChunks is taken,
/// otherwise the one with the most rows side by side.
inline constexpr std::int64_t kWindows[] = {2048, 8192, 32768, 131072};

/// From this many chunks per level on, on average, a chunk need not wait for the result of the chunk before.
inline constexpr double kEnoughChunks = 4;

/// From this many chunks per level on, on average, a layout was measured to be faster than a plain loop.
inline constexpr double kLeastChunks = 0.75;

/// The levels of the rows of one window at a time.
template <class Scalar, class Index>
class Levels {
public:
  explicit Levels(const TriangleSource<Scalar, Index> &source) : source_(source) { }

  /// Finds the levels of the window of `count` rows whose first is solved as number `first`. Returns the number of levels.
  std::int32_t Find(std::int64_t first, std::int64_t count)
  {
    std::int32_t most = -1;
    level_.assign(static_cast<std::size_t>(count) + 1, 0);
    std::int32_t *const level = level_.data() + 1;
    level[-1]                 = -1; // for all rows before the window: Pull() needs no branch
    for (std::int64_t t = 0; t < count; ++t) {
      const Index stored = RowAt(first + t), begin = source_.begin[stored], end = source_.end[stored];
      if (source_.transposed) Push(begin, end, first, count, level[t] + 1);
      else level[t] = Pull(begin, end, first) + 1;
      most = std::max(most, level[t]);
    }
    return most + 1;
  }

  /// The row that is solved as number t; a row's number; the level of the window's row t.
  Index        RowAt(std::int64_t t) const { return source_.RowAt(t); }
  std::int64_t Number(Index row) const { return source_.upper ? source_.rows - 1 - row : row; }
  std::int32_t Of(std::int64_t t) const { return level_[static_cast<std::size_t>(t) + 1]; }

private:
  /// The highest level among the window's rows that a row needs, or -1 if it needs none of them.
  std::int32_t Pull(Index begin, Index end, std::int64_t first) const
  {
    std::int32_t most = -1;
    for (Index e = begin; e < end; ++e)
      most = std::max(most, level_[static_cast<std::size_t>(std::max<std::int64_t>(Number(source_.col_idx[e]) - first, -1) + 1)]);
    return most;
  }

  /// Raises the levels of the window's rows that need a row to `least`, one more than its level.
  void Push(Index begin, Index end, std::int64_t first, std::int64_t count, std::int32_t least)
  {
    for (Index e = begin; e < end; ++e) {
      const std::int64_t t = Number(source_.col_idx[e]) - first;
      if (t >= count) continue;
      std::int32_t &level = level_[static_cast<std::size_t>(t) + 1];
      level               = std::max(level, least);
    }
  }

  const TriangleSource<Scalar, Index> &source_;
  std::vector<std::int32_t>            level_;
};

/// The mean number of rows side by side (of a level) in windows of this size: in three samples, or in one if windows are few.
template <class Scalar, class Index>
double SideBySide(const TriangleSource<Scalar, Index> &source, std::int64_t window)
{
  Levels<Scalar, Index> levels(source);
  const std::int64_t    count = std::min<std::int64_t>(window, source.rows), samples = count <= source.rows / 8 ? 3 : 1;
  std::int64_t          found = 0;
  for (std::int64_t k = 1; k <= samples; ++k) found += levels.Find((source.rows - count) / (samples + 1) * k, count);
  return static_cast<double>(samples * count) / static_cast<double>(found);
}

/// The window to take, or 0 if none has enough rows side by side. A matrix within the first window is not sampled: Build() makes
/// its schedule, and may refuse it by that.
template <class Scalar, class Index>
std::int64_t ChooseWindow(const TriangleSource<Scalar, Index> &source, std::int64_t lanes)
{
  std::int64_t best = 0;
  double       most = kLeastChunks * static_cast<double>(lanes);
  if (source.rows <= kWindows[0]) return kWindows[0];
  for (const std::int64_t window : kWindows) {
    const double side_by_side = SideBySide(source, window);
    if (side_by_side >= most) {
      best = window;
      most = side_by_side;
    }
    if (side_by_side >= kEnoughChunks * static_cast<double>(lanes) || window >= source.rows) break;
  }
  return best;
}

/// The lengths of rows.
template <class Scalar, class Index>
class Lengths {
public:
  explicit Lengths(const TriangleSource<Scalar, Index> &source) : source_(source)
  {
    if (!source.transposed) return;
    of_row_.resize(static_cast<std::size_t>(source.rows));
    for (Index row = 0; row < source.rows; ++row) {
      for (Index e = source.begin[row]; e < source.end[row]; ++e) ++of_row_[static_cast<std::size_t>(source.col_idx[e])];
    }
  }

  std::int32_t operator()(Index row) const
  {
    return source_.transposed ? of_row_[static_cast<std::size_t>(row)]
                              : static_cast<std::int32_t>(source_.end[row] - source_.begin[row]);
  }

private:
  const TriangleSource<Scalar, Index> &source_;
  std::vector<std::int32_t>            of_row_; // empty unless the source is transposed
};

/// Rows and their lengths, in chunks of `lanes` slots, in the order of solving. A chunk's last slots may repeat its last row.
struct Schedule {
  std::vector<std::int32_t> row, length;
  std::int64_t              levels = 0; // summed over all windows
};

/// Orders the rows of each window by level, and the rows of a level from long to short, in one counting sort.
template <class Scalar, class Index>
class WindowOrder {
public:
  WindowOrder(const TriangleSource<Scalar, Index> &source, std::int64_t lanes) : length_of_(source), levels_(source), lanes_(lanes)
  {
  }

  /// Adds the chunks of the window of `count` rows whose first is solved as number `first`.
  void Add(std::int64_t first, std::int64_t count, Schedule &schedule)
  {
    const std::int32_t levels = levels_.Find(first, count);
    length_.resize(Size(count));
    for (std::int64_t t = 0; t < count; ++t) length_[Size(t)] = length_of_(levels_.RowAt(first + t));
    CountKeys(levels);
    FindSlots(schedule);
    for (std::size_t t = 0; t < length_.size(); ++t) {
      const std::size_t at = at_[key_[t]]++;
      schedule.row[at]     = static_cast<std::int32_t>(levels_.RowAt(first + static_cast<std::int64_t>(t)));
      schedule.length[at]  = length_[t];
    }
    RepeatLastRows(schedule);
    schedule.levels += levels;
  }

private:
  static std::size_t Size(std::int64_t n) { return static_cast<std::size_t>(n); }
  std::size_t        Rounded(std::size_t slots) const { return (slots + Size(lanes_) - 1) / Size(lanes_) * Size(lanes_); }

  /// Gives each row its key, and counts the rows of each: first of level 0 from long to short, then of level 1, and so on. A level
  /// has at most one more key than rows, on average; its first is for all greater lengths.
  void CountKeys(std::int32_t levels)
  {
    const auto [least, most] = std::minmax_element(length_.begin(), length_.end());
    lengths_                 = static_cast<std::int32_t>(std::min<std::int64_t>(*most - *least, std::ssize(length_) / levels)) + 1;
    key_.resize(length_.size());
    at_.assign(Size(levels) * Size(lengths_), 0);
    for (std::size_t t = 0; t < length_.size(); ++t) {
      const std::int32_t shorter = lengths_ - 1 - std::min(length_[t] - *least, lengths_ - 1);
      key_[t]                    = Size(levels_.Of(static_cast<std::int64_t>(t))) * Size(lengths_) + Size(shorter);
      ++at_[key_[t]];
    }
  }

  /// Turns the counts into the slots where keys begin, and adds the slots. Each level begins a chunk.
  void FindSlots(Schedule &schedule)
  {
    std::size_t slot = schedule.row.size();
    for (auto at = at_.begin(); at != at_.end();) {
      for (std::int32_t k = 0; k < lengths_; ++k, ++at) slot += std::exchange(*at, slot);
      slot = Rounded(slot);
    }
    schedule.row.resize(slot);
    schedule.length.resize(slot);
  }

  /// Fills the last chunk of each level with its last row.
  void RepeatLastRows(Schedule &schedule) const
  {
    for (std::size_t last = Size(lengths_) - 1; last < at_.size(); last += Size(lengths_)) {
      for (std::size_t pad = at_[last]; pad < Rounded(at_[last]); ++pad) {
        schedule.row[pad]    = schedule.row[at_[last] - 1];
        schedule.length[pad] = schedule.length[at_[last] - 1];
      }
    }
  }

  Lengths<Scalar, Index>    length_of_;
  Levels<Scalar, Index>     levels_;
  std::int64_t              lanes_;
  std::vector<std::int32_t> length_;      // of the window's rows
  std::int32_t              lengths_ = 0; // keys of a level
  std::vector<std::size_t>  key_;         // of the window's rows: level and length
  std::vector<std::size_t>  at_;          // of each key: its rows, then the slot where they begin, and at last where they end
};

/// The schedule of `count` rows, the first of which is solved as number `begin`.
template <class Scalar, class Index>
Schedule MakeSchedule(const TriangleSource<Scalar, Index> &source, std::int64_t begin, std::int64_t count, std::int64_t window,
                      std::int64_t lanes)
{
  Schedule                   schedule;
  WindowOrder<Scalar, Index> order(source, lanes);
  schedule.row.reserve(static_cast<std::size_t>(count + count / 8 + 8));
  schedule.length.reserve(schedule.row.capacity());
  for (std::int64_t first = begin; first < begin + count; first += window)
    order.Add(first, std::min<std::int64_t>(window, begin + count - first), schedule);
  return schedule;
}

} // namespace petscspmv::triangles
