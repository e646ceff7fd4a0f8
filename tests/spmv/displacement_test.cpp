// Layouts that make the relaxation of their matrix longer.
#include "machine.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace petscspmv::spmv::test {
namespace {

constexpr int kLayout = 1, kWhole = 8;

/// Does n products with relaxation after each; returns what the last one has cost.
double Repeat(Displacement &displacement, int n, int parts, double relaxation, std::optional<std::size_t> loop = 0)
{
  double cost = 0;
  for (int k = 0; k < n; ++k) {
    cost = displacement.Multiplied(kLayout, parts);
    displacement.Relaxed(relaxation, loop);
  }
  return cost;
}

TEST(Displacement, CostsWhatRelaxationTakesLonger)
{
  Displacement displacement;
  Repeat(displacement, 5, 0, 1);
  EXPECT_NEAR(Repeat(displacement, 5, kWhole, 1.5), 0.5, 0.05);
  EXPECT_EQ(Repeat(displacement, 5, 0, 1), 0);
  EXPECT_NEAR(Repeat(displacement, 5, kWhole, 1.2), 0.2, 0.05);
}

TEST(Displacement, IsNotConcludedFromOneTime)
{
  Displacement displacement;
  Repeat(displacement, 5, 0, 1);
  EXPECT_EQ(Repeat(displacement, 3, kWhole, 10), 0); // the cost of the second one: only two relaxations were seen
  EXPECT_GT(Repeat(displacement, 2, kWhole, 10), 8);
  EXPECT_EQ(Repeat(displacement, 2, kWhole, 1), 0); // the least time counts
}

/// The next ones find the arrays in the cache again.
TEST(Displacement, OfTheFirstRelaxation)
{
  Displacement displacement;
  Repeat(displacement, 5, 0, 1);
  Repeat(displacement, 5, kWhole, 1.5);
  for (int k = 0; k < 9; ++k) displacement.Relaxed(1, 0);
  EXPECT_NEAR(displacement.Multiplied(kLayout, kWhole), 0.5, 0.05);
  EXPECT_EQ(displacement.Multiplied(kLayout, kWhole), 0); // no relaxation in between
}

/// Another loop takes other times; what was found stays true until it is found again.
TEST(Displacement, ComparesTheSameLoop)
{
  Displacement displacement;
  Repeat(displacement, 5, 0, 1);
  EXPECT_EQ(Repeat(displacement, 9, kWhole, 3, 1), 0);
  Repeat(displacement, 5, 0, 3, 1);
  EXPECT_NEAR(Repeat(displacement, 9, kWhole, 4, 1), 1, 0.1);
  EXPECT_NEAR(Repeat(displacement, 9, kWhole, 8, 2), 1, 0.1);
  EXPECT_NEAR(Repeat(displacement, 9, kWhole, 1.5), 0.5, 0.1); // the first one again
  for (std::size_t loop = 3; loop < 20; ++loop) Repeat(displacement, 5, 0, 2, loop);
  EXPECT_NEAR(Repeat(displacement, 9, kWhole, 3, 19), 1, 0.1);
}

/// By layouts of its own, relaxation leaves the matrix's arrays alone.
TEST(Displacement, OfNothingBesideLayoutsThatRelax)
{
  Displacement displacement;
  Repeat(displacement, 5, 0, 1);
  Repeat(displacement, 2, kWhole, 2);
  EXPECT_TRUE(displacement.Waits());
  EXPECT_EQ(Repeat(displacement, 9, kWhole, 2, std::nullopt), 0);
  EXPECT_FALSE(displacement.Waits());
  Repeat(displacement, 5, kWhole, 2);
  EXPECT_GT(displacement.Cost(), 0.9);
  Repeat(displacement, 1, kWhole, 2, std::nullopt);
  EXPECT_EQ(displacement.Cost(), 0);
}

/// What is not timed before a layout is there cannot be compared with it.
TEST(Displacement, IsNewUntilItIsSure)
{
  Displacement displacement;
  EXPECT_FALSE(displacement.IsNew());
  Repeat(displacement, 2, 0, 1);
  EXPECT_TRUE(displacement.IsNew());
  Repeat(displacement, 1, 0, 1);
  EXPECT_FALSE(displacement.IsNew());
  Repeat(displacement, 2, kWhole, 1);
  EXPECT_TRUE(displacement.IsNew());
  Repeat(displacement, 40, 0, 1);
  EXPECT_FALSE(displacement.IsNew());
  Repeat(displacement, 1, 0, 1, 2);
  EXPECT_TRUE(displacement.IsNew());
  Repeat(displacement, 2, 0, 1);
  EXPECT_TRUE(displacement.IsNew()) << "the loop before";
  displacement.Multiplied(kAij, 0);
  EXPECT_FALSE(displacement.IsNew()) << "relaxation may have stopped";
  for (std::size_t loop = 3; loop < 100; ++loop) Repeat(displacement, 1, 0, 1, loop);
  EXPECT_FALSE(displacement.IsNew()) << "after so many products";
}

/// As from zero and from a guess, by turns.
TEST(Displacement, OfSeveralLoops)
{
  Displacement displacement;
  double       cost = 0;
  for (int k = 0; k < 40; ++k) {
    const int parts = k < 20 ? 0 : kWhole, loop = k % 2;
    cost = displacement.Multiplied(kLayout, parts);
    displacement.Relaxed((loop ? 3 : 1) * (parts ? 1.5 : 1), static_cast<std::size_t>(loop));
  }
  EXPECT_NEAR(cost, 0.5, 0.1); // of loop 0, the last but one
}

/// A product that is faster, with relaxation that is slower by more, is no gain, and is given up after a few parts; one that
/// displaces less is.
TEST(Choice, ALayoutThatDisplaces)
{
  for (const double displaces : {0., 0.1, 0.9}) {
    for (const double before : {0., 1000.}) {
      Machine machine({{.product = 0.6, .build = 4, .predicted = 0.6, .parts = 8, .displaces = displaces}});
      machine.relaxation = 1;
      machine.Work(before);
      const bool   gains = displaces < 0.4;
      const int    n     = 2000;
      const double with  = gains ? 0.6 + 1 + displaces : 2; // a product and a relaxation, at best
      machine.Multiply(n);
      EXPECT_EQ(machine.TheChoice().OfPattern().adopted, gains ? 1u : kAij) << displaces;
      EXPECT_LT(machine.Time() + machine.relaxing, 1.05 * n * with) << displaces;
      EXPECT_EQ(machine.parts_made >= 8, gains) << displaces << " " << before << " " << machine.parts_made;
      EXPECT_LE(machine.excess, kRounding) << displaces;
    }
  }
}

/// Relaxation goes on by another loop shortly before a layout would be tried, at last or in turns with the first one: that waits
/// until it is known what both take.
TEST(Choice, RelaxationByAnotherLoop)
{
  const std::vector<std::vector<std::size_t>> turns{{1}, {1, 0, 0, 1, 1, 0, 1}};
  for (const auto &loops : turns) {
    for (const int first : {4, 7, 8, 9}) {
      for (const double displaces : {0.1, 0.9}) {
        Machine machine({{.product = 0.6, .build = 4, .predicted = 0.6, .parts = 8, .displaces = displaces}});
        machine.relaxation = 1;
        machine.Work(1000);
        machine.Multiply(first);
        for (const std::size_t loop : loops) {
          machine.loop = loop;
          machine.Multiply();
        }
        machine.Multiply(45 - first);
        EXPECT_EQ(machine.parts_made >= 8, displaces < 0.4) << first << " " << displaces << " " << machine.parts_made;
      }
    }
  }
}

/// Layouts that relax from now on need none of the arrays that others displace.
TEST(Choice, RelaxationByLayouts)
{
  Machine machine({{.product = 0.5, .build = 8, .parts = 8}});
  machine.relaxation = 1;
  machine.Work(1000);
  while (machine.TheChoice().Current(1) == 0) machine.Multiply();
  machine.loop = std::nullopt;
  machine.Multiply(20);
  EXPECT_EQ(machine.TheChoice().Current(1), 8);
}

/// Relaxation that begins once a layout is adopted, or on trial, and takes longer beside it than the layout gains, shows in a trial
/// of AIJ soon. Another format, which would be faster than that layout but slower than AIJ, is not tried.
TEST(Choice, RelaxationThatBeginsLater)
{
  for (const int before : {12, 16, 20, 200}) {
    const Format displaces{.product = 0.6, .build = 4, .predicted = 0.6, .displaces = 0.9}, other{.build = 4, .predicted = 1.1};
    Machine      machine({displaces, other});
    machine.Work(1000);
    EXPECT_EQ(machine.Multiply(before), 1u) << before;
    machine.relaxation = 1;
    machine.Multiply(40);
    EXPECT_EQ(machine.TheChoice().OfPattern().adopted, kAij) << before;
    EXPECT_EQ(machine.builds, 1) << before;
    EXPECT_LT(machine.relaxing, 40 * 1.6) << before;
  }
}

/// Relaxation that was there before the pattern was looked at is no news, even where a trial begins at once: AIJ need not be
/// compared once a format is adopted.
TEST(Choice, RelaxationFromTheStart)
{
  Machine machine({{.product = 0.5, .build = 1}});
  machine.relaxation = 1;
  machine.Work(1000);
  machine.Multiply(40);
  machine.NewSize();
  EXPECT_EQ(machine.Multiply(12), 1u);
  const int by_aij = machine.products[kAij];
  machine.Multiply(100);
  EXPECT_EQ(machine.products[kAij], by_aij);
}

/// What is known from matrices that were not relaxed does not count for one that is. Compared once, not for each matrix.
TEST(Choice, RelaxationOfALaterMatrix)
{
  for (const double displaces : {0.05, 0.9}) {
    Machine machine({{.product = 0.6, .build = 4, .predicted = 0.6, .displaces = displaces}});
    EXPECT_EQ(machine.Multiply(200), 1u);
    machine.relaxation = 1;
    const int before   = machine.products[kAij];
    for (int k = 0; k < 6; ++k) {
      machine.NewMatrix(false);
      machine.Multiply(30);
    }
    EXPECT_EQ(machine.TheChoice().OfPattern().adopted, displaces < 0.4 ? 1u : kAij) << displaces;
    if (displaces > 0.4) continue;
    EXPECT_LE(machine.products[kAij] - before, 6 * 1 + 6) << "the first ones, and one trial";
  }
}

} // namespace
} // namespace petscspmv::spmv::test
