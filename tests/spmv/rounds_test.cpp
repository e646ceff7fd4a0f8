// Processes that wait for each other, each on a machine whose clock is set by the test.
#include "machine.hpp"
#include "mat/tuning/rounds.hpp"

#include <gtest/gtest.h>

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

/// The products before which any of 200 processes did something that takes time: they differ in what products and layouts take, and
/// in what they do beside.
std::set<int> Delayed(bool in_rounds)
{
  std::mt19937                     random(1);
  std::uniform_real_distribution<> part(0.8, 1.2);
  std::set<int>                    delayed;
  for (int process = 0; process < 200; ++process) {
    Machine machine({{.product = 0.5 * part(random), .build = 7 * part(random), .refresh = 2, .parts = 8},
                     {.product = 0.45, .build = 12 * part(random), .refresh = 3, .predicted = 0.6, .parts = 8}},
                    std::make_shared<Program>(in_rounds));
    machine.beside = 2 * part(random);
    machine.Work(60 * part(random));
    machine.Multiply(300);
    machine.ChangeValues();
    machine.Multiply(100);
    EXPECT_LE(machine.excess, kRounding);
    EXPECT_GT(machine.products[1] + machine.products[2], 200);
    delayed.merge(machine.delayed);
  }
  return delayed;
}

TEST(Rounds, ProcessesDelayTheSameProducts)
{
  const std::set<int> in_rounds = Delayed(true);
  for (const int product : in_rounds) EXPECT_TRUE(IsRound(product)) << product;
  EXPECT_GT(Delayed(false).size(), 2 * in_rounds.size());
}

} // namespace
} // namespace petscspmv::spmv::test
