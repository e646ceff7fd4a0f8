// The bandwidth that bounds a product, measured beside it.
#pragma once

#include "benchmarks/workers.hpp"
#include "mat/format/bandwidth.hpp"

namespace petscspmv::benchmarks {

/// Reads memory as a product would: as many bytes, again and again, by as many threads, with the largest registers, or on the
/// device. What fits into a cache is read from there, as the product's matrix is.
class ReadBenchmark {
public:
  ReadBenchmark(std::size_t bytes, bool on_device) :
    words_(static_cast<std::int64_t>(bytes / sizeof(std::uint64_t)) + 1), on_device_(kHasDevice && on_device && StartKokkos())
  {
    if (on_device_) {
      if constexpr (kHasDevice) device_.Make<DeviceExec>(words_);
    } else {
      host_.Make<HostExec>(words_);
    }
  }

  void Pass()
  {
    if constexpr (kHasDevice) {
      if (on_device_) return ForWarps<DeviceExec>("ReadBenchmark", Blocks(), 0, device_.Read(words_));
    }
    ForWorkers("ReadBenchmark", Blocks(), host_.Read(words_));
  }

private:
  template <class Space>
  struct Memory {
    Array<std::uint64_t, Space> words, sums;

    template <class Exec>
    void Make(std::int64_t n)
    {
      words.Allocate(static_cast<std::size_t>(n));
      sums.Allocate(static_cast<std::size_t>(n / ReadBlock::kWords + 1));
      ParallelFor<Exec>("ReadBenchmarkFill", n, 0, SetItems<std::uint64_t>{words.data(), 1});
    }
    ReadBlock Read(std::int64_t n) { return {reinterpret_cast<const char *>(words.data()), n, sums.data()}; }
  };

  std::int64_t Blocks() const { return (words_ + ReadBlock::kWords - 1) / ReadBlock::kWords; }

  std::int64_t                              words_;
  bool                                      on_device_;
  Memory<HostExec::memory_space>            host_;
  Memory<typename DeviceExec::memory_space> device_;
};

} // namespace petscspmv::benchmarks
