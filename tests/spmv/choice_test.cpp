// Who does the products, and what that costs: on a machine whose clock is set by the test.
#include "mat/tuning/choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <vector>

namespace petscspmv::spmv::test {
namespace {

constexpr double kRegret   = 0.05;
constexpr double kRounding = 1e-9;

/// A format on this machine: what it takes, in units of a product by AIJ, and what is predicted.
struct Format {
  double product = 1, build = 0, refresh = 0;
  double predicted      = 0.5; // product
  double predicted_cost = 1;   // of build and refresh, over what they take
  bool   fits           = true;
};

/// A program: the time it has taken, and what of that AIJ would not have taken.
struct Program {
  double                  seconds = 0, lost = 0;
  std::shared_ptr<Budget> budget = std::make_shared<Budget>([this] { return seconds; });
};

/// A machine with a program that multiplies with one matrix after the other. A product by AIJ takes `slow` seconds.
class Machine {
public:
  explicit Machine(std::vector<Format> formats, std::shared_ptr<Program> program = std::make_shared<Program>()) :
    program_(std::move(program)), formats_(std::move(formats))
  {
    NewMatrix(true);
  }

  /// A new matrix of the same size, with another pattern or the same.
  void NewMatrix(bool other_pattern)
  {
    if (other_pattern) {
      known_ = nullptr;
      loss_ = of_pattern_ = 0;
    }
    choice_ = std::make_unique<Choice>(program_->budget, family_, formats_.size() + 1, kRegret);
    made_.assign(formats_.size(), Made::No);
  }
  void ChangeValues()
  {
    choice_->ValuesChanged();
    for (Made &made : made_) {
      if (made == Made::Current) made = Made::Stale;
    }
  }
  /// The program does something else.
  void Work(double products) { program_->seconds += products * slow; }

  /// Does a product and returns the candidate that did it.
  std::size_t Multiply()
  {
    const double start = time_;
    if (choice_->WantsSearch(0)) {
      if (known_) choice_->SetPattern(known_, true, Pass(reading));
      else choice_->Searched(Pass(reading));
    }
    if (choice_->WantsPattern(0)) choice_->SetPattern(pattern_ = Predict(), false, Pass(look));
    if (choice_->WantsRecord()) {
      if (!known_) known_ = pattern_;
      choice_->Recorded(Pass(reading));
    }
    std::size_t candidate = choice_->Next();
    if (candidate != kAij && made_[candidate - 1] != Made::Current && !Prepare(candidate)) candidate = kAij;
    choice_->Multiplied(Pass(stopped + (candidate == kAij ? 1 : formats_[candidate - 1].product)));
    for (std::size_t k = 0; k < made_.size(); ++k) {
      if (!choice_->Keeps(k + 1)) made_[k] = Made::No;
    }
    Count(time_ - start);
    ++products[candidate];
    Work(beside);
    return candidate;
  }
  std::size_t Multiply(int n)
  {
    std::size_t candidate = kAij;
    while (n-- > 0) candidate = Multiply();
    return candidate;
  }

  Format       &Of(std::size_t format) { return formats_[format - 1]; }
  double        Time() const { return time_; }
  double        Aij() const { return aij_; }
  const Choice &TheChoice() const { return *choice_; }

  double             slow = 1, look = 0.05, reading = 0.5;
  double             beside  = 0; // what the program does for each product, in products by AIJ
  double             stopped = 0; // seconds, in each product
  double             excess  = 0; // of the loss over one of the two bounds, after the product where it was the largest
  int                builds = 0, refreshes = 0;
  std::array<int, 8> products{}; // by candidate

private:
  enum class Made { No, Stale, Current };

  double Pass(double seconds)
  {
    time_ += seconds * slow;
    program_->seconds += seconds * slow;
    return seconds * slow;
  }
  /// Compares the losses with the bounds after a product. A pattern's gains pay for its earlier losses alone.
  void Count(double seconds)
  {
    const double before = loss_;
    loss_               = std::max(0., loss_ + seconds - slow);
    program_->lost += loss_ - before;
    aij_ += slow;
    of_pattern_ += slow;
    excess = std::max({excess, program_->lost - kRegret * program_->seconds, loss_ - of_pattern_});
  }
  std::shared_ptr<Pattern> Predict()
  {
    auto pattern = std::make_shared<Pattern>(formats_.size() + 1);
    for (std::size_t k = 0; k < formats_.size(); ++k) {
      const Format &f                      = formats_[k];
      pattern->candidates[k + 1].predicted = {f.predicted, f.build * f.predicted_cost, f.refresh * f.predicted_cost};
    }
    return pattern;
  }
  bool Prepare(std::size_t candidate)
  {
    const Format &f     = formats_[candidate - 1];
    const bool    built = made_[candidate - 1] == Made::No;
    if (built && !f.fits) {
      choice_->CannotBeMade(Pass(0.1));
      return false;
    }
    ++(built ? builds : refreshes);
    choice_->Prepared(built, Pass(built ? f.build : f.refresh));
    made_[candidate - 1] = Made::Current;
    return true;
  }

  std::shared_ptr<Program> program_;
  std::vector<Format>      formats_;
  std::vector<Made>        made_;
  std::shared_ptr<Family>  family_ = std::make_shared<Family>();
  std::shared_ptr<Pattern> pattern_, known_; // of the matrix; found by a lookup
  std::unique_ptr<Choice>  choice_;
  double                   time_ = 0, aij_ = 0;        // of products
  double                   loss_ = 0, of_pattern_ = 0; // of this pattern: the loss, and what AIJ would have taken
};

TEST(Choice, BeginsAsAij)
{
  Machine machine(std::vector<Format>{{.product = 0.1}});
  machine.Multiply(5);
  EXPECT_EQ(machine.products[kAij], 5);
  EXPECT_EQ(machine.Time(), 5);
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
  const std::vector<Format> formats{{.product = 0.8, .build = 1, .predicted = 0.7},
                                    {.product = 0.5, .build = 7},
                                    {.product = 0.45, .build = 14, .predicted = 0.4}};
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

/// A matrix that multiplies once, or a few times, loses nothing.
TEST(Choice, AFewProductsWithManyMatrices)
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

TEST(Choice, NoMemory)
{
  Machine machine({{.product = 0.5, .build = 7, .fits = false}, {.product = 0.8, .build = 2}});
  EXPECT_EQ(machine.Multiply(3000), 2u);
  EXPECT_EQ(machine.products[1], 0);
  EXPECT_LE(machine.excess, kRounding);
}

TEST(Choice, WhyAijMultiplies)
{
  Machine few({{.product = 0.5, .build = 7}}), slower({{.product = 1.05, .build = 1}}),
    changing({{.product = 0.5, .build = 7, .refresh = 2}}), no_memory({{.product = 0.5, .build = 7, .fits = false}});
  EXPECT_EQ(few.Multiply(20), kAij);
  EXPECT_EQ(few.TheChoice().Why(), WhyAij::Few);
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

/// On any machine whose costs are predicted exactly, whatever programs do next: with several matrices at a time, with much or
/// little beside products.
TEST(Choice, TheBoundsHoldAlways)
{
  std::mt19937                     random(1);
  std::uniform_real_distribution<> part(0, 1);
  for (int trial = 0; trial < 300; ++trial) {
    const auto           program = std::make_shared<Program>();
    std::vector<Machine> machines;
    const int            together = 1 + trial % 3;
    for (int k = 0; k < together; ++k) {
      std::vector<Format> formats(1 + trial % 4);
      for (Format &f : formats)
        f = {.product   = 0.2 + 1.3 * part(random),
             .build     = 20 * part(random),
             .refresh   = 4 * part(random),
             .predicted = 0.2 + part(random),
             .fits      = part(random) < 0.9};
      machines.emplace_back(formats, program);
      machines.back().slow   = 0.1 + part(random);
      machines.back().beside = trial % 2 ? 20 * part(random) * part(random) : 0;
    }
    const double changes = part(random) * part(random), matrices = 0.1 * part(random) * part(random), others = part(random);
    for (int k = 0; k < 2000; ++k) {
      Machine &machine = machines[static_cast<std::size_t>(k * together / 2000 + k) % machines.size()];
      if (part(random) < changes) machine.ChangeValues();
      if (part(random) < matrices) machine.NewMatrix(part(random) < others);
      if (part(random) < 0.01) machine.Work(100 * part(random));
      machine.Multiply();
      ASSERT_LE(machine.excess, 1e-6) << "trial " << trial << ", product " << k;
    }
  }
}

/// A program that does its worst: as soon as a layout is made, the matrix is destroyed, or its values change.
TEST(Choice, TheBoundsHoldWithAnAdversary)
{
  for (const bool destroys : {false, true}) {
    for (const double beside : {0., 1., 100.}) {
      Machine machine({{.product = 0.5, .build = 7, .refresh = 2}, {.product = 0.9, .build = 1, .refresh = 1, .predicted = 0.7}});
      machine.beside = beside;
      for (int k = 0; k < 20000; ++k) {
        const int made = machine.builds + machine.refreshes;
        machine.Multiply();
        if (made == machine.builds + machine.refreshes) continue;
        if (destroys) machine.NewMatrix(k % 3 == 0);
        else machine.ChangeValues();
      }
      EXPECT_GT(machine.builds, destroys ? 20 : 0);
      EXPECT_LE(machine.excess, kRounding) << destroys << ", " << beside;
    }
  }
}

/// Many matrices that each multiply once lose nothing, even if all before were used for long and the program can afford it.
TEST(Choice, ManyMatricesThatMultiplyOnce)
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
TEST(Choice, ABuildThatIsDearerThanPredicted)
{
  Machine machine({{.product = 0.99, .build = 40, .predicted_cost = 0.1}});
  machine.Multiply(20000);
  EXPECT_GT(machine.builds, 0);
  EXPECT_LE(machine.excess, 0.9 * 40);
}

} // namespace
} // namespace petscspmv::spmv::test
