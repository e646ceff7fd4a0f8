// Rows of CSR side by side, as chunks and tiles store them: column j holds entry j of each row. Host only (lanes.hpp).
#pragma once

#include "mat/arithmetic/lanes.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace petscspmv {

/// Transposes n registers taken as the rows of a matrix, by log2(n) perfect shuffles of its two halves.
template <class T, int n>
KOKKOS_FORCEINLINE_FUNCTION void TransposeRegisters(lanes::Vector<T, n> (&row)[n])
{
  for (int merged = 1; merged < n; merged *= 2) {
    lanes::Vector<T, n> next[n];
    lanes::Unroll<n / 2>([&](auto i) PETSCSPMV_INLINE_LAMBDA {
      next[2 * i]     = lanes::InTurn<0, T, n>(row[i], row[i + n / 2]);
      next[2 * i + 1] = lanes::InTurn<n / 2, T, n>(row[i], row[i + n / 2]);
    });
    lanes::Unroll<n>([&](auto i) PETSCSPMV_INLINE_LAMBDA { row[i] = next[i]; });
  }
}

/// Some columns of `Width` rows. Load() takes all rows to be long enough: behind its end a row continues with whatever follows in
/// CSR, until Pad() overwrites it.
template <class T, int Width>
class RowLanes {
public:
  static constexpr int kColumns = 32; // loaded at a time at most, so that they stay in the L1 cache

  /// Loads columns first .. first + n - 1 of the rows that begin at begin[0], begin[1], ... among the `entries` entries of CSR.
  KOKKOS_FORCEINLINE_FUNCTION void Load(const T *csr, std::int64_t entries, const std::int64_t (&begin)[Width], std::int64_t first,
                                        int n)
  {
    const std::int64_t last = *std::max_element(begin, begin + Width) + first + (n + kBlock - 1) / kBlock * kBlock;
    if (last <= entries) LoadBlocks(begin, first, n, [&](std::int64_t at) PETSCSPMV_INLINE_LAMBDA { return FromCsr(csr + at); });
    else LoadAtEnd(csr, entries, begin, first, n);
  }

  /// Overwrites what comes behind the end of each row i with pad(i). The loaded columns are first .. first + n - 1.
  template <class Length, class Padding>
  KOKKOS_FORCEINLINE_FUNCTION void Pad(const Length *length, std::int64_t first, int n, const Padding &pad)
  {
    for (int i = 0; i < Width; ++i) {
      const std::int64_t end = length[i] - first;
      if (end >= n) continue;
      const T padding = pad(i);
      for (std::int64_t j = std::max<std::int64_t>(end, 0); j < n; ++j) entry_[j * Width + i] = padding;
    }
  }

  /// Column j of the loaded columns, which are contiguous.
  KOKKOS_FORCEINLINE_FUNCTION const T *operator[](int j) const { return entry_ + j * Width; }

private:
  /// Blocks of kBlock rows and columns are transposed in registers.
  static constexpr int kRegister = static_cast<int>(kRegisterBytes / sizeof(T));
  static constexpr int kBlock    = !std::is_arithmetic_v<T> ? 1 : std::min(Width, kRegister);
  using Block = typename std::conditional_t<kBlock == 1, std::type_identity<T>, lanes::VectorOf<T, kBlock>>::type;

  static KOKKOS_FORCEINLINE_FUNCTION Block FromCsr(const T *at)
  {
    if constexpr (kBlock == 1) return *at;
    else return lanes::LoadVector<Block>(at);
  }

  template <class Get>
  KOKKOS_FORCEINLINE_FUNCTION void LoadBlocks(const std::int64_t (&begin)[Width], std::int64_t first, int n, const Get &get)
  {
    for (int j = 0; j < n; j += kBlock) {
      for (int lane = 0; lane < Width; lane += kBlock) {
        T *const to = entry_ + j * Width + lane;
        if constexpr (kBlock == 1) {
          *to = get(begin[lane] + first + j);
        } else {
          Block row[kBlock];
          lanes::Unroll<kBlock>([&](auto i) PETSCSPMV_INLINE_LAMBDA { row[i] = get(begin[lane + i] + first + j); });
          TransposeRegisters<T, kBlock>(row);
          lanes::Unroll<kBlock>([&](auto i) PETSCSPMV_INLINE_LAMBDA { lanes::StoreVector(to + i * Width, row[i]); });
        }
      }
    }
  }

  /// Load() near the end of CSR, beyond which nothing may be read.
  __attribute__((noinline)) void LoadAtEnd(const T *csr, std::int64_t entries, const std::int64_t (&begin)[Width],
                                           std::int64_t first, int n)
  {
    LoadBlocks(begin, first, n, [&](std::int64_t at) {
      T inside[kBlock] = {};
      if (at < entries) std::copy_n(csr + at, std::min<std::int64_t>(kBlock, entries - at), inside);
      return FromCsr(inside);
    });
  }

  alignas(64) T entry_[kColumns * Width];
};

} // namespace petscspmv
