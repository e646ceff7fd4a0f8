// The bandwidth that bounds a product, measured beside it.
#pragma once

#include "mat/format/bandwidth.hpp"

namespace petscspmv::benchmarks {

/// Reads memory as a product would: as many bytes, again and again, by as many threads, with the largest registers. What fits
/// into a cache is read from there, as the product's matrix is.
class ReadBenchmark {
public:
  explicit ReadBenchmark(std::size_t bytes) :
    words_(bytes / sizeof(std::uint64_t) + 1), sums_(words_.size() / ReadBlock::kWords + 1)
  {
    std::fill(words_.data(), words_.data() + words_.size(), 1);
  }

  void Pass()
  {
    const auto      words = static_cast<std::int64_t>(words_.size());
    const ReadBlock read{reinterpret_cast<const char *>(words_.data()), words, sums_.data()};
    const auto      blocks = (words + ReadBlock::kWords - 1) / ReadBlock::kWords;
    if (Kokkos::is_initialized()) Launch<HostExec>("ReadBenchmark", blocks, read); // by the first product that was worth it
    else Loop(read, 0, blocks);
  }

private:
  Array<std::uint64_t> words_, sums_;
};

} // namespace petscspmv::benchmarks
