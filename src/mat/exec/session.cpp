#include "mat/exec/session.hpp"

#include <atomic>
#include <pthread.h>

namespace petscspmv {

namespace {

struct Parts {
  std::atomic<SessionPart *> newest = nullptr;
};

struct Forks {
  std::atomic<bool> forked = false;
  const bool        watched =
    !pthread_atfork([]() noexcept { Lock().lock(); }, []() noexcept { Lock().unlock(); }, []() noexcept { InChild(); });

  /// Makes a new lock. A recursive lock is owned by a thread's number, and the forking thread has another number in the child.
  static void InChild() noexcept
  {
    new (&Lock()) std::recursive_mutex;
    OfProcess<Forks>().forked = true;
  }
};

} // namespace

bool WatchForks()
{
  return OfProcess<Forks>().watched;
}

bool Forked()
{
  return OfProcess<Forks>().forked;
}

/// Does not take the lock: a thread that holds the lock may be waiting in OfProcess() until this part has been constructed.
SessionPart::SessionPart() : made_before_(OfProcess<Parts>().newest.exchange(this))
{
}

void RenewSession()
{
  const Locked now(Lock());
  for (SessionPart *part = OfProcess<Parts>().newest; part; part = part->made_before_) part->Renew();
}

} // namespace petscspmv
