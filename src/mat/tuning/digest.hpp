// Digests of arrays, by which nonzero patterns are recognized.
#pragma once

#include "mat/format/csr.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace petscspmv {

/// What a pass over an array finds.
struct Look {
  std::uint64_t digest;
  bool          inside; // all items are at least 0 and less than a bound
};

/// Reads an array at memory speed, in words of 64 bits that hold one item or two. `last`: the greatest item that is inside, in
/// each place of a word; `signs`: the sign bit of each place, or 0 if all items count as inside. Long arrays are read by several
/// threads, and with special instructions unless `portable`; neither changes the result.
Look LookAt(const void *data, std::size_t bytes, std::uint64_t last, std::uint64_t signs, std::uint64_t seed, int threads = 1,
            bool portable = false);

/// A 64-bit digest of n items.
template <class T>
std::uint64_t Digest(const T *data, std::size_t n, std::uint64_t seed, int threads = 1)
{
  return LookAt(data, n * sizeof(T), 0, 0, seed, threads).digest;
}

/// The digest of the row pointers and, if `columns`, of the column indices; and whether the matrix has all of these columns: for
/// others a layout would read beyond x.
template <class Scalar, class Index>
Look LookAtPattern(const Csr<Scalar, Index> &csr, bool columns, int threads = 1)
{
  constexpr std::uint64_t sign = std::uint64_t{1} << 63, twice = sizeof(Index) == 4 ? 1 + (std::uint64_t{1} << 32) : 1;
  const std::uint64_t     rows = Digest(csr.row_ptr, static_cast<std::size_t>(csr.rows) + 1, 1, threads);
  if (!columns) return {rows, true};
  const std::uint64_t last = static_cast<std::make_unsigned_t<Index>>(csr.cols - 1);
  return LookAt(csr.col_idx, static_cast<std::size_t>(csr.nnz()) * sizeof(Index), twice * last,
                sizeof(Index) == 4 ? sign | sign >> 32 : sign, rows, threads);
}

template <class Scalar, class Index>
std::uint64_t PatternDigest(const Csr<Scalar, Index> &csr, bool columns)
{
  return LookAtPattern(csr, columns).digest;
}

} // namespace petscspmv
