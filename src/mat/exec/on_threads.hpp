// Plain threads, for host work outside of kernels.
#pragma once

#include <exception>
#include <thread>
#include <vector>

namespace petscspmv {

/// Calls f(k) for k = 0 .. n-1, n at least 1, each on its own thread if that many can be started. f must not throw.
template <class F>
void OnThreads(int n, const F &f)
{
  std::vector<std::jthread> threads; // joined at the end
  int                       k = 1;
  try {
    for (; k < n; ++k) threads.emplace_back([&f, k]() noexcept { f(k); });
  } catch (const std::exception &) { // memory or threads are short: the calling thread does the rest
  }
  f(0);
  for (; k < n; ++k) f(k);
}

} // namespace petscspmv
