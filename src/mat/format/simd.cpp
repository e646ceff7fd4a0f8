#include "mat/format/simd.hpp"

namespace petscspmv {

#if defined(__x86_64__) && defined(__GNUC__)

Simd LargestSimd()
{
  __builtin_cpu_init(); // also before static objects are made
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  if (!avx2) return Simd::Baseline;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return avx512 ? Simd::Avx512 : Simd::Avx2;
}

#else

Simd LargestSimd()
{
  return Simd::Baseline;
}

#endif

namespace {
Simd current = LargestSimd();
}

void SetSimd(Simd simd)
{
  current = simd;
}

Simd CurrentSimd()
{
  return current;
}

} // namespace petscspmv
