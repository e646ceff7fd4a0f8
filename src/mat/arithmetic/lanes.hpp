// SIMD lanes: what host kernels do with several numbers at a time, in one source for all targets (exec/targets.cmake).
//
// Lanes are registers of the compiler's vector types, never wider than the target's. The operations and their order depend neither
// on the register width nor on how x is loaded, and -ffp-contract=off keeps compilers from fusing on their own: all targets with
// FMA give the same bits. Everything here is force-inlined into the kernels. README.md gives the reasons.
#pragma once

#include "mat/arithmetic/scalar.hpp"
#include "mat/exec/function.hpp"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

// Properties of the target being compiled: bytes of a register, and whether x is loaded by gather instructions. (PETSCSPMV_FUSED:
// scalar.hpp.)
#if !defined(PETSCSPMV_REGISTER)
  #define PETSCSPMV_REGISTER 16
#endif
#if !defined(PETSCSPMV_GATHERS)
  #define PETSCSPMV_GATHERS 0
#endif
#if PETSCSPMV_FUSED && defined(__FMA__)
  #include <immintrin.h>
#elif PETSCSPMV_FUSED && defined(__ARM_NEON)
  #include <arm_neon.h>
#endif

namespace petscspmv {

inline constexpr int kRegisterBytes = PETSCSPMV_REGISTER;

#define PETSCSPMV_INLINE_LAMBDA __attribute__((always_inline))

namespace lanes {

template <class T, int n>
struct VectorOf {
  typedef T type __attribute__((vector_size(n * sizeof(T))));
};

/// n numbers in one register, or in whatever the compiler lowers them to.
template <class T, int n>
using Vector = typename VectorOf<T, n>::type;

/// The signed integer of a given size, and the one as wide as T, so that masks and numbers have equal width.
template <std::size_t bytes>
using IntOfSize = std::conditional_t<bytes == 8, std::int64_t, std::int32_t>;
template <class T>
using IntOf = IntOfSize<sizeof(T)>;

/// f(0), ..., f(n - 1) with compile-time arguments.
template <int n, class F>
KOKKOS_FORCEINLINE_FUNCTION void Unroll(const F &f)
{
  [&]<int... k>(std::integer_sequence<int, k...>) PETSCSPMV_INLINE_LAMBDA
  {
    (f(std::integral_constant<int, k>()), ...);
  }
  (std::make_integer_sequence<int, n>());
}

/// {f(0), ..., f(n - 1)}
template <class T, int n, class F>
KOKKOS_FORCEINLINE_FUNCTION Vector<T, n> Generate(const F &f)
{
  return [&]<int... k>(std::integer_sequence<int, k...>) PETSCSPMV_INLINE_LAMBDA
  {
    return Vector<T, n>{f(k)...};
  }
  (std::make_integer_sequence<int, n>());
}

/// n copies of a number.
template <class T, int n>
KOKKOS_FORCEINLINE_FUNCTION Vector<T, n> All(T number)
{
  return Generate<T, n>([&](int) PETSCSPMV_INLINE_LAMBDA { return number; });
}

template <class V, class T>
KOKKOS_FORCEINLINE_FUNCTION V LoadVector(const T *from)
{
  V v;
  __builtin_memcpy(&v, from, sizeof(v));
  return v;
}

template <class T, class V>
KOKKOS_FORCEINLINE_FUNCTION void StoreVector(T *to, const V &v)
{
  __builtin_memcpy(to, &v, sizeof(v));
}

/// Converts numbers to another type. Widening to a full register takes one instruction; compilers (gcc 12) split the vector into
/// halves and join them.
template <class To, int n, class From>
KOKKOS_FORCEINLINE_FUNCTION Vector<To, n> Converted(const Vector<From, n> &v)
{
#if PETSCSPMV_FUSED && defined(__FMA__) && defined(__AVX2__)
  constexpr std::size_t bytes  = n * sizeof(To);
  constexpr bool        single = std::is_same_v<From, float> && std::is_same_v<To, double>,
                 offsets       = std::is_same_v<From, std::uint16_t> && std::is_same_v<To, std::int32_t>,
                 indices       = std::is_same_v<From, std::int32_t> && std::is_same_v<To, std::int64_t>;
  #if PETSCSPMV_REGISTER == 64
  if constexpr (bytes == 64 && single) return (Vector<To, n>)_mm512_maskz_cvtps_pd(0xff, (__m256)v); // with masks: see Gather()
  else if constexpr (bytes == 64 && offsets) return (Vector<To, n>)_mm512_maskz_cvtepu16_epi32(0xffff, (__m256i)v);
  else if constexpr (bytes == 64 && indices) return (Vector<To, n>)_mm512_maskz_cvtepi32_epi64(0xff, (__m256i)v);
  else
  #endif
    if constexpr (bytes == 32 && single)
    return (Vector<To, n>)_mm256_cvtps_pd((__m128)v);
  else if constexpr (bytes == 32 && offsets) return (Vector<To, n>)_mm256_cvtepu16_epi32((__m128i)v);
  else if constexpr (bytes == 32 && indices) return (Vector<To, n>)_mm256_cvtepi32_epi64((__m128i)v);
  else if constexpr (bytes == 16 && offsets) return (Vector<To, n>)_mm_cvtepu16_epi32(_mm_cvtsi64_si128((std::int64_t)v));
  else
#endif
    return __builtin_convertvector(v, Vector<To, n>);
}

/// Loads n numbers and converts them.
template <class To, int n, class From>
KOKKOS_FORCEINLINE_FUNCTION Vector<To, n> LoadAs(const From *from)
{
  return Converted<To, n, From>(LoadVector<Vector<From, n>>(from));
}

/// Swaps neighbours.
template <class T, int n>
KOKKOS_FORCEINLINE_FUNCTION Vector<T, n> Swapped(const Vector<T, n> &a)
{
  return [&]<int... k>(std::integer_sequence<int, k...>) PETSCSPMV_INLINE_LAMBDA
  {
    return __builtin_shufflevector(a, a, (k ^ 1)...);
  }
  (std::make_integer_sequence<int, n>());
}

/// Every second number of a, then of b, starting at number `first`.
template <int first, class T, int n>
KOKKOS_FORCEINLINE_FUNCTION Vector<T, n> EverySecond(const Vector<T, n> &a, const Vector<T, n> &b)
{
  return [&]<int... k>(std::integer_sequence<int, k...>) PETSCSPMV_INLINE_LAMBDA
  {
    return __builtin_shufflevector(a, b, (2 * k + first)...);
  }
  (std::make_integer_sequence<int, n>());
}

/// Interleaves a and b: n numbers, starting at number `first` of both.
template <int first, class T, int n>
KOKKOS_FORCEINLINE_FUNCTION Vector<T, n> InTurn(const Vector<T, n> &a, const Vector<T, n> &b)
{
  return [&]<int... k>(std::integer_sequence<int, k...>) PETSCSPMV_INLINE_LAMBDA
  {
    return __builtin_shufflevector(a, b, (k % 2 * n + first + k / 2)...);
  }
  (std::make_integer_sequence<int, n>());
}

/// Numbers first, first + 1, ... of a.
template <int first, int left, class T, int n>
KOKKOS_FORCEINLINE_FUNCTION Vector<T, left> Part(const Vector<T, n> &a)
{
  return [&]<int... k>(std::integer_sequence<int, k...>) PETSCSPMV_INLINE_LAMBDA
  {
    return __builtin_shufflevector(a, a, (first + k)...);
  }
  (std::make_integer_sequence<int, left>());
}

/// a b + c, rounded once on targets with FMA.
template <class T, int n>
KOKKOS_FORCEINLINE_FUNCTION Vector<T, n> MultiplyAdd(const Vector<T, n> &a, const Vector<T, n> &b, const Vector<T, n> &c)
{
#if PETSCSPMV_FUSED && defined(__FMA__)
  using V                     = Vector<T, n>;
  constexpr bool        wide  = sizeof(T) == 8;
  constexpr std::size_t bytes = n * sizeof(T);
  #if PETSCSPMV_REGISTER == 64
  if constexpr (bytes == 64 && wide) return (V)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
  else if constexpr (bytes == 64) return (V)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
  else
  #endif
    if constexpr (bytes == 32 && wide)
    return (V)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
  else if constexpr (bytes == 32) return (V)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
  else if constexpr (bytes == 16 && wide) return (V)_mm_fmadd_pd((__m128d)a, (__m128d)b, (__m128d)c);
  else if constexpr (bytes == 16) return (V)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
  else return Generate<T, n>([&](int i) PETSCSPMV_INLINE_LAMBDA { return PlusProduct(c[i], a[i], b[i]); });
#elif PETSCSPMV_FUSED && defined(__ARM_NEON)
  if constexpr (n * sizeof(T) == 16 && sizeof(T) == 8)
    return (Vector<T, n>)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
  else if constexpr (n * sizeof(T) == 16) return (Vector<T, n>)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
  else return Generate<T, n>([&](int i) PETSCSPMV_INLINE_LAMBDA { return PlusProduct(c[i], a[i], b[i]); });
#elif PETSCSPMV_FUSED
  return Generate<T, n>([&](int i) PETSCSPMV_INLINE_LAMBDA { return PlusProduct(c[i], a[i], b[i]); });
#else
  return a * b + c;
#endif
}

/// v where the condition (an integer vector of all-ones or zeros) holds, zero elsewhere.
template <class V, class Condition>
KOKKOS_FORCEINLINE_FUNCTION V Where(const Condition &condition, const V &v)
{
  if constexpr (kRegisterBytes == 64) return condition ? v : V{}; // one masked move
  else return (V)((Condition)v & condition);
}

#if PETSCSPMV_GATHERS

/// Whether an instruction gathers n numbers by these indices.
template <class T, int n, class Int>
inline constexpr bool kHasGather = sizeof(Int) <= sizeof(T) &&
                                   (n * sizeof(T) == 32 || (n * sizeof(T) == 64 && kRegisterBytes == 64));

/// x[index] for each index. Masked, since compilers warn of the undefined source of the unmasked forms; the instruction is the
/// same.
template <class T, int n, class Int>
KOKKOS_FORCEINLINE_FUNCTION Vector<T, n> Gather(const T *x, const Vector<Int, n> &index)
{
  using V                   = Vector<T, n>; // some compilers define intrinsics as macros, which would split at the comma
  constexpr bool wide_index = sizeof(Int) == 8, wide = sizeof(T) == 8;
  #if PETSCSPMV_REGISTER == 64
  if constexpr (n * sizeof(T) == 64) {
    if constexpr (wide_index && wide) return (V)_mm512_mask_i64gather_pd((__m512d)V{}, 0xff, (__m512i)index, x, 8);
    else if constexpr (wide) return (V)_mm512_mask_i32gather_pd((__m512d)V{}, 0xff, (__m256i)index, x, 8);
    else return (V)_mm512_mask_i32gather_ps((__m512)V{}, 0xffff, (__m512i)index, x, 4);
  } else
  #endif
  {
    const V all = (V)~Vector<IntOf<T>, n>{};
    if constexpr (wide_index && wide) return (V)_mm256_mask_i64gather_pd((__m256d)V{}, x, (__m256i)index, (__m256d)all, 8);
    else if constexpr (wide) return (V)_mm256_mask_i32gather_pd((__m256d)V{}, x, (__m128i)index, (__m256d)all, 8);
    else return (V)_mm256_mask_i32gather_ps((__m256)V{}, x, (__m256i)index, (__m256)all, 4);
  }
}

#else

template <class T, int n, class Int>
inline constexpr bool kHasGather = false;

template <class T, int n, class Int>
Vector<T, n> Gather(const T *x, const Vector<Int, n> &index);

#endif

/// The bitwise or of all integers.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION auto Any(const V &v)
{
  std::decay_t<decltype(v[0])> numbers[sizeof(V) / sizeof(v[0])], any = 0;
  StoreVector(numbers, v);
  for (const auto number : numbers) any |= number;
  return any;
}

/// Stores the lowest byte of every step-th integer.
template <int step, class V>
KOKKOS_FORCEINLINE_FUNCTION void StoreBytes(std::uint8_t *to, const V &v)
{
#if PETSCSPMV_REGISTER == 64
  if constexpr (step == 1 && sizeof(v[0]) == 8) {
    const std::int64_t bytes = _mm_cvtsi128_si64(_mm512_maskz_cvtepi64_epi8(0xff, (__m512i)v));
    return static_cast<void>(__builtin_memcpy(to, &bytes, sizeof(bytes)));
  }
#endif
  std::decay_t<decltype(v[0])> numbers[sizeof(V) / sizeof(v[0])];
  StoreVector(numbers, v);
  for (std::size_t i = 0; i < std::size(numbers); i += step) to[i / step] = static_cast<std::uint8_t>(numbers[i]);
}

/// Whether a table of this size fits in one register from which one permute instruction looks up as many numbers.
template <class T, int size>
inline constexpr bool kTableInRegister = kRegisterBytes == 64 && sizeof(T) == 8 && size == 8;

/// table[place[0]], ..., table[place[n - 1]].
template <class T, int n, int size>
KOKKOS_FORCEINLINE_FUNCTION Vector<T, n> LookUp(const T *table, const std::uint8_t *place)
{
#if PETSCSPMV_REGISTER == 64
  if constexpr (kTableInRegister<T, size> && n == size) {
    std::int64_t places;
    __builtin_memcpy(&places, place, sizeof(places));
    const __m512i index = _mm512_maskz_cvtepu8_epi64(0xff, _mm_cvtsi64_si128(places)); // with masks: see Gather()
    return (Vector<T, n>)_mm512_maskz_permutexvar_pd(0xff, index, _mm512_loadu_pd(table));
  } else
#endif
    return Generate<T, n>([&](int i) PETSCSPMV_INLINE_LAMBDA { return table[place[i]]; });
}

} // namespace lanes

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

/// A count per lane, for comparisons whose masks are as wide as the lanes. For doubles the counts are doubles: not every target
/// compares 64-bit integers.
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

/// 32 bits per lane.
template <class T, int n>
class LaneBits {
public:
  static constexpr int kWidth = RegistersOf<T, n>::kWidth, kWords = sizeof(T) / 4; // words of a lane, all the same
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

  /// The next higher bit.
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

  /// from[0], from[1], ..., in T's precision or another.
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

  /// Keeps lanes whose count is above `now`; zero in the others.
  KOKKOS_FORCEINLINE_FUNCTION Lanes IfAbove(Count now, const Counts &counts) const
  {
    Lanes result;
    lanes::Unroll<kCount>(
      [&](auto k) PETSCSPMV_INLINE_LAMBDA { result.v[k] = lanes::Where(lanes::All<Count, kWidth>(now) < counts.v[k], v[k]); });
    return result;
  }
  /// Keeps the first `count` lanes; zero in the others.
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
  /// Keeps lanes without the bit; zero in the others.
  KOKKOS_FORCEINLINE_FUNCTION Lanes IfWithout(const Bit &bit, const Bits &bits) const
  {
    using Words = typename Bits::Vector;
    Lanes result;
    lanes::Unroll<kCount>([&](auto k)
                            PETSCSPMV_INLINE_LAMBDA { result.v[k] = (Vector)((Words)v[k] & (Words)((bits.v[k] & bit.v) == 0)); });
    return result;
  }

  /// Lane t plus lane t + n / 2.
  KOKKOS_FORCEINLINE_FUNCTION Lanes<T, n / 2> Fold() const
  {
    static_assert(n > 1);
    Lanes<T, n / 2> result;
    if constexpr (kCount > 1)
      lanes::Unroll<kCount / 2>([&](auto k) PETSCSPMV_INLINE_LAMBDA { result.v[k] = v[k] + v[k + kCount / 2]; });
    else result.v[0] = lanes::Part<0, kWidth / 2, T, kWidth>(v[0]) + lanes::Part<kWidth / 2, kWidth / 2, T, kWidth>(v[0]);
    return result;
  }

  /// The sum of all lanes, by halving.
  KOKKOS_FORCEINLINE_FUNCTION T Sum() const
  {
    if constexpr (n == 2) return v[0][0] + v[0][1];
    else return Fold().Sum();
  }

  Vector v[kCount];
};

/// n complex numbers, as real and imaginary parts.
template <class T, int n>
class Lanes<std::complex<T>, n> {
public:
  using Scalar = std::complex<T>;
  using Parts_ = Lanes<T, n>;
  using Counts = typename Parts_::Counts;
  using Count  = typename Parts_::Count;
  using Bits   = typename Parts_::Bits;
  using Bit    = typename Parts_::Bit;

  static KOKKOS_FORCEINLINE_FUNCTION Lanes Zero() { return {Parts_::Zero(), Parts_::Zero()}; }

  /// From a table of `size` real parts followed by as many imaginary parts.
  template <int size>
  static KOKKOS_FORCEINLINE_FUNCTION Lanes FromTable(const T *table, const std::uint8_t *place)
  {
    return {Parts_::template FromTable<size>(table, place), Parts_::template FromTable<size>(table + size, place)};
  }

  static KOKKOS_FORCEINLINE_FUNCTION Lanes All(const Scalar &number)
  {
    return {Parts_::All(number.real()), Parts_::All(number.imag())};
  }

  template <class From>
  static KOKKOS_FORCEINLINE_FUNCTION Lanes Load(const std::complex<From> *from)
  {
    constexpr int width = Parts_::kWidth;
    using Vector        = typename Parts_::Vector;
    const From *number  = reinterpret_cast<const From *>(from);
    Lanes       result;
    lanes::Unroll<Parts_::kCount>([&](auto k) PETSCSPMV_INLINE_LAMBDA {
      const Vector a = lanes::LoadAs<T, width>(number + 2 * k * width), b = lanes::LoadAs<T, width>(number + (2 * k + 1) * width);
      result.re.v[k] = lanes::EverySecond<0, T, width>(a, b);
      result.im.v[k] = lanes::EverySecond<1, T, width>(a, b);
    });
    return result;
  }

  template <class Places>
  static KOKKOS_FORCEINLINE_FUNCTION Lanes LoadAt(const Scalar *x, const Places &places)
  {
    constexpr int width  = Parts_::kWidth;
    const T      *number = reinterpret_cast<const T *>(x);
    if constexpr (lanes::kHasGather<T, width, std::int64_t> || sizeof(T) != 8 || width < 2 || width > 4) {
      return {Parts_::LoadAt(number, PartPlaces<Places, 0>{places}), Parts_::LoadAt(number, PartPlaces<Places, 1>{places})};
    } else { // whole numbers, then unpacked: half the loads
      const auto both = [&](int i) PETSCSPMV_INLINE_LAMBDA {
        return lanes::LoadVector<lanes::Vector<T, 2>>(number + 2 * std::int64_t{places[i]});
      };
      Lanes result;
      lanes::Unroll<Parts_::kCount>([&](auto k) PETSCSPMV_INLINE_LAMBDA {
        if constexpr (width == 2) {
          const auto a = both(2 * k), b = both(2 * k + 1);
          result.re.v[k] = lanes::EverySecond<0, T, 2>(a, b);
          result.im.v[k] = lanes::EverySecond<1, T, 2>(a, b);
        } else {
          const auto a   = __builtin_shufflevector(both(4 * k), both(4 * k + 2), 0, 1, 2, 3),
                     b   = __builtin_shufflevector(both(4 * k + 1), both(4 * k + 3), 0, 1, 2, 3);
          result.re.v[k] = __builtin_shufflevector(a, b, 0, 4, 2, 6);
          result.im.v[k] = __builtin_shufflevector(a, b, 1, 5, 3, 7);
        }
      });
      return result;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void Store(Scalar *to) const
  {
    constexpr int width  = Parts_::kWidth;
    T            *number = reinterpret_cast<T *>(to);
    lanes::Unroll<Parts_::kCount>([&](auto k) PETSCSPMV_INLINE_LAMBDA {
      if constexpr (width == 1) {
        number[2 * k]     = re.v[k][0];
        number[2 * k + 1] = im.v[k][0];
      } else {
        lanes::StoreVector(number + 2 * k * width, lanes::InTurn<0, T, width>(re.v[k], im.v[k]));
        lanes::StoreVector(number + (2 * k + 1) * width, lanes::InTurn<width / 2, T, width>(re.v[k], im.v[k]));
      }
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION Lanes PlusProduct(const Lanes &a, const Lanes &b) const
  {
    return {re.PlusProduct(a.re, b.re).MinusProduct(a.im, b.im), im.PlusProduct(a.re, b.im).PlusProduct(a.im, b.re)};
  }
  /// Added to zero: this fixes which of a part's two products is fused.
  KOKKOS_FORCEINLINE_FUNCTION Lanes operator*(const Lanes &other) const { return Zero().PlusProduct(*this, other); }
  KOKKOS_FORCEINLINE_FUNCTION Lanes operator+(const Lanes &other) const { return {re + other.re, im + other.im}; }
  KOKKOS_FORCEINLINE_FUNCTION Lanes operator-(const Lanes &other) const { return {re - other.re, im - other.im}; }
  /// The product by the textbook formula, with nothing fused.
  KOKKOS_FORCEINLINE_FUNCTION Lanes RoundedTimes(const Lanes &other) const
  {
    return {re * other.re - im * other.im, re * other.im + im * other.re};
  }

  KOKKOS_FORCEINLINE_FUNCTION Lanes IfAbove(Count now, const Counts &counts) const
  {
    return {re.IfAbove(now, counts), im.IfAbove(now, counts)};
  }
  KOKKOS_FORCEINLINE_FUNCTION Lanes IfWithout(const Bit &bit, const Bits &bits) const
  {
    return {re.IfWithout(bit, bits), im.IfWithout(bit, bits)};
  }

  KOKKOS_FORCEINLINE_FUNCTION Lanes<Scalar, n / 2> Fold() const { return {re.Fold(), im.Fold()}; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar               Sum() const { return {re.Sum(), im.Sum()}; }

  Parts_ re, im;

private:
  /// Positions of the real or imaginary parts of numbers.
  template <class Places, int part>
  struct PartPlaces {
    using Int = std::int64_t;
    const Places &places;

    KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator[](int i) const { return 2 * std::int64_t{places[i]} + part; }
    template <int count>
    KOKKOS_FORCEINLINE_FUNCTION lanes::Vector<Int, count> Load(int i) const
    {
      return lanes::Converted<Int, count, typename Places::Int>(places.template Load<count>(i)) * 2 + part;
    }
  };
};

/// The sums over the four lanes of each of four rows, adding neighbours first.
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
