// The stream that kernels on a device are launched on.
#pragma once

#include "mat/format/native.hpp"

#include <Kokkos_Core.hpp>
#include <optional>

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
    [[maybe_unused]] static const bool hooked = (Kokkos::push_finalize_hook(GiveBack), true);
    Current().fence(); // the arrays of a layout are in use there
    borrowed_ = OnStream<Exec>(handle);
  }

  /// Before the stream's owner destroys it.
  static void GiveBack() { borrowed_.reset(); }

private:
  static inline std::optional<Exec> borrowed_;
};

} // namespace petscspmv
