#include "mat/exec/memory_use.hpp"

#include "mat/exec/large_memory.hpp"
#include "mat/exec/session.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

namespace petscspmv {

namespace {

/// Arrays are counted by atomics: a thread that makes a layout holds the lock while its workers allocate arrays.
struct Account {
  std::atomic<std::size_t> arrays = 0, most = 0, refused = 0;
  std::atomic<bool>        making  = false;
  std::atomic<double>      allowed = std::numeric_limits<double>::infinity(); // bytes
  double                   share = std::numeric_limits<double>::infinity(), own = 0;
};

Account &TheAccount()
{
  return OfProcess<Account>();
}

void SetAllowed(Account &account)
{
  const bool limited = account.share < std::numeric_limits<double>::infinity();
  account.allowed    = limited ? account.share * account.own : account.share; // not infinity * 0, which is NaN
}

/// Arrays have precedence: kept memory is released if both together exceed the limit.
void KeepToLimit(const Account &account) noexcept
{
  if (account.allowed == std::numeric_limits<double>::infinity()) return;
  if (static_cast<double>(account.arrays + UseOfLargeMemory().kept) > account.allowed) ReleaseLargeMemory();
}

} // namespace

MemoryUse UseOfMemory()
{
  const Locked   now(Lock());
  const Account &account = TheAccount();
  return {account.arrays, account.most, UseOfLargeMemory().kept, account.refused};
}

void StartMemoryUse(double share)
{
  const Locked now(Lock());
  Account     &account = TheAccount();
  account.share        = share;
  account.refused      = 0;
  account.most         = account.arrays.load();
  SetAllowed(account);
  KeepToLimit(account);
}

bool AddArray(std::size_t bytes) noexcept
{
  Account          &account = TheAccount();
  const std::size_t now     = account.arrays += bytes;
  if (account.making && static_cast<double>(now) > account.allowed) {
    account.arrays -= bytes;
    ++account.refused;
    return false;
  }
  std::size_t most = account.most;
  while (now > most && !account.most.compare_exchange_weak(most, now)) {
  }
  return true;
}

void RemoveArray(std::size_t bytes) noexcept
{
  TheAccount().arrays -= bytes;
}

double MemoryLimit()
{
  return TheAccount().share;
}

double MemoryLeft()
{
  const Account &account = TheAccount();
  return account.allowed - static_cast<double>(account.arrays);
}

MakingLayout::MakingLayout()
{
  TheAccount().making = true;
}

MakingLayout::~MakingLayout()
{
  TheAccount().making = false;
  KeepToLimit(TheAccount());
}

void OwnBytes::Set(double bytes) noexcept
{
  if (bytes == bytes_) return;
  const Locked now(Lock());
  Account     &account = TheAccount();
  account.own += bytes - bytes_;
  bytes_ = bytes;
  SetAllowed(account);
  KeepToLimit(account);
}

} // namespace petscspmv
