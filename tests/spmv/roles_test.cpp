// Matrices of like size and origin share what is known of them.
#include "mat/tuning/roles.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace petscspmv::spmv::test {
namespace {

constexpr std::size_t kCandidates = 2;

TEST(Roles, AreOfOneOriginAndAboutOneSize)
{
  Roles      roles;
  const auto of = [&](const char *origin, std::int64_t nnz) { return roles.Of(origin, nnz, kCandidates); };
  EXPECT_EQ(of("a", 20000)->product.size(), kCandidates);
  EXPECT_EQ(of("a", 20000), of("a", 30000));
  EXPECT_NE(of("a", 20000), of("b", 20000));
  EXPECT_NE(of("a", 20000), of("a", 80000));
  EXPECT_EQ(of("a", 0), of("a", 0));
}

/// Refined in three dimensions, grids have eight times as many nonzeros.
TEST(Roles, BeginWithWhatIsKnownOfSmallerOnes)
{
  for (const int times : {4, 8}) {
    Roles      roles;
    const auto life = [&](const char *origin, std::int64_t nnz) -> RecentMedian & {
      return roles.Of(origin, nnz, kCandidates)->life;
    };
    life("a", 20000).Add(7);
    EXPECT_EQ(life("a", 20000 * times).Value(), 7) << times;
    EXPECT_FALSE(life("b", 20000 * times).Known()) << times;
    EXPECT_FALSE(life("a", 20000 / times).Known()) << times;
    life("a", 20000 * times).Set(9);
    EXPECT_EQ(life("a", 20000).Value(), 7) << times;
  }
}

} // namespace
} // namespace petscspmv::spmv::test
