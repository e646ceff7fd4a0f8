// What is remembered is found again, and never of more than so many things.
#include "mat/tuning/remembered.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>

namespace petscspmv::spmv::test {
namespace {

using Known = Remembered<int, int>;

TEST(Remembered, IsFoundAgain)
{
  Known known;
  EXPECT_EQ(known.Find(1), nullptr);
  const auto one = std::make_shared<int>(1);
  EXPECT_EQ(known.FindOrAdd(1, [&] { return one; }), one);
  EXPECT_EQ(known.Find(1), one);
  EXPECT_EQ(known.FindOrAdd(1, [] { return std::make_shared<int>(2); }), one);
  EXPECT_EQ(known.Find(2), nullptr);
}

TEST(Remembered, ForgetsAllBeforeThereAreTooMany)
{
  Known              known;
  std::weak_ptr<int> first;
  std::size_t        most = 0;
  for (int k = 0; k < 10000; ++k) {
    const auto findings = std::make_shared<int>(k);
    if (k == 0) first = findings;
    known.FindOrAdd(k, [&] { return findings; });
    EXPECT_EQ(known.Find(k), findings);
    EXPECT_EQ(first.expired(), static_cast<std::size_t>(k) >= Known::kMost) << k;
    most = std::max(most, known.Size());
  }
  EXPECT_EQ(most, Known::kMost);
}

} // namespace
} // namespace petscspmv::spmv::test
