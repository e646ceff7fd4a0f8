// Threads per warp of a device.
#pragma once

namespace petscspmv {

inline constexpr int kWarp = 32;

} // namespace petscspmv
