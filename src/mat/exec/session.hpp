// State that belongs to no matrix, but to the session (from one registration of the library to the next) or to the process.
//
// The C++ runtime never destroys this state: PetscFinalize() may be called by an exit handler or static destructor registered
// before this library was loaded, which runs after static objects of the library would have been destroyed. A module declares its
// state as a struct, and gets the only object of it from OfSession() or OfProcess(), which make the object at the first call.
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
  alignas(T) static std::byte memory[sizeof(T)]; // not from the heap, where allocation may fail
  static T *const             state = new (memory) T();
  return *state;
}

/// Held while this state or a layout is changed, since threads of a program may multiply at the same time. The lock is recursive,
/// since PETSc functions that the library calls may call the library again.
using Locked = std::lock_guard<std::recursive_mutex>;
inline std::recursive_mutex &Lock()
{
  return OfProcess<std::recursive_mutex>();
}

/// Prepares for forks: a child process finds the lock free and all that it protects consistent. Done once; false if that failed.
bool WatchForks();

/// Whether this process was forked after WatchForks(). Only the thread that forked exists in such a child.
bool Forked();

/// A part of the session's state, which RenewSession() replaces by a new one.
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

/// Begins a session: destroys all state of the previous one, newest part first, and makes it anew.
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
