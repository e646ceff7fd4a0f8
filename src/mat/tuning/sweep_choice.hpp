// Whether PETSc's loop or layouts do the next sweeps with the triangles of a matrix or factor. Independent of clocks and kernels:
// the caller reports times.
#pragma once

#include "mat/tuning/account.hpp"
#include "mat/tuning/recent_median.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace petscspmv {

/// Whose triangles they are. Those of symmetric factors, and of solves with the transpose, are not stored as they are solved.
enum class TrianglesOf { Matrix, Nodes, Factor, Transposed };

/// What the process has found out about triangles of one kind and size; times over those of PETSc's loop for a sweep, of whole
/// layouts.
struct SweepFindings {
  RecentMedian life; // sweeps with each pattern
  RecentMedian plan, build, refresh, sweep;
  int          parts = 0; // of the last layouts; 0: unknown
};

/// Layouts are planned as soon as they pay within the sweeps that are to be expected (as many as with the last patterns of this
/// size, or as many more as there were), and the budget of the process allows half of them; then they are made part by part, each
/// of which is asked for by itself. PETSc's loop may take longer by then than it did at first, since other vectors have filled the
/// caches: what it takes by now is known at first from the plain loop that does the other rows, and then from a few more turns of
/// PETSc's, as soon as there have been some sweeps by as many parts. Layouts that are not faster are dropped. Both give the same
/// bits wherever PETSc adds a row's products in their order, so that it does not show which was chosen.
class SweepChoice {
public:
  SweepChoice(std::shared_ptr<Budget> budget, std::shared_ptr<SweepFindings> findings);
  ~SweepChoice();
  SweepChoice(const SweepChoice &)            = delete;
  SweepChoice &operator=(const SweepChoice &) = delete;

  void NewPattern();
  void NewValues();

  static constexpr int kMostParts = 8;

  /// Whether layouts do what comes next, if they have a part by then; first they may have to be planned, or refreshed. To be asked
  /// once for each report of sweeps.
  bool WantsLayouts();
  bool MustPlan() const { return parts_ == 0; }
  bool Refused() const { return refused_ || swept_ < again_; }

  /// Reports that they were planned, in so many parts.
  void Planned(int parts, double seconds);

  /// Whether to make one more part now, and reports it.
  bool WantsPart();
  void PartMade(double seconds);

  /// Reports that the parts there are were refreshed, or that one more layout was made.
  void Prepared(double seconds);

  int Made() const { return made_; } // parts

  /// Reports that there are none for this pattern, as where too few rows are side by side.
  void Refuse(double seconds);

  /// Reports that there are none now, as where there is no memory: they are wanted again with new values, or after as many sweeps.
  void Postpone(double seconds);

  /// Whether sweeps must be timed.
  bool Timed(bool by_layouts) const
  {
    return by_layouts ? made_ < parts_ || timed_layouts_ < kTimed : timed_aij_ < kTimedAij || IsAijsTurn();
  }

  /// The rows without a part, which a plain loop does: their share of the work, and seconds.
  struct Rest {
    double share = 0, seconds = 0;
  };

  /// Reports sweeps, and, if they were timed, how long all of them took.
  void Swept(bool by_layouts, double sweeps, std::optional<double> seconds, const Rest &rest);

private:
  static constexpr std::int64_t kTimed = 5, kTimedAij = 8; // reports by layouts with as many parts, and by PETSc
  static constexpr std::int64_t kTurns = 3;                // of PETSc's loop, after those by as many parts

  bool   MostAreMade() const { return 2 * made_ > parts_; }
  bool   IsAijsTurn() const { return made_ > 0 && !stale_ && timed_layouts_ >= kTimed && turn_ < kTurns; }
  double SecondsToPlan() const;
  double SecondsToMake() const;    // all parts
  double SecondsToRefresh() const; // all parts
  double Gain() const;             // a sweep, by all parts
  double ExpectedSweeps() const;
  bool   Allows(double seconds);
  void   Lose(double seconds) { budget_->Lose(account_.Lose(seconds)); }
  void   SweptWhole(bool by_layouts, double sweeps, std::optional<double> seconds);
  void   SweptInParts(double sweeps, double seconds, const Rest &rest);
  void   EndPattern();
  void   Compare();

  std::shared_ptr<Budget>        budget_;
  std::shared_ptr<SweepFindings> findings_;
  Account                        account_;
  int                            parts_ = 0, made_ = 0; // 0 parts: not planned
  bool                           stale_ = false, refused_ = false;
  double                         aij_          = 0; // least seconds a sweep; 0: unknown
  double                         by_layout_    = 0;
  double                         aij_in_turns_ = 0;
  RecentMedian                   rest_, by_parts_; // seconds a sweep, as of all rows
  std::int64_t                   timed_layouts_ = 0, timed_aij_ = 0, asked_ = 0;
  std::int64_t                   turn_  = 0;             // of PETSc's loop, since the last part was made
  double                         swept_ = 0, since_ = 0; // sweeps: with this pattern, with these values
  double                         again_  = 0;            // the number of sweeps from which layouts are wanted again
  double                         period_ = 0;            // sweeps between changes of values; 0: never changed
};

} // namespace petscspmv
