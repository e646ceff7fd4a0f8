// Copies between the host's ordinary memory and the device.
#pragma once

#include <cstddef>

namespace petscspmv {

/// Copies bytes once all that has been launched has ended, and returns when they are there. Kokkos is running.
void CopyToDevice(void *to, const void *from, std::size_t bytes);
void CopyFromDevice(void *to, const void *from, std::size_t bytes);

} // namespace petscspmv
