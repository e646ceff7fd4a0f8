#include "benchmarks/read.hpp"

#include <algorithm>
#include <cstdint>

namespace petscspmv::benchmarks {

// With the largest registers that the processor has: of what lies in a cache a core reads as much as they hold.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  #define PETSCSPMV_LARGEST_REGISTERS __attribute__((target_clones("default", "avx2", "avx512f")))
#else
  #define PETSCSPMV_LARGEST_REGISTERS
#endif

/// From four places in turn, as the arrays of a product are: of a single one a core reads a quarter less.
PETSCSPMV_LARGEST_REGISTERS std::uint64_t SumOfBlock(const std::uint64_t *words, std::int64_t n, std::int64_t block)
{
  constexpr std::int64_t kPlaces = 4, kPiece = 32;
  const std::int64_t     share = n / kPlaces, begin = block * (kReadBlock / kPlaces),
                     end = std::min(begin + kReadBlock / kPlaces, share);
  std::uint64_t total    = 0;
  std::int64_t  k        = begin;
  for (; k + kPiece <= end; k += kPiece) {
    for (int place = 0; place < kPlaces; ++place) {
      for (int i = 0; i < kPiece; ++i) total += words[place * share + k + i];
    }
  }
  for (; k < end; ++k) {
    for (int place = 0; place < kPlaces; ++place) total += words[place * share + k];
  }
  for (k = kPlaces * share; block == 0 && k < n; ++k) total += words[k];
  return total;
}

} // namespace petscspmv::benchmarks
