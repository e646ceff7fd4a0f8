// Which kinds of sweeps are left to PETSc's loop, by times that the test sets.
#include "mat/tuning/sweep_kinds.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>

namespace petscspmv::spmv::test {
namespace {

/// Sweeps of one kind, which take a second by PETSc's loop; returns how many of them the other way did.
int Sweep(SweepKinds &kinds, std::size_t kind, double other, int times)
{
  int by_other = 0;
  for (int k = 0; k < times; ++k) {
    kinds.Now(kind);
    if (kinds.IsDue()) kinds.BeginTurns();
    const SweepBy by = kinds.By();
    by_other += by != SweepBy::Aij;
    kinds.Swept(by, kinds.IsInTurns() ? std::optional(by == SweepBy::Aij ? 1 : other) : std::nullopt);
  }
  return by_other;
}

TEST(SweepKinds, EachKindHasItsTurns)
{
  SweepKinds kinds;
  for (const std::size_t kind : {7, 3}) kinds.Now(kind);
  kinds.Choose(SweepBy::Plain);
  EXPECT_EQ(Sweep(kinds, 7, 0.5, 6), 3);
  EXPECT_EQ(kinds.Seconds(SweepBy::Aij), 1);
  EXPECT_EQ(kinds.Seconds(SweepBy::Plain), 0.5);
  EXPECT_EQ(Sweep(kinds, 3, 2, 6), 3);
  EXPECT_EQ(kinds.Seconds(SweepBy::Plain), 2);
  EXPECT_TRUE(kinds.IsLeftToAij());
  EXPECT_EQ(Sweep(kinds, 7, 0.5, 100), 100);
  EXPECT_EQ(Sweep(kinds, 3, 2, 100), 0);
  EXPECT_EQ(Sweep(kinds, 4, 2, 100), 3); // a new one
}

TEST(SweepKinds, TheOnlyKindIsTheOneThatWasCompared)
{
  SweepKinds kinds;
  kinds.Now(7);
  kinds.Choose(SweepBy::Layouts);
  EXPECT_EQ(Sweep(kinds, 7, 0.5, 100), 100);
  EXPECT_FALSE(kinds.Seconds(SweepBy::Aij));
  EXPECT_EQ(Sweep(kinds, 3, 2, 100), 3);
}

TEST(SweepKinds, TurnsAreTakenAgain)
{
  SweepKinds kinds;
  for (const std::size_t kind : {7, 3}) kinds.Now(kind);
  kinds.Choose(SweepBy::Plain);
  EXPECT_EQ(Sweep(kinds, 7, 2, 1000), 4 * 3);
  EXPECT_GT(Sweep(kinds, 7, 0.5, 1000), 600);
  EXPECT_LT(Sweep(kinds, 7, 2, 1000), 400);
}

/// What is not known yet is PETSc's; what is known stays until turns begin.
TEST(SweepKinds, WaitsForTurns)
{
  SweepKinds kinds;
  for (const std::size_t kind : {7, 3}) kinds.Now(kind);
  kinds.Choose(SweepBy::Plain);
  kinds.Now(7);
  EXPECT_TRUE(kinds.IsDue());
  EXPECT_EQ(kinds.By(), SweepBy::Aij);
  Sweep(kinds, 7, 0.5, 6);
  while (!kinds.IsDue()) kinds.Swept(kinds.By(), std::nullopt);
  EXPECT_EQ(kinds.By(), SweepBy::Plain);
}

/// A clock that does not advance says nothing.
TEST(SweepKinds, NeedsAClock)
{
  SweepKinds kinds;
  kinds.Choose(SweepBy::Plain);
  for (int k = 0; k < 6; ++k) {
    kinds.Now(1);
    kinds.BeginTurns();
    kinds.Swept(kinds.By(), 0);
  }
  EXPECT_FALSE(kinds.IsInTurns());
  EXPECT_EQ(kinds.By(), SweepBy::Plain);
  EXPECT_FALSE(kinds.Seconds(SweepBy::Aij));
}

} // namespace
} // namespace petscspmv::spmv::test
