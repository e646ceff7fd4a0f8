// Digests of arrays, by which nonzero patterns are recognized.
#pragma once

#include "mat/arithmetic/prefetch.hpp"
#include "mat/format/csr.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>

namespace petscspmv {

/// A 64-bit digest of n items at memory speed: eight independent lanes take two words at a time, by a multiplication to 128 bits.
template <class T>
std::uint64_t Digest(const T *data, std::size_t n, std::uint64_t seed)
{
  __extension__ using Wide    = unsigned __int128;
  constexpr std::size_t lanes = 8, block = 2 * lanes * sizeof(std::uint64_t);
  const char           *bytes = reinterpret_cast<const char *>(data);
  const std::size_t     size  = n * sizeof(T);
  std::uint64_t         hash[lanes];
  const auto            mixed = [](std::uint64_t a, std::uint64_t b) {
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  const auto add = [&](const char *from) {
    for (std::size_t k = 0; k < lanes; ++k) {
      std::uint64_t word[2];
      std::memcpy(word, from + k * sizeof(word), sizeof(word));
      hash[k] = mixed(hash[k] ^ word[0], word[1] ^ 0x9e3779b97f4a7c15u);
    }
  };
  std::iota(hash, hash + lanes, seed | std::uint64_t{1} << 63); // no index cancels it: a factor 0 would hide the other
  for (std::size_t at = 0; at + block <= size; at += block) {
    Prefetch<true>()(bytes + at, block);
    add(bytes + at);
  }
  if (size % block) { // without a remainder data may be null
    char rest[block] = {};
    std::memcpy(rest, bytes + size / block * block, size % block);
    add(rest);
  }
  std::uint64_t last = size;
  for (std::uint64_t h : hash) last = mixed(last ^ h, 0x9e3779b97f4a7c15u) + 1;
  return last;
}

/// The digest of the row pointers, and of the columns if `columns`.
template <class Scalar, class Index>
std::uint64_t PatternDigest(const Csr<Scalar, Index> &csr, bool columns)
{
  const std::uint64_t rows = Digest(csr.row_ptr, static_cast<std::size_t>(csr.rows) + 1, 1);
  return columns ? Digest(csr.col_idx, static_cast<std::size_t>(csr.nnz()), rows) : rows;
}

} // namespace petscspmv
