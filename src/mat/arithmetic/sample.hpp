// A sample of blocks (chunks, tiles, stretches of entries), to estimate cheaply what all blocks are like.
#pragma once

#include "mat/exec/function.hpp"

#include <cstdint>

namespace petscspmv {

inline constexpr std::int64_t kSampleBlocks = 64;

KOKKOS_INLINE_FUNCTION std::int64_t SampleSize(std::int64_t blocks)
{
  return blocks < kSampleBlocks ? blocks : kSampleBlocks;
}

/// The number of the sample's block k. The distances between these blocks are irregular.
KOKKOS_INLINE_FUNCTION std::int64_t SampleBlock(std::int64_t blocks, std::int64_t k)
{
  if (blocks <= kSampleBlocks) return k;
  const std::int64_t stride = blocks / kSampleBlocks;
  return stride * k + k * 40503 % stride;
}

} // namespace petscspmv
