// What finding the fastest format may cost, whatever the program does: on a machine whose clock is set by the test.
#include "machine.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

namespace petscspmv::spmv::test {
namespace {

/// A matrix that multiplies once, or a few times, loses nothing.
TEST(Bounds, AFewProductsWithManyMatrices)
{
  for (const int n : {1, 3, 12}) {
    Machine machine({{.product = 0.5, .build = 7}, {.product = 0.9, .build = 1}});
    for (int matrix = 0; matrix < 300; ++matrix) {
      machine.NewMatrix(true);
      machine.Multiply(n);
    }
    EXPECT_LE(machine.excess, kRounding) << n;
  }
}

/// On any machine whose costs are predicted exactly, whatever programs do next: with several matrices at a time, with much or
/// little beside products.
TEST(Bounds, HoldAlways)
{
  std::mt19937                     random(1);
  std::uniform_real_distribution<> part(0, 1);
  for (int trial = 0; trial < 300; ++trial) {
    const auto           program = std::make_shared<Program>(trial % 7 == 0);
    std::vector<Machine> machines;
    const int            together = 1 + trial % 3;
    for (int k = 0; k < together; ++k) {
      std::vector<Format> formats(1 + trial % 4);
      for (Format &f : formats)
        f = {.product   = 0.2 + 1.3 * part(random),
             .build     = 20 * part(random),
             .refresh   = 4 * part(random),
             .predicted = 0.2 + part(random),
             .fits      = part(random) < 0.9,
             .parts     = 1 + static_cast<int>(8 * part(random)),
             .displaces = part(random)};
      machines.emplace_back(formats, program);
      machines.back().slow       = (trial % 4 < 2 ? 1 : 1e-3) * (0.1 + part(random));
      machines.back().rest       = trial % 5 ? 1 : 0.9 + 0.1 * part(random);
      machines.back().relaxation = trial % 5 == 3 ? part(random) : 0;
      machines.back().beside     = trial % 2 ? 20 * part(random) * part(random) : 0;
    }
    const double changes = part(random) * part(random), matrices = 0.1 * part(random) * part(random), others = part(random);
    for (int k = 0; k < 2000; ++k) {
      Machine &machine = machines[static_cast<std::size_t>(k * together / 2000 + k) % machines.size()];
      if (part(random) < changes) machine.ChangeValues();
      if (part(random) < matrices) machine.NewMatrix(part(random) < others);
      if (part(random) < 0.1 * matrices) machine.NewSize();
      if (part(random) < 0.01) machine.Work(100 * part(random));
      machine.Multiply();
      ASSERT_LE(machine.excess, 1e-6) << "trial " << trial << ", product " << k;
    }
  }
}

/// Twice the share at the beginning, and no more than 25 ms beyond it later.
TEST(Bounds, OfShortPrograms)
{
  EXPECT_EQ(MayBeLost(0, 0.05), 0);
  EXPECT_DOUBLE_EQ(MayBeLost(0.1, 0.05), 0.01);
  EXPECT_DOUBLE_EQ(MayBeLost(0.5, 0.05), 0.05);
  EXPECT_DOUBLE_EQ(MayBeLost(100, 0.05), 5.025);
  EXPECT_EQ(MayBeLost(100, 0), 0);
}

/// Where others wait, relaxation may not lose more at the beginning.
TEST(Bounds, OfRelaxationWhereOthersWait)
{
  Budget alone([] { return 0.1; }), awaited([] { return 0.1; }, true);
  EXPECT_TRUE(alone.Allows(0.009, 0.05, true, LayoutUse::Sweeps));
  EXPECT_TRUE(awaited.Allows(0.009, 0.05, true, LayoutUse::Products));
  EXPECT_FALSE(awaited.Allows(0.009, 0.05, true, LayoutUse::Sweeps));
  EXPECT_TRUE(awaited.Allows(0.004, 0.05, true, LayoutUse::Sweeps));
}

/// A program that does its worst: as soon as a part of a layout is made, the matrix is destroyed, or its values change.
TEST(Bounds, HoldWithAnAdversary)
{
  for (const int parts : {1, 8}) {
    for (const bool destroys : {false, true}) {
      for (const double beside : {0., 1., 100.}) {
        Machine machine({{.product = 0.5, .build = 7, .refresh = 2, .parts = parts},
                         {.product = 0.9, .build = 1, .refresh = 1, .predicted = 0.7}});
        machine.beside = beside;
        for (int k = 0; k < 20000; ++k) {
          const int made = machine.builds + machine.refreshes;
          machine.Multiply();
          if (made == machine.builds + machine.refreshes) continue;
          if (destroys && k % 5 == 0) machine.NewSize();
          else if (destroys) machine.NewMatrix(k % 3 == 0);
          else machine.ChangeValues();
        }
        EXPECT_GT(machine.builds, destroys ? 20 : 0);
        EXPECT_LE(machine.excess, kRounding) << destroys << ", " << beside << ", " << parts;
      }
    }
  }
}

/// Many matrices that each multiply once lose nothing, even if all before were used for long and the program can afford it.
TEST(Bounds, ManyMatricesThatMultiplyOnce)
{
  Machine machine({{.product = 0.5, .build = 7}});
  machine.Work(1e6);
  for (int matrix = 0; matrix < 5; ++matrix) {
    machine.NewMatrix(true);
    machine.Multiply(100);
  }
  const int    builds = machine.builds;
  const double before = machine.Time() - machine.Aij();
  for (int matrix = 0; matrix < 10000; ++matrix) {
    machine.NewMatrix(matrix % 2 == 0);
    machine.Multiply();
  }
  EXPECT_EQ(machine.builds, builds);
  EXPECT_LE(machine.Time() - machine.Aij() - before, kRounding);
}

/// If a step takes more than predicted, the loss is larger by that, once.
TEST(Bounds, ABuildThatIsDearerThanPredicted)
{
  Machine machine({{.product = 0.99, .build = 40, .predicted_cost = 0.1}});
  machine.Multiply(20000);
  EXPECT_GT(machine.builds, 0);
  EXPECT_LE(machine.excess, 0.9 * 40);
}

} // namespace
} // namespace petscspmv::spmv::test
