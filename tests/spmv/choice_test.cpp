// Who does the products: on a machine whose clock is set by the test.
#include "machine.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace petscspmv::spmv::test {
namespace {

TEST(Choice, BeginsAsAij)
{
  Machine machine(std::vector<Format>{{.product = 0.1}});
  machine.Multiply(3);
  EXPECT_EQ(machine.products[kAij], 3);
  EXPECT_EQ(machine.Time(), 3);
}

/// The best format by forecast is built as soon as it pays if the matrix does as many products again; what a program does before
/// makes that affordable.
TEST(Choice, WhatPromisesIsDone)
{
  for (const double build : {0.5, 3.5, 7.0}) {
    Machine machine({{.product = 0.8, .build = 0.3, .predicted = 0.8}, {.product = 0.5, .build = build}});
    machine.Work(300);
    machine.Multiply(150);
    EXPECT_LE(machine.products[kAij], 3 + 2 * build + 2) << build; // a slow first product is reckoned with
    EXPECT_EQ(machine.products[1], 0) << build;
    EXPECT_EQ(machine.builds, 1) << build;
    EXPECT_LE(machine.excess, kRounding) << build;
  }
}

/// What is presumed to come has to gain clearly more than a layout costs; what former matrices of the size have done need not.
TEST(Choice, PresumedProductsAreWorthLess)
{
  Machine machine({{.product = 0.87, .build = 3, .predicted = 0.87}});
  machine.Work(1000);
  machine.Multiply(31);
  EXPECT_EQ(machine.builds, 0);
  machine.NewMatrix(true);
  machine.Multiply(8);
  EXPECT_EQ(machine.builds, 1);
}

/// The first part of a process takes longer than others, as code and memory are new: the others are made nevertheless.
TEST(Choice, AFirstPartThatTakesLong)
{
  Machine machine({{.product = 0.5, .build = 8, .predicted = 0.5, .parts = 8}});
  machine.Work(300);
  machine.first_part = 2.5;
  machine.rest       = 1.15;
  machine.Multiply(40);
  EXPECT_EQ(machine.parts_made, 8);
  EXPECT_LE(machine.products[kAij], 15);
}

/// What was predicted while AIJ's products took longer than later is predicted anew.
TEST(Choice, FirstProductsThatTakeLong)
{
  Machine cold({{.product = 0.9, .build = 1, .predicted = 0.99}}), warm({{.product = 0.5, .build = 1, .predicted = 0.5}});
  for (Machine *machine : {&cold, &warm}) {
    machine->slow = 2;
    machine->Multiply(6);
    machine->Of(1).predicted = 0.5;
    machine->SetAij(0.5);
    machine->Multiply(100);
  }
  EXPECT_EQ(cold.TheChoice().OfPattern().candidates[1].predicted.product, 0.5);
  EXPECT_GT(cold.products[1], 50);
  EXPECT_GT(warm.products[1], 50);
}

/// Predictions are not made again where a format has been tried or did not fit, or where AIJ takes as long as before.
TEST(Choice, PredictionsThatStay)
{
  Machine tried({{.product = 0.99, .build = 1, .predicted = 0.5}}), no_memory({{.product = 0.5, .build = 1, .fits = false}}),
    known({{.product = 1.1, .build = 1, .predicted = 1.1}});
  for (Machine *machine : {&tried, &no_memory, &known}) {
    machine->Work(300);
    machine->Multiply(80);
    const Pattern &before = machine->TheChoice().OfPattern();
    machine->SetAij(machine == &known ? 0.99 : 0.5);
    machine->Multiply(5);
    EXPECT_EQ(&machine->TheChoice().OfPattern(), &before);
  }
  EXPECT_EQ(no_memory.TheChoice().Why(), WhyAij::NoMemory);
}

/// A trial that begins while AIJ's products still take longer than later ones is not won by a format that is slower than these.
TEST(Choice, ATrialAtTheBeginning)
{
  for (const double product : {0.5, 1.2}) {
    Machine machine({{.product = product, .build = 1, .predicted = 0.5}});
    machine.Work(1000);
    machine.Multiply(300);
    machine.products = {};
    machine.cold     = 1.6;
    machine.NewMatrix(true); // one of its size did 300 products
    machine.Multiply(30);
    EXPECT_EQ(machine.TheChoice().OfPattern().adopted, product < 1 ? 1u : kAij) << product;
  }
}

/// A trial that had to wait ends after one run if its format was clearly faster than AIJ's products before it and while it waited.
TEST(Choice, ATrialThatWaits)
{
  Machine machine({{.product = 0.5, .build = 2, .predicted = 0.5, .parts = 8}}, std::make_shared<Program>(true));
  machine.Work(100);
  machine.relaxation = 0.1; // turns wait for rounds
  machine.rest       = 1.5;
  machine.Multiply(100);
  EXPECT_GT(machine.products[1], 65);
}

/// Nobody looks at a pattern before its products are expected to repay what that takes in a new process.
TEST(Choice, AStartThatWouldNotPay)
{
  for (const double start : {20., 100.}) {
    Machine machine({{.product = 0.4, .build = 1, .predicted = 0.4}});
    machine.Work(1e6);
    machine.start = start;
    int by_aij    = 0;
    while (machine.Multiply() == kAij && by_aij < 1000) ++by_aij;
    EXPECT_NEAR(by_aij, start / 0.6, 2) << start; // 0.6: the most that is hoped for
    EXPECT_LE(machine.excess, kRounding) << start;
  }
}

/// Products of matrices that are gone count, too: the next one that does as many begins at once.
TEST(Choice, AStartThatPaysForAllMatrices)
{
  Machine machine({{.product = 0.4, .build = 1, .predicted = 0.4}});
  machine.Work(1e6);
  machine.start = 30;
  for (int matrix = 0; matrix < 6; ++matrix) {
    machine.NewMatrix(true);
    machine.Multiply(40);
  }
  EXPECT_GE(machine.products[kAij], 50); // 30 / 0.6
  EXPECT_GT(machine.products[1], 120);
  EXPECT_LE(machine.excess, kRounding);
}

/// Of forecasts within a tenth of each other the cheapest to prepare is taken at face value.
TEST(Choice, OfCloseForecastsTheCheapest)
{
  Machine machine({{.product = 0.5, .build = 14, .predicted = 0.48}, {.product = 0.5, .build = 3, .predicted = 0.52}});
  machine.Work(1000);
  machine.Multiply(50);
  EXPECT_EQ(machine.products[1], 0);
  EXPECT_GT(machine.products[2], 35);
}

/// A format that is slower than AIJ, against its forecast, does one run of products; then the next one is tried.
TEST(Choice, ABrokenPromise)
{
  Machine machine({{.product = 1.4, .build = 3}, {.product = 0.6, .build = 3, .predicted = 0.7}});
  machine.Work(1000);
  EXPECT_EQ(machine.Multiply(60), 2u);
  EXPECT_EQ(machine.products[1], 6);
  EXPECT_EQ(machine.builds, 2);
}

TEST(Choice, AdoptsTheFastestInTheEnd)
{
  const std::vector<Format> formats{
    {.product = 0.8, .build = 1, .predicted = 0.7}, {.product = 0.5, .build = 7}, {.product = 0.45, .build = 14, .predicted = 0.4}};
  for (const double before : {0, 20, 300}) {
    Machine machine(formats);
    machine.Work(before);
    EXPECT_EQ(machine.Multiply(5000), 3u) << before;
    EXPECT_LE(machine.excess, kRounding) << before;
    EXPECT_LT(machine.Time(), 5000 * 0.45 / (before < 300 ? 0.9 : 0.98)) << before;
  }
}

/// Where the best is not affordable yet, a cheap one serves meanwhile.
TEST(Choice, CheapCandidatesUntilTheBestIsAffordable)
{
  const Format best{.product = 0.5, .build = 7}, cheap{.product = 0.7, .build = 0.5, .predicted = 0.6};
  Machine      alone({best}), with({best, cheap});
  alone.Multiply(130);
  with.Multiply(130);
  EXPECT_EQ(alone.products[kAij], 130);
  EXPECT_GT(with.products[2], 60);
  EXPECT_EQ(with.Multiply(500), 1u);
  EXPECT_LE(with.excess, kRounding);
}

/// Parts gain before the whole is affordable, and the whole is there sooner.
TEST(Choice, PartsGainFirst)
{
  for (const double build : {9.0, 17.0}) {
    const Format whole{.product = 0.5, .build = build};
    Format       in_parts = whole;
    in_parts.parts        = 8;
    Machine one({whole}), eight({in_parts});
    for (Machine *machine : {&one, &eight}) {
      machine->beside = 2;
      machine->Work(60);
      EXPECT_EQ(machine->Multiply(200), 1u) << build;
      EXPECT_LE(machine->excess, kRounding) << build;
    }
    EXPECT_GT(eight.products[1], one.products[1] + 20) << build;
    EXPECT_LT(eight.Time(), 0.95 * one.Time()) << build;
    EXPECT_EQ(eight.TheChoice().Current(1), 8) << build;
  }
}

/// A format that breaks its promise has cost one part.
TEST(Choice, ABrokenPromiseCostsOnePart)
{
  double seconds[2];
  for (const int parts : {1, 8}) {
    Machine machine({{.product = 1.4, .build = 8, .parts = parts}, {.product = 0.6, .build = 8, .predicted = 0.7, .parts = parts}});
    machine.Work(1000);
    EXPECT_EQ(machine.Multiply(60), 2u);
    EXPECT_LE(machine.products[1], 6);
    seconds[parts > 1] = machine.Time();
  }
  EXPECT_LT(seconds[1], seconds[0] - 7 - 4 * 0.4);
}

/// Few parts stay in a nearer cache than all: beside relaxation, what they promise is not believed of more than twice as many.
TEST(Choice, PartsThatPromiseTooMuch)
{
  for (const double product : {0.6, 1.1}) {
    Machine machine({{.product = product, .build = 8, .parts = 8, .few = 0.6}});
    machine.relaxation = 1;
    machine.Work(1000);
    machine.Multiply(200);
    EXPECT_EQ(machine.TheChoice().Current(1), product < 1 ? 8 : 0) << product;
    EXPECT_LT(machine.Time(), product < 1 ? 180 : 206) << product; // no more than four parts, and as many trials
    EXPECT_LE(machine.excess, kRounding) << product;
  }
}

/// Parts do not wait long for relaxation that has stopped, or goes on by a loop that was not timed beside AIJ's products.
TEST(Choice, RelaxationThatStopsOrChanges)
{
  for (const bool stops : {true, false}) {
    Machine machine({{.product = 0.5, .build = 8, .parts = 8}});
    machine.relaxation = 1;
    machine.Work(1000);
    while (machine.TheChoice().Current(1) == 0) machine.Multiply();
    if (stops) machine.relaxation = 0;
    else machine.loop = 1;
    machine.Multiply(20);
    EXPECT_LT(machine.TheChoice().Current(1), 8) << stops;
    machine.Multiply(80);
    EXPECT_EQ(machine.TheChoice().Current(1), 8) << stops;
  }
}

/// Where rows without a part take longer than AIJ's, parts are made together, or not at all.
TEST(Choice, RowsWithoutAPartThatAreSlow)
{
  for (const double rest : {1.05, 1.3, 3.0}) {
    Machine machine({{.product = 0.5, .build = 9, .parts = 8}});
    machine.rest = rest;
    EXPECT_EQ(machine.Multiply(3000), 1u) << rest;
    EXPECT_EQ(machine.TheChoice().Current(1), 8) << rest;
    EXPECT_LE(machine.excess, rest - 1) << rest; // one product with rows that had never been timed
  }
}

/// Where only some parts fit into memory, these stay in use.
TEST(Choice, PartsThatFit)
{
  Machine machine({{.product = 0.5, .build = 8, .parts = 8, .parts_that_fit = 3}});
  machine.Work(1000);
  EXPECT_EQ(machine.Multiply(300), 1u);
  EXPECT_EQ(machine.TheChoice().Current(1), 3);
  EXPECT_LT(machine.Time(), 300 - 250 * 3. / 8 / 2);
}

/// Parts that did not fit are made once there is memory for them.
TEST(Choice, MemoryThatComesBack)
{
  Machine machine({{.product = 0.5, .build = 8, .parts = 8, .parts_that_fit = 3}});
  machine.Work(1000);
  machine.Multiply(100);
  EXPECT_EQ(machine.TheChoice().Current(1), 3);
  machine.Of(1).parts_that_fit = 8;
  machine.Multiply(400);
  EXPECT_EQ(machine.TheChoice().Current(1), 8);
}

/// A layout that was freed for another use is made again.
TEST(Choice, ALayoutThatWasFreed)
{
  Machine machine({{.product = 0.5, .build = 8, .parts = 8}});
  machine.Work(1000);
  EXPECT_EQ(machine.Multiply(100), 1u);
  machine.Free(1);
  EXPECT_EQ(machine.TheChoice().Current(1), 0);
  EXPECT_EQ(machine.Multiply(10), 1u);
  EXPECT_EQ(machine.TheChoice().Current(1), 8);
  EXPECT_EQ(machine.builds, 2);
  EXPECT_LE(machine.excess, kRounding);
}

/// Beside a format in use another one is tried as a whole.
TEST(Choice, AnotherFormatIsTriedAsAWhole)
{
  Machine machine({{.product = 0.45, .build = 14, .predicted = 0.8, .parts = 8}, {.product = 0.6, .build = 2, .parts = 8}});
  EXPECT_EQ(machine.Multiply(3000), 1u);
  EXPECT_EQ(machine.TheChoice().Current(1), 8);
  EXPECT_LE(machine.excess, kRounding);
}

/// New values are copied part by part as well.
TEST(Choice, ValuesThatChangeWithParts)
{
  for (const int period : {2, 6, 20}) {
    Machine machine({{.product = 0.5, .build = 7, .refresh = 2, .parts = 8}});
    for (int k = 0; k < 4000; ++k) {
      machine.ChangeValues();
      machine.Multiply(period);
    }
    EXPECT_LE(machine.excess, kRounding) << period;
    EXPECT_EQ(machine.builds, 1) << period;
    if (period > 4) EXPECT_GT(machine.refreshes, 3500) << period;
    else EXPECT_LT(machine.refreshes, 100) << period;
  }
}

TEST(Choice, AGainOfTwoInAHundredIsNotAdopted)
{
  Machine machine({{.product = 0.98, .build = 1}, {.product = 1, .build = 1}});
  EXPECT_EQ(machine.Multiply(3000), kAij);
  EXPECT_EQ(machine.TheChoice().OfPattern().adopted, kAij);
  EXPECT_GT(machine.TheChoice().OfPattern().candidates[1].ratio, 0.97);
  EXPECT_GT(machine.builds, 1);
}

/// A candidate that has lost is tried again at increasing intervals.
TEST(Choice, LosersAreTriedSeldom)
{
  Machine machine({{.product = 1.05, .build = 1}, {.product = 2, .build = 1}});
  machine.Multiply(100000);
  EXPECT_LE(machine.builds, 6);
  EXPECT_LE(machine.products[2], 6);
  EXPECT_LE(machine.excess, 2 - 1.5); // one product of twice AIJ's time exceeds the expectation
}

/// A candidate without promise is tried once, when that costs next to nothing compared with the time so far.
TEST(Choice, WhatDoesNotPromiseIsTriedLate)
{
  Machine machine({{.product = 0.5, .build = 1, .predicted = 1.2}, {.product = 1.1, .build = 1, .predicted = 1.2}});
  machine.Multiply(200);
  EXPECT_EQ(machine.builds, 0);
  machine.Multiply(2000);
  EXPECT_EQ(machine.TheChoice().OfPattern().adopted, 1u);
  machine.Multiply(100000);
  EXPECT_LE(machine.builds, 5);
  EXPECT_LE(machine.excess, kRounding);
}

/// If one format is faster than predicted, the others are expected to be faster too.
TEST(Choice, OneSurpriseTellsOfOthers)
{
  Machine machine({{.product = 0.3, .build = 7, .predicted = 0.6}, {.product = 0.4, .build = 0.5, .predicted = 0.7}});
  EXPECT_EQ(machine.Multiply(500), 1u);
}

TEST(Choice, ValuesThatChangeAllTheTime)
{
  Machine machine({{.product = 0.5, .build = 7, .refresh = 2}});
  for (int k = 0; k < 3000; ++k) {
    machine.ChangeValues();
    machine.Multiply();
  }
  EXPECT_LE(machine.excess, kRounding);
  EXPECT_LT(machine.Time(), 3000 * (1 + kRegret));
}

/// The cost of refreshing values counts: a format pays from four products on here.
TEST(Choice, ValuesThatChangeNowAndThen)
{
  for (const int period : {2, 3, 6, 20}) {
    Machine machine({{.product = 0.5, .build = 7, .refresh = 2}});
    for (int k = 0; k < 4000; ++k) {
      machine.ChangeValues();
      machine.Multiply(period);
    }
    EXPECT_LE(machine.excess, kRounding) << period;
    if (period > 4) EXPECT_GT(machine.refreshes, 3500) << period;
    else EXPECT_LT(machine.refreshes, 100) << period;
  }
}

/// Values that stop changing after a long time: the format comes back.
TEST(Choice, ValuesThatStopChanging)
{
  Machine machine({{.product = 0.5, .build = 7, .refresh = 2}});
  machine.Multiply(500);
  for (int k = 0; k < 500; ++k) {
    machine.ChangeValues();
    machine.Multiply();
  }
  EXPECT_EQ(machine.Multiply(), kAij);
  EXPECT_EQ(machine.Multiply(200), 1u);
  EXPECT_LE(machine.excess, kRounding);
}

/// A new matrix with a known pattern has the answer as soon as it may cost what looking it up takes, if matrices live long enough.
TEST(Choice, KnownPatterns)
{
  for (const int lives : {5, 40}) {
    Machine machine({{.product = 0.5, .build = 7}});
    machine.Multiply(500);
    for (int matrix = 0; matrix < 50; ++matrix) {
      machine.NewMatrix(false);
      machine.Multiply(lives);
    }
    machine.NewMatrix(false);
    EXPECT_EQ(machine.Multiply(2), lives > 14 ? 1u : kAij) << lives;
    EXPECT_LE(machine.excess, kRounding) << lives;
  }
}

/// Matrices of other sizes, but of the same role, have told for how many products a layout is worth it. One that lives longer is
/// presumed to be in a solve, as if nothing were known.
TEST(Choice, RolesTellOfMatricesOfOtherSizes)
{
  constexpr int kInSolve = 10, kLookedAt = 3; // products until one is presumed; until the pattern is looked at
  int           of_first = 0;
  for (const int lives : {0, 5, 40}) {
    Machine machine({{.product = 0.5, .build = 8, .parts = 8}});
    machine.Work(1000);
    for (int matrix = 0; lives > 0 && matrix < 3; ++matrix) {
      machine.Multiply(lives);
      machine.NewSize();
    }
    const int before = machine.products[kAij];
    EXPECT_EQ(machine.Multiply(60), 1u) << lives;
    const int by_aij = machine.products[kAij] - before;
    if (lives == 0) of_first = by_aij;
    EXPECT_EQ(by_aij, of_first - (lives == 40 ? kInSolve - kLookedAt : 0)) << lives;
    EXPECT_LE(machine.excess, kRounding) << lives;
  }
}

/// Matrices that are destroyed before a trial could end are not looked at, once it is known of their size or role.
TEST(Choice, MatricesThatEndSoon)
{
  for (const bool of_one_size : {true, false}) {
    Machine machine({{.product = 0.5, .build = 1}});
    machine.Work(1000);
    double before = 0;
    for (int matrix = 0; matrix < 20; ++matrix) {
      if (matrix == 1) before = machine.Time();
      machine.Multiply(matrix == 0 ? 8 : 7);
      if (of_one_size) machine.NewMatrix(true);
      else machine.NewSize();
    }
    EXPECT_NEAR(machine.Time() - before, 19 * 7, kRounding) << of_one_size;
    const int builds = machine.builds;
    machine.Multiply(100); // one that does not
    EXPECT_EQ(machine.builds, builds + 1) << of_one_size;
  }
}

TEST(Choice, NoMemory)
{
  Machine machine({{.product = 0.5, .build = 7, .fits = false}, {.product = 0.8, .build = 2}});
  EXPECT_EQ(machine.Multiply(3000), 2u);
  EXPECT_EQ(machine.products[1], 0);
  EXPECT_LE(machine.excess, kRounding);
}

TEST(Choice, WhyAijMultiplies)
{
  Machine few({{.product = 0.5, .build = 7}}), early({{.product = 0.5, .build = 7}}), slower({{.product = 1.05, .build = 1}}),
    changing({{.product = 0.5, .build = 7, .refresh = 2}}), no_memory({{.product = 0.5, .build = 7, .fits = false}});
  EXPECT_EQ(few.Multiply(10), kAij);
  EXPECT_EQ(few.TheChoice().Why(), WhyAij::Few);
  EXPECT_EQ(few.Multiply(20), kAij); // by now 7 products' time would pay, but is a fourth of the program's
  EXPECT_EQ(few.TheChoice().Why(), WhyAij::Budget);
  early.start = 20;
  EXPECT_EQ(early.Multiply(200), kAij); // what the process needs once would pay, but is a tenth of the program's
  EXPECT_EQ(early.TheChoice().Why(), WhyAij::Budget);
  EXPECT_EQ(slower.Multiply(500), kAij);
  EXPECT_EQ(slower.TheChoice().Why(), WhyAij::NotFaster);
  for (int k = 0; k < 3000; ++k) {
    changing.ChangeValues();
    changing.Multiply();
  }
  EXPECT_EQ(changing.TheChoice().Why(), WhyAij::Changing);
  EXPECT_EQ(no_memory.Multiply(3000), kAij);
  EXPECT_EQ(no_memory.TheChoice().Why(), WhyAij::NoMemory);
}

/// A machine that becomes slower at any moment, such as in the middle of a trial, decides nothing.
TEST(Choice, AMachineThatSlowsDown)
{
  for (int when = 1; when < 200; ++when) {
    Machine equal({{.product = 1, .build = 1}}), faster({{.product = 0.6, .build = 1}});
    for (Machine *machine : {&equal, &faster}) {
      machine->Multiply(when);
      machine->slow = 3;
      machine->Multiply(1000);
    }
    EXPECT_EQ(equal.TheChoice().OfPattern().adopted, kAij) << when;
    EXPECT_EQ(faster.TheChoice().OfPattern().adopted, 1u) << when;
  }
}

/// A format that becomes slower than AIJ, for example because another program takes the cache, is dropped, and costs little until
/// then: AIJ is always allowed.
TEST(Choice, AFormatThatBecomesSlow)
{
  for (const double slow : {1.01, 1.3, 3.0, 30.0}) {
    for (const int when : {200, 1000, 5000}) {
      Machine machine({{.product = 0.5, .build = 1}});
      EXPECT_EQ(machine.Multiply(when), 1u);
      machine.Of(1).product = slow;
      machine.Multiply(100);
      EXPECT_EQ(machine.TheChoice().OfPattern().adopted, kAij) << slow << " after " << when;
      const double then = machine.Time() - machine.Aij();
      machine.Multiply(3000);
      EXPECT_LE(machine.Time() - machine.Aij(), then + kRegret * 3000) << slow << " after " << when;
    }
  }
}

/// A product during which the process was stopped for long neither ends all trials nor blocks one.
TEST(Choice, AProcessThatIsStopped)
{
  for (int when = 1; when < 200; ++when) {
    Machine machine({{.product = 0.5, .build = 2}});
    machine.Multiply(when);
    machine.stopped = 1e6;
    machine.Multiply();
    machine.stopped = 0;
    EXPECT_EQ(machine.Multiply(3000), 1u) << when;
  }
}

/// On a machine that others disturb at every second product, a format that is faster stays.
TEST(Choice, ADisturbedMachine)
{
  std::mt19937                     random(1);
  std::uniform_real_distribution<> part(0, 1);
  int                              by_format = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Machine machine({{.product = 0.6, .build = 3}});
    machine.Work(1000);
    for (int k = 0; k < 300; ++k) {
      machine.slow = 1 + (part(random) < 0.5 ? 2 * part(random) : 0);
      machine.Multiply();
    }
    by_format += machine.products[1];
  }
  EXPECT_GT(by_format, 200 * 250);
}

/// That AIJ won is known to other matrices of the pattern too.
TEST(Choice, PatternsThatAijIsTheBestWith)
{
  Machine machine({{.product = 1.05, .build = 1}, {.product = 1.1, .build = 1}});
  machine.Multiply(500);
  const int builds = machine.builds;
  EXPECT_EQ(builds, 2);
  for (int matrix = 0; matrix < 20; ++matrix) {
    machine.NewMatrix(false);
    machine.Multiply(100);
  }
  EXPECT_EQ(machine.builds, builds);
}

/// A matrix of another pattern, of the same size as those that have adopted a format, finds its own.
TEST(Choice, OtherPatternsOfTheSameSize)
{
  Machine machine({{.product = 0.5, .build = 7}});
  machine.Multiply(1000);
  machine.NewMatrix(true);
  machine.Of(1).product = 0.6;
  EXPECT_EQ(machine.Multiply(1000), 1u);
  EXPECT_LE(machine.excess, kRounding);
}

/// Values that changed at first, and never again: a new matrix still builds.
TEST(Choice, ValuesThatChangeOnlyAtFirst)
{
  Machine machine({{.product = 0.5, .build = 7, .refresh = 2}});
  machine.Multiply(500);
  machine.NewMatrix(false);
  machine.Multiply(1);
  machine.ChangeValues();
  EXPECT_EQ(machine.Multiply(300), 1u);
}

} // namespace
} // namespace petscspmv::spmv::test
