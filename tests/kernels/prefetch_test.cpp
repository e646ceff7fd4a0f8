// Which products prefetch their matrix.
#include "mat/arithmetic/prefetch.hpp"

#include "mat/exec/host.hpp"
#include "mat/exec/settings.hpp"

#include <gtest/gtest.h>

namespace petscspmv::test {
namespace {

bool Prefetches(const Execution &execution, std::size_t bytes)
{
  bool prefetches = false;
  WithPrefetch(HostExec(execution), bytes, [&]<bool ahead>(Prefetch<ahead>) { prefetches = ahead; });
  return prefetches;
}

TEST(Prefetching, IsForMatricesLargerThanTheCache)
{
  Execution         execution = CurrentExecution();
  const std::size_t cache     = execution.own_cache;
  EXPECT_GE(cache, 1u << 16);
  EXPECT_EQ(execution.prefetching, Prefetching::Auto);
  for (const std::size_t workers : {1, 4}) { // each has a share of the matrix
    execution.workers = workers;
    EXPECT_FALSE(Prefetches(execution, 0));
    EXPECT_FALSE(Prefetches(execution, workers * cache));
    EXPECT_TRUE(Prefetches(execution, workers * (cache + 1)));
  }
  execution.prefetching = Prefetching::Off;
  EXPECT_FALSE(Prefetches(execution, 100 * cache));
  execution.prefetching = Prefetching::On;
  EXPECT_TRUE(Prefetches(execution, 0));
}

} // namespace
} // namespace petscspmv::test
