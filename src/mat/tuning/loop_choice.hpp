// Whether PETSc's loop or our plain one sweeps with the triangles of a matrix or factor. Independent of clocks.
#pragma once

#include "mat/tuning/recent_median.hpp"

#include <cstdint>

namespace petscspmv {

/// Who sweeps: PETSc's loop, our plain loop over the same arrays, which needs little preparation, or layouts.
enum class SweepBy { Aij, Plain, Layouts };

/// What has been found out about the plain loop in this session, in units of a sweep by PETSc's.
struct LoopFindings {
  RecentMedian prepare, renew; // its preparation; the same with new values
  RecentMedian plain;          // a sweep
};

/// Both loops take turns as soon as the plain one is prepared; the faster one goes on.
class LoopChoice {
public:
  static constexpr std::int64_t kTurns = 3; // of each

  LoopChoice(LoopFindings &findings, bool has_plain) : findings_(&findings), has_plain_(has_plain) { }

  void NewPattern() { *this = LoopChoice(*findings_, has_plain_); }
  void NewValues();

  /// Reports that the plain loop was prepared, in so many sweeps' time; that layouts were, which need no less; or that it cannot
  /// be: Postpone(), before so many sweeps were done.
  void Prepared(double cost);
  void SetReady() { ready_ = was_ready_ = true; }
  void Refuse()
  {
    refused_ = true;
    ready_   = false;
  }
  void Postpone(double until);

  /// Reports a timed sweep.
  void Swept(SweepBy by, double seconds);

  /// What the plain loop takes, over PETSc's: measured or expected.
  double Plain() const;
  double CostToPrepare() const; // in sweeps by PETSc's loop; 0 if it is prepared

  bool HasPlain(double swept) const { return has_plain_ && !refused_ && swept >= again_; }
  bool IsReady() const { return ready_; } // prepared, with the present values
  bool WasReady() const { return was_ready_; }
  bool IsCompared() const { return of_plain_.turns >= kTurns && of_aij_.turns >= kTurns; }
  bool IsPlainFaster() const { return IsCompared() && Plain() < 1; }

  /// Whether it is the plain loop's turn, where neither is known to be faster.
  bool IsPlainsTurn() const { return of_plain_.turns <= of_aij_.turns; }

private:
  struct Turns {
    std::int64_t turns = 0;
    double       least = 0; // seconds; 0: none
  };

  LoopFindings *findings_;
  bool          has_plain_, refused_ = false, ready_ = false, was_ready_ = false;
  double        again_ = 0; // sweeps after which the plain loop is wanted again
  Turns         of_aij_, of_plain_;
};

} // namespace petscspmv
