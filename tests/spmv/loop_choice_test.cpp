// Which loop sweeps, by times that the test sets.
#include "mat/tuning/loop_choice.hpp"

#include <gtest/gtest.h>

#include <array>

namespace petscspmv::spmv::test {
namespace {

/// Sweeps of two kinds take turns, as those of smoothers before and after a coarser level: seconds of each by each loop.
struct Kinds {
  std::array<double, 2> aij, plain;
};

/// Reports sweeps until it is known which loop is faster; returns how many there were.
int Compare(LoopChoice &choice, const Kinds &kinds)
{
  for (int k = 0; k < 100; ++k) {
    const SweepBy by = choice.IsPlainsTurn() ? SweepBy::Plain : SweepBy::Aij;
    if (choice.Swept(by, (by == SweepBy::Plain ? kinds.plain : kinds.aij)[static_cast<std::size_t>(k % 2)])) return k + 1;
  }
  return 0;
}

TEST(LoopChoice, ComparesInTurns)
{
  LoopFindings findings;
  LoopChoice   choice(findings, true);
  EXPECT_EQ(Compare(choice, {{1, 1}, {0.5, 0.5}}), 0); // nothing counts before it is prepared
  choice.Prepared(3);
  EXPECT_EQ(choice.CostToPrepare(), 0);
  EXPECT_EQ(Compare(choice, {{1, 1}, {0.5, 0.5}}), 6);
  EXPECT_TRUE(choice.IsPlainFaster());
  EXPECT_EQ(choice.Plain(), 0.5);
  EXPECT_EQ(choice.AijSeconds(), 1);
  choice.NewPattern();
  EXPECT_FALSE(choice.IsCompared());
  EXPECT_EQ(choice.CostToPrepare(), 3); // as it was before
}

/// Each loop has sweeps of both kinds.
TEST(LoopChoice, ComparesLikeWithLike)
{
  for (const double plain : {0.9, 1.1}) {
    for (const Kinds &kinds : {Kinds{{1, 3}, {plain, 3 * plain}}, Kinds{{3, 1}, {3 * plain, plain}}}) {
      LoopFindings findings;
      LoopChoice   choice(findings, true);
      choice.Prepared(1);
      Compare(choice, kinds);
      EXPECT_DOUBLE_EQ(choice.Plain(), plain);
    }
  }
}

/// A clock that does not advance says nothing.
TEST(LoopChoice, NeedsAClock)
{
  for (const Kinds &kinds : {Kinds{{1, 1}, {0, 0}}, Kinds{{0, 0}, {1, 1}}, Kinds{{0, 0}, {0, 0}}}) {
    LoopFindings findings;
    LoopChoice   choice(findings, true);
    choice.Prepared(1);
    EXPECT_EQ(Compare(choice, kinds), 6);
    EXPECT_EQ(choice.Plain(), 1);
    EXPECT_FALSE(choice.IsPlainFaster());
  }
}

TEST(LoopChoice, WaitsOrGivesUp)
{
  LoopFindings findings;
  LoopChoice   choice(findings, true);
  choice.Prepared(1);
  Compare(choice, {{1, 1}, {0.5, 0.5}});
  choice.Count(20);
  choice.Postpone();
  EXPECT_FALSE(choice.HasPlain());
  EXPECT_FALSE(choice.IsPlainFaster());
  choice.Count(19);
  EXPECT_FALSE(choice.HasPlain());
  choice.Count(1);
  EXPECT_TRUE(choice.IsPlainFaster());
  EXPECT_FALSE(choice.IsReady());
  choice.Refuse();
  choice.NewValues();
  EXPECT_FALSE(choice.HasPlain());
  choice.NewPattern();
  EXPECT_TRUE(choice.HasPlain());
}

} // namespace
} // namespace petscspmv::spmv::test
