#include "mat/impls/spmv/chooser.hpp"

#include "mat/impls/spmv/type.hpp"
#include "mat/report/statistics.hpp"
#include "mat/shadow/shadow.hpp"
#include "mat/tuning/choose_target.hpp"
#include "mat/tuning/experience.hpp"
#include "mat/tuning/features.hpp"
#include "petsc/guard.hpp"

#include <new>
#include <utility>

namespace petscspmv::spmv {

namespace {

/// Products by AIJ with the same values before the choice by structure: rare products build nothing, and a program gives the same
/// bits again.
constexpr PetscInt64 kBeforeStructure = 32;

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start)
{
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The format expected to read the fewest bytes judging by the pattern, among those with kernels at a place, and for several
/// vectors at a time if asked for; AIJ if there is none.
std::size_t ByStructure(const Features &features, Place place, bool many = false)
{
  std::size_t best  = kAij;
  double      least = 0;
  for (std::size_t k = 0; k < Formats().size(); ++k) {
    if ((place == Place::Device && !Formats()[k]->device) || (many && !Formats()[k]->many)) continue;
    const double bytes = Formats()[k]->forecast(features).bytes;
    if (best != kAij && bytes >= least) continue;
    best  = k + 1;
    least = bytes;
  }
  return best;
}

/// Calls f(); ignores its failure if memory is short.
template <class F>
PetscErrorCode IfItFits(const F &f)
{
  PetscFunctionBegin;
  PetscCall(Guard([&] {
    try {
      f();
    } catch (const std::bad_alloc &) {
    }
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Examines the pattern: look(start) reports its findings and their time to the choice. Where memory is short, time is spent
/// nevertheless, so that the next attempt waits.
template <class Look>
PetscErrorCode LookAtPattern(Choice &choice, const Look &look)
{
  bool looked = false;

  PetscFunctionBegin;
  const auto start = Clock::now();
  PetscCall(IfItFits([&] {
    ChooseTarget();
    look(start);
    looked = true;
  }));
  if (!looked) choice.Spend(SecondsSince(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The options by which a pattern is recognized; its transpose counts as another pattern.
OptionValues KeyOf(const Shadow &shadow)
{
  OptionValues key = shadow.options;
  if (shadow.source) key.push_back(1);
  return key;
}

} // namespace

std::vector<MadeLayout> Turns::Layouts(const OptionValues &options) const
{
  std::vector<MadeLayout> layouts;
  layouts.reserve(2 * Formats().size());
  for (const Place place : {Place::Host, Place::Device}) {
    auto own = options.begin() + kOwn;
    for (const PetscFormat *format : Formats()) {
      const auto end = own + static_cast<std::ptrdiff_t>(format->options.size());
      layouts.push_back({.format = format, .place = place, .options = OptionValues(own, end)});
      own = end;
    }
  }
  return layouts;
}

void Turns::Restart()
{
  spent_  = Spent();
  gained_ = Gained();
  choice_.reset();
  seen_        = Stamp();
  same_values_ = 0;
  who_ = by_rules_ = on_device_ = dense_ = kAij;
  patience_                              = {};
  measured_ = new_values_ = no_memory_ = false;
}

/// Searches the recorded patterns for this one.
PetscErrorCode Turns::Search(const Shadow &shadow)
{
  PetscFunctionBegin;
  PetscCall(LookAtPattern(*choice_, [&](Clock::time_point start) {
    if (auto pattern = FindPattern(seen_.Lent(), KeyOf(shadow))) choice_->SetPattern(pattern, true, SecondsSince(start));
    else choice_->Searched(SecondsSince(start));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Predicts the times of the formats.
PetscErrorCode Turns::Predict()
{
  PetscFunctionBegin;
  PetscCall(LookAtPattern(*choice_, [&](Clock::time_point start) {
    auto pattern = NewPattern(FeaturesOf(seen_.Lent()), choice_->AijSeconds());
    choice_->SetPattern(std::move(pattern), false, SecondsSince(start));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Records the findings of this matrix for others with its pattern.
PetscErrorCode Turns::Record(const Shadow &shadow)
{
  PetscFunctionBegin;
  const auto start = Clock::now();
  PetscCall(IfItFits([&] { RecordPattern(seen_.Lent(), KeyOf(shadow), choice_->SharedPattern()); }));
  choice_->Recorded(SecondsSince(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Prepares the layout chosen by measurement.
PetscErrorCode Turns::Prepare(Mat A, Shadow &shadow)
{
  const auto builds = shadow.info.builds;
  bool       made   = false;

  PetscFunctionBegin;
  const auto start = Clock::now();
  PetscCall(MakeCurrentIfItFits(A, shadow, &made));
  const double seconds = SecondsSince(start);
  if (!made) {
    choice_->CannotBeMade(seconds);
    who_ = kAij;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const bool built = shadow.info.builds != builds;
  choice_->Prepared(built, seconds);
  LearnPreparation(who_, built, seconds / choice_->AijSeconds());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Chooses by measurement.
PetscErrorCode Turns::ByMeasurement(Mat A, Shadow &shadow)
{
  PetscFunctionBegin;
  who_ = kAij;
  if (!choice_) {
    PetscCall(IfItFits(
      [&] { choice_.emplace(FamilyOf(seen_.rows, seen_.cols, seen_.nnz), Formats().size() + 1, RegretOf(shadow.options)); }));
    if (!choice_) PetscFunctionReturn(PETSC_SUCCESS);
  } else if (new_values_) {
    choice_->ValuesChanged();
  }
  new_values_        = false;
  measured_          = true;
  const double start = TargetInUse() < 0 ? kStartSeconds : 0;
  if (choice_->WantsSearch(start)) PetscCall(Search(shadow));
  if (choice_->WantsPattern(start)) PetscCall(Predict());
  if (choice_->WantsRecord()) PetscCall(Record(shadow));
  who_ = choice_->Next();
  if (who_ == kAij) PetscFunctionReturn(PETSC_SUCCESS);
  shadow.in_use = who_ - 1;
  if (!choice_->IsCurrent(who_)) PetscCall(Prepare(A, shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Chooses by structure.
PetscErrorCode Turns::ByRules(Mat A, Shadow &shadow)
{
  bool made = false;

  PetscFunctionBegin;
  who_ = kAij;
  if (same_values_ < kBeforeStructure || no_memory_) PetscFunctionReturn(PETSC_SUCCESS);
  if (by_rules_ == kAij) by_rules_ = ByStructure(FeaturesOf(seen_.Lent()), Place::Host);
  if (by_rules_ == kAij) PetscFunctionReturn(PETSC_SUCCESS);
  shadow.in_use = by_rules_ - 1;
  PetscCall(MakeCurrentIfItFits(A, shadow, &made));
  no_memory_ = !made;
  if (made) who_ = by_rules_;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Chooses on a device: the format named, or the one by structure from the first product on, since AIJ would run on the host. AIJ
/// if there is none.
void Turns::OnDevice(const OptionValues &options)
{
  if (ModeOf(options) == Mode::Named) who_ = NamedIn(options);
  else {
    if (on_device_ == kAij) on_device_ = ByStructure(FeaturesOf(seen_.Lent()), Place::Device);
    who_ = on_device_;
  }
  if (who_ != kAij && !Formats()[who_ - 1]->device) who_ = kAij;
}

/// Compares the matrix with its state at the last product.
PetscErrorCode Turns::Look(Mat A, Shadow &shadow)
{
  Stamp now;

  PetscFunctionBegin;
  PetscCall(now.Take(A));
  const bool same_pattern = seen_.SamePattern(now), same_values = same_pattern && seen_.SameValues(now);
  if (!same_pattern) shadow.ForgetOwnLayouts();
  seen_        = now;
  same_values_ = same_values ? same_values_ + 1 : 0;
  new_values_  = new_values_ || !same_values;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Turns::PrepareProduct(Mat A, Shadow &shadow)
{
  const std::size_t who = ModeOf(shadow.options) == Mode::Named ? NamedIn(shadow.options) : kAij;

  PetscFunctionBegin;
  if (who == kAij) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Look(A, shadow));
  shadow.in_use = who - 1;
  PetscCall(MakeCurrent(A, shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Turns::BeginProduct(Mat A, Shadow &shadow, Place place, bool *by_aij)
{
  const OptionValues &options   = shadow.options;
  const Mode          mode      = ModeOf(options);
  const bool          on_device = kHasDevice && place == Place::Device;

  PetscFunctionBegin;
  PetscCall(Look(A, shadow));
  measured_ = false;
  if (on_device) OnDevice(options);
  else if (mode == Mode::Named) who_ = shadow.source && same_values_ < kBeforeStructure ? kAij : NamedIn(options);
  else if (seen_.nnz < LeastOf(options)) who_ = kAij;
  else if (mode == Mode::Structure) PetscCall(ByRules(A, shadow));
  else PetscCall(ByMeasurement(A, shadow));
  *by_aij = who_ == kAij;
  if (!*by_aij) {
    shadow.in_use = who_ - 1 + (on_device ? Formats().size() : 0);
    PetscCall(MakeCurrent(A, shadow)); // after measurements it is current already, except in an audit
  }
  if (measured_ && choice_->Timed()) start_ = Clock::now();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Columns of dense matrices are counted, not timed: AIJ multiplies the first 32, as before a layout of the transpose is built.
PetscErrorCode Turns::BeginDense(Mat A, Shadow &shadow, PetscInt columns, bool *by_aij)
{
  const OptionValues &options = shadow.options;
  const bool          named   = ModeOf(options) == Mode::Named;
  bool                made    = false;

  PetscFunctionBegin;
  PetscCall(Look(A, shadow));
  patience_.Look(seen_);
  const bool wanted = (named && !shadow.source) || (patience_.Ends() && (named || seen_.nnz >= LeastOf(options)));
  patience_.Count(columns);
  *by_aij = true;
  if (!wanted) PetscFunctionReturn(PETSC_SUCCESS);
  if (named) dense_ = NamedIn(options);
  else if (dense_ == kAij) dense_ = ByStructure(FeaturesOf(seen_.Lent()), Place::Host, true);
  if (dense_ == kAij || !Formats()[dense_ - 1]->many) PetscFunctionReturn(PETSC_SUCCESS);
  shadow.in_use = dense_ - 1;
  PetscCall(MakeCurrentIfItFits(A, shadow, &made));
  if (!made) patience_.GiveUp();
  *by_aij = !made;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Frees the layouts that the choice no longer needs.
void Turns::DropUnused(Shadow &shadow)
{
  if (shadow.layouts.empty()) return;
  for (std::size_t k = 0; k < Formats().size(); ++k) {
    MadeLayout &made = shadow.layouts[k];
    if (choice_->Keeps(k + 1) || k + 1 == dense_ || !made.layout) continue;
    const auto start = Clock::now();
    made.Forget();
    choice_->Spend(SecondsSince(start));
  }
}

/// Reports a trial that ended with the last product.
PetscErrorCode Turns::ReportTrial(Mat A)
{
  const std::size_t tried   = choice_->Tried();
  const Pattern    &pattern = choice_->OfPattern();

  PetscFunctionBegin;
  if (tried == kAij) PetscFunctionReturn(PETSC_SUCCESS);
  const Known &known = pattern.candidates[tried];
  const double found = known.product.Value() / choice_->AijSeconds();
  LearnProduct(tried, known.predicted.uncorrected, found);
  PetscCall(PetscInfo(A,
                      "spmv: tried %s, predicted %.2f of aij's time, found %.2f; products by %s from now on; spent %.3g s so far, "
                      "gained %.3g s\n",
                      NameOf(tried), known.predicted.product, found, NameOf(pattern.adopted), Spent(), Gained()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Turns::EndProduct(Shadow &shadow)
{
  PetscFunctionBegin;
  ++products_;
  by_aij_ += who_ == kAij;
  if (!measured_) {
    if (who_ != kAij) AddUnmeasured(shadow);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  choice_->Multiplied(choice_->Timed() ? SecondsSince(start_) : 0);
  DropUnused(shadow);
  AddGain(shadow, Gained() - std::exchange(reported_gained_, Gained()), Spent() - std::exchange(reported_spent_, Spent()));
  PetscCall(ReportTrial(shadow.owner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

WhyAij Turns::Why(const Shadow &shadow) const
{
  const bool changed = products_ > same_values_ + 1; // since the first product
  if (ModeOf(shadow.options) == Mode::Named) return shadow.source ? WhyAij::Few : WhyAij::Asked;
  if (seen_.nnz < 0) return WhyAij::Asked; // never to be chosen from
  if (seen_.nnz < LeastOf(shadow.options)) return WhyAij::Small;
  if (no_memory_) return WhyAij::NoMemory;
  if (choice_) return choice_->Why();
  if (ModeOf(shadow.options) == Mode::Structure) return changed ? WhyAij::Changing : WhyAij::Few;
  return WhyAij::NoMemory; // not even for a choice
}

void Turns::AddTo(MatSpMVChoice &choice) const
{
  choice.products += products_;
  choice.by_aij += by_aij_;
  choice.spent += Spent();
  choice.gained += Gained();
}

} // namespace petscspmv::spmv
