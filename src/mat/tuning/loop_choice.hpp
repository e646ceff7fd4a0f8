// Whether PETSc's loop or our plain one sweeps with the triangles of a matrix or factor. Independent of clocks.
#pragma once

#include "mat/tuning/loop_turns.hpp"
#include "mat/tuning/recent_median.hpp"
#include "mat/tuning/sweep_by.hpp"

#include <algorithm>

namespace petscspmv {

/// The number of sweeps from which what did not fit is asked for again: as many more as there were, but not a few.
inline double AskAgainAfter(double swept)
{
  constexpr double kLeast = 16;
  return swept + std::max(swept, kLeast);
}

/// What has been found out about the plain loop in this session, in units of a sweep by PETSc's.
struct LoopFindings {
  RecentMedian prepare{}, renew{}; // its preparation; the same with new values
  RecentMedian plain{};            // a sweep
  double       expected = 0.75;    // the same before any measurement
};

/// Both loops take turns as soon as the plain one is prepared; the faster one goes on.
class LoopChoice {
public:
  LoopChoice(LoopFindings &findings, bool has_plain) : findings_(&findings), has_plain_(has_plain) { }

  void NewPattern() { *this = LoopChoice(*findings_, has_plain_); }
  void NewValues();

  /// Reports that the plain loop was prepared, in so many sweeps' time, or that layouts were, which need no less.
  void Prepared(double cost);
  void SetReady() { ready_ = was_ready_ = true; }

  /// Reports that the plain loop cannot sweep with this pattern, or not now.
  void Refuse();
  void Postpone();

  /// Counts sweeps by anybody.
  void Count(double sweeps) { swept_ += sweeps; }

  /// Reports a timed sweep by a loop. True if now it is known which one is faster.
  bool Swept(SweepBy by, double seconds);

  /// What a sweep by the plain loop takes, over one by PETSc's: measured or expected.
  double Plain() const;
  double CostToPrepare() const;                             // in sweeps by PETSc's loop; 0 if it is prepared
  double AijSeconds() const { return turns_.AijSeconds(); } // of a sweep by PETSc's loop in its turns

  bool HasPlain() const { return has_plain_ && !refused_ && !IsPostponed(); }
  bool IsRefused() const { return refused_; }
  bool IsPostponed() const { return swept_ < again_; }
  bool IsReady() const { return ready_; } // prepared, with the present values
  bool WasReady() const { return was_ready_; }
  bool IsCompared() const { return turns_.IsOver(); }
  bool IsPlainFaster() const { return HasPlain() && IsCompared() && Plain() < 1; }

  /// Whether it is the plain loop's turn, where neither is known to be faster.
  bool IsPlainsTurn() const { return turns_.IsOthers(); }

private:
  LoopFindings *findings_;
  bool          has_plain_, refused_ = false, ready_ = false, was_ready_ = false;
  double        swept_ = 0, again_ = 0; // sweeps: so far, and when the plain loop is wanted again
  LoopTurns     turns_;
};

} // namespace petscspmv
