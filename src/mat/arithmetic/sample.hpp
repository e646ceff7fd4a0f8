// A sample of the blocks (chunks, tiles, runs of entries), to estimate cheaply what the others are like.
#pragma once

#include "mat/exec/function.hpp"

#include <cstdint>

namespace petscspmv {

inline constexpr std::int64_t kSampleBlocks = 64;

KOKKOS_INLINE_FUNCTION std::int64_t SampleSize(std::int64_t blocks)
{
  return blocks < kSampleBlocks ? blocks : kSampleBlocks;
}

/// Block k of the sample, at irregular distances.
KOKKOS_INLINE_FUNCTION std::int64_t SampleBlock(std::int64_t blocks, std::int64_t k)
{
  if (blocks <= kSampleBlocks) return k;
  const std::int64_t stride = blocks / kSampleBlocks;
  return stride * k + k * 40503 % stride;
}

} // namespace petscspmv
