// Which products ask for their matrix ahead.
#include "mat/format/prefetch.hpp"

#include <gtest/gtest.h>

namespace petscspmv::test {
namespace {

bool Asks(std::size_t bytes)
{
  bool asks = false;
  WithPrefetch(bytes, [&]<bool ahead>(Prefetch<ahead>) { asks = ahead; });
  return asks;
}

TEST(Prefetching, IsForMatricesLargerThanTheCache)
{
  const Prefetching before = CurrentPrefetching();
  EXPECT_GE(SecondLevelCache(), 1u << 16);
  SetPrefetching(Prefetching::Auto);
  EXPECT_FALSE(Asks(0));
  EXPECT_FALSE(Asks(SecondLevelCache()));
  const int workers = Kokkos::is_initialized() ? Kokkos::DefaultHostExecutionSpace().concurrency() : 1;
  EXPECT_TRUE(Asks(static_cast<std::size_t>(workers) * (SecondLevelCache() + 1)));
  EXPECT_EQ(Asks(SecondLevelCache() + 1), workers == 1);
  SetPrefetching(Prefetching::Off);
  EXPECT_FALSE(Asks(100 * SecondLevelCache()));
  SetPrefetching(Prefetching::On);
  EXPECT_TRUE(Asks(0));
  SetPrefetching(before);
}

} // namespace
} // namespace petscspmv::test
