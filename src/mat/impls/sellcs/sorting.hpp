// Which rows share a chunk: sorting within windows of sigma rows, rows too long for their chunk, and the choice of sigma.
#pragma once

#include "mat/format/options.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace petscspmv::sellcs {

template <class Index>
struct RowLengths {
  const Index *row_ptr;

  Index operator[](std::int64_t row) const { return row_ptr[row + 1] - row_ptr[row]; }
};

/// Sorts the rows of windows by descending length; rows of equal length keep their order. Most lengths are small: a counting sort,
/// with a comparison sort for long rows.
template <class Index>
class WindowSort {
public:
  explicit WindowSort(RowLengths<Index> lengths) : lengths_(lengths), place_(kLong + 1) { }

  /// Sets perm[0 .. rows) to the row of each slot.
  template <class Row>
  void operator()(std::int64_t rows, std::int64_t sigma, Row *perm)
  {
    if (sigma == 1) std::iota(perm, perm + rows, Row{0});
    else
      for (std::int64_t begin = 0; begin < rows; begin += sigma) SortWindow(begin, std::min(begin + sigma, rows), perm);
  }

  /// Sets perm[begin .. end) only.
  template <class Row>
  void SortWindow(std::int64_t begin, std::int64_t end, Row *perm)
  {
    const Index        longest   = CountRows(begin, end);
    const std::int64_t long_rows = place_[kLong];
    std::int64_t       at        = begin;
    for (Index bucket = longest; bucket >= 0; --bucket) at += std::exchange(place_[static_cast<std::size_t>(bucket)], at);
    for (std::int64_t row = begin; row < end; ++row) perm[place_[static_cast<std::size_t>(Bucket(row))]++] = static_cast<Row>(row);
    std::fill_n(place_.begin(), longest + 1, 0);
    if (long_rows > 1)
      std::stable_sort(perm + begin, perm + begin + long_rows, [&](Row a, Row b) { return lengths_[a] > lengths_[b]; });
  }

  /// The lengths of all rows, in descending order.
  std::vector<Index> SortedLengths(std::int64_t rows)
  {
    std::vector<Index> sorted;
    const Index        longest = CountRows(0, rows);
    sorted.reserve(static_cast<std::size_t>(rows));
    for (std::int64_t row = 0; longest == kLong && row < rows; ++row) {
      if (lengths_[row] >= kLong) sorted.push_back(lengths_[row]);
    }
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    for (Index length = std::min(longest, kLong - 1); length >= 0; --length)
      sorted.insert(sorted.end(), static_cast<std::size_t>(place_[static_cast<std::size_t>(length)]), length);
    std::fill_n(place_.begin(), longest + 1, 0);
    return sorted;
  }

private:
  static constexpr Index kLong = 512;

  Index Bucket(std::int64_t row) const { return std::min(lengths_[row], kLong); }

  /// Counts the rows in each bucket; returns the last nonempty one.
  Index CountRows(std::int64_t begin, std::int64_t end)
  {
    Index longest = 0;
    for (std::int64_t row = begin; row < end; ++row) {
      ++place_[static_cast<std::size_t>(Bucket(row))];
      longest = std::max(longest, Bucket(row));
    }
    return longest;
  }

  RowLengths<Index>         lengths_;
  std::vector<std::int64_t> place_; // by bucket: first a count, then the next position
};

/// The entries that a chunk may store for its nonzeros: twice as many, plus a few where rows are short. Without a bound it could
/// be C times as many (eq. 3.6).
inline std::int64_t MostEntries(std::int64_t nonzeros, std::int64_t height)
{
  return 2 * nonzeros + 8 * height;
}

/// Decides which rows stay in their chunk; longer ones go to the remainder.
struct RowBound {
  std::int64_t height;                                          // of the chunks
  std::int64_t given;                                           // the longest row; kDecide: what MostEntries() allows
  std::int64_t most = std::numeric_limits<std::int64_t>::max(); // with kDecide, no longer row than this

  /// Whether all rows of a chunk may stay.
  bool HoldsAll(std::int64_t nonzeros, std::int64_t longest) const
  {
    return given == kDecide ? longest <= most && height * longest <= MostEntries(nonzeros, height) : longest <= given;
  }

  /// The longest row that may stay in a chunk of these row lengths, which it reorders.
  template <class Index>
  std::int64_t operator()(std::vector<Index> &lengths) const
  {
    if (given != kDecide) return given;
    std::int64_t nonzeros = 0;
    Index        longest  = 0;
    for (Index length : lengths) {
      nonzeros += length;
      longest = std::max(longest, length);
    }
    if (HoldsAll(nonzeros, longest)) return longest;
    std::sort(lengths.begin(), lengths.end(), std::greater<>());
    for (Index length : lengths) {
      if (HoldsAll(nonzeros, length)) return length;
      nonzeros -= length;
    }
    return 0;
  }
};

/// The entries that a product processes for the slots begin .. end-1, where length_of(slot) is the length of a slot's row: those
/// of chunks with their padding, and twice those outside of them. A separate row leaves an empty lane, and the rest of a trimmed
/// chunk is not vectorized: either is no better than half padding.
template <class Index, class Length>
std::int64_t Work(std::int64_t begin, std::int64_t end, RowBound bound, bool trimmed, const Length &length_of)
{
  std::vector<Index> of_chunk;
  std::int64_t       entries = 0;
  for (std::int64_t first = begin; first < end; first += bound.height) {
    const std::int64_t last    = std::min(first + bound.height, end);
    Index              longest = 0, shortest = last - first < bound.height ? 0 : std::numeric_limits<Index>::max();
    std::int64_t       inside = 0;
    for (std::int64_t slot = first; slot < last; ++slot) {
      const Index length = length_of(slot);
      inside += length;
      longest  = std::max(longest, length);
      shortest = std::min(shortest, length);
    }
    if (!bound.HoldsAll(inside, longest)) {
      of_chunk.clear();
      for (std::int64_t slot = first; slot < last; ++slot) of_chunk.push_back(length_of(slot));
      const std::int64_t most = bound(of_chunk);
      longest                 = 0;
      for (Index length : of_chunk) {
        const Index stays = length > most ? 0 : length;
        entries += 2 * (std::int64_t{length} - stays);
        inside -= length - stays;
        longest  = std::max(longest, stays);
        shortest = std::min(shortest, stays);
      }
    }
    entries += trimmed ? 2 * inside - bound.height * shortest : bound.height * longest;
  }
  return entries;
}

/// The share of full sorting's chunk occupancy that the automatic sigma must reach. The paper takes powers of two, leaves the
/// choice open (section 3.4), and warns that too large a sigma scatters the accesses to x.
inline constexpr double kEnoughOccupancy = 0.97;

/// The size of the sample by which a sigma is judged: rows, and at least this many windows.
inline constexpr std::int64_t kSampledRows = 8192, kSampledWindows = 16;

/// Work per nonzero with this sigma, in one of `every` windows, irregularly spaced; in all windows if the sample has clearly less
/// than its share of the nonzeros. Overwrites perm.
template <class Index, class Row>
double SampledWork(RowLengths<Index> lengths, std::int64_t rows, std::int64_t sigma, std::int64_t every, RowBound bound,
                   bool trimmed, WindowSort<Index> &sort, Row *perm)
{
  std::int64_t entries = 0, nonzeros = 0;
  for (std::int64_t s = 0; s * every * sigma < rows; ++s) {
    const std::int64_t begin = (s * every + s * 40503 % every) * sigma, end = std::min(begin + sigma, rows);
    if (begin >= rows) break;
    sort.SortWindow(begin, end, perm);
    entries += Work<Index>(begin, end, bound, trimmed, [&](std::int64_t slot) { return lengths[perm[slot]]; });
    nonzeros += lengths.row_ptr[end] - lengths.row_ptr[begin];
  }
  if (2 * every * nonzeros < lengths.row_ptr[rows]) return SampledWork(lengths, rows, sigma, 1, bound, trimmed, sort, perm);
  return static_cast<double>(entries) / static_cast<double>(nonzeros);
}

/// The smallest sigma among 1, 2 height, 4 height, ... and all rows that reaches this occupancy, judged by the work of a sample;
/// perm gets its permutation. Occupancy hardly ever decreases with sigma, hence the bisection.
template <class Index, class Row>
std::int64_t ChooseSigma(RowLengths<Index> lengths, std::int64_t rows, RowBound bound, bool trimmed, Row *perm)
{
  std::vector<std::int64_t> candidates{1};
  while (candidates.back() < rows)
    candidates.push_back(std::min(std::max<std::int64_t>(candidates.back(), bound.height) * 2, rows));
  WindowSort<Index> sort(lengths);
  const auto        work = [&](std::int64_t sigma) {
    const std::int64_t every = std::max<std::int64_t>(1, std::min(rows / kSampledRows, rows / sigma / kSampledWindows));
    return SampledWork(lengths, rows, sigma, every, bound, trimmed, sort, perm);
  };
  std::size_t  low = 0, high = candidates.size() - 1; // not enough, enough
  const double nonzeros = static_cast<double>(lengths.row_ptr[rows]),
               unsorted = static_cast<double>(Work<Index>(0, rows, bound, trimmed, [&](std::int64_t row) { return lengths[row]; }));
  double most           = nonzeros / kEnoughOccupancy; // or more: no order processes fewer entries than the nonzeros
  if (bound.height > 1 && unsorted > most) {
    const std::vector<Index> sorted = sort.SortedLengths(rows);
    most                            = static_cast<double>(
             Work<Index>(0, rows, bound, trimmed, [&](std::int64_t slot) { return sorted[static_cast<std::size_t>(slot)]; })) /
           kEnoughOccupancy;
  }
  if (bound.height == 1 || unsorted <= most) high = 0;
  while (low + 1 < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (work(candidates[middle]) * nonzeros <= most) high = middle;
    else low = middle;
  }
  sort(rows, candidates[high], perm);
  return candidates[high];
}

} // namespace petscspmv::sellcs
