#include "mat/sweeps/pair.hpp"

#include "mat/report/asked.hpp"
#include "mat/tuning/experience.hpp"
#include "mat/tuning/measure_targets.hpp"
#include "mat/tuning/program_budget.hpp"
#include "petsc/guard.hpp"

#include <algorithm>
#include <utility>

namespace petscspmv {

void TrianglePair::NewPattern()
{
  if (choice_) choice_->NewPattern();
  Free();
}

void TrianglePair::NewValues()
{
  if (choice_) choice_->NewValues();
  for (Side &side : sides_) side.is_lent = side.has_values = false;
  NewDiagonal();
}

void TrianglePair::FreeLayouts()
{
  sides_ = {};
  parts_ = 0;
  if (choice_) choice_->Freed();
}

void TrianglePair::Free()
{
  FreeLayouts();
  FreeRest();
}

/// What the plain loop needs stays if it goes on.
void TrianglePair::FreeUnused()
{
  choice_->Loop() == SweepBy::Aij ? Free() : FreeLayouts();
}

TrianglePair::UnderWay::~UnderWay()
{
  if (!begun_) return;
  const Locked alone(Lock());
  --pair_.under_way_;
}

/// The choice hears nothing of applications of other threads at the same time.
void TrianglePair::UnderWay::Begin(const Application &application)
{
  reports_ = IsAlone();
  by       = reports_ || application.shared ? pair_.by_ : SweepBy::Aij;
  begun_   = true;
  ++pair_.under_way_;
  rest_  = {};
  timed_ = reports_ && application.by == MAT_SPMV_SWEEPS_AUTO && pair_.choice_->Timed(by);
  if (timed_ || application.took || Viewing()) start_ = Clock::now();
}

void TrianglePair::UnderWay::End(const Application &application)
{
  const bool viewed = Viewing();
  if (!reports_ && !viewed) return;
  const bool   timed   = timed_ || application.took || viewed;
  const double seconds = timed ? std::chrono::duration<double>(Clock::now() - start_).count() : 0;
  if (application.took && reports_) *application.took = {.seconds = seconds, .by = by, .rest = rest_.Share()};
  const Locked alone(Lock());
  SweepChoice &choice = *pair_.choice_;
  if (reports_ && application.by != MAT_SPMV_SWEEPS_AUTO) choice.Count(application.triangles);
  else if (reports_)
    choice.Swept(by, application.triangles, timed_ ? std::optional(seconds) : std::nullopt,
                 {.share = rest_.Share(), .seconds = rest_.seconds});
  if (!viewed) return;
  AddSweeps(application.as, by, application.iterations, seconds, application.triangles * choice.AijSeconds());
  if (by != SweepBy::Aij || !reports_) return;
  AddWhyAijSweeps(application.by == MAT_SPMV_SWEEPS_AIJ ? WhyAij::Asked : choice.Why(), seconds);
}

bool TrianglePair::IsSettled() const
{
  const Locked now(Lock());
  return choice_ && choice_->IsSettled();
}

/// Parts that were made before stay where memory is short for the next one.
bool TrianglePair::GiveUp(Outcome outcome, double seconds)
{
  if (by_ == SweepBy::Plain) {
    outcome == Outcome::Never ? choice_->RefusePlain(seconds) : choice_->PostponePlain(seconds);
    if (choice_->Made() == 0) Free();
    return false;
  }
  outcome == Outcome::Never ? choice_->Refuse(seconds) : choice_->Postpone(seconds);
  if (choice_->Made() == 0) FreeUnused();
  return false;
}

/// Reports to the choice what was done in so many seconds. True if the choice wants one more part.
bool TrianglePair::Report(double seconds)
{
  if (by_ == SweepBy::Plain) {
    if (has_made_ || !choice_->IsPlainReady()) choice_->PlainPrepared(seconds);
    return false;
  }
  if (choice_->MustPlan()) {
    parts_ = std::max({1, sides_[0].layout.Parts(), sides_[1].layout.Parts()});
    choice_->Planned(parts_, seconds);
  } else if (wanted_ > choice_->Made()) {
    choice_->PartMade(seconds);
  } else if (has_made_) {
    choice_->Prepared(seconds);
  }
  const bool more = choice_->WantsPart();
  if (more) ++wanted_;
  return more;
}

/// How many parts a layout should have now. If the triangles are planned in different numbers of parts, both get the same share of
/// theirs, rounded up.
int TrianglePair::Wanted(const PetscTriangle &layout) const
{
  if (made_for_ != MAT_SPMV_SWEEPS_AUTO) return layout.Parts();
  return parts_ > 0 ? (wanted_ * layout.Parts() + parts_ - 1) / parts_ : 0;
}

/// The first measurement of the process shows what layouts may gain at most.
PetscErrorCode TrianglePair::MeasureTargetsFirst(const Application &application)
{
  const double expected = SecondsToChooseTarget();

  PetscFunctionBegin;
  if (expected == 0 || !choice_->WantsMeasurement(expected)) PetscFunctionReturn(PETSC_SUCCESS);
  const double start = ThreadSeconds();
  PetscCall(NeedTarget());
  PetscCall(IfItFits(ChooseTarget));
  const double seconds = ThreadSecondsSince(start);
  choice_->Spend(seconds);
  AddSweepsOverhead(application.as, seconds);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TrianglePair::Begin(const Application &application)
{
  PetscFunctionBegin;
  if (!choice_) PetscCall(Guard([&] { choice_.emplace(BudgetOfProgram(), SweepFindingsOf(Family(), application.rows)); }));
  if (application.by != made_for_) NewPattern();
  made_for_ = application.by;
  wanted_   = choice_->Made();
  switch (application.by) {
  case MAT_SPMV_SWEEPS_AUTO:
    PetscCall(MeasureTargetsFirst(application));
    choice_->ExpectMoreThan(application.entries * 1e-9 * LeastMeasuredNs());
    by_ = choice_->Next(application.kind);
    break;
  case MAT_SPMV_SWEEPS_AIJ:
    by_ = SweepBy::Aij;
    break;
  case MAT_SPMV_SWEEPS_PLAIN:
    by_ = choice_->HasPlain() ? SweepBy::Plain : SweepBy::Aij;
    break;
  case MAT_SPMV_SWEEPS_LAYOUT:
  case MAT_SPMV_SWEEPS_SINGLE:
    by_ = choice_->Refused() ? SweepBy::Aij : SweepBy::Layouts;
    break;
  }
  const std::size_t entries = 2 * static_cast<std::size_t>(application.entries);
  expected_                 = by_ == SweepBy::Layouts ? entries * (sizeof(PetscScalar) + sizeof(PetscInt)) : 0;
  const bool planned        = sides_[0].layout.IsPlanned() || sides_[1].layout.IsPlanned();
  if (by_ == SweepBy::Aij && HasSomeValues() && choice_->IsWithoutUse()) Free();
  else if (planned && by_ != SweepBy::Layouts && choice_->Refused()) FreeUnused();
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool TrianglePair::Make(const PetscTriangleSource &source, const PetscScalar *diagonal, bool in_parts)
{
  Side          &side   = sides_[source.upper ? 1 : 0];
  PetscTriangle &layout = side.layout;
  const bool     makes  = !IsCurrent(source.upper);
  const double   start  = makes ? ThreadSeconds() : 0;
  if (by_ == SweepBy::Plain) {
    if (!side.is_lent && !layout.IsPlanned()) layout = PetscTriangle(TriangleMethodsByTarget());
    layout.Lend(source);
  } else if (!layout.IsPlanned()) {
    PetscTriangle         planned(TriangleMethodsByTarget());
    const TriangleOptions options{.always = made_for_ == MAT_SPMV_SWEEPS_LAYOUT, .single = made_for_ == MAT_SPMV_SWEEPS_SINGLE};
    if (!planned.Plan(source, options, in_parts ? SweepChoice::kMostParts : 1)) return false;
    layout            = std::move(planned);
    side.has_diagonal = false;
  } else {
    layout.Lend(source);
    if (!side.has_values) layout.Refresh(execution_);
  }
  side.is_lent    = true;
  side.has_values = side.has_values || by_ == SweepBy::Layouts;
  if (diagonal && !side.has_diagonal) layout.SetDiagonal(diagonal);
  side.has_diagonal = true;
  while (by_ == SweepBy::Layouts && layout.Made() < Wanted(layout)) {
    if (!layout.BuildNext(execution_)) return false;
  }
  if (makes) making_ += ThreadSecondsSince(start);
  has_made_ = has_made_ || makes;
  return true;
}

} // namespace petscspmv
