// Both triangles of a matrix or factor: their layouts, what the plain loop needs, and who does the next application.
#pragma once

#include "mat/exec/clock.hpp"
#include "mat/exec/memory_use.hpp"
#include "mat/exec/session.hpp"
#include "mat/exec/settings.hpp"
#include "mat/report/statistics.hpp"
#include "mat/sweeps/petsc_triangle.hpp"
#include "mat/tuning/choose_target.hpp"
#include "mat/tuning/sweep_choice.hpp"
#include "petscspmv.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <new>
#include <optional>

namespace petscspmv {

/// Whether layouts, or what the plain loop needs, could be made. NotNow: there is no memory, or a zero value prevents them. Never:
/// the pattern prevents them.
enum class Outcome { Made, NotNow, Never };

class TrianglePair {
public:
  TrianglePair()                                = default;
  virtual ~TrianglePair()                       = default;
  TrianglePair(const TrianglePair &)            = delete;
  TrianglePair &operator=(const TrianglePair &) = delete;

  /// Report that the matrix or factor has changed: layouts are made anew, or refreshed, before they do another application.
  void NewPattern();
  void NewValues();

  /// What an application took, without preparations, who did it, and the share of the work that layouts left to the plain loop.
  struct Took {
    std::optional<double> seconds;
    SweepBy               by   = SweepBy::Aij;
    double                rest = 0;
  };

  /// An application: sweeps over so many triangles of so many rows and (on average) entries, and what it counts as. `kind`: a
  /// number for those that read and write alike, as from zero or from a guess. `shared`: what ours() writes to belongs to the
  /// caller alone, so that several threads may call it at the same time.
  struct Application {
    MatSpMVSweeps by;
    PetscInt      rows;
    double        entries, triangles, iterations = 1;
    Sweeping      as;
    std::size_t   kind   = 0; // below SweepKinds::kKinds
    bool          shared = false;
    Took         *took   = nullptr; // if given, it is set, unless other threads apply at the same time
  };

  /// Calls ours() if layouts or the plain loop do an application, otherwise petscs(). Before ours(), make(&outcome) is called
  /// under the lock, once or several times, to make current what ours() needs. While a thread sweeps, others go on as it does, and
  /// change nothing.
  template <class Make, class Ours, class Petscs>
  PetscErrorCode Apply(const Application &application, const Make &make, const Ours &ours, const Petscs &petscs)
  {
    UnderWay now(*this);

    PetscFunctionBegin;
    {
      const Locked alone(Lock());
      if (now.IsAlone()) PetscCall(Decide(application, make));
      now.Begin(application);
    }
    PetscCall(now.by == SweepBy::Aij ? petscs() : ours());
    now.End(application);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// Whether the choice is made, until values or pattern change.
  bool IsSettled() const;

  std::size_t         LayoutBytes() const { return sides_[0].layout.Bytes() + sides_[1].layout.Bytes(); }
  virtual std::size_t Bytes() const { return LayoutBytes(); } // of all that was made

protected:
  /// For use in make(): calls f(), which makes layouts; *outcome is NotNow if there is no memory for them.
  template <class F>
  PetscErrorCode Try(Mat A, const F &f, Outcome *outcome)
  {
    PetscFunctionBegin;
    *outcome = Outcome::NotNow;
    try {
      const MakingLayout making(expected_);
      *outcome = f();
    } catch (const std::bad_alloc &) {
      PetscCall(PetscInfo(A, "no memory for layouts of the triangles or the plain loop, sweeping by PETSc's loops\n"));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (*outcome == Outcome::Made && has_made_)
      PetscCall(PetscInfo(A, "%s prepared in %.3g s: %.0f bytes\n",
                          by_ == SweepBy::Plain ? "plain loop over the triangles" : "layouts of the triangles", making_,
                          static_cast<double>(Bytes())));
    if (*outcome == Outcome::Never)
      PetscCall(
        PetscInfo(A, "no layouts of the triangles or no plain loop: rows wait for each other, or a diagonal entry is missing\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// Makes as many parts of a triangle's layout current as are wanted now: none for the plain loop, which reads source and d as
  /// they are. `diagonal`: the factors d of rows, or null. With `in_parts`, both are read as long as parts are missing. False if
  /// too few rows are side by side, unless the settings ask for a layout anyway; throws without memory.
  bool Make(const PetscTriangleSource &source, const PetscScalar *diagonal, bool in_parts = true);

  /// Whether the plain loop does the next application.
  bool IsPlain() const { return by_ == SweepBy::Plain; }

  const Execution &HowToRun() const { return execution_; }

  /// Whether Make() has had the present values.
  bool HasValues() const { return sides_[0].is_lent && sides_[1].is_lent; }
  bool HasSomeValues() const { return sides_[0].is_lent || sides_[1].is_lent; }
  bool IsCurrent(bool upper) const
  {
    const Side &side = sides_[upper ? 1 : 0];
    if (by_ != SweepBy::Layouts) return side.is_lent;
    return side.is_lent && side.layout.IsPlanned() && side.has_values && side.layout.Made() >= Wanted(side.layout);
  }
  bool IsCurrent() const { return IsCurrent(false) && IsCurrent(true); }

  /// Reports that the factors d, but no other values, have changed.
  void NewDiagonal() { sides_[0].has_diagonal = sides_[1].has_diagonal = false; }

  void RunLower(const PetscSweep &sweep) const { Run(sides_[0].layout, sweep); }
  void RunUpper(const PetscSweep &sweep) const { Run(sides_[1].layout, sweep); }

private:
  struct Side {
    PetscTriangle layout;
    bool          is_lent = false, has_values = false, has_diagonal = false; // the current ones: the arrays; copies in the layout
  };

  /// An application under way, on the thread that does it.
  class UnderWay {
  public:
    SweepBy by = SweepBy::Aij;

    explicit UnderWay(TrianglePair &pair) : pair_(pair) { }
    ~UnderWay();
    UnderWay(const UnderWay &)            = delete;
    UnderWay &operator=(const UnderWay &) = delete;

    bool IsAlone() const { return pair_.under_way_ == 0; }
    void Begin(const Application &application); // under the lock
    void End(const Application &application);

  private:
    using Clock = std::chrono::steady_clock;

    TrianglePair     &pair_;
    bool              begun_ = false, reports_ = false, timed_ = false; // timed_: for the choice
    Clock::time_point start_;
  };

  /// Decides who does the next application, and has the layouts made that it needs.
  template <class Make>
  PetscErrorCode Decide(const Application &application, const Make &make)
  {
    const bool chosen  = application.by == MAT_SPMV_SWEEPS_AUTO;
    Outcome    outcome = Outcome::Made;
    bool       more;

    PetscFunctionBegin;
    PetscCall(Begin(application));
    more = by_ != SweepBy::Aij;
    while (more) {
      const double before = chosen ? ThreadSeconds() : 0;
      PetscCall(NeedTarget());
      execution_ = CurrentExecution();
      making_    = 0;
      has_made_  = false;
      PetscCall(make(&outcome));
      const double seconds = chosen ? ThreadSecondsSince(before) : making_;
      if (has_made_ || outcome != Outcome::Made) AddSweepsOverhead(application.as, seconds);
      more = outcome == Outcome::Made ? chosen && Report(seconds) : GiveUp(outcome, chosen ? seconds : 0);
    }
    if (outcome != Outcome::Made) by_ = SweepBy::Aij;
    else if (chosen && by_ == SweepBy::Layouts) by_ = choice_->AfterMaking();
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  void Run(const PetscTriangle &layout, const PetscSweep &sweep) const
  {
    IsPlain() ? layout.RunPlain(execution_, sweep) : layout.Run(execution_, sweep, &rest_);
  }

  PetscErrorCode      MeasureTargetsFirst(const Application &application);
  PetscErrorCode      Begin(const Application &application);
  bool                Report(double seconds);
  bool                GiveUp(Outcome outcome, double seconds);
  int                 Wanted(const PetscTriangle &layout) const;
  void                FreeLayouts();
  void                FreeUnused();
  void                Free();
  virtual void        FreeRest()     = 0; // frees what else was made
  virtual SweepFamily Family() const = 0;

  static inline thread_local RestOfSweeps rest_; // of this thread's last application

  std::optional<SweepChoice> choice_; // from the first application on
  std::array<Side, 2>        sides_;  // the lower and the upper triangle
  Execution                  execution_;
  std::size_t                expected_ = 0;           // about the bytes of the layouts, if these do the next application
  double                     making_   = 0;           // seconds that the last application has spent on preparing
  bool                       has_made_ = false;       // whether it has prepared anything
  int                        parts_ = 0, wanted_ = 0; // by the choice: all parts of a layout, and those it should have now
  MatSpMVSweeps              made_for_  = MAT_SPMV_SWEEPS_AUTO;
  SweepBy                    by_        = SweepBy::Aij; // the decision for the next application
  int                        under_way_ = 0;            // applications
};

} // namespace petscspmv
