// Who does the next sweeps with the triangles of a matrix or factor. Independent of clocks and kernels: the caller reports times.
#pragma once

#include "mat/tuning/account.hpp"
#include "mat/tuning/loop_choice.hpp"
#include "mat/tuning/recent_median.hpp"
#include "mat/tuning/sweep_kinds.hpp"
#include "mat/tuning/why_aij.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace petscspmv {

/// Triangles whose layouts are made alike.
struct SweepFamily {
  const char *name;
  bool        in_one_part = false;
  double      build       = 13;   // expected before any measurement, as SweepFindings::build; mostly first touch of new memory
  bool        plain       = true; // whether the plain loop can sweep
  double      loop        = 0.75; // what its sweeps are expected to take, over PETSc's loop
  double      layouts     = 0.65; // what those by layouts are expected to take, unless other measurements say less or more
};

/// What has been found out in this session about triangles of one family and size. Times are those of whole layouts, in units of a
/// sweep by PETSc's loop.
struct SweepFindings {
  explicit SweepFindings(const SweepFamily &of) : family(of), loops{.expected = of.loop}, parts(of.in_one_part ? 1 : 0) { }

  SweepFamily  family;
  RecentMedian life; // sweeps with each pattern
  RecentMedian plan, build, refresh, sweep;
  LoopFindings loops;
  int          parts; // in which the last layouts were made; 0: unknown
};

/// Once a solve is under way, the plain loop is prepared, and takes turns with PETSc's loop; the faster one goes on. Layouts are
/// planned once they pay, against that one, within the expected sweeps (as many as with the last patterns of this size, or as many
/// more as there were so far), and the budget of the process allows half of the parts. Then the parts are made one by one, and
/// each is decided on separately; rows without a part are swept by the plain loop. By then a loop may take longer than at first,
/// since other vectors have filled the caches. Its new time is first extrapolated from the rows without a part; after some sweeps
/// with the same parts, the loop gets a few more turns. Layouts that are not faster are dropped. What is chosen is then compared
/// with PETSc's loop for each kind of sweeps. Where other processes wait, preparations and turns are begun in rounds. All ways give
/// the same bits wherever PETSc adds a row's products in their order, so that results do not depend on the choice.
class SweepChoice {
public:
  SweepChoice(std::shared_ptr<Budget> budget, std::shared_ptr<SweepFindings> findings);
  ~SweepChoice();
  SweepChoice(const SweepChoice &)            = delete;
  SweepChoice &operator=(const SweepChoice &) = delete;

  void NewPattern();
  void NewValues();

  static constexpr int kMostParts = 8;

  /// Sets what a product with as many entries takes in the first-level cache, in seconds: a sweep by layouts is expected to take
  /// longer. 0: unknown.
  void ExpectMoreThan(double seconds) { product_ = seconds; }

  /// Whether to measure that first, in so many seconds: layouts, which cost more, are about to be planned. Spend() reports what it
  /// took.
  bool WantsMeasurement(double seconds);
  void Spend(double seconds) { Lose(seconds); }

  /// Who should do the next sweeps, of this kind; the plain loop and layouts may have to be prepared first. Ask once for each
  /// report of sweeps.
  SweepBy Next(std::size_t kind);
  bool    MustPlan() const { return parts_ == 0; }
  bool    Refused() const { return made_ == 0 && (refused_ || swept_ < again_); } // layouts

  /// Who sweeps if it is neither layouts nor a loop that has to be prepared.
  SweepBy Loop() const { return loops_.IsPlainFaster() && loops_.IsReady() ? SweepBy::Plain : SweepBy::Aij; }

  /// Who sweeps now that layouts were wanted: too few of their parts may have been made.
  SweepBy AfterMaking() const { return made_ > 0 && !IsHeldBack(ShareMade()) ? SweepBy::Layouts : Loop(); }

  /// Reports that the plain loop was prepared, with a new pattern, with new values or for the other triangle.
  void PlainPrepared(double seconds);

  /// Reports that the plain loop cannot sweep: never with this pattern, or not now, as in Postpone().
  void RefusePlain(double seconds);
  void PostponePlain(double seconds);

  bool HasPlain() const { return loops_.HasPlain(); }
  bool IsPlainReady() const { return loops_.IsReady(); }

  /// Reports that layouts were planned, in so many parts.
  void Planned(int parts, double seconds);

  /// Whether to make one more part now. PartMade() reports that it was made.
  bool WantsPart();
  void PartMade(double seconds);

  /// Reports that the existing parts were refreshed, or that the layout of the other triangle was made.
  void Prepared(double seconds);

  /// Reports that layouts, and the plan for them, were freed.
  void Freed()
  {
    parts_ = made_ = 0;
    stale_         = false;
  }

  int Made() const { return made_; } // parts

  /// Reports that there will be no layouts for this pattern, as where too few rows are side by side.
  void Refuse(double seconds);

  /// Reports that layouts, or one more part of them, cannot be made now, as where there is no memory. They are wanted again with
  /// new values, or after as many more sweeps as there were. Parts stay unless they could not be refreshed.
  void Postpone(double seconds);

  /// Whether sweeps must be timed.
  bool Timed(SweepBy by) const;

  /// The rows without a part, which a plain loop does: their share of the work, and seconds.
  struct Rest {
    double share = 0, seconds = 0;
  };

  /// Reports sweeps that were not chosen here.
  void Count(double sweeps);

  /// Reports sweeps, and, if they were timed, how long all of them took.
  void Swept(SweepBy by, double sweeps, std::optional<double> seconds, const Rest &rest);

  /// Whether the choice is made, until values or pattern change.
  bool IsSettled() const;

  /// Whether PETSc's loop was faster than the plain one, and no layout is planned: nothing that was prepared is of use.
  bool IsWithoutUse() const { return MustPlan() && loops_.IsCompared() && !loops_.IsPlainFaster(); }

  /// Seconds of such a sweep by PETSc's loop, the least so far or as estimated from the plain loop's; 0: unknown.
  double AijSeconds() const { return by_kind_ ? kinds_.Seconds(SweepBy::Aij).value_or(aij_) : aij_; }

  /// Why PETSc's loop sweeps.
  WhyAij Why() const;

private:
  static constexpr std::int64_t kTimed = 5, kTimedAij = 8; // timed reports: by layouts with the same parts; by PETSc
  static constexpr std::int64_t kTurns = 3;                // of the faster loop, after the timed reports by layouts

  double  ShareMade() const { return static_cast<double>(made_) / parts_; }
  bool    MostAreMade() const { return 2 * made_ > parts_; }
  bool    IsLoopsTurn() const { return made_ > 0 && !stale_ && timed_layouts_ >= kTimed && turn_ < kTurns; }
  bool    PlainPays() const;
  bool    IsLoopKnown() const { return loops_.IsCompared() || !loops_.HasPlain() || !PlainPays(); }
  double  LoopSeconds() const { return loops_.IsPlainFaster() ? loops_.Plain() * aij_ : aij_; } // of a sweep by the faster loop
  double  SecondsToPlan() const;
  double  SecondsToMake() const;          // all parts
  double  SecondsToRefresh() const;       // all parts
  double  ByLayouts() const;              // seconds per sweep, with all parts
  double  WithParts(double share) const;  // with this share of them
  bool    IsHeldBack(double share) const; // these do not make up for a plain loop that is slower than PETSc's
  double  FirstShare() const;             // of the parts, that must be affordable before the first one is made
  double  Gain() const;                   // seconds saved per sweep over the faster loop, less its share of refreshes
  double  ExpectedSweeps(bool stale) const;
  bool    Allows(double seconds);
  bool    MayBegin(double seconds) { return budget_->IsTime(applied_) && Allows(seconds); }
  void    Lose(double seconds) { budget_->Lose(account_.Lose(seconds)); }
  SweepBy NextOfAnyKind();
  bool    WantsPlan();
  bool    WantsLayouts();
  SweepBy NextLoop();
  bool    IsCompared(SweepBy by) const;
  void    SweptByKind(SweepBy by, double sweeps, std::optional<double> seconds);
  void    SweptWhole(SweepBy by, double sweeps, std::optional<double> seconds);
  void    SweptInParts(double sweeps, double seconds, const Rest &rest);
  void    EndPattern();
  void    Compare();

  std::shared_ptr<Budget>        budget_;
  std::shared_ptr<SweepFindings> findings_;
  LoopChoice                     loops_;
  SweepKinds                     kinds_;
  bool                           by_kind_ = false; // whether kinds_ decide about the next sweeps
  Account                        account_;
  int                            parts_ = 0, made_ = 0; // 0 parts: not planned
  bool                           stale_ = false, refused_ = false;
  double                         product_       = 0; // seconds a product in the first-level cache; 0: unknown
  double                         aij_           = 0; // least seconds a sweep; 0: unknown
  double                         by_layout_     = 0;
  double                         loop_in_turns_ = 0;
  RecentMedian                   rest_, by_parts_; // seconds per sweep, extrapolated to all rows
  std::int64_t                   timed_layouts_ = 0, timed_aij_ = 0, asked_ = 0;
  std::int64_t                   turn_    = 0;           // of the loop, since the last part was made
  std::int64_t                   applied_ = 0;           // applications, with these values
  double                         swept_ = 0, since_ = 0; // sweeps: with this pattern, with these values
  double                         again_  = 0;            // the number of sweeps from which layouts are wanted again
  double                         period_ = 0;            // sweeps between changes of values; 0: never changed
};

} // namespace petscspmv
