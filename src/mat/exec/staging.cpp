#include "mat/exec/staging.hpp"

#include "mat/exec/has_device.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

namespace petscspmv {

namespace {

using Device = Kokkos::DefaultExecutionSpace;
template <class T, class Space>
using View  = Kokkos::View<T *, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
using There = View<char, Device::memory_space>;

#if defined(KOKKOS_HAS_SHARED_HOST_PINNED_SPACE) // Kokkos 4 or later, not for all devices
/// Locked memory of the host, from which copies cross the bus at full speed while the host works; a driver that is given ordinary
/// memory copies it at a fraction of that. Kept from one copy to the next, until Kokkos ends.
class Staging {
public:
  /// Null where there is no locked memory.
  static const Staging *Get()
  {
    if (!tried_) Start();
    tried_ = true;
    return staging_;
  }

  /// The host writes one piece to locked memory while the one before crosses the bus.
  void Copy(char *to, const char *from, std::size_t bytes) const
  {
    std::size_t turn = 0;
    for (std::size_t begin = 0; begin < bytes; begin += kPiece, ++turn) {
      const Lane       &lane = lanes_[turn % lanes_.size()];
      const std::size_t n    = std::min(kPiece, bytes - begin);
      lane.instance.fence(); // its last piece
      std::memcpy(lane.memory.data(), from + begin, n);
      Kokkos::deep_copy(lane.instance, There(to + begin, n), View<const char, Locked>(lane.memory.data(), n));
    }
    for (const Lane &lane : lanes_) lane.instance.fence();
  }

private:
  using Locked = Kokkos::SharedHostPinnedSpace;

  static constexpr std::size_t kPiece = std::size_t{1} << 20;

  struct Lane {
    Device                       instance; // a stream of its own
    Kokkos::View<char *, Locked> memory;   // kPiece bytes
  };

  Staging()
  {
    for (const Device &instance : Kokkos::Experimental::partition_space(Device(), std::vector<int>{1, 1}))
      lanes_.push_back({instance, decltype(Lane::memory)(Kokkos::view_alloc("Staging", Kokkos::WithoutInitializing), kPiece)});
  }

  static void Start()
  {
    try {
      std::unique_ptr<Staging> staging(new Staging);
      Kokkos::push_finalize_hook(Discard);
      staging_ = staging.release();
    } catch (const std::runtime_error &) { // thrown by Kokkos if memory is short
    }
  }

  static void Discard() noexcept
  {
    delete staging_;
    staging_ = nullptr;
  }

  std::vector<Lane> lanes_;

  static inline Staging *staging_ = nullptr; // leaked if the program ends early: Kokkos is gone by then
  static inline bool     tried_   = false;
};
#endif

} // namespace

void CopyToDevice(void *to, const void *from, std::size_t bytes)
{
  if (bytes == 0) return;
  char *const       target = static_cast<char *>(to);
  const char *const source = static_cast<const char *>(from);
#if defined(KOKKOS_HAS_SHARED_HOST_PINNED_SPACE)
  constexpr std::size_t kLeast = std::size_t{1} << 18; // the driver copies fewer bytes as fast
  if (const Staging *const staging = kHasDevice && bytes >= kLeast ? Staging::Get() : nullptr) {
    Kokkos::fence();
    return staging->Copy(target, source, bytes);
  }
#endif
  Kokkos::deep_copy(There(target, bytes), View<const char, Kokkos::HostSpace>(source, bytes));
}

void CopyFromDevice(void *to, const void *from, std::size_t bytes)
{
  if (bytes == 0) return;
  Kokkos::deep_copy(View<char, Kokkos::HostSpace>(static_cast<char *>(to), bytes),
                    View<const char, Device::memory_space>(static_cast<const char *>(from), bytes));
}

} // namespace petscspmv
