// Which variant a trial keeps, and what it costs.
#include "mat/tuning/variant_trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace petscspmv::test {
namespace {

/// The turns before the trial, which do not count.
void Begin(VariantTrial &trial, double seconds = 1)
{
  for (std::size_t k = 0; k < VariantTrial::kBefore; ++k) {
    ASSERT_TRUE(trial.Runs());
    ASSERT_EQ(trial.Variant(), 0u);
    trial.Add(seconds);
  }
}

/// Whose turn it was, until the trial was decided. A turn takes seconds(variant, number of turns that variant has had).
template <class Seconds>
std::vector<std::size_t> Turns(VariantTrial &trial, const Seconds &seconds)
{
  Begin(trial);
  std::vector<std::size_t> turns;
  while (trial.Runs() && turns.size() < 100) {
    const std::size_t variant = trial.Variant();
    trial.Add(seconds(variant, std::count(turns.begin(), turns.end(), variant)));
    turns.push_back(variant);
  }
  return turns;
}

std::vector<std::size_t> Turns(VariantTrial &trial, const std::vector<double> &seconds)
{
  return Turns(trial, [&](std::size_t variant, auto) { return seconds[variant]; });
}

TEST(VariantTrial, OfOneVariantIsDecided)
{
  VariantTrial trial;
  EXPECT_FALSE(trial.Runs());
  EXPECT_EQ(trial.Variant(), 0u);
  trial.Add(1);
  EXPECT_FALSE(trial.Runs());
}

TEST(VariantTrial, VariantsTakeTurns)
{
  VariantTrial two(2), three(3);
  EXPECT_EQ(Turns(two, {1, 1}), (std::vector<std::size_t>{0, 1, 1, 0, 0, 1}));
  EXPECT_EQ(Turns(three, {1, 1, 1}), (std::vector<std::size_t>{0, 1, 2, 2, 1, 0, 0, 1, 2}));
  VariantTrial most(VariantTrial::kMost);
  EXPECT_EQ(Turns(most, {1, 1, 1, 1}).size() + VariantTrial::kBefore, VariantTrial::kTurns);
}

TEST(VariantTrial, KeepsTheExpectedVariantUnlessAnotherIsClearlyFaster)
{
  for (const double other : {1.0, 0.96, 1.02, 1.09}) {
    VariantTrial trial(2);
    Turns(trial, {1, other});
    EXPECT_EQ(trial.Variant(), 0u) << other;
  }
  VariantTrial trial(2);
  Turns(trial, {1, 0.94});
  EXPECT_EQ(trial.Variant(), 1u);
}

/// It keeps the fastest of any number, in any order.
TEST(VariantTrial, KeepsTheFastest)
{
  for (std::size_t n = 2; n <= VariantTrial::kMost; ++n) {
    std::vector<double> seconds{1, 1.06, 1.12, 1.6};
    seconds.resize(n);
    do {
      VariantTrial trial(n);
      Turns(trial, seconds);
      const auto fastest = std::min_element(seconds.begin(), seconds.end()) - seconds.begin();
      EXPECT_EQ(trial.Variant(), static_cast<std::size_t>(fastest));
    } while (std::next_permutation(seconds.begin(), seconds.end()));
  }
}

TEST(VariantTrial, AHopelessVariantHasFewTurns)
{
  VariantTrial                   trial(3);
  const std::vector<std::size_t> turns = Turns(trial, {1, 1.2, 0.94});
  EXPECT_EQ(std::count(turns.begin(), turns.end(), 1u), 2);
  EXPECT_EQ(std::count(turns.begin(), turns.end(), 2u), 3);
  EXPECT_EQ(trial.Variant(), 2u);
  VariantTrial                   other(3);
  const std::vector<std::size_t> fewer = Turns(other, {1, 1.6, 0.94});
  EXPECT_EQ(std::count(fewer.begin(), fewer.end(), 1u), 1);
}

/// One slow turn does not make a variant slow, and turns before the first round do not count.
TEST(VariantTrial, OneBadTurnDecidesNothing)
{
  for (int bad = 1; bad < 3; ++bad) {
    VariantTrial trial(2);
    Turns(trial, [&](std::size_t variant, auto turn) { return variant == 1 ? (turn == bad ? 5.0 : 0.92) : 1.0; });
    EXPECT_EQ(trial.Variant(), 1u) << bad;
  }
  for (const double before : {0.1, 10.0}) {
    VariantTrial trial(2);
    Begin(trial, before);
    while (trial.Runs()) trial.Add(trial.Variant() == 1 ? 0.92 : 1.0);
    EXPECT_EQ(trial.Variant(), 1u) << before;
  }
}

/// If every second turn is expensive whatever the variant, the variant still decides.
TEST(VariantTrial, WorkThatItselfTakesTurns)
{
  for (std::size_t n = 2; n <= VariantTrial::kMost; ++n) {
    for (const int phase : {0, 1}) {
      for (std::size_t fast = 0; fast < n; ++fast) {
        VariantTrial trial(n);
        int          turn = phase;
        Turns(trial, [&](std::size_t variant, auto) { return (variant == fast ? 0.93 : 1.0) * (turn++ % 2 ? 1.2 : 1.0); });
        EXPECT_EQ(trial.Variant(), fast) << n << " variants, phase " << phase;
      }
    }
  }
}

/// A trial ends when one variant is left; later times change nothing.
TEST(VariantTrial, EndsWhenOneIsLeft)
{
  VariantTrial trial(2);
  EXPECT_EQ(Turns(trial, {2, 1}).size(), 2u);
  EXPECT_EQ(trial.Variant(), 1u);
  for (int k = 0; k < 10; ++k) trial.Add(100);
  EXPECT_EQ(trial.Variant(), 1u);
}

} // namespace
} // namespace petscspmv::test
