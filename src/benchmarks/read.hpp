// The bandwidth that bounds a product, measured beside it.
#pragma once

#include "benchmarks/workers.hpp"
#include "mat/arithmetic/load.hpp"
#include "mat/arithmetic/warp.hpp"
#include "mat/exec/array.hpp"
#include "mat/exec/device.hpp"
#include "mat/exec/kokkos_start.hpp"

#include <cstddef>
#include <cstdint>

namespace petscspmv::benchmarks {

/// Words of a step of the benchmark.
inline constexpr std::int64_t kReadBlock = 4096;

/// The sum of a block of n words (read.cpp).
std::uint64_t SumOfBlock(const std::uint64_t *words, std::int64_t n, std::int64_t block);

struct ReadBlock {
  const std::uint64_t *words;
  std::int64_t         n;
  std::uint64_t       *sum;

  void operator()(std::int64_t block) const { sum[block] = SumOfBlock(words, n, block); }
};

struct ReadBlockByWarp {
  const std::uint64_t *words;
  std::int64_t         n;
  std::uint64_t       *sum;

  template <class Warp>
  KOKKOS_FUNCTION void operator()(const Warp &warp, std::int64_t block) const
  {
    const std::int64_t begin = block * kReadBlock, end = begin + kReadBlock < n ? begin + kReadBlock : n;
    typename Warp::template PerLane<std::uint64_t> total;
    warp.For([&](int lane) {
      total[lane] = 0;
      for (std::int64_t k = begin + lane; k < end; k += kWarp) total[lane] += Load(words + k);
    });
    SumOfWarp(warp, total);
    warp.For([&](int lane) {
      if (lane == 0) sum[block] = total[lane];
    });
  }
};

/// Reads memory as a product would: as many bytes, again and again, by as many threads, with the largest registers, or on the
/// device. What fits into a cache is read from there, as the product's matrix is.
class ReadBenchmark {
public:
  ReadBenchmark(std::size_t bytes, bool on_device) :
    words_(static_cast<std::int64_t>(bytes / sizeof(std::uint64_t)) + 1), on_device_(kHasDevice && on_device && StartKokkos())
  {
    if (on_device_) {
      if constexpr (kHasDevice) {
        device_.Allocate(words_);
        DeviceExec(Execution()).ForThreads("ReadBenchmarkFill", words_, SetItems<std::uint64_t>{device_.words.data(), 1});
      }
    } else {
      host_.Allocate(words_);
      ForWorkers("ReadBenchmarkFill", words_, SetItems<std::uint64_t>{host_.words.data(), 1});
    }
  }

  void Pass()
  {
    const std::int64_t blocks = (words_ + kReadBlock - 1) / kReadBlock;
    if constexpr (kHasDevice) {
      if (on_device_)
        return DeviceExec(Execution())
          .ForWarps("ReadBenchmark", blocks, 0, ReadBlockByWarp{device_.words.data(), words_, device_.sums.data()});
    }
    ForWorkers("ReadBenchmark", blocks, ReadBlock{host_.words.data(), words_, host_.sums.data()});
  }

private:
  template <class Space>
  struct Words {
    Array<std::uint64_t, Space> words, sums;

    void Allocate(std::int64_t n)
    {
      words.Allocate(static_cast<std::size_t>(n));
      sums.Allocate(static_cast<std::size_t>(n / kReadBlock + 1));
    }
  };

  std::int64_t       words_;
  bool               on_device_;
  Words<HostSpace>   host_;
  Words<DeviceSpace> device_;
};

} // namespace petscspmv::benchmarks
