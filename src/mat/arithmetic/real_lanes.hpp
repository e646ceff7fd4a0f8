// Lanes of real numbers, and what goes with each lane: a position in x, a count, bits.
#pragma once

#include "mat/arithmetic/vectors.hpp"

#include <cstdint>
#include <type_traits>
#include <utility>

namespace petscspmv {

/// Positions in x: consecutive column indices or offsets.
template <class Column>
struct Places {
  using Int = lanes::IntOf<Column>;
  const Column *column;

  KOKKOS_FORCEINLINE_FUNCTION Column operator[](int i) const { return column[i]; }
  template <int n>
  KOKKOS_FORCEINLINE_FUNCTION lanes::Vector<Int, n> Load(int i) const
  {
    return lanes::LoadAs<Int, n>(column + i);
  }
};

/// How n numbers are spread over registers: numbers per register, and registers.
template <class T, int n>
struct RegistersOf {
  static constexpr int kWidth = n * sizeof(T) < kRegisterBytes ? n : kRegisterBytes / sizeof(T);
  static constexpr int kCount = n / kWidth;
};

/// A count per lane. Counts are as wide as T, so that comparing them gives masks for lanes of T. For doubles, counts are doubles
/// too: not every target compares 64-bit integers.
template <class T, int n>
struct LaneCounts {
  using Count                 = std::conditional_t<sizeof(T) == 8, T, std::int32_t>;
  static constexpr int kWidth = RegistersOf<T, n>::kWidth;
  using Vector                = lanes::Vector<Count, kWidth>;

  template <class From>
  static KOKKOS_FORCEINLINE_FUNCTION LaneCounts Load(const From *from)
  {
    LaneCounts result;
    lanes::Unroll<n / kWidth>([&](auto k)
                                PETSCSPMV_INLINE_LAMBDA { result.v[k] = lanes::LoadAs<Count, kWidth>(from + k * kWidth); });
    return result;
  }

  Vector v[n / kWidth];
};

/// 32 bits per lane, repeated where a lane is wider.
template <class T, int n>
class LaneBits {
public:
  static constexpr int kWidth = RegistersOf<T, n>::kWidth, kWords = sizeof(T) / 4; // 32-bit words of a lane
  using Vector = lanes::Vector<std::uint32_t, kWidth * kWords>;

  static KOKKOS_FORCEINLINE_FUNCTION LaneBits Load(const std::uint32_t *from)
  {
    LaneBits result;
    lanes::Unroll<n / kWidth>([&](auto k) PETSCSPMV_INLINE_LAMBDA {
      result.v[k] = Repeat(lanes::LoadVector<lanes::Vector<std::uint32_t, kWidth>>(from + k * kWidth));
    });
    return result;
  }

  Vector v[n / kWidth];

private:
  static KOKKOS_FORCEINLINE_FUNCTION Vector Repeat(const lanes::Vector<std::uint32_t, kWidth> &words)
  {
    if constexpr (kWords == 1) return words;
    else return [&]<int... i>(std::integer_sequence<int, i...>) PETSCSPMV_INLINE_LAMBDA
      {
        return __builtin_shufflevector(words, words, (i / kWords)...);
      }
    (std::make_integer_sequence<int, kWidth * kWords>());
  }
};

/// One bit, the same in all lanes.
template <class T, int n>
struct LaneBit {
  using Vector = typename LaneBits<T, n>::Vector;

  explicit KOKKOS_FORCEINLINE_FUNCTION LaneBit(std::uint32_t bit) : v(lanes::All<std::uint32_t, sizeof(Vector) / 4>(bit)) { }

  /// Goes on to the next higher bit.
  KOKKOS_FORCEINLINE_FUNCTION void Advance() { v += v; }

  Vector v;
};

/// n real numbers.
template <class T, int n>
class Lanes {
public:
  static constexpr int kWidth = RegistersOf<T, n>::kWidth, kCount = RegistersOf<T, n>::kCount;
  using Vector = lanes::Vector<T, kWidth>;
  using Counts = LaneCounts<T, n>;
  using Count  = typename Counts::Count;
  using Bits   = LaneBits<T, n>;
  using Bit    = LaneBit<T, n>;

  static KOKKOS_FORCEINLINE_FUNCTION Lanes Zero()
  {
    Lanes result;
    lanes::Unroll<kCount>([&](auto k) PETSCSPMV_INLINE_LAMBDA { result.v[k] = Vector{}; });
    return result;
  }

  /// from[0], from[1], ..., converted to T if From is another type.
  template <class From>
  static KOKKOS_FORCEINLINE_FUNCTION Lanes Load(const From *from)
  {
    Lanes result;
    lanes::Unroll<kCount>([&](auto k) PETSCSPMV_INLINE_LAMBDA { result.v[k] = lanes::LoadAs<T, kWidth>(from + k * kWidth); });
    return result;
  }

  /// table[place[0]], table[place[1]], ... from a table of `size` numbers.
  template <int size>
  static KOKKOS_FORCEINLINE_FUNCTION Lanes FromTable(const T *table, const std::uint8_t *place)
  {
    Lanes result;
    lanes::Unroll<kCount>([&](auto k)
                            PETSCSPMV_INLINE_LAMBDA { result.v[k] = lanes::LookUp<T, kWidth, size>(table, place + k * kWidth); });
    return result;
  }

  static KOKKOS_FORCEINLINE_FUNCTION Lanes All(T number)
  {
    Lanes result;
    lanes::Unroll<kCount>([&](auto k) PETSCSPMV_INLINE_LAMBDA { result.v[k] = lanes::All<T, kWidth>(number); });
    return result;
  }

  /// x[places[0]], x[places[1]], ..., by gathers or loads, as the target prefers.
  template <class Places>
  static KOKKOS_FORCEINLINE_FUNCTION Lanes LoadAt(const T *x, const Places &places)
  {
    Lanes result;
    lanes::Unroll<kCount>([&](auto k) PETSCSPMV_INLINE_LAMBDA {
      if constexpr (lanes::kHasGather<T, kWidth, typename Places::Int>)
        result.v[k] = lanes::Gather<T, kWidth, typename Places::Int>(x, places.template Load<kWidth>(k * kWidth));
      else result.v[k] = lanes::Generate<T, kWidth>([&](int i) PETSCSPMV_INLINE_LAMBDA { return x[places[k * kWidth + i]]; });
    });
    return result;
  }

  KOKKOS_FORCEINLINE_FUNCTION void Store(T *to) const
  {
    lanes::Unroll<kCount>([&](auto k) PETSCSPMV_INLINE_LAMBDA { lanes::StoreVector(to + k * kWidth, v[k]); });
  }

  /// this + a b, rounded once on targets with FMA.
  KOKKOS_FORCEINLINE_FUNCTION Lanes PlusProduct(const Lanes &a, const Lanes &b) const
  {
    Lanes result;
    lanes::Unroll<kCount>([&](auto k)
                            PETSCSPMV_INLINE_LAMBDA { result.v[k] = lanes::MultiplyAdd<T, kWidth>(a.v[k], b.v[k], v[k]); });
    return result;
  }
  KOKKOS_FORCEINLINE_FUNCTION Lanes MinusProduct(const Lanes &a, const Lanes &b) const
  {
    Lanes result;
    lanes::Unroll<kCount>([&](auto k)
                            PETSCSPMV_INLINE_LAMBDA { result.v[k] = lanes::MultiplyAdd<T, kWidth>(-a.v[k], b.v[k], v[k]); });
    return result;
  }
  KOKKOS_FORCEINLINE_FUNCTION Lanes operator*(const Lanes &other) const
  {
    Lanes result;
    lanes::Unroll<kCount>([&](auto k) PETSCSPMV_INLINE_LAMBDA { result.v[k] = v[k] * other.v[k]; });
    return result;
  }
  KOKKOS_FORCEINLINE_FUNCTION Lanes operator+(const Lanes &other) const
  {
    Lanes result;
    lanes::Unroll<kCount>([&](auto k) PETSCSPMV_INLINE_LAMBDA { result.v[k] = v[k] + other.v[k]; });
    return result;
  }
  KOKKOS_FORCEINLINE_FUNCTION Lanes operator-(const Lanes &other) const
  {
    Lanes result;
    lanes::Unroll<kCount>([&](auto k) PETSCSPMV_INLINE_LAMBDA { result.v[k] = v[k] - other.v[k]; });
    return result;
  }
  /// The product, rounded, with nothing fused.
  KOKKOS_FORCEINLINE_FUNCTION Lanes RoundedTimes(const Lanes &other) const { return *this * other; }

  /// The lanes whose count is above `now`, and zero in place of the others.
  KOKKOS_FORCEINLINE_FUNCTION Lanes IfAbove(Count now, const Counts &counts) const
  {
    Lanes result;
    lanes::Unroll<kCount>(
      [&](auto k) PETSCSPMV_INLINE_LAMBDA { result.v[k] = lanes::Where(lanes::All<Count, kWidth>(now) < counts.v[k], v[k]); });
    return result;
  }
  /// The first `count` lanes, and zero in place of the others.
  KOKKOS_FORCEINLINE_FUNCTION Lanes First(std::int64_t count) const
  {
    Lanes result;
    lanes::Unroll<kCount>([&](auto k) PETSCSPMV_INLINE_LAMBDA {
      const auto lane =
        lanes::Generate<Count, kWidth>([&](int i) PETSCSPMV_INLINE_LAMBDA { return static_cast<Count>(k * kWidth + i); });
      result.v[k] = lanes::Where(lane < lanes::All<Count, kWidth>(static_cast<Count>(count)), v[k]);
    });
    return result;
  }
  /// The lanes whose bits lack `bit`, and zero in place of the others.
  KOKKOS_FORCEINLINE_FUNCTION Lanes IfWithout(const Bit &bit, const Bits &bits) const
  {
    using Words = typename Bits::Vector;
    Lanes result;
    lanes::Unroll<kCount>([&](auto k)
                            PETSCSPMV_INLINE_LAMBDA { result.v[k] = (Vector)((Words)v[k] & (Words)((bits.v[k] & bit.v) == 0)); });
    return result;
  }

  /// Half as many lanes: lane t is the sum of lanes t and t + n / 2.
  KOKKOS_FORCEINLINE_FUNCTION Lanes<T, n / 2> Fold() const
  {
    static_assert(n > 1);
    Lanes<T, n / 2> result;
    if constexpr (kCount > 1)
      lanes::Unroll<kCount / 2>([&](auto k) PETSCSPMV_INLINE_LAMBDA { result.v[k] = v[k] + v[k + kCount / 2]; });
    else result.v[0] = lanes::Part<0, kWidth / 2, T, kWidth>(v[0]) + lanes::Part<kWidth / 2, kWidth / 2, T, kWidth>(v[0]);
    return result;
  }

  /// The sum of all lanes, by repeated Fold().
  KOKKOS_FORCEINLINE_FUNCTION T Sum() const
  {
    if constexpr (n == 2) return v[0][0] + v[0][1];
    else return Fold().Sum();
  }

  Vector v[kCount];
};

/// Stores the sum of the four lanes of each of four rows. Neighbouring lanes are added first.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void StoreSumsOfFour(const Lanes<T, 4> *row, T *sum)
{
  if constexpr (Lanes<T, 4>::kCount == 1) {
    using Vector   = typename Lanes<T, 4>::Vector;
    const Vector a = row[0].v[0], b = row[1].v[0], c = row[2].v[0], d = row[3].v[0];
    const Vector ab  = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const Vector cd  = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
    const Vector all = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    lanes::StoreVector(sum, all);
  } else { // registers of two lanes
    static_assert(Lanes<T, 4>::kCount == 2);
    lanes::Unroll<2>([&](auto pair) PETSCSPMV_INLINE_LAMBDA {
      const auto &a = row[2 * pair], &b = row[2 * pair + 1];
      const auto  half = [&](int k) PETSCSPMV_INLINE_LAMBDA {
        return lanes::EverySecond<0, T, 2>(a.v[k], b.v[k]) + lanes::EverySecond<1, T, 2>(a.v[k], b.v[k]);
      };
      lanes::StoreVector(sum + 2 * pair, half(0) + half(1));
    });
  }
}

} // namespace petscspmv
