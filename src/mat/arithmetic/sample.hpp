// A few of a layout's blocks (chunks, tiles), to guess from at little cost what the others are like.
#pragma once

#include <cstdint>

namespace petscspmv {

inline constexpr std::int64_t kSampleBlocks = 64;

/// f(block) for kSampleBlocks of more blocks, at no regular distance.
template <class F>
void ForSample(std::int64_t blocks, const F &f)
{
  const std::int64_t stride = blocks / kSampleBlocks;
  for (std::int64_t s = 0; s < kSampleBlocks; ++s) f(stride * s + s * 40503 % stride);
}

} // namespace petscspmv
