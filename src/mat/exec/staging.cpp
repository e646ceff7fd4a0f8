#include "mat/exec/staging.hpp"

#include "mat/exec/settings.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace petscspmv {

namespace {

using Device = Kokkos::DefaultExecutionSpace;
template <class T, class Space>
using View  = Kokkos::View<T *, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
using There = View<char, Device::memory_space>;

#if defined(KOKKOS_ENABLE_CUDA) // not measured on other devices
/// Pinned (page-locked) host memory, from which copies cross the bus at full speed. One thread fills pinned memory at a sixth of
/// that speed, and a driver copies ordinary memory no faster. So several threads fill it piece by piece, and the calling thread
/// sends the pieces. The memory is kept until Kokkos is finalized.
class Staging {
public:
  /// How many threads are worth starting beside the calling one, which only sends. To start one takes a tenth of a millisecond.
  /// With fewer than two, the driver is as fast.
  static int ThreadsFor(std::size_t bytes)
  {
    constexpr std::size_t kBytesOfThread = std::size_t{8} << 20; // take a thread a millisecond
    const std::size_t     worth          = std::min<std::size_t>(bytes / kBytesOfThread, kMostThreads);
    return std::min(UploadThreads() - 1, static_cast<int>(worth));
  }

  /// Null if there is no pinned memory.
  static Staging *Get()
  {
    if (!tried_) Start();
    tried_ = true;
    return staging_;
  }

  /// Copies bytes with `threads` threads beside the calling one. If none can be started, copies nothing and returns false.
  bool Copy(char *to, const char *from, std::size_t bytes, int threads)
  {
    const std::size_t        pieces = (bytes + kPiece - 1) / kPiece;
    std::atomic<std::size_t> next   = 0;
    const auto               fill   = [&]() noexcept {
      for (std::size_t piece = next++; piece < pieces; piece = next++) {
        Await(piece, kFree);
        std::memcpy(Memory(piece), from + piece * kPiece, Bytes(piece, bytes));
        Set(piece, kFull);
      }
    };
    for (std::atomic<std::size_t> &state : states_) state = kFree;
    std::vector<std::jthread> helpers;
    helpers.reserve(kMostThreads);
    try {
      for (int k = 0; k < threads; ++k) helpers.emplace_back(fill);
    } catch (const std::exception &) { // go on with fewer threads
    }
    if (helpers.empty()) return false;
    std::exception_ptr failed; // thrown at the end: the other threads wait until all pieces are sent
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      Await(piece, kFull);
      try {
        const Device &stream = streams_[piece % kStreams];
        if (!failed) stream.fence(); // waits for the stream's previous piece
        if (!failed)
          Kokkos::deep_copy(stream, There(to + piece * kPiece, Bytes(piece, bytes)),
                            View<const char, Pinned>(Memory(piece), Bytes(piece, bytes)));
      } catch (...) {
        failed = std::current_exception();
      }
      if (piece >= kStreams) Set(piece - kStreams, kFree + kStates);
    }
    helpers.clear();
    if (failed) std::rethrow_exception(failed);
    for (const Device &stream : streams_) stream.fence();
    return true;
  }

private:
  using Pinned = Kokkos::SharedHostPinnedSpace;

  static constexpr int         kMostThreads = 8;
  static constexpr std::size_t kPiece = std::size_t{1} << 19, kStreams = 4, kSlots = kMostThreads + kStreams;
  static constexpr std::size_t kFree = 0, kFull = 1, kStates = 2; // of a slot with its first piece; each later piece adds kStates

  Staging() : streams_(Streams()), memory_(Kokkos::view_alloc("Staging", Kokkos::WithoutInitializing), kSlots * kPiece) { }

  static std::vector<Device> Streams()
  {
    std::vector<int> weights(kStreams, 1); // partition_space() takes no const vector before Kokkos 4.1
    return Kokkos::Experimental::partition_space(Device(), weights);
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

  static std::size_t Bytes(std::size_t piece, std::size_t bytes) { return std::min(kPiece, bytes - piece * kPiece); }

  char *Memory(std::size_t piece) const { return memory_.data() + piece % kSlots * kPiece; }

  void Set(std::size_t piece, std::size_t state)
  {
    states_[piece % kSlots] = piece / kSlots * kStates + state;
    states_[piece % kSlots].notify_all();
  }
  void Await(std::size_t piece, std::size_t state) const
  {
    const std::size_t               wanted  = piece / kSlots * kStates + state;
    const std::atomic<std::size_t> &of_slot = states_[piece % kSlots];
    for (std::size_t now = of_slot; now != wanted; now = of_slot) of_slot.wait(now);
  }

  std::vector<Device>                          streams_;
  Kokkos::View<char *, Pinned>                 memory_;
  std::array<std::atomic<std::size_t>, kSlots> states_;

  static inline Staging *staging_ = nullptr; // leaked if Kokkos is not finalized: static destructors run too late
  static inline bool     tried_   = false;
};
#endif

} // namespace

void CopyToDevice(void *to, const void *from, std::size_t bytes)
{
  if (bytes == 0) return;
  char *const       target = static_cast<char *>(to);
  const char *const source = static_cast<const char *>(from);
#if defined(KOKKOS_ENABLE_CUDA)
  const int threads = Staging::ThreadsFor(bytes);
  if (Staging *const staging = threads > 1 ? Staging::Get() : nullptr) {
    Kokkos::fence();
    if (staging->Copy(target, source, bytes, threads)) return;
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
