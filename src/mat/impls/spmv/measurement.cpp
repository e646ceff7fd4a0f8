// Measured products of matrices of type spmv: when patterns are examined, layouts prepared, and findings recorded.
#include "mat/exec/clock.hpp"
#include "mat/impls/spmv/chooser.hpp"
#include "mat/impls/spmv/options.hpp"
#include "mat/layout/made.hpp"
#include "mat/layout/nodes.hpp"
#include "mat/report/statistics.hpp"
#include "mat/tuning/choose_target.hpp"
#include "mat/tuning/experience.hpp"
#include "mat/tuning/program_budget.hpp"
#include "petsc/guard.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace petscspmv::spmv {

namespace {

/// Examines the pattern: look(start) reports to the choice what it found and how long it took. If memory is short, the time counts
/// as spent nevertheless, so that the next attempt waits.
template <class Look>
PetscErrorCode ExaminePattern(Choice &choice, const Look &look)
{
  bool looked = false;

  PetscFunctionBegin;
  const double start = ThreadSeconds();
  PetscCall(IfItFits([&] {
    ChooseTarget();
    look(start);
    looked = true;
  }));
  if (!looked) choice.Spend(ThreadSecondsSince(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The options by which a pattern is recognized; its transpose counts as another pattern.
OptionValues KeyOf(const Layouts &layouts)
{
  OptionValues key = layouts.settings->options;
  if (layouts.source) key.push_back(1);
  return key;
}

Operation OperationOf(const Layouts &layouts)
{
  return layouts.source ? Operation::Transpose : Operation::Product;
}

} // namespace

/// Searches the recorded patterns for this one.
PetscErrorCode SpmvChooser::Search(const Layouts &layouts)
{
  PetscFunctionBegin;
  PetscCall(ExaminePattern(*choice_, [&](double start) {
    if (auto pattern = FindPattern(seen_.Lent(), KeyOf(layouts))) choice_->SetPattern(pattern, true, ThreadSecondsSince(start));
    else choice_->Searched(ThreadSecondsSince(start));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Predicts the times of the formats.
PetscErrorCode SpmvChooser::Predict(const Layouts &layouts)
{
  PetscFunctionBegin;
  PetscCall(ExaminePattern(*choice_, [&](double start) {
    auto pattern = NewPattern(seen_.Lent(), choice_->AijSeconds(), choice_->OfRole(), OperationOf(layouts));
    choice_->SetPattern(std::move(pattern), false, ThreadSecondsSince(start));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Records the findings of this matrix for others with its pattern.
PetscErrorCode SpmvChooser::Record(const Layouts &layouts)
{
  PetscFunctionBegin;
  const double start = ThreadSeconds();
  PetscCall(IfItFits([&] { RecordPattern(seen_.Lent(), KeyOf(layouts), choice_->SharedPattern()); }));
  choice_->Recorded(ThreadSecondsSince(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The parts of the layout chosen by measurement that are current, and `parts_more` further ones.
Extent SpmvChooser::ExtentOf(int parts_more) const
{
  return {.parts   = choice_->OfPattern().candidates[candidate_].predicted.parts,
          .current = choice_->Current(candidate_) + parts_more};
}

/// Builds or refreshes one more part of the layout chosen by measurement.
PetscErrorCode SpmvChooser::PreparePart(Mat A, Layouts &layouts)
{
  const auto progress = [&] {
    if (layouts.slots.empty()) return Progress();
    const MadeLayout &made = layouts.slots[candidate_ - 1];
    return made.layout ? Progress{made.layout->Parts(), made.layout->Made(), made.current} : Progress();
  };
  bool made = false;

  PetscFunctionBegin;
  const double   start  = ThreadSeconds();
  const Progress before = progress();
  PetscCall(MakeCurrentIfItFits(A, layouts, candidate_ - 1, &made, ExtentOf(1)));
  const double seconds = ThreadSecondsSince(start);
  if (!made) {
    choice_->CannotBeMade(seconds);
    candidate_ = kAij;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const Progress after = progress();
  choice_->Prepared(before, after, seconds);
  const int built = after.BuiltSince(before), parts = built > 0 ? built : after.RefreshedSince(before);
  if (parts > 0 && seen_.nnz > 0)
    LearnPreparation(candidate_, OperationOf(layouts), built > 0, seconds * after.parts / parts / static_cast<double>(seen_.nnz));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Chooses by measurement.
PetscErrorCode SpmvChooser::ByMeasurement(Mat A, Layouts &layouts)
{
  PetscFunctionBegin;
  candidate_ = kAij;
  if (!choice_) {
    const char    *prefix;
    MatProductType product; // as which the matrix was made, if at all
    PetscCall(MatGetOptionsPrefix(A, &prefix));
    PetscCall(MatProductGetType(A, &product));
    PetscCall(IfItFits([&] {
      const std::string origin = std::string(prefix ? prefix : "") + ':' + MatProductTypes[product];
      const Operation   of     = OperationOf(layouts);
      choice_.emplace(BudgetOfProgram(), FamilyOf(seen_.rows, seen_.cols, seen_.nnz, of), RoleOf(origin, seen_.nnz, of),
                      RegretOf(layouts.settings->options));
    }));
    if (!choice_) PetscFunctionReturn(PETSC_SUCCESS);
  } else if (new_values_) {
    choice_->ValuesChanged();
  }
  new_values_        = false;
  measured_          = true;
  const double start = SecondsToChooseTarget();
  if (choice_->WantsSearch(start)) PetscCall(Search(layouts));
  if (choice_->WantsPattern(start)) PetscCall(Predict(layouts));
  if (choice_->WantsRecord()) PetscCall(Record(layouts));
  candidate_ = choice_->Next();
  while (candidate_ != kAij && choice_->WantsPart()) PetscCall(PreparePart(A, layouts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Chooses between AIJ's own loop and the plain one, which take turns now and then; each turn of the plain one may lose a product's
/// time, and none begins before one may. It is not known whether AIJ uses nodes that it had before the matrix got its type.
PetscErrorCode SpmvChooser::ChooseLoop(Mat A, const Layouts &layouts)
{
  PetscFunctionBegin;
  if (layouts.source) PetscFunctionReturn(PETSC_SUCCESS);
  if (loops_.IsDue() && !choice_->EndsSoon() && choice_->MayLose(choice_->AijSeconds())) {
    Nodes nodes;
    if (!layouts.uses_nodes) PetscCall(nodes.Take(A));
    if (nodes.count > 0) {
      loops_ = RepeatedTurns(RepeatedTurns::kPeriod);
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (!loops_.Known()) nonempty_rows_ = seen_.Lent().NonemptyRows();
    loops_.Begin();
  }
  if (loops_.IsInTurns()) plain_ = loops_.IsOthers() && choice_->MayLose(choice_->AijSeconds());
  else plain_ = loops_.Known() && loops_.Known()->Ratio() < 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Reports a product by AIJ or the plain loop.
void SpmvChooser::LoopDone(double seconds)
{
  const bool   in_turn = loops_.IsInTurns();
  const double aij     = choice_->AijSeconds();
  if (in_turn && plain_) choice_->Spend(std::clamp(seconds - aij, 0., aij));
  if (loops_.Done(plain_, in_turn ? std::optional(seconds) : std::nullopt))
    choice_->SetAij(std::min(loops_.Known()->AijSeconds(), loops_.Known()->OtherSeconds()));
}

/// Frees the layouts that the choice no longer needs.
void SpmvChooser::DropUnused(Layouts &layouts)
{
  if (layouts.slots.empty()) return;
  for (std::size_t k = 0; k < Formats().size(); ++k) {
    MadeLayout &made = layouts.slots[k];
    if (choice_->Keeps(k + 1) || k + 1 == dense_ || !made.layout) continue;
    const double start = ThreadSeconds();
    made.Forget();
    choice_->Spend(ThreadSecondsSince(start));
  }
}

/// Reports a trial if one ended with the last product.
PetscErrorCode SpmvChooser::ReportTrial(Mat A, const Layouts &layouts)
{
  const std::size_t tried   = choice_->Tried();
  const Pattern    &pattern = choice_->OfPattern();

  PetscFunctionBegin;
  if (tried == kAij) PetscFunctionReturn(PETSC_SUCCESS);
  const Findings &known = pattern.candidates[tried];
  const double    found = known.product.Value() / choice_->AijSeconds();
  if (!choice_->IsRelaxed()) LearnProduct(tried, choice_->OfRole(), OperationOf(layouts), known.predicted.uncorrected, found);
  PetscCall(PetscInfo(A,
                      "spmv: tried %s, predicted %.2f of aij's time, found %.2f; products by %s from now on; spent %.3g s so far, "
                      "gained %.3g s\n",
                      NameOf(tried), known.predicted.product, found, NameOf(pattern.adopted), Spent(), Gained()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SpmvChooser::EndMeasured(Mat A, Layouts &layouts, double by_parts)
{
  PetscFunctionBegin;
  const bool   timed   = choice_->Timed() || (candidate_ == kAij && loops_.IsInTurns());
  const double seconds = timed ? std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count() : 0;
  choice_->Multiplied(seconds, by_parts);
  if (candidate_ == kAij) LoopDone(seconds);
  if (loops_.Known() && (plain_ || candidate_ != kAij))
    gained_ += std::max(0., loops_.Known()->AijSeconds() - loops_.Known()->OtherSeconds());
  DropUnused(layouts);
  AddGain(*layouts.settings->type, Gained() - std::exchange(reported_gained_, Gained()),
          Spent() - std::exchange(reported_spent_, Spent()));
  PetscCall(ReportTrial(A, layouts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::spmv
