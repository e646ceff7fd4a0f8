// Both triangles of a matrix or factor: their layouts, and whether the layouts or PETSc's loop do the next application.
#pragma once

#include "mat/exec/clock.hpp"
#include "mat/exec/memory_use.hpp"
#include "mat/exec/session.hpp"
#include "mat/exec/settings.hpp"
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

/// Whether layouts could be made. NotNow: there is no memory, or a zero value prevents them. Never: the pattern prevents them.
enum class Made { Yes, NotNow, Never };

class TrianglePair {
public:
  TrianglePair()                                = default;
  virtual ~TrianglePair()                       = default;
  TrianglePair(const TrianglePair &)            = delete;
  TrianglePair &operator=(const TrianglePair &) = delete;

  /// Report that the matrix or factor has changed: layouts are made anew, or refreshed, before they do another application.
  void NewPattern();
  void NewValues();

  /// An application that sweeps over `sweeps` triangles of `rows` rows: calls ours() if layouts do it, otherwise petscs(). Before
  /// ours(), make(&made) is called under the lock, once or several times, to make the layouts current.
  template <class Make, class Ours, class Petscs>
  PetscErrorCode Apply(MatSpMVSweeps by, PetscInt rows, double sweeps, const Make &make, const Ours &ours, const Petscs &petscs)
  {
    using Clock          = std::chrono::steady_clock;
    const bool chosen    = by == MAT_SPMV_SWEEPS_AUTO;
    bool       by_layout = false;
    Made       made      = Made::Yes;
    auto       start     = Clock::time_point();

    std::optional<double> seconds;

    PetscFunctionBegin;
    {
      const Locked alone(Lock());
      PetscCall(Begin(by, rows, &by_layout));
      bool more = by_layout;
      while (more) {
        const double before = chosen ? ThreadSeconds() : 0;
        PetscCall(NeedTarget());
        execution_ = CurrentExecution();
        making_    = 0;
        PetscCall(make(&made));
        more = made == Made::Yes ? chosen && Report(before) : GiveUp(made, chosen ? ThreadSecondsSince(before) : making_);
      }
      by_layout = by_layout && made == Made::Yes && (!chosen || choice_->Made() > 0);
      if (chosen && choice_->Timed(by_layout)) seconds = 0;
    }
    rest_ = {};
    if (seconds) start = Clock::now();
    PetscCall(by_layout ? ours() : petscs());
    if (seconds) seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (chosen) {
      const Locked alone(Lock());
      choice_->Swept(by_layout, sweeps, seconds, {.share = rest_.Share(), .seconds = rest_.seconds});
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  virtual std::size_t Bytes() const { return sides_[0].layout.Bytes() + sides_[1].layout.Bytes(); }

protected:
  /// For use in make(): calls f(), which makes layouts; *made is NotNow if there is no memory for them.
  template <class F>
  PetscErrorCode Try(Mat A, const F &f, Made *made)
  {
    PetscFunctionBegin;
    *made = Made::NotNow;
    try {
      const MakingLayout making;
      *made = f();
    } catch (const std::bad_alloc &) {
      PetscCall(PetscInfo(A, "no memory for layouts of the triangles, sweeping by PETSc's loops\n"));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (*made == Made::Yes && making_ > 0)
      PetscCall(
        PetscInfo(A, "layouts of the triangles made or refreshed in %.3g s: %.0f bytes\n", making_, static_cast<double>(Bytes())));
    if (*made == Made::Never)
      PetscCall(PetscInfo(A, "no layouts of the triangles, which wait for each other's rows or miss a diagonal entry\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// Makes as many parts of a triangle's layout current as are wanted now. `diagonal`: the factors d of rows, or null. With
  /// `in_parts`, source and d are read as long as parts are missing. False if too few rows are side by side, unless the settings
  /// ask for a layout anyway; throws without memory.
  bool Make(const PetscTriangleSource &source, const PetscScalar *diagonal, bool in_parts = true);

  bool HasLayouts() const { return sides_[0].layout.IsPlanned() && sides_[1].layout.IsPlanned(); }
  bool HasValues() const { return sides_[0].has_values && sides_[1].has_values; }
  bool IsCurrent(bool upper) const
  {
    const Side &side = sides_[upper ? 1 : 0];
    return side.layout.IsPlanned() && side.has_values && side.layout.Made() >= Wanted(side.layout);
  }
  bool IsCurrent() const { return IsCurrent(false) && IsCurrent(true); }

  /// Reports that the factors d, but no other values, have changed.
  void NewDiagonal() { sides_[0].has_diagonal = sides_[1].has_diagonal = false; }

  void RunLower(const PetscSweep &sweep) const { sides_[0].layout.Run(execution_, sweep, &rest_); }
  void RunUpper(const PetscSweep &sweep) const { sides_[1].layout.Run(execution_, sweep, &rest_); }

private:
  struct Side {
    PetscTriangle layout;
    bool          has_values = false, has_diagonal = false; // the current ones
  };

  PetscErrorCode      Begin(MatSpMVSweeps by, PetscInt rows, bool *by_layout);
  bool                Report(double before);
  bool                GiveUp(Made made, double seconds);
  int                 Wanted(const PetscTriangle &layout) const;
  void                Free();
  virtual void        FreeRest() = 0; // frees what else was made
  virtual TrianglesOf Of() const = 0;

  static inline thread_local RestOfSweeps rest_; // of this thread's last application

  std::optional<SweepChoice> choice_; // from the first application on
  std::array<Side, 2>        sides_;  // the lower and the upper triangle
  Execution                  execution_;
  double                     making_ = 0;             // seconds that the last application has spent on layouts
  int                        parts_ = 0, wanted_ = 0; // by the choice: all parts of a layout, and those it should have now
  MatSpMVSweeps              made_for_ = MAT_SPMV_SWEEPS_AUTO;
};

} // namespace petscspmv
