// Matrices of like size and origin share what was found.
#include "mat/tuning/roles.hpp"

#include <gtest/gtest.h>

namespace petscspmv::spmv::test {
namespace {

struct Found {
  int life = 0;
};

TEST(Roles, AreOfOneOriginAndAboutOneSize)
{
  Roles<Found> roles;
  const auto   one = roles.Of("a", 20000);
  EXPECT_EQ(roles.Of("a", 30000), one);
  EXPECT_NE(roles.Of("b", 20000), one);
  EXPECT_NE(roles.Of("a", 80000), one);
  EXPECT_EQ(roles.Of("a", 0), roles.Of("a", 0));
}

TEST(Roles, BeginWithWhatTheNextSmallerOneHasFound)
{
  Roles<Found> roles;
  roles.Of("a", 20000)->life = 7;
  EXPECT_EQ(roles.Of("a", 80000)->life, 7);
  EXPECT_EQ(roles.Of("b", 80000)->life, 0);
  EXPECT_EQ(roles.Of("a", 5000)->life, 0);
  roles.Of("a", 80000)->life = 9;
  EXPECT_EQ(roles.Of("a", 20000)->life, 7);
}

} // namespace
} // namespace petscspmv::spmv::test
