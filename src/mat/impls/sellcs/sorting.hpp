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

/// Sorts the rows of windows by descending length; rows of equal length keep their order. This is a counting sort, since most
/// lengths are small; a comparison sort orders the long rows.
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

private:
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

/// The most entries that a chunk may store: twice its nonzeros, plus a few for short rows. Without this bound it could store C
/// times its nonzeros (eq. 3.6).
inline std::int64_t MostEntries(std::int64_t nonzeros, std::int64_t height)
{
  return 2 * nonzeros + 8 * height;
}

/// Decides which rows stay in their chunk; longer ones go to the remainder.
struct RowBound {
  std::int64_t height; // of the chunks
  std::int64_t given;  // the longest row that may stay; kDecide: what MostEntries() allows

  /// Whether all rows of a chunk may stay.
  bool HoldsAll(std::int64_t nonzeros, std::int64_t longest) const
  {
    return given == kDecide ? height * longest <= MostEntries(nonzeros, height) : longest <= given;
  }

  /// The longest row that may stay in a chunk with these row lengths, which are reordered.
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

/// The work of a product for the slots begin .. end-1, in entries: those in columns of chunks, with padding, and twice all others.
/// The latter count double because a row outside of chunks leaves an empty lane, and the rest of a trimmed chunk is not vectorized.
/// length_of(slot): the length of a slot's row.
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

/// The automatic sigma must reach this share of the chunk occupancy of fully sorted rows. The paper takes powers of two, leaves the
/// choice open (section 3.4), and warns that too large a sigma scatters the accesses to x.
inline constexpr double kEnoughOccupancy = 0.97;

/// The automatic sigma is 1 or one of these numbers of chunks.
inline constexpr std::int64_t kSmallWindow = 32, kLargeWindow = 512;

/// Numbers of small windows in a sample: many to see whether rows need no sorting, some to choose between the two windows.
inline constexpr std::int64_t kManyWindows = 64, kSomeWindows = 8;

/// Row pointers of a sample: the rows of some windows at irregular distances. The sample is all rows if they are few, or if the
/// windows have less than half of their share of the nonzeros.
template <class Index>
std::vector<Index> SampleRows(RowLengths<Index> lengths, std::int64_t rows, std::int64_t window, std::int64_t windows)
{
  const std::int64_t every = std::max<std::int64_t>(rows / window / windows, 1);
  std::vector<Index> row_ptr{0};
  row_ptr.reserve(static_cast<std::size_t>(every > 1 ? windows * window : rows) + 1);
  const auto add = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) row_ptr.push_back(row_ptr.back() + lengths[row]);
  };
  for (std::int64_t k = 0; every > 1 && k < windows; ++k) {
    const std::int64_t begin = (k * every + k * 40503 % every) * window;
    add(begin, begin + window);
  }
  if (every > 1 && 2 * every * std::int64_t{row_ptr.back()} >= lengths.row_ptr[rows]) return row_ptr;
  row_ptr.resize(1);
  add(0, rows);
  return row_ptr;
}

/// The automatic sigma: 1 if many windows show that rows need no sorting, otherwise 1, 32 C or 512 C by what some windows show.
template <class Index>
std::int64_t ChooseSigma(RowLengths<Index> of_matrix, std::int64_t rows, RowBound bound, bool trimmed)
{
  if (bound.height == 1) return 1;
  const std::int64_t window = kSmallWindow * bound.height;
  std::vector<Index> row_ptr, perm;
  const auto         work = [&](std::int64_t sigma) { // per nonzero of the sampled rows
    const RowLengths<Index> lengths{row_ptr.data()};
    const auto              rows_of_sample = static_cast<std::int64_t>(row_ptr.size()) - 1;
    const auto              per_nonzero    = [&](const auto &length_of) {
      return static_cast<double>(Work<Index>(0, rows_of_sample, bound, trimmed, length_of)) /
             std::max<double>(1, static_cast<double>(row_ptr.back()));
    };
    if (sigma == 1) return per_nonzero([&](std::int64_t slot) { return lengths[slot]; });
    perm.resize(static_cast<std::size_t>(rows_of_sample));
    WindowSort<Index>{lengths}(rows_of_sample, sigma, perm.data());
    return per_nonzero([&](std::int64_t slot) { return lengths[perm[static_cast<std::size_t>(slot)]]; });
  };
  row_ptr               = SampleRows(of_matrix, rows, window, kManyWindows);
  const double unsorted = work(1);
  if (unsorted * kEnoughOccupancy <= 1) return 1;
  row_ptr             = SampleRows(of_matrix, rows, window, kSomeWindows);
  const double enough = work(rows) / kEnoughOccupancy;
  if (unsorted <= enough) return 1;
  return std::min(rows, work(window) <= enough ? window : kLargeWindow * bound.height);
}

} // namespace petscspmv::sellcs
