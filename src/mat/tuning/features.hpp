// Properties of a matrix's pattern, estimated from a sample of its rows: finding them must cost little beside a product.
#pragma once

#include "mat/format/csr.hpp"
#include "mat/format/features.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace petscspmv {

/// Counts the entries of chunks: consecutive rows padded to the longest of them.
class Chunks {
public:
  /// Appends rows of one length.
  void Add(std::int64_t rows, std::int64_t length)
  {
    while (rows > 0) {
      if (filled_ == 0 && rows >= kRows) { // whole chunks of these rows alone
        entries_ += static_cast<double>(rows / kRows * kRows * length);
        rows %= kRows;
        continue;
      }
      const std::int64_t n = std::min(rows, kRows - filled_);
      longest_             = std::max(longest_, length);
      filled_ += n;
      rows -= n;
      if (filled_ == kRows) Close();
    }
  }
  /// Adds a row that is stored separately.
  void AddAlone(std::int64_t length) { entries_ += static_cast<double>(length); }

  double Entries()
  {
    if (filled_ > 0) Close();
    return entries_;
  }

private:
  static constexpr std::int64_t kRows = 8;

  void Close()
  {
    entries_ += static_cast<double>(longest_ * kRows);
    filled_ = longest_ = 0;
  }

  std::int64_t filled_ = 0, longest_ = 0;
  double       entries_ = 0;
};

template <class Scalar, class Index>
Features FeaturesOf(const Csr<Scalar, Index> &csr)
{
  constexpr std::int64_t kGroup = 8, kGroups = 512; // rows per group; about how many groups, evenly spaced
  constexpr std::int64_t kSpread = 10;              // at most one group in so many is examined
  constexpr std::int64_t kLong   = 1024;            // entries of a row too long for chunks
  constexpr std::int64_t kWindow = 4096;            // at most about so many rows are sorted together

  Features features{.nnz = static_cast<double>(csr.nnz())};
  if (csr.nnz() == 0) return features;
  std::array<std::int64_t, kLong> counts{}; // of rows, by length
  Chunks                          as_is, sorted;
  double                          nonzeros = 0, narrow = 0, alone = 0;
  std::int64_t                    examined = 0, filled = 0; // rows; those that are not empty
  const std::int64_t              step = std::max<std::int64_t>(kSpread * kGroup, csr.rows / kGroups);
  for (std::int64_t first = 0; first < csr.rows; first += step) {
    for (std::int64_t row = first; row < std::min<std::int64_t>(first + kGroup, csr.rows); ++row) {
      const std::int64_t begin = csr.row_ptr[row], length = csr.row_ptr[row + 1] - begin;
      ++examined;
      if (length < kLong) {
        as_is.Add(1, length);
        ++counts[static_cast<std::size_t>(length)];
      } else {
        as_is.AddAlone(length);
        alone += static_cast<double>(length);
      }
      if (length == 0) continue;
      ++filled;
      nonzeros += static_cast<double>(length);
      const auto reach = static_cast<std::int64_t>(csr.col_idx[begin + length - 1]) - csr.col_idx[begin]; // columns are sorted
      if (reach < 65536) narrow += static_cast<double>(length);
    }
  }
  if (nonzeros == 0) return features;
  // Sorted rows are near others of their length: an examined one stands for as many as a window has for each of those.
  const std::int64_t stands_for = std::max<std::int64_t>(1, std::min<std::int64_t>(csr.rows, kWindow) / examined);
  for (std::int64_t length = kLong - 1; length > 0; --length)
    sorted.Add(stands_for * counts[static_cast<std::size_t>(length)], length);
  features.length        = nonzeros / static_cast<double>(filled);
  features.padded        = as_is.Entries() / nonzeros;
  features.padded_sorted = (sorted.Entries() / static_cast<double>(stands_for) + alone) / nonzeros;
  features.narrow        = narrow / nonzeros;
  return features;
}

} // namespace petscspmv
