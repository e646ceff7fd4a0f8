# The targets: what host kernels are compiled for. Each format is compiled once for each row that fits the processor family,
# and the library chooses among them when it runs. A new target is a row here, or one in PETSCSPMV_EXTRA_TARGETS.
#
# name: what -spmv_simd calls it. family: a list of values of CMAKE_SYSTEM_PROCESSOR, or "any". features: what the processor must
# have beyond its family, as compilers name it (-mNAME); looked for when the library runs. register: bytes. x: whether the lanes
# of x are put together from loads or come by gather instructions. fused: whether products and sums are rounded once; all
# targets that do so give the same bits.
set(PETSCSPMV_TARGETS
# name          | family        | features                                                              | register | x       | fused
  "baseline     | any           |                                                                       | 16       | loads   | no"
  "avx2         | x86_64,AMD64  | avx2 fma bmi bmi2 popcnt                                              | 32       | loads   | yes"
  "avx2-gather  | x86_64,AMD64  | avx2 fma bmi bmi2 popcnt                                              | 32       | gathers | yes"
  "avx512       | x86_64,AMD64  | avx2 fma bmi bmi2 popcnt avx512f avx512bw avx512cd avx512dq avx512vl  | 64       | loads   | yes"
  "avx512-gather| x86_64,AMD64  | avx2 fma bmi bmi2 popcnt avx512f avx512bw avx512cd avx512dq avx512vl  | 64       | gathers | yes"
  "neon         | aarch64,arm64 |                                                                       | 16       | loads   | yes"
)
