// The compiler's vector types, and operations on them: the registers of lanes.hpp, never wider than the target's registers.
// Everything here is force-inlined into the kernels. README.md gives the reasons.
#pragma once

#include "mat/arithmetic/scalar.hpp"
#include "mat/exec/function.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

// Properties of the target being compiled: bytes of a register, and whether x is loaded by gather instructions. PETSCSPMV_FUSED is
// in scalar.hpp.
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

/// n numbers in one register, or in what the compiler uses in its place.
template <class T, int n>
using Vector = typename VectorOf<T, n>::type;

/// The signed integer type of a given size, and the one as wide as T, so that masks are as wide as numbers.
template <std::size_t bytes>
using IntOfSize = std::conditional_t<bytes == 8, std::int64_t, std::int32_t>;
template <class T>
using IntOf = IntOfSize<sizeof(T)>;

/// Calls f(0), ..., f(n - 1) with compile-time arguments.
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

/// Converts numbers to another type. Intrinsics widen to a full register by one instruction; gcc 12 converts and joins two halves.
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

/// Swaps numbers 2 k and 2 k + 1 for each k.
template <class T, int n>
KOKKOS_FORCEINLINE_FUNCTION Vector<T, n> Swapped(const Vector<T, n> &a)
{
  return [&]<int... k>(std::integer_sequence<int, k...>) PETSCSPMV_INLINE_LAMBDA
  {
    return __builtin_shufflevector(a, a, (k ^ 1)...);
  }
  (std::make_integer_sequence<int, n>());
}

/// Every second number of a, then of b, from number `first` of each on.
template <int first, class T, int n>
KOKKOS_FORCEINLINE_FUNCTION Vector<T, n> EverySecond(const Vector<T, n> &a, const Vector<T, n> &b)
{
  return [&]<int... k>(std::integer_sequence<int, k...>) PETSCSPMV_INLINE_LAMBDA
  {
    return __builtin_shufflevector(a, b, (2 * k + first)...);
  }
  (std::make_integer_sequence<int, n>());
}

/// Interleaves a and b from number `first` of each on: n numbers in all.
template <int first, class T, int n>
KOKKOS_FORCEINLINE_FUNCTION Vector<T, n> InTurn(const Vector<T, n> &a, const Vector<T, n> &b)
{
  return [&]<int... k>(std::integer_sequence<int, k...>) PETSCSPMV_INLINE_LAMBDA
  {
    return __builtin_shufflevector(a, b, (k % 2 * n + first + k / 2)...);
  }
  (std::make_integer_sequence<int, n>());
}

/// Numbers first .. first + left - 1 of a.
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
  if constexpr (kRegisterBytes == 64) return condition ? v : V{}; // compiles to one masked move
  else return (V)((Condition)v & condition);
}

#if PETSCSPMV_GATHERS

/// Whether one instruction gathers n numbers by indices of type Int.
template <class T, int n, class Int>
inline constexpr bool kHasGather = sizeof(Int) <= sizeof(T) &&
                                   (n * sizeof(T) == 32 || (n * sizeof(T) == 64 && kRegisterBytes == 64));

/// x[index] for each index. The intrinsics are the masked ones, with all lanes on: compilers warn of the undefined source of the
/// others. The instruction is the same.
template <class T, int n, class Int>
KOKKOS_FORCEINLINE_FUNCTION Vector<T, n> Gather(const T *x, const Vector<Int, n> &index)
{
  using V                   = Vector<T, n>; // a macro, as intrinsics are for some compilers, would split Vector<T, n> at the comma
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

/// Stores the lowest bytes of integers 0, step, 2 step, ...
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

/// Whether a table of `size` numbers fits in one register, from which one permute instruction looks up `size` numbers.
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

} // namespace petscspmv
