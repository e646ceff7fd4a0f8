#include "mat/tuning/digest.hpp"

#include "mat/arithmetic/prefetch.hpp"
#include "mat/exec/on_threads.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#if defined(__x86_64__) && !defined(__NVCC__) // nvcc has no vector types
  #define PETSCSPMV_DIGEST_AVX2
  #include <immintrin.h>
#endif

namespace petscspmv {

namespace {

constexpr int           kLanes          = 8;
constexpr std::size_t   kBlock          = kLanes * sizeof(std::uint64_t);
constexpr std::size_t   kBlocksOfThread = std::size_t{1} << 17, kMostRanges = 9; // 8 MiB are worth a thread
constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;

std::uint64_t Mixed(std::uint64_t a, std::uint64_t b)
{
  __extension__ using Wide = unsigned __int128;
  const Wide product       = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// The state of a pass. For each of its words, a lane adds the product of the halves of (word XOR key), and the word itself, since
/// a half of 0 would hide the other half. The key changes from step to step, so that the order of words matters.
struct Sums {
  std::uint64_t sum[kLanes] = {}, key[kLanes] = {};
  std::uint64_t last, outside = 0; // outside: has a sign bit if an item is negative or greater than `last`. Where two items share a
                                   // word, the first may borrow from the second, but only if the first is outside itself
};

void AddBlocks(const char *from, std::size_t blocks, Sums &sums)
{
  for (int k = 0; k < kLanes; ++k) {
    std::uint64_t sum = sums.sum[k], key = sums.key[k], outside = 0;
    for (std::size_t block = 0; block < blocks; ++block, key += kStep) {
      std::uint64_t word;
      std::memcpy(&word, from + block * kBlock + static_cast<std::size_t>(k) * sizeof(word), sizeof(word));
      const std::uint64_t keyed = word ^ key;
      sum += (keyed & 0xffffffffu) * (keyed >> 32) + (word << 32 | word >> 32);
      outside |= word | (sums.last - word);
    }
    sums.sum[k] = sum;
    sums.key[k] = key;
    sums.outside |= outside;
  }
}

#if defined(PETSCSPMV_DIGEST_AVX2)
/// Does the same as AddBlocks(), 32 bytes at a time.
__attribute__((target("avx2"))) void AddBlocksWithAvx2(const char *from, std::size_t blocks, Sums &sums)
{
  constexpr int kHalves = 2, kSwap = 0xb1;
  __m256i       sum[kHalves], key[kHalves], outside = _mm256_setzero_si256();
  const __m256i step = _mm256_set1_epi64x(static_cast<long long>(kStep)),
                last = _mm256_set1_epi64x(static_cast<long long>(sums.last));
  std::memcpy(sum, sums.sum, kBlock);
  std::memcpy(key, sums.key, kBlock);
  for (; blocks > 0; --blocks, from += kBlock) {
    Prefetch<true>()(from, kBlock);
    for (int k = 0; k < kHalves; ++k) {
      const __m256i word    = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from) + k);
      const __m256i keyed   = _mm256_xor_si256(word, key[k]);
      const __m256i product = _mm256_mul_epu32(keyed, _mm256_srli_epi64(keyed, 32));
      sum[k]                = _mm256_add_epi64(sum[k], _mm256_add_epi64(product, _mm256_shuffle_epi32(word, kSwap)));
      key[k]                = _mm256_add_epi64(key[k], step);
      outside               = _mm256_or_si256(outside, _mm256_or_si256(word, _mm256_sub_epi64(last, word)));
    }
  }
  std::memcpy(sums.sum, sum, kBlock);
  std::memcpy(sums.key, key, kBlock);
  std::uint64_t word[sizeof(outside) / sizeof(std::uint64_t)];
  std::memcpy(word, &outside, sizeof(outside));
  for (const std::uint64_t each : word) sums.outside |= each;
}
#endif

void AddAll(const char *from, std::size_t blocks, [[maybe_unused]] bool portable, Sums &sums)
{
#if defined(PETSCSPMV_DIGEST_AVX2)
  if (!portable && __builtin_cpu_supports("avx2")) return AddBlocksWithAvx2(from, blocks, sums);
#endif
  constexpr std::size_t kInCache = 64; // blocks: they stay in cache while lane after lane reads them
  for (std::size_t block = 0; block < blocks; block += kInCache)
    AddBlocks(from + block * kBlock, blocks - block < kInCache ? blocks - block : kInCache, sums);
}

/// Does the same as AddAll(), in so many ranges, each by a thread of its own.
void AddRanges(const char *from, std::size_t blocks, std::size_t ranges, bool portable, Sums &sums)
{
  const std::size_t             each = blocks / ranges; // the last range has the remainder as well
  std::array<Sums, kMostRanges> of_range;
  of_range.fill(sums);
  OnThreads(static_cast<int>(ranges), [&](int k) noexcept {
    const auto        range = static_cast<std::size_t>(k);
    const std::size_t begin = each * range, end = range + 1 < ranges ? begin + each : blocks;
    for (std::uint64_t &key : of_range[range].key) key += begin * kStep;
    AddAll(from + begin * kBlock, end - begin, portable, of_range[range]);
  });
  sums = of_range[ranges - 1]; // its keys are the next ones
  for (std::size_t range = 0; range + 1 < ranges; ++range) {
    for (int k = 0; k < kLanes; ++k) sums.sum[k] += of_range[range].sum[k];
    sums.outside |= of_range[range].outside;
  }
}

} // namespace

Look LookAt(const void *data, std::size_t bytes, std::uint64_t last, std::uint64_t signs, std::uint64_t seed, int threads,
            bool portable)
{
  const char *const from   = static_cast<const char *>(data);
  const std::size_t blocks = bytes / kBlock;
  Sums              sums;
  sums.last = last;
  for (int k = 0; k < kLanes; ++k) sums.key[k] = Mixed(seed ^ static_cast<std::uint64_t>(k + 1) * kStep, ~kStep);
  const std::size_t ranges = std::clamp<std::size_t>(blocks / kBlocksOfThread, 1, static_cast<std::size_t>(threads));
  if (ranges > 1) AddRanges(from, blocks, std::min(ranges, kMostRanges), portable, sums);
  else AddAll(from, blocks, portable, sums);
  if (bytes % kBlock) {     // otherwise data may be null
    char rest[kBlock] = {}; // zeros are inside, unless the bound is 0
    std::memcpy(rest, from + blocks * kBlock, bytes % kBlock);
    AddAll(rest, 1, portable, sums);
  }
  std::uint64_t digest = Mixed(seed ^ bytes, kStep);
  for (const std::uint64_t sum : sums.sum) digest = Mixed(digest ^ sum, kStep) + 1;
  return {digest, (sums.outside & signs) == 0};
}

} // namespace petscspmv
