// An instance of Kokkos' device on a stream that belongs to somebody else.
#pragma once

#include "mat/exec/native.hpp"

#include <Kokkos_Core.hpp>

namespace petscspmv {

/// Kernels of the instance are ordered with everything else launched on the stream. Making an instance allocates memory, so it is
/// kept until another stream is borrowed.
template <class Device>
class BorrowedInstance {
public:
  /// `handle` points to the platform's stream. Kokkos is running.
  static const Device *On(const void *handle)
  {
    if (borrowed_ && IsStreamOf(*borrowed_, handle)) return borrowed_;
    if (!hooked_) Kokkos::push_finalize_hook(GiveBack);
    hooked_ = true;
    Kokkos::fence(); // all streams: kernels on the old one may still use layouts, and its owner may have destroyed it
    GiveBack();
    return borrowed_ = new Device(OnStream<Device>(handle));
  }

  /// The instance borrowed last, or null.
  static const Device *Current() { return borrowed_; }

  /// Call before the stream's owner destroys it.
  static void GiveBack() noexcept
  {
    delete borrowed_;
    borrowed_ = nullptr;
  }

private:
  static inline Device *borrowed_ = nullptr; // leaked if Kokkos is not finalized: static destructors run too late
  static inline bool    hooked_   = false;
};

} // namespace petscspmv
