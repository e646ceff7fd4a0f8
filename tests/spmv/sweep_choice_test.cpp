// When layouts of triangles are made, on a machine whose clock is set by the test.
#include "mat/tuning/sweep_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <utility>

namespace petscspmv::spmv::test {
namespace {

constexpr double kRegret = 0.05, kRounding = 1e-9;

constexpr SweepFamily kNoPlain{.name = "", .plain = false}; // no plain loop

/// What layouts take, in sweeps by PETSc's loop, which take a second each: by default what is expected before any measurement.
struct Costs {
  double sweep = SweepFamily{}.layouts, plan = 1, build = SweepFamily{}.build, refresh = 5;
  int    parts  = 1;
  bool   apart  = true;                     // whether they may be made in several parts
  double unlike = 1;                        // what a loop takes for the work of rows without a part, over that of the others
  double plain = 1, prepare = 0, renew = 0; // the plain loop: a sweep, over PETSc's; its preparation; with new values
  bool   has_plain = false;
  double loop      = 0.75;  // what the plain loop is expected to take
  double layouts   = 0.65;  // what layouts are expected to take at most
  double guess     = 1;     // what other ways than PETSc's loop take for sweeps of kind 1, over those of kind 0
  bool   in_rounds = false; // whether other processes wait for this one
};

constexpr double kMake = Costs{}.plan + Costs{}.build;

/// A program with one matrix after the other.
class Machine {
public:
  explicit Machine(Costs costs) : costs_(costs) { NewMatrix(); }

  void NewMatrix()
  {
    choice_ = nullptr; // what it found is known to the next
    choice_ = std::make_unique<SweepChoice>(budget_, findings_);
    stale_ = ready_ = was_ready_ = false;
  }
  void NewPattern()
  {
    choice_->NewPattern();
    stale_ = ready_ = was_ready_ = false;
  }
  void ChangeValues()
  {
    choice_->NewValues();
    stale_ = choice_->Made() > 0;
    ready_ = false;
    since_ = 0;
  }
  void Work(double seconds) { seconds_ += seconds; }
  void Spend() { budget_->Lose(MayBeLost(seconds_, kRegret) - lost_); } // what is left of the budget

  /// Applies two sweeps; returns whether layouts did.
  bool Apply(std::size_t kind = 0)
  {
    constexpr double kSweeps = 2;
    if (!knows_product && choice_->WantsMeasurement(measurement)) {
      knows_product = true;
      ++measurements;
      Lose(measurement);
      choice_->Spend(measurement);
    }
    choice_->ExpectMoreThan(knows_product ? product : 0);
    SweepBy by = choice_->Next(kind);
    if (by == SweepBy::Layouts) Prepare();
    if (by == SweepBy::Layouts) by = choice_->AfterMaking();
    if (by == SweepBy::Plain) PreparePlain();
    if (std::exchange(prepared_, false)) delayed.insert(since_);
    ++since_;
    const bool   layouts  = by == SweepBy::Layouts;
    const double share    = layouts ? static_cast<double>(choice_->Made()) / costs_.parts : 0;
    const double by_petsc = kSweeps * pace, guess = kind == 1 ? costs_.guess : 1,
                 of_rest = by_petsc * (1 - share) * (by == SweepBy::Aij ? 1 : costs_.plain * guess),
                 seconds = by_petsc * share * costs_.sweep * guess + of_rest;
    Lose(seconds - by_petsc);
    prepared_ = false;
    seconds_ += by_petsc;
    of_sweeps_ += by_petsc;
    const double work = (1 - share) / costs_.unlike;
    choice_->Swept(by, kSweeps, choice_->Timed(by) ? std::optional(seconds) : std::nullopt, {work / (work + share), of_rest});
    excess = std::max(excess, lost_ - MayBeLost(seconds_, kRegret));
    ++(by == SweepBy::Plain ? plain : by == SweepBy::Aij ? aij : by_layouts);
    return layouts;
  }

  int    Made() const { return choice_->Made(); }
  double BookedLosses() const // by what of the budget is left
  {
    double low = 0, high = 1e6;
    while (high - low > kRounding / 2)
      (budget_->Allows((low + high) / 2, kRegret, true, LayoutUse::Sweeps) ? low : high) = (low + high) / 2;
    return MayBeLost(seconds_, kRegret) - low;
  }
  double Lost() const { return lost_; }
  int    ByOurs() const { return plain + by_layouts; }
  void   ResetCounts() { plain = aij = by_layouts = 0; }
  double Seconds() const { return of_sweeps_; } // and of what was made for them

  void SetGuess(double guess) { costs_.guess = guess; }

  double        pace          = 1;    // of all sweeps, over what they took at first
  double        product       = 0;    // seconds for a sweep's entries in the nearest cache
  bool          knows_product = true; // if not, after a measurement in so many seconds
  double        measurement   = 2;
  int           measurements  = 0;
  int           plans = 0, builds = 0, refreshes = 0;
  int           plain = 0, aij = 0, by_layouts = 0; // applications
  double        excess = 0;                         // seconds lost beyond the budget, at most
  std::set<int> delayed;                            // applications, since values changed, before which something was prepared

private:
  void PreparePlain()
  {
    if (ready_) return;
    const double cost = was_ready_ ? costs_.renew : costs_.prepare;
    Lose(cost);
    choice_->PlainPrepared(cost);
    ready_ = was_ready_ = true;
  }
  void Prepare()
  {
    ready_ = was_ready_ = true;
    if (choice_->MustPlan()) {
      ++plans;
      Lose(costs_.plan);
      choice_->Planned(costs_.parts, costs_.plan);
    } else if (std::exchange(stale_, false)) {
      ++refreshes;
      const double cost = costs_.refresh * choice_->Made() / costs_.parts;
      Lose(cost);
      choice_->Prepared(cost);
    }
    while (choice_->WantsPart()) {
      builds += choice_->Made() == 0;
      Lose(costs_.build / costs_.parts);
      choice_->PartMade(costs_.build / costs_.parts);
    }
  }
  void Lose(double seconds)
  {
    prepared_ = true;
    seconds_ += seconds;
    of_sweeps_ += seconds;
    lost_ = std::max(0., lost_ + seconds);
  }

  Costs                          costs_;
  double                         of_sweeps_ = 0;
  double                         seconds_ = 0, lost_ = 0; // of the program, and of these what AIJ would not have taken
  std::shared_ptr<Budget>        budget_   = std::make_shared<Budget>([this] { return seconds_; }, costs_.in_rounds);
  std::shared_ptr<SweepFindings> findings_ = std::make_shared<SweepFindings>(
    costs_.apart ? SweepFamily{.name = "", .plain = costs_.has_plain, .loop = costs_.loop, .layouts = costs_.layouts}
                 : SweepFamily{.name = "", .in_one_part = true, .build = costs_.build, .plain = costs_.has_plain});
  std::unique_ptr<SweepChoice> choice_;
  bool                         stale_ = false, ready_ = false, was_ready_ = false; // layouts; the plain loop
  bool                         prepared_ = false;                                  // in this application
  int                          since_    = 0;                                      // applications since values changed
};

/// Where other processes wait, they wait at the same applications.
TEST(SweepChoice, InRounds)
{
  for (const bool has_plain : {false, true}) {
    Machine machine({.parts = 8, .plain = 0.8, .prepare = 2, .renew = 1, .has_plain = has_plain, .in_rounds = true});
    machine.Work(300);
    for (int values = 0; values < 3; ++values) {
      for (int k = 0; k < 150; ++k) machine.Apply();
      machine.ChangeValues();
    }
    EXPECT_GT(machine.by_layouts, 200) << has_plain;
    EXPECT_LE(machine.excess, kRounding) << has_plain;
    for (const int application : machine.delayed) EXPECT_TRUE(IsRound(application)) << application;
  }
}

/// Where nothing was measured, that is done first: a plan that gains nothing costs more.
TEST(SweepChoice, MeasuresBeforeItPlans)
{
  for (const double product : {0.3, 1.1}) {
    for (const double measurement : {2., 100.}) {
      Machine machine({.parts = 8});
      machine.Work(1000);
      machine.product       = product;
      machine.knows_product = false;
      machine.measurement   = measurement;
      for (int k = 0; k < 60; ++k) machine.Apply();
      EXPECT_EQ(machine.measurements, measurement < kMake ? 1 : 0) << product;
      EXPECT_EQ(machine.plans, product < 1 || measurement > kMake ? 1 : 0) << product << " " << measurement;
      EXPECT_LE(machine.excess, kRounding) << product << " " << measurement;
    }
  }
}

TEST(SweepChoice, BuildsWhenItPaysAndIsAffordable)
{
  Machine idle({}), busy({});
  busy.Work(1e6);
  int by_loop = 0, by_loop_when_busy = 0;
  while (!idle.Apply()) ++by_loop;
  while (!busy.Apply()) ++by_loop_when_busy;
  EXPECT_NEAR(by_loop, kMake / kRegret / 2, 16); // a twentieth of the time, asked for once in 16 applications
  EXPECT_EQ(by_loop_when_busy, 10);              // a solve is under way
}

TEST(SweepChoice, BuildsAtOnceWhatLastsLong)
{
  Machine machine({});
  machine.Work(1e6);
  for (int k = 0; k < 1000; ++k) machine.Apply();
  machine.NewMatrix();
  int by_loop = 0;
  while (!machine.Apply()) ++by_loop;
  EXPECT_NEAR(by_loop, 7, 1); // as long as it could lose more than PETSc's loop took
}

/// Parts gain before the whole is affordable.
TEST(SweepChoice, PartsGainFirst)
{
  Machine whole({.sweep = 0.5}), in_parts({.sweep = 0.5, .parts = 8});
  for (Machine *machine : {&whole, &in_parts}) {
    machine->Work(200);
    for (int k = 0; k < 150; ++k) machine->Apply();
    EXPECT_EQ(machine->builds, 1);
    EXPECT_LE(machine->excess, kRounding);
  }
  EXPECT_EQ(in_parts.Made(), 8);
  EXPECT_LT(in_parts.Seconds(), 0.9 * whole.Seconds());
}

/// PETSc's loop by nodes may take little longer than a product in the nearest cache. What layouts were found to take counts more.
TEST(SweepChoice, ExpectsLayoutsToTakeLongerThanAProduct)
{
  Machine    machine({});
  const auto sweep = [&](double product) {
    machine.NewMatrix();
    machine.product = product;
    machine.Work(1e6);
    for (int k = 0; k < 500; ++k) machine.Apply();
  };
  sweep(0.9);
  EXPECT_EQ(machine.plans, 0);
  sweep(0.7);
  EXPECT_EQ(machine.builds, 1);
  sweep(1.1);
  EXPECT_EQ(machine.builds, 2);
}

/// What PETSc's loop took with another pattern does not count.
TEST(SweepChoice, ComparesWithTheLoopOfThisPattern)
{
  Machine machine({});
  machine.Work(1e6);
  for (int k = 0; k < 200; ++k) machine.Apply();
  machine.NewPattern();
  machine.pace = 10;
  machine.Work(1e6);
  int by_layouts = 0;
  for (int k = 0; k < 200; ++k) by_layouts += machine.Apply();
  EXPECT_GT(by_layouts, 100);
}

/// One part that is made late gains nothing: the next ones come later still.
TEST(SweepChoice, BeginsWhenHalfOfItIsAffordable)
{
  Machine poor({.parts = 8}), rich({.parts = 8});
  poor.Work(60);
  rich.Work(300);
  for (int k = 0; k < 30; ++k) {
    poor.Apply();
    rich.Apply();
  }
  EXPECT_EQ(poor.builds, 0);
  EXPECT_EQ(rich.builds, 1);
}

TEST(SweepChoice, LeavesShortLivesToPetsc)
{
  Machine machine({});
  machine.Work(1e6);
  for (int matrix = 0; matrix < 100; ++matrix) {
    machine.NewMatrix();
    for (int k = 0; k < 20; ++k) machine.Apply();
  }
  EXPECT_EQ(machine.builds, 1); // of the first one nobody knew
}

TEST(SweepChoice, RefreshesWhatPays)
{
  for (const int period : {2, 3, 20}) {
    Machine machine({});
    machine.Work(1e6);
    for (int k = 0; k < 1000; ++k) machine.Apply();
    ASSERT_EQ(machine.builds, 1);
    for (int step = 0; step < 100; ++step) {
      machine.ChangeValues();
      for (int k = 0; k < period; ++k) {
        const bool layouts = machine.Apply();
        if (step > 10 && k == 0) {
          EXPECT_EQ(layouts, period == 20) << period << ", " << step;
        }
      }
    }
  }
}

/// What this matrix's own sweeps take counts, not what is expected of others.
TEST(SweepChoice, RefreshesNothingThatGainsLess)
{
  Machine machine({.sweep = 0.9});
  machine.Work(1e6);
  for (int k = 0; k < 1000; ++k) machine.Apply();
  ASSERT_EQ(machine.builds, 1);
  int before = 0;
  for (int step = 0; step < 100; ++step) {
    machine.ChangeValues();
    for (int k = 0; k < 10; ++k) machine.Apply();
    if (step == 10) before = machine.refreshes; // by now it is known how long values last
  }
  EXPECT_EQ(machine.refreshes, before);
}

TEST(SweepChoice, DropsWhatIsSlower)
{
  Machine machine({.sweep = 1.2});
  machine.Work(1e6);
  int by_layouts = 0;
  for (int k = 0; k < 1000; ++k) by_layouts += machine.Apply();
  EXPECT_EQ(by_layouts, 5);
}

/// Also where no more of them can be afforded, and where the other rows' work, which takes longer, makes them look fast.
TEST(SweepChoice, DropsPartsThatAreSlower)
{
  for (const auto &[sweep, unlike] : {std::pair{1.02, 1.}, {1.2, 1.}, {1.5, 2.}, {2., 3.}}) {
    Machine machine({.sweep = sweep, .parts = 8, .unlike = unlike});
    machine.Work(260);
    for (int k = 0; k < 100; ++k) machine.Apply();
    EXPECT_EQ(machine.builds, 1) << sweep;
    EXPECT_EQ(machine.Made(), 0) << sweep;
  }
}

/// As where the vectors of a solve come to fill the caches.
TEST(SweepChoice, KeepsWhatIsFasterThanPetscsLoopIsByNow)
{
  Machine machine({.parts = 8});
  for (int k = 0; k < 10; ++k) machine.Apply();
  machine.pace = 2;
  machine.Work(1e6);
  for (int k = 0; k < 100; ++k) machine.Apply();
  EXPECT_EQ(machine.builds, 1);
  EXPECT_EQ(machine.Made(), 8);
}

/// Where most parts could be made at once, too few rows are left to tell: PETSc's loop has turns.
TEST(SweepChoice, SeesByTurnsWhatMostOfThePartsGain)
{
  Machine machine({.sweep = 0.6, .parts = 8});
  for (int k = 0; k < 8; ++k) machine.Apply();
  machine.pace = 2;
  machine.Work(170);
  while (!machine.Apply()) {
  }
  EXPECT_GT(machine.Made(), 4);
  EXPECT_LT(machine.Made(), 8);
  for (int k = 0; k < 40; ++k) machine.Apply();
  EXPECT_EQ(machine.Made(), 8);
}

/// Layouts in one part are not planned before all of it is affordable, once one is known to be.
TEST(SweepChoice, PlansNothingThatItCannotMake)
{
  Machine machine({});
  machine.Work(1e6);
  for (int k = 0; k < 1000; ++k) machine.Apply();
  machine.Spend();
  machine.NewMatrix();
  machine.Work(0.7 * kMake / kRegret); // enough for most of a layout
  for (int k = 0; k < 30; ++k) machine.Apply();
  EXPECT_EQ(machine.plans, 1);
}

/// The first that were slow may have been disturbed: only after three are the next ones expected to be slow.
TEST(SweepChoice, TriesAgainWhatWasSlower)
{
  Machine machine({.sweep = 1.2});
  machine.Work(1e6);
  for (int matrix = 0; matrix < 10; ++matrix) {
    machine.NewMatrix();
    for (int k = 0; k < 1000; ++k) machine.Apply();
  }
  EXPECT_EQ(machine.builds, 3);
}

/// Triangles that are not stored as they are solved take longer to make, in one part: the first of them is paid for as well.
TEST(SweepChoice, ExpectsMoreOfTransposedTriangles)
{
  Machine machine({.build = 23, .apart = false});
  while (!machine.Apply()) {
  }
  EXPECT_EQ(machine.builds, 1);
  EXPECT_LE(machine.excess, kRounding);
}

constexpr Costs kWithPlain{.parts = 8, .plain = 0.75, .prepare = 3, .renew = 1, .has_plain = true};

/// The plain loop gains long before layouts pay, and where they never do.
TEST(SweepChoice, PlainLoopGainsInShortSolves)
{
  Machine machine(kWithPlain);
  machine.Work(100);
  for (int k = 0; k < 60; ++k) machine.Apply();
  EXPECT_EQ(machine.plans, 0);
  EXPECT_EQ(machine.aij, 7 + 3); // as many sweeps as pay for the preparation, then in turns
  EXPECT_LT(machine.Seconds(), 0.85 * 120);
}

TEST(SweepChoice, PlainLoopThatIsSlowerHasThreeTurns)
{
  Costs costs = kWithPlain;
  costs.plain = 1.3;
  Machine machine(costs);
  machine.Work(1e6);
  for (int k = 0; k < 1000; ++k) machine.Apply();
  EXPECT_EQ(machine.plain, 3);
  EXPECT_EQ(machine.builds, 1);
  EXPECT_EQ(machine.Made(), 8);
  EXPECT_GT(machine.by_layouts, 900);
}

/// Layouts have to be faster than the faster loop: than is expected of them at first, then than they are measured to be.
TEST(SweepChoice, LayoutsCompeteWithThePlainLoop)
{
  for (const auto &[plain, sweep, builds, stay] :
       {std::tuple{0.75, 0.5, 1, true}, {0.75, 0.8, 1, false}, {0.95, 1.1, 1, false}, {0.6, 0.3, 1, true}}) {
    Costs costs = kWithPlain;
    costs.plain = plain;
    costs.sweep = sweep;
    Machine machine(costs);
    machine.Work(1e6);
    for (int k = 0; k < 3000; ++k) machine.Apply();
    EXPECT_EQ(machine.builds, builds) << sweep;
    EXPECT_EQ(machine.Made() > 0, stay) << sweep;
    EXPECT_GT(stay ? machine.by_layouts : machine.plain, 2500) << sweep;
  }
}

/// Later sweeps take longer by any way, as where the vectors of a solve come to fill the caches: no loss is booked for the plain
/// loop, which would keep the layouts of other matrices from being made.
TEST(SweepChoice, PlainLoopIsComparedWithWhatPetscsTakesByNow)
{
  Machine machine(kWithPlain);
  machine.Work(200);
  for (int k = 0; k < 4; ++k) machine.Apply();
  machine.pace  = 1.5;
  double losses = 0; // before layouts are planned
  for (int k = 0; k < 500 && machine.plans == 0; ++k) {
    losses = machine.BookedLosses();
    machine.Apply();
  }
  EXPECT_GT(machine.plain, 30);
  EXPECT_LE(losses, 2 * 0.5 * 4 + 2 + kRounding); // before the turns; and the preparation
}

/// Until values or pattern change, or layouts come to pay.
TEST(SweepChoice, RefusedPlainLoopIsNotAskedAgain)
{
  SweepChoice choice(std::make_shared<Budget>([] { return 1e6; }), std::make_shared<SweepFindings>(SweepFamily{}));
  const auto  sweep_until_wanted = [&] {
    int sweeps = 0;
    for (; choice.Next(0) == SweepBy::Aij && sweeps < 1000; ++sweeps) choice.Swept(SweepBy::Aij, 1, 1., {});
    return sweeps;
  };
  EXPECT_EQ(sweep_until_wanted(), 13); // for 12 or fewer the preparation does not pay
  ASSERT_EQ(choice.Next(0), SweepBy::Plain);
  choice.PostponePlain(0);
  EXPECT_FALSE(choice.HasPlain());
  EXPECT_EQ(choice.Why(), WhyAij::NoMemory);
  choice.NewValues();
  EXPECT_TRUE(choice.HasPlain());
  ASSERT_EQ(choice.Next(0), SweepBy::Plain);
  choice.RefusePlain(0);
  choice.NewValues();
  EXPECT_FALSE(choice.HasPlain());
  EXPECT_EQ(choice.Why(), WhyAij::NotFaster);
  sweep_until_wanted();
  EXPECT_EQ(choice.Next(0), SweepBy::Layouts);
  choice.NewPattern();
  EXPECT_TRUE(choice.HasPlain());
}

TEST(SweepChoice, SaysWhyThePlainLoopDoesNotSweep)
{
  const auto  budget = std::make_shared<Budget>([] { return 1e6; });
  SweepChoice choice(budget, std::make_shared<SweepFindings>(SweepFamily{}));
  EXPECT_EQ(choice.Why(), WhyAij::Few);
  for (int k = 0; k < 5; ++k) choice.Swept(SweepBy::Aij, 1, 1., {});
  EXPECT_EQ(choice.Why(), WhyAij::Few);
  budget->Lose(MayBeLost(1e6, kRegret));
  for (int k = 0; k < 50; ++k) choice.Swept(SweepBy::Aij, 1, 1., {});
  EXPECT_EQ(choice.Next(0), SweepBy::Aij);
  EXPECT_EQ(choice.Why(), WhyAij::Budget);
  budget->Lose(-MayBeLost(1e6, kRegret));
  ASSERT_EQ(choice.Next(0), SweepBy::Plain);
  choice.PlainPrepared(1);
  EXPECT_EQ(choice.Why(), WhyAij::Few); // in turns
  while (!choice.IsWithoutUse()) choice.Swept(choice.Next(0), 1, choice.Next(0) == SweepBy::Plain ? 2. : 1., {});
  EXPECT_NE(choice.Next(0), SweepBy::Plain);
  choice.Planned(4, 1);
  EXPECT_FALSE(choice.IsWithoutUse());
  choice.Freed();
  EXPECT_TRUE(choice.MustPlan());
}

TEST(SweepChoice, PlainLoopIsPreparedAnewWherePays)
{
  for (const int period : {1, 20}) {
    Costs costs = kWithPlain;
    costs.renew = 3;
    Machine machine(costs);
    machine.Work(1e3);
    for (int k = 0; k < 40; ++k) machine.Apply();
    for (int step = 0; step < 100; ++step) {
      machine.ChangeValues();
      if (step == 10) machine.ResetCounts();
      for (int k = 0; k < period; ++k) machine.Apply();
    }
    EXPECT_LE(machine.plain, period == 20 ? 90 * 20 : 0) << period;
    EXPECT_GE(machine.plain, period == 20 ? 0.98 * 90 * 20 : 0); // PETSc's loop has a turn now and then
    EXPECT_EQ(machine.by_layouts, 0);
  }
}

/// What does not fit now is wanted again after as many sweeps, or with new values.
TEST(SweepChoice, AsksAgainForWhatDidNotFit)
{
  const auto  findings = std::make_shared<SweepFindings>(kNoPlain);
  SweepChoice choice(std::make_shared<Budget>([] { return 1e6; }), findings);
  const auto  sweep_until_wanted = [&] {
    int sweeps = 0;
    for (; choice.Next(0) != SweepBy::Layouts && sweeps < 10000; ++sweeps) choice.Swept(SweepBy::Aij, 1, 1., {});
    return sweeps;
  };
  const int before = sweep_until_wanted();
  choice.Postpone(0);
  EXPECT_TRUE(choice.Refused());
  EXPECT_EQ(sweep_until_wanted(), before);
  for (int k = 0; k < 100; ++k) choice.Swept(SweepBy::Aij, 1, 1., {}); // enough for another refresh of values
  choice.Postpone(0);
  choice.NewValues();
  EXPECT_EQ(choice.Next(0), SweepBy::Layouts);
  choice.Refuse(0);
  choice.NewValues();
  EXPECT_EQ(sweep_until_wanted(), 10000);
}

/// What was chosen with one kind of sweeps may lose with another: only a few of those are lost, and the account has them.
TEST(SweepChoice, LeavesOtherKindsToPetscWhereTheyLose)
{
  for (const bool plain : {true, false}) {
    Costs costs = plain ? kWithPlain : Costs{};
    costs.sweep = plain ? 1 : costs.sweep; // layouts are dropped
    costs.guess = 3;
    Machine machine(costs);
    machine.Work(1e5);
    for (int k = 0; k < 600; ++k) machine.Apply(0);
    machine.ResetCounts();
    const double before = machine.Lost();
    for (int k = 0; k < 600; ++k) machine.Apply(1);
    EXPECT_EQ(plain ? machine.plain : machine.by_layouts, 9); // three turns each time
    EXPECT_GT(machine.Lost(), before);
    machine.ResetCounts();
    for (int k = 0; k < 600; ++k) machine.Apply(0);
    EXPECT_LE(machine.aij, 9);
    EXPECT_LE(machine.excess, kRounding);
  }
}

/// As with factors that PETSc solves by nodes.
TEST(SweepChoice, ExpectsThePlainLoopToLose)
{
  Costs costs = kWithPlain;
  costs.loop  = 1.5;
  Machine machine(costs);
  machine.Work(1e5);
  for (int k = 0; k < 600; ++k) machine.Apply();
  EXPECT_EQ(machine.plain, 0);
  EXPECT_GT(machine.by_layouts, 0);
}

/// As with relaxation by nodes: what they gain over a loop that is no faster than PETSc's.
TEST(SweepChoice, ExpectsLessOfSomeLayouts)
{
  for (const bool expects_less : {false, true}) {
    for (const double plain : {0.95, 0.4}) {
      Machine machine({.plain = plain, .has_plain = true, .layouts = expects_less ? 0.85 : 0.65});
      machine.Work(1e4);
      for (int k = 0; k < 60; ++k) machine.Apply();
      EXPECT_EQ(machine.plans, plain > 0.5 && !expects_less ? 1 : 0) << plain;
    }
  }
}

/// Where a kind was looked at long ago.
TEST(SweepChoice, LooksAgainNowAndThen)
{
  Machine machine(kWithPlain);
  machine.Work(1e5);
  for (std::size_t k = 0; k < 600; ++k) machine.Apply(k % 2);
  machine.SetGuess(3);
  machine.ResetCounts();
  for (std::size_t k = 0; k < 2000; ++k) machine.Apply(k % 2);
  EXPECT_LT(machine.ByOurs(), 1000 + 300);
  machine.SetGuess(1);
  machine.ResetCounts();
  for (std::size_t k = 0; k < 2000; ++k) machine.Apply(k % 2);
  EXPECT_LT(machine.aij, 300 + 50);
}

/// A kind that has not had its turns is swept by PETSc's loop as long as nothing may be lost.
TEST(SweepChoice, LooksAtNewKindsWithinTheBudget)
{
  Machine machine(kWithPlain);
  machine.Work(1e5);
  for (int k = 0; k < 100; ++k) machine.Apply(0);
  machine.Spend();
  machine.ResetCounts();
  for (int k = 0; k < 10; ++k) machine.Apply(1);
  EXPECT_EQ(machine.aij, 10);
  machine.Work(1e5);
  for (int k = 0; k < 50; ++k) machine.Apply(1);
  EXPECT_GT(machine.ByOurs(), 30);
}

/// Once nothing is left to decide, until values or pattern change.
TEST(SweepChoice, IsSettledInTheEnd)
{
  SweepChoice choice(std::make_shared<Budget>([] { return 1e6; }), std::make_shared<SweepFindings>(kNoPlain));
  const auto  sweep = [&](int times) {
    for (int k = 0; k < times; ++k) {
      const bool layouts = choice.Next(0) == SweepBy::Layouts;
      if (layouts && choice.MustPlan()) choice.Planned(1, 4);
      if (layouts && choice.WantsPart()) choice.PartMade(16);
      choice.Swept(layouts && choice.Made() > 0 ? SweepBy::Layouts : SweepBy::Aij, 1, layouts ? 0.5 : 1, {});
    }
  };
  sweep(10);
  EXPECT_FALSE(choice.IsSettled());
  sweep(200);
  EXPECT_EQ(choice.Made(), 1);
  EXPECT_TRUE(choice.IsSettled());
  choice.NewValues();
  EXPECT_FALSE(choice.IsSettled());
  choice.Refuse(0);
  EXPECT_TRUE(choice.IsSettled());
  choice.NewPattern();
  EXPECT_FALSE(choice.IsSettled());
}

TEST(SweepChoice, SaysWhy)
{
  double      seconds  = 1e6;
  const auto  findings = std::make_shared<SweepFindings>(kNoPlain);
  const auto  budget   = std::make_shared<Budget>([&] { return seconds; });
  SweepChoice choice(budget, findings);
  const auto  sweep = [&](int times) {
    for (int k = 0; k < times; ++k) choice.Swept(SweepBy::Aij, 1, 1., {});
  };
  EXPECT_EQ(choice.Why(), WhyAij::Few);
  sweep(3);
  EXPECT_EQ(choice.Why(), WhyAij::Few);
  budget->Lose(MayBeLost(seconds, kRegret));
  sweep(100);
  EXPECT_NE(choice.Next(0), SweepBy::Layouts);
  EXPECT_EQ(choice.Why(), WhyAij::Budget);
  choice.Postpone(0);
  EXPECT_EQ(choice.Why(), WhyAij::NoMemory);
  choice.NewValues();
  sweep(2);
  for (int k = 0; k < 10; ++k) { // two sweeps with each
    choice.NewValues();
    sweep(2);
  }
  EXPECT_EQ(choice.Why(), WhyAij::Changing);
  choice.Refuse(0);
  EXPECT_EQ(choice.Why(), WhyAij::NotFaster);
  choice.NewPattern();
  for (int k = 0; k < 5; ++k) findings->sweep.Add(1.5); // as with other matrices
  sweep(100);
  EXPECT_EQ(choice.Why(), WhyAij::NotFaster);
}

/// Parts that were made stay if the next one does not fit, and are given up if they cannot be refreshed.
TEST(SweepChoice, KeepsPartsIfTheNextOneDoesNotFit)
{
  const auto  findings = std::make_shared<SweepFindings>(kNoPlain);
  SweepChoice choice(std::make_shared<Budget>([] { return 1e6; }), findings);
  const auto  make_part = [&] {
    for (int sweeps = 0; sweeps < 10000; ++sweeps) {
      const bool layouts = choice.Next(0) == SweepBy::Layouts;
      if (layouts && (choice.MustPlan() || choice.WantsPart())) break;
      const bool by_layouts = layouts && choice.Made() > 0;
      choice.Swept(by_layouts ? SweepBy::Layouts : SweepBy::Aij, 1, by_layouts ? 0.5 : 1, {});
    }
    if (choice.MustPlan()) choice.Planned(4, 1);
    ASSERT_TRUE(choice.WantsPart());
    choice.PartMade(1);
  };
  make_part();
  choice.Postpone(0);
  EXPECT_EQ(choice.Made(), 1);
  EXPECT_FALSE(choice.Refused());
  EXPECT_EQ(choice.Next(0), SweepBy::Layouts);
  EXPECT_FALSE(choice.WantsPart());
  make_part();
  EXPECT_EQ(choice.Made(), 2);
  choice.Swept(SweepBy::Layouts, 1, 0.5, {});
  choice.NewValues();
  choice.Postpone(0);
  EXPECT_EQ(choice.Made(), 0);
  EXPECT_TRUE(choice.Refused());
  make_part();
  EXPECT_EQ(choice.Made(), 1);
}

/// Whatever the program does, an adversary too, which destroys matrices and changes values when layouts were made.
TEST(SweepChoice, StaysWithinTheBudget)
{
  std::mt19937                     random(1);
  std::uniform_real_distribution<> part(0, 1);
  for (int trial = 0; trial < 200; ++trial) {
    const bool has_plain = trial % 3 > 0;
    Machine    machine(
         {.parts = 1 + trial % 8, .plain = has_plain ? 0.5 + part(random) : 1, .prepare = 2, .renew = 1, .has_plain = has_plain});
    const double beside = trial % 2 ? 20 * part(random) : 0, matrices = 0.1 * part(random) * part(random), changes = part(random);
    const bool   adversary = trial % 4 < 2;
    for (int k = 0; k < 5000; ++k) {
      const int made = machine.builds + machine.refreshes;
      machine.Work(beside * part(random));
      machine.Apply();
      const bool strikes = adversary && machine.builds + machine.refreshes > made;
      if (part(random) < (strikes ? 0.5 : matrices)) machine.NewMatrix();
      else if (strikes || part(random) < changes) machine.ChangeValues();
      ASSERT_LE(machine.excess, kRounding) << trial << ", " << k;
    }
  }
}

} // namespace
} // namespace petscspmv::spmv::test
