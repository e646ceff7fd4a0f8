// The stream that kernels on a device are launched on.
#pragma once

#include "mat/format/native.hpp"

#include <Kokkos_Core.hpp>

namespace petscspmv {

/// Kokkos' own stream until another is borrowed: kernels are then in order with whatever else is launched on that one.
template <class Exec>
class Stream {
public:
  static Exec Current() { return borrowed_ ? *borrowed_ : Exec(); }

  /// `handle` points to a stream as the make of device has it. Kokkos is running.
  static void Borrow(const void *handle)
  {
    if (borrowed_ && IsStreamOf(*borrowed_, handle)) return;
    if (!hooked_) Kokkos::push_finalize_hook(GiveBack);
    hooked_ = true;
    Kokkos::fence(); // arrays of layouts may be in use on the stream until now, which its owner may have destroyed
    GiveBack();
    borrowed_ = new Exec(OnStream<Exec>(handle));
  }

  /// Before the stream's owner destroys it.
  static void GiveBack()
  {
    delete borrowed_;
    borrowed_ = nullptr;
  }

private:
  static inline Exec *borrowed_ = nullptr; // of a program that ends in the middle it stays: Kokkos is no more then
  static inline bool  hooked_   = false;
};

} // namespace petscspmv
