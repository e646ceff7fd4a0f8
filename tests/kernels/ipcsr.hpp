// IPCSR for the kernel tests.
#pragma once

#include "kernels/config.hpp"
#include "mat/impls/ipcsr/ipcsr.hpp"

namespace petscspmv::test {

template <class E>
struct Config<ipcsr::Ipcsr, E> {
  using Format = ipcsr::Ipcsr;
  using Exec   = E;

  static std::vector<OptionValues> Options() // block_size, shared_size, variant
  {
    std::vector<OptionValues> all{{kDecide, kDecide, 0}, {kDecide, kDecide, 1}};
    if constexpr (!kOnHost<Exec>) {
      for (const OptionValues &options :
           {OptionValues{1, 1, 0}, {3, 7, 0}, {31, 500, 0}, {64, 256, 0}, {1024, 2000, 0}, {7, 5, 1}, {64, 100, 1}})
        all.push_back(options);
    } else {
      for (const auto &[block_size, shared_size] : {std::pair{1, 1},
                                                    {1, 64},
                                                    {2, 1},
                                                    {3, 7},
                                                    {5, 16},
                                                    {8, 8},
                                                    {31, 500},
                                                    {64, 256},
                                                    {96, 33},
                                                    {128, 1000},
                                                    {1024, 1},
                                                    {1024, 8192}})
        all.push_back({block_size, shared_size, 0});
      for (const auto &[block_size, shared_size] : {std::pair{1, 1}, {7, 5}, {64, 100}, {1000, 8191}, {1024, 1}})
        all.push_back({block_size, shared_size, 1});
    }
    return all;
  }
  /// Products of a block; for the largest blocks on hosts only a fraction, since matrices that fill many of them take long to
  /// make.
  static int Unit(const OptionValues &options)
  {
    const std::int64_t shared_size =
      options[1] == kDecide ? ipcsr::SharedSize(ipcsr::kMultiprocessorOf<Exec>, ipcsr::kBlockSizeOf<Exec>, sizeof(double))
                            : options[1];
    return static_cast<int>(kOnHost<Exec> && shared_size > 2048 ? shared_size / 64 : shared_size);
  }
  static bool         KeepsRowsApart(const OptionValues &) { return true; }
  static LargeOptions Large() { return {{{256, 2048, 0}}, {}}; }
};

} // namespace petscspmv::test
