# Targets: what host kernels are compiled for. Each format is compiled once for each row that fits the processor family, and the
# library chooses among them at run time. A new target is a row here, or one in PETSCSPMV_EXTRA_TARGETS.
#
# name: the value of -spmv_simd. family: values of CMAKE_SYSTEM_PROCESSOR, or "any". features: what the processor must have beyond
# its family, as compilers name it (-mNAME); checked at run time. register: bytes. x: whether the lanes of x are loaded one by one
# or by gather instructions. fused: whether FMA is used; all targets that use it give the same bits.
set(PETSCSPMV_TARGETS
# name          | family        | features                                                              | register | x       | fused
  "baseline     | any           |                                                                       | 16       | loads   | no"
  "avx2         | x86_64,AMD64  | avx2 fma bmi bmi2 popcnt                                              | 32       | loads   | yes"
  "avx2-gather  | x86_64,AMD64  | avx2 fma bmi bmi2 popcnt                                              | 32       | gathers | yes"
  "avx512       | x86_64,AMD64  | avx2 fma bmi bmi2 popcnt avx512f avx512bw avx512cd avx512dq avx512vl  | 64       | loads   | yes"
  "avx512-gather| x86_64,AMD64  | avx2 fma bmi bmi2 popcnt avx512f avx512bw avx512cd avx512dq avx512vl  | 64       | gathers | yes"
  "neon         | aarch64,arm64 |                                                                       | 16       | loads   | yes"
)
