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

  /// A recursive lock belongs to a thread by its number, which is another one in the child.
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

/// Without the lock: other threads may wait for this part, and hold it.
SessionPart::SessionPart() : made_before_(OfProcess<Parts>().newest.exchange(this))
{
}

void RenewSession()
{
  const Locked now(Lock());
  for (SessionPart *part = OfProcess<Parts>().newest; part; part = part->made_before_) part->Renew();
}

} // namespace petscspmv
