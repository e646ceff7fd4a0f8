// The memory bandwidth that bounds a product.
#pragma once

#include "mat/format/array.hpp"
#include "mat/format/launch.hpp"
#include "mat/format/native.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>

namespace petscspmv {

/// Sum of the words of a block of an array: one step of the read benchmark.
struct ReadBlock {
  const char    *data;
  std::int64_t   words;
  std::uint64_t *sum;

  static constexpr std::int64_t kWords = 4096;

  /// From four places in turn, as the arrays of a product are: of a single one a core reads a quarter less.
  KOKKOS_FUNCTION void operator()(std::int64_t block) const
  {
    constexpr std::int64_t kPlaces = 4, kPiece = 32;
    const std::int64_t     share = words / kPlaces, begin = block * (kWords / kPlaces), end = begin + kWords / kPlaces < share ? begin + kWords / kPlaces : share;
    std::uint64_t          total = 0;
    std::int64_t           k     = begin;
    for (; k + kPiece <= end; k += kPiece) {
      for (int place = 0; place < kPlaces; ++place) {
        for (int i = 0; i < kPiece; ++i) total += Word(place * share + k + i);
      }
    }
    for (; k < end; ++k) {
      for (int place = 0; place < kPlaces; ++place) total += Word(place * share + k);
    }
    if (block == 0) {
      for (k = kPlaces * share; k < words; ++k) total += Word(k);
    }
    sum[block] = total;
  }

  template <class Warp>
  KOKKOS_FUNCTION void operator()(const Warp &warp, std::int64_t block) const
  {
    const std::int64_t                             begin = block * kWords, end = begin + kWords < words ? begin + kWords : words;
    typename Warp::template PerLane<std::uint64_t> total;
    warp.For([&](int lane) {
      total[lane] = 0;
      for (std::int64_t k = begin + lane; k < end; k += kWarp) total[lane] += Load(reinterpret_cast<const std::uint64_t *>(data) + k);
    });
    SumOfWarp(warp, total);
    warp.For([&](int lane) {
      if (lane == 0) sum[block] = total[lane];
    });
  }

private:
  KOKKOS_FUNCTION std::uint64_t Word(std::int64_t k) const
  {
    std::uint64_t word;
    std::memcpy(&word, data + k * static_cast<std::int64_t>(sizeof(word)), sizeof(word));
    return word;
  }
};

/// Bytes a second at which an array is read from where it lies, memory or cache: the fastest of
/// several passes of a reduction over it. 0 for an empty one.
template <class Exec, class T>
double ReadBandwidth(const Array<T, typename Exec::memory_space> &array)
{
  const std::int64_t                                words = static_cast<std::int64_t>(array.bytes() / sizeof(std::uint64_t)), blocks = (words + ReadBlock::kWords - 1) / ReadBlock::kWords;
  Array<std::uint64_t, typename Exec::memory_space> sums(static_cast<std::size_t>(blocks));
  const ReadBlock                                   read{reinterpret_cast<const char *>(array.data()), words, sums.data()};
  double                                            best = 0, spent = 0;
  for (int pass = 0; words > 0 && (pass < 3 || spent < 1e-3); ++pass) {
    const auto start = std::chrono::steady_clock::now();
    if constexpr (kOnHost<Exec>) ParallelFor<Exec>("ReadBandwidth", blocks, static_cast<std::size_t>(words), read);
    else ForWarps<Exec>("ReadBandwidth", blocks, 0, read);
    Fence<Exec>();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best                 = std::max(best, static_cast<double>(array.bytes()) / std::max(seconds, 1e-9));
    spent += std::max(seconds, 1e-9);
  }
  return best;
}

} // namespace petscspmv
