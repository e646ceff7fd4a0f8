// An instance of Kokkos' device on somebody else's stream.
#pragma once

#include "mat/exec/native.hpp"

#include <Kokkos_Core.hpp>

namespace petscspmv {

/// Kernels launched on it are in order with whatever else is launched on that stream. Made once for a stream, since an instance
/// allocates.
template <class Device>
class BorrowedInstance {
public:
  /// `handle` points to a stream as the platform has it. Kokkos is running.
  static const Device *On(const void *handle)
  {
    if (borrowed_ && IsStreamOf(*borrowed_, handle)) return borrowed_;
    if (!hooked_) Kokkos::push_finalize_hook(GiveBack);
    hooked_ = true;
    Kokkos::fence(); // arrays of layouts may be in use on the stream until now, which its owner may have destroyed
    GiveBack();
    return borrowed_ = new Device(OnStream<Device>(handle));
  }

  /// The last one borrowed; null where none is.
  static const Device *Current() { return borrowed_; }

  /// Before the stream's owner destroys it.
  static void GiveBack()
  {
    delete borrowed_;
    borrowed_ = nullptr;
  }

private:
  static inline Device *borrowed_ = nullptr; // of a program that ends in the middle it stays: Kokkos is no more then
  static inline bool    hooked_   = false;
};

} // namespace petscspmv
