// Threads of a device that run in step.
#pragma once

namespace petscspmv {

inline constexpr int kWarp = 32;

} // namespace petscspmv
