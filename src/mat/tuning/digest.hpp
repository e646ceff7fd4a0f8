// Digests of arrays, by which nonzero patterns are recognized.
#pragma once

#include "mat/arithmetic/prefetch.hpp"
#include "mat/format/csr.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>

namespace petscspmv {

/// A 64-bit digest of n items at memory speed: words are multiplied and mixed in eight independent lanes.
template <class T>
std::uint64_t Digest(const T *data, std::size_t n, std::uint64_t seed)
{
  constexpr std::size_t lanes = 8, block = lanes * sizeof(std::uint64_t);
  const char           *bytes = reinterpret_cast<const char *>(data);
  const std::size_t     size  = n * sizeof(T);
  std::uint64_t         hash[lanes], word[lanes] = {};
  const auto            add = [&] {
    for (std::size_t k = 0; k < lanes; ++k) {
      hash[k] = (hash[k] ^ word[k]) * 0x9e3779b97f4a7c15u;
      hash[k] ^= hash[k] >> 32;
    }
  };
  std::iota(hash, hash + lanes, seed);
  for (std::size_t at = 0; at + block <= size; at += block) {
    Prefetch<true>()(bytes + at, block);
    std::memcpy(word, bytes + at, block);
    add();
  }
  if (size % block) { // without a remainder data may be null
    std::memset(word, 0, block);
    std::memcpy(word, bytes + size / block * block, size % block);
    add();
  }
  std::uint64_t last = size;
  for (std::uint64_t h : hash) last = (last ^ h) * 0x9e3779b97f4a7c15u + 1;
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
