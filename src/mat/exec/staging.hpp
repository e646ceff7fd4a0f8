// Copies between the host's ordinary memory and the device.
#pragma once

#include <cstddef>

namespace petscspmv {

/// Waits for all launched kernels, copies, and returns when the bytes have arrived. Kokkos must be running.
void CopyToDevice(void *to, const void *from, std::size_t bytes);
void CopyFromDevice(void *to, const void *from, std::size_t bytes);

} // namespace petscspmv
