// Host kernels in several instruction sets, among which the processor at hand chooses.
#pragma once

#include <cstdint>

namespace petscspmv {

/// Instruction sets that the loops over functors are compiled for: that of all other code, and on x86-64 two more, with
/// fused multiplications and additions and with gather instructions.
enum class Simd { Baseline, Avx2, Avx512 };

inline constexpr const char *kSimdNames[] = {"baseline", "avx2", "avx512"};

/// The largest that this processor and this build can run.
Simd LargestSimd();

/// What kernels use from now on: at first the largest, and not beyond it.
void SetSimd(Simd simd);
Simd CurrentSimd();

// What a functor calls is compiled into the loop, with the loop's instructions: functions made for one instruction set do
// not find their way into other code. Clang flattens no more than the first call: large functions that functors
// call are KOKKOS_FORCEINLINE_FUNCTION.
#if defined(__x86_64__) && defined(__GNUC__)
  #define PETSCSPMV_BASELINE_LOOP  __attribute__((flatten, noinline))
  #define PETSCSPMV_LOOP(features) __attribute__((flatten, target(features)))
#else
  #define PETSCSPMV_BASELINE_LOOP
  #define PETSCSPMV_LOOP(features)
#endif

template <class Functor>
PETSCSPMV_BASELINE_LOOP void LoopBaseline(const Functor &functor, std::int64_t begin, std::int64_t end)
{
  for (std::int64_t i = begin; i < end; ++i) functor(i);
}

template <class Functor>
PETSCSPMV_LOOP("avx2,fma,bmi,bmi2,popcnt")
void LoopAvx2(const Functor &functor, std::int64_t begin, std::int64_t end)
{
  for (std::int64_t i = begin; i < end; ++i) functor(i);
}

template <class Functor>
PETSCSPMV_LOOP("avx2,fma,bmi,bmi2,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")
void LoopAvx512(const Functor &functor, std::int64_t begin, std::int64_t end)
{
  for (std::int64_t i = begin; i < end; ++i) functor(i);
}

/// functor(i) for i = begin .. end-1.
template <class Functor>
void Loop(const Functor &functor, std::int64_t begin, std::int64_t end)
{
#if defined(__x86_64__) && defined(__GNUC__) && !defined(PETSCSPMV_ONE_LOOP)
  switch (CurrentSimd()) {
  case Simd::Avx512:
    return LoopAvx512(functor, begin, end);
  case Simd::Avx2:
    return LoopAvx2(functor, begin, end);
  case Simd::Baseline:
    break;
  }
#endif
  LoopBaseline(functor, begin, end);
}

} // namespace petscspmv
