// Vendor intrinsics that Kokkos lacks or makes slower.
#pragma once

#include <Kokkos_Core.hpp>

namespace petscspmv {

/// Calls f(lane) for the lanes of a warp; afterwards all lanes see what was written. With CUDA this bypasses Kokkos, in whose loop
/// the width of a warp is a variable.
template <class Member, class F>
KOKKOS_FORCEINLINE_FUNCTION void ForLanes(const Member &member, int lanes, const F &f)
{
#if defined(__CUDA_ARCH__)
  static_cast<void>(member), static_cast<void>(lanes);
  f(static_cast<int>(threadIdx.x));
  __syncwarp();
#else
  Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, lanes), f);
#endif
}

/// The number of the device that an execution space is on; -1 if unknown.
template <class Exec>
int DeviceIdOf(const Exec &exec)
{
#if defined(KOKKOS_ENABLE_CUDA)
  return exec.cuda_device();
#elif defined(KOKKOS_ENABLE_HIP)
  return exec.hip_device();
#else
  static_cast<void>(exec);
  return -1;
#endif
}

/// A Kokkos instance on the platform's stream that `handle` points to.
template <class Exec>
Exec OnStream(const void *handle)
{
#if defined(KOKKOS_ENABLE_CUDA)
  return Exec(*static_cast<const cudaStream_t *>(handle));
#elif defined(KOKKOS_ENABLE_HIP)
  return Exec(*static_cast<const hipStream_t *>(handle));
#elif defined(KOKKOS_ENABLE_SYCL)
  return Exec(*static_cast<const sycl::queue *>(handle));
#else
  static_cast<void>(handle);
  return Exec();
#endif
}

template <class Exec>
bool IsStreamOf(const Exec &exec, const void *handle)
{
#if defined(KOKKOS_ENABLE_CUDA)
  return exec.cuda_stream() == *static_cast<const cudaStream_t *>(handle);
#elif defined(KOKKOS_ENABLE_HIP)
  return exec.hip_stream() == *static_cast<const hipStream_t *>(handle);
#elif defined(KOKKOS_ENABLE_SYCL)
  return exec.sycl_queue() == *static_cast<const sycl::queue *>(handle);
#else
  static_cast<void>(exec), static_cast<void>(handle);
  return true;
#endif
}

} // namespace petscspmv
