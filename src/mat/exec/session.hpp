// State that belongs to no matrix: of a session of PETSc, from one registration of the library to the next, and of the process.
//
// It is never destroyed by the C++ runtime: PetscFinalize() may come in an exit handler or a static destructor that was registered
// before this library was loaded, and so runs after the library's static objects would have been destroyed. A module declares its
// state as a struct of its own, and gets the only one there is from OfSession() or OfProcess(), which make it at its first use.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

namespace petscspmv {

/// The state T of the process.
template <class T>
T &OfProcess()
{
  alignas(T) static std::byte memory[sizeof(T)]; // not from the heap: whoever needs it cannot fail
  static T *const             state = new (memory) T();
  return *state;
}

/// Whoever changes such state, or a layout, holds this lock, since threads of a program may multiply at the same time. It is
/// recursive: in the middle of the library's functions PETSc calls others.
using Locked = std::lock_guard<std::recursive_mutex>;
inline std::recursive_mutex &Lock()
{
  return OfProcess<std::recursive_mutex>();
}

/// Prepares for forks: the lock is free in a child, and what it protects is whole. False if the system cannot; done once.
bool WatchForks();

/// Whether this process is such a child, which has none of its parent's other threads.
bool Forked();

/// The parts of the session, of which RenewSession() makes new ones.
class SessionPart {
public:
  SessionPart(const SessionPart &)            = delete;
  SessionPart &operator=(const SessionPart &) = delete;

protected:
  SessionPart();
  ~SessionPart() = default;

private:
  friend void RenewSession();

  virtual void Renew() = 0;

  SessionPart *made_before_;
};

/// Begins a session: all state of the one before ends, the newest part first.
void RenewSession();

/// The state T of the session.
template <class T>
T &OfSession()
{
  static_assert(std::is_nothrow_default_constructible_v<T>);
  struct Part final : SessionPart {
    T state;

    void Renew() override
    {
      std::destroy_at(&state);
      std::construct_at(&state);
    }
  };
  return OfProcess<Part>().state;
}

} // namespace petscspmv
