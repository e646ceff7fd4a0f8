// Which of several ways a trial keeps, and what it costs.
#include "mat/exec/trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace petscspmv::test {
namespace {

/// Whose turn it was, until the trial was decided. Each turn takes what seconds(way, how many turns that way has had) says.
template <class Seconds>
std::vector<std::size_t> Turns(Trial &trial, const Seconds &seconds)
{
  std::vector<std::size_t> turns;
  while (trial.Runs() && turns.size() < 100) {
    const std::size_t way = trial.Way();
    trial.Add(seconds(way, std::count(turns.begin(), turns.end(), way)));
    turns.push_back(way);
  }
  return turns;
}

std::vector<std::size_t> Turns(Trial &trial, const std::vector<double> &seconds)
{
  return Turns(trial, [&](std::size_t way, auto) { return seconds[way]; });
}

TEST(Trial, OfOneWayIsDecided)
{
  Trial trial;
  EXPECT_FALSE(trial.Runs());
  EXPECT_EQ(trial.Way(), 0u);
  trial.Add(1);
  EXPECT_FALSE(trial.Runs());
}

TEST(Trial, WaysTakeTurns)
{
  Trial two(2), three(3);
  EXPECT_EQ(Turns(two, {1, 1}), (std::vector<std::size_t>{0, 0, 1, 1, 0, 0, 1})); // the first counts for nothing
  EXPECT_EQ(Turns(three, {1, 1, 1}), (std::vector<std::size_t>{0, 0, 1, 2, 2, 1, 0, 0, 1, 2}));
}

TEST(Trial, KeepsTheExpectedWayUnlessAnotherIsClearlyFaster)
{
  for (const double other : {1.0, 0.98, 1.02, 1.09}) {
    Trial trial(2);
    Turns(trial, {1, other});
    EXPECT_EQ(trial.Way(), 0u) << other;
  }
  Trial trial(2);
  Turns(trial, {1, 0.96});
  EXPECT_EQ(trial.Way(), 1u);
}

/// Whichever is the fastest of any number, however they are ordered.
TEST(Trial, KeepsTheFastest)
{
  for (std::size_t n = 2; n <= Trial::kMost; ++n) {
    std::vector<double> seconds{1, 1.05, 1.11, 1.4};
    seconds.resize(n);
    do {
      Trial trial(n);
      Turns(trial, seconds);
      const auto fastest = std::min_element(seconds.begin(), seconds.end()) - seconds.begin();
      EXPECT_EQ(trial.Way(), static_cast<std::size_t>(fastest));
    } while (std::next_permutation(seconds.begin(), seconds.end()));
  }
}

TEST(Trial, AHopelessWayHasTwoTurns)
{
  Trial                          trial(3);
  const std::vector<std::size_t> turns = Turns(trial, {1, 1.2, 0.95});
  EXPECT_EQ(std::count(turns.begin(), turns.end(), 1u), 2);
  EXPECT_EQ(std::count(turns.begin(), turns.end(), 2u), 3);
  EXPECT_EQ(trial.Way(), 2u);
}

/// What is slow once, or has a slow first turn, is not hopeless.
TEST(Trial, OneBadTurnDecidesNothing)
{
  for (int bad = 0; bad < 3; ++bad) {
    Trial trial(2);
    Turns(trial, [&](std::size_t way, auto turn) { return way == 1 ? (turn == bad ? 5.0 : 0.9) : 1.0; });
    EXPECT_EQ(trial.Way(), 1u) << bad;
  }
  Trial trial(2);
  Turns(trial, [](std::size_t way, auto turn) { return way == 0 && turn == 0 ? 0.1 : way == 0 ? 1.0 : 0.9; });
  EXPECT_EQ(trial.Way(), 1u) << "the first turn of all has counted";
}

/// A trial that only one way is left of is over; later times change nothing.
TEST(Trial, EndsWhenOneIsLeft)
{
  Trial trial(2);
  EXPECT_EQ(Turns(trial, {2, 1}).size(), 5u);
  EXPECT_EQ(trial.Way(), 1u);
  for (int k = 0; k < 10; ++k) trial.Add(100);
  EXPECT_EQ(trial.Way(), 1u);
}

} // namespace
} // namespace petscspmv::test
