// Warps and blocks on a device, as Kokkos teams. Not defined if Kokkos is too old to compile C++20 for a device.
#pragma once

#include "mat/exec/native.hpp"
#include "mat/exec/warp_width.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>

#if defined(KOKKOS_IF_ON_DEVICE)

namespace petscspmv {

/// A warp of a device, whose lanes are threads: each thread has its own variable in a PerLane.
template <class Member>
class DeviceWarp {
public:
  template <class T>
  class PerLane {
  public:
    KOKKOS_FORCEINLINE_FUNCTION T       &operator[](int) { return own_; }
    KOKKOS_FORCEINLINE_FUNCTION const T &operator[](int) const { return own_; }

  private:
    T own_;
  };

  KOKKOS_FORCEINLINE_FUNCTION DeviceWarp(const Member &member, char *scratch) : member_(member), scratch_(scratch) { }

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void For(const F &f) const
  {
    ForLanes(member_, kWarp, f);
  }

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION PerLane<T> FromRight([[maybe_unused]] const PerLane<T> &value, int distance) const
  {
    PerLane<T> result;
    KOKKOS_IF_ON_DEVICE((result[0] = Kokkos::shfl_down(value[0], distance, kWarp);))
    For([&](int lane) {
      if (lane + distance >= kWarp) result[lane] = T{};
    });
    return result;
  }

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION PerLane<T> FromLeft([[maybe_unused]] const PerLane<T> &value, int distance) const
  {
    PerLane<T> result;
    KOKKOS_IF_ON_DEVICE((result[0] = Kokkos::shfl_up(value[0], distance, kWarp);))
    For([&](int lane) {
      if (lane < distance) result[lane] = T{};
    });
    return result;
  }

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION PerLane<T> From([[maybe_unused]] const PerLane<T>   &value,
                                              [[maybe_unused]] const PerLane<int> &source) const
  {
    PerLane<T> result;
    KOKKOS_IF_ON_DEVICE((result[0] = Kokkos::shfl(value[0], source[0], int{kWarp});))
    return result;
  }

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T *Scratch() const
  {
    return reinterpret_cast<T *>(scratch_);
  }

private:
  const Member &member_;
  char         *scratch_;
};

template <class Member>
class DeviceBlock {
public:
  KOKKOS_FORCEINLINE_FUNCTION DeviceBlock(const Member &member, int threads, char *scratch) :
    member_(member), threads_(threads), scratch_(scratch)
  {
  }

  KOKKOS_FORCEINLINE_FUNCTION int threads() const { return threads_; }

  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void For(const F &f) const
  {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member_, threads_), f);
    member_.team_barrier();
  }

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T *Scratch() const
  {
    return reinterpret_cast<T *>(scratch_);
  }

private:
  const Member &member_;
  int           threads_;
  char         *scratch_;
};

/// Warps per team.
inline constexpr int kWarpsOfTeam = 4;

template <class Functor>
struct WarpsOfTeams {
  Functor      functor;
  std::int64_t n;
  std::size_t  scratch;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const std::int64_t i      = std::int64_t{member.league_rank()} * member.team_size() + member.team_rank();
    char              *memory = static_cast<char *>(member.thread_scratch(0).get_shmem(static_cast<std::ptrdiff_t>(scratch)));
    if (i < n) functor(DeviceWarp<Member>(member, memory), i);
  }
};

template <class Exec, class Functor>
void LaunchWarps(const Exec &space, const char *name, std::int64_t n, std::size_t scratch, const Functor &functor)
{
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<kWarpsOfTeam * kWarp, 8>>;
  scratch      = (scratch + 15) / 16 * 16; // so that each warp's scratch memory is aligned
  const WarpsOfTeams<Functor> warps{functor, n, scratch};
  const auto                  policy = [&](int team) {
    return Policy(space, static_cast<int>((n + team - 1) / team), team, kWarp)
      .set_scratch_size(0, Kokkos::PerThread(static_cast<int>(scratch)));
  };
  const int most = policy(1).team_size_max(warps, Kokkos::ParallelForTag()); // warps that fit with their scratch memory
  Kokkos::parallel_for(name, policy(std::max(1, std::min(kWarpsOfTeam, most))), warps);
}

template <class Functor>
struct BlocksOfTeams {
  Functor     functor;
  int         threads;
  std::size_t scratch;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    char *memory = static_cast<char *>(member.team_scratch(0).get_shmem(static_cast<std::ptrdiff_t>(scratch)));
    functor(DeviceBlock<Member>(member, threads, memory), std::int64_t{member.league_rank()});
  }
};

template <class Exec, class Functor>
void LaunchBlocks(const Exec &space, const char *name, std::int64_t n, int threads, std::size_t scratch, const Functor &functor)
{
  const BlocksOfTeams<Functor> blocks{functor, threads, scratch};
  const auto                   policy = [&](int team) {
    return Kokkos::TeamPolicy<Exec>(space, static_cast<int>(n), team, 1)
      .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch)));
  };
  const int most = policy(1).team_size_max(blocks, Kokkos::ParallelForTag()); // a smaller team does the work of `threads` threads
  Kokkos::parallel_for(name, policy(std::min(threads, most)), blocks);
}

} // namespace petscspmv

#endif
