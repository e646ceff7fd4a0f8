// Processes that wait for each other, each on a machine whose clock is set by the test.
#include "machine.hpp"
#include "mat/tuning/rounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace petscspmv::spmv::test {
namespace {

TEST(Rounds, FourFromEachPowerOfTwoToTheNext)
{
  std::vector<int> rounds;
  for (int n = 0; n <= 64; ++n) {
    if (IsRound(n)) rounds.push_back(n);
  }
  EXPECT_EQ(rounds, std::vector<int>({0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64}));
}

struct Together {
  std::set<int> delayed;     // products before which any process did something that takes time
  double        seconds = 0; // of all products, each as long as the slowest process takes
};

/// Processes that differ in what products and layouts take, and in what they do beside.
Together Multiply(int processes, bool in_rounds)
{
  constexpr std::size_t            kProducts = 300;
  std::mt19937                     random(1);
  std::uniform_real_distribution<> part(0.8, 1.2);
  std::vector<double>              longest(kProducts);
  Together                         together;
  for (int process = 0; process < processes; ++process) {
    Machine machine({{.product = 0.55 * part(random), .build = 8 * part(random), .refresh = 2, .predicted = 0.55, .parts = 8},
                     {.product = 0.55 * part(random), .build = 12 * part(random), .refresh = 3, .predicted = 0.58, .parts = 8}},
                    std::make_shared<Program>(in_rounds));
    machine.beside = 1.5 * part(random);
    machine.Work(60 * part(random));
    for (std::size_t product = 0; product < kProducts; ++product) {
      const double before = machine.Time();
      if (product == 200) machine.ChangeValues();
      machine.Multiply();
      longest[product] = std::max(longest[product], machine.Time() - before);
    }
    EXPECT_LE(machine.excess, kRounding);
    EXPECT_GT(machine.products[1] + machine.products[2], 150);
    together.delayed.merge(machine.delayed);
  }
  together.seconds = std::accumulate(longest.begin(), longest.end(), 0.);
  return together;
}

TEST(Rounds, ProcessesDelayTheSameProducts)
{
  const Together in_rounds = Multiply(200, true), without = Multiply(200, false);
  for (const int product : in_rounds.delayed) EXPECT_TRUE(IsRound(product)) << product;
  EXPECT_GT(without.delayed.size(), 2 * in_rounds.delayed.size());
  EXPECT_LT(in_rounds.seconds, 0.95 * without.seconds);
}

/// A format that is clearly faster has all of its layout soon, though parts are made only in rounds.
TEST(Rounds, WholeLayoutsSoon)
{
  for (const double product : {0.4, 0.5, 0.65}) {
    Machine machine({{.product = product, .build = 8, .predicted = product, .parts = 8}}, std::make_shared<Program>(true));
    machine.Work(100);
    machine.rest = 1.15;
    machine.Multiply(60);
    EXPECT_EQ(machine.parts_made, 8) << product;
    EXPECT_LE(machine.products[kAij], 15) << product;
    EXPECT_LE(machine.excess, kRounding) << product;
  }
}

/// A process that nobody waits for would lose little by rounds.
TEST(Rounds, CostLittle)
{
  EXPECT_LT(Multiply(1, true).seconds, 1.03 * Multiply(1, false).seconds);
}

} // namespace
} // namespace petscspmv::spmv::test
