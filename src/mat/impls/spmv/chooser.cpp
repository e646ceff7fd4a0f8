#include "mat/impls/spmv/chooser.hpp"

#include "mat/exec/has_device.hpp"
#include "mat/impls/spmv/options.hpp"
#include "mat/layout/made.hpp"
#include "mat/report/statistics.hpp"
#include "mat/tuning/features.hpp"

namespace petscspmv::spmv {

namespace {

/// Products that AIJ does with the same values before a format by structure (or, for A^T, a named one) takes over. So matrices with
/// few products build nothing, and every run of a program gives the same bits: products are counted, not timed.
constexpr PetscInt64 kBeforeStructure = 32;

/// The format whose forecast, which is for the host, reads the fewest bytes, of those with kernels for `place` and, if `many`, for
/// several vectors at a time, but those by name only; AIJ if there is no such format.
std::size_t ByStructure(const Csr<PetscScalar, PetscInt> &csr, Place place, bool many = false)
{
  const Features features = FeaturesOf(csr);
  std::size_t    best     = kAij;
  double         least    = 0;
  for (std::size_t k = 0; k < Formats().size(); ++k) {
    const PetscFormat &format = *Formats()[k];
    if (format.by_name_only || (place == Place::Device && !format.device) || (many && !format.many)) continue;
    const double bytes = format.Expect(features, csr).bytes;
    if (best != kAij && bytes >= least) continue;
    best  = k + 1;
    least = bytes;
  }
  return best;
}

} // namespace

std::vector<MadeLayout> SpmvChooser::MakeSlots(const OptionValues &options) const
{
  std::vector<MadeLayout> slots;
  slots.reserve(2 * Formats().size());
  for (const Place place : {Place::Host, Place::Device}) {
    auto own = options.begin() + kOwn;
    for (const PetscFormat *format : Formats()) {
      const auto end = own + static_cast<std::ptrdiff_t>(format->options.size());
      slots.push_back({.format = format, .place = place, .options = OptionValues(own, end)});
      own = end;
    }
  }
  return slots;
}

void SpmvChooser::Restart()
{
  spent_  = Spent();
  gained_ = Gained();
  choice_.reset();
  seen_        = Stamp();
  same_values_ = 0;
  loops_       = RepeatedTurns(kBeforeLoops);
  plain_       = false;
  candidate_ = by_rules_ = on_device_ = dense_ = kAij;
  break_even_                                  = {};
  measured_ = new_values_ = no_memory_ = false;
}

/// Chooses by structure.
PetscErrorCode SpmvChooser::ByRules(Mat A, Layouts &layouts)
{
  bool made = false;

  PetscFunctionBegin;
  candidate_ = kAij;
  if (same_values_ < kBeforeStructure || no_memory_) PetscFunctionReturn(PETSC_SUCCESS);
  if (by_rules_ == kAij) by_rules_ = ByStructure(seen_.Lent(), Place::Host);
  if (by_rules_ == kAij) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MakeCurrentIfItFits(A, layouts, by_rules_ - 1, &made));
  no_memory_ = !made;
  if (made) candidate_ = by_rules_;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Chooses on a device, from the first product on, since AIJ would run on the host: the format named, or the one by structure. AIJ
/// if that has no kernels there.
void SpmvChooser::OnDevice(const OptionValues &options)
{
  if (ModeOf(options) == Mode::Named) candidate_ = NamedIn(options);
  else {
    if (on_device_ == kAij) on_device_ = ByStructure(seen_.Lent(), Place::Device);
    candidate_ = on_device_;
  }
  if (candidate_ != kAij && !Formats()[candidate_ - 1]->device) candidate_ = kAij;
}

/// Compares the matrix with its state at the last product.
PetscErrorCode SpmvChooser::Look(Mat A, Layouts &layouts)
{
  Stamp now;

  PetscFunctionBegin;
  PetscCall(now.Take(A));
  const bool same_pattern = seen_.SamePattern(now), same_values = same_pattern && seen_.SameValues(now);
  if (!same_pattern) layouts.Forget();
  seen_       = now;
  new_values_ = new_values_ || !same_values;
  if (!same_values) same_values_ = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SpmvChooser::PrepareProduct(Mat A, Layouts &layouts)
{
  const std::size_t candidate = ModeOf(layouts.settings->options) == Mode::Named ? NamedIn(layouts.settings->options) : kAij;
  bool              made;

  PetscFunctionBegin;
  if (candidate == kAij) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Look(A, layouts));
  PetscCall(MakeCurrentWithinLimit(A, layouts, candidate - 1, &made));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SpmvChooser::BeginProduct(Mat A, Layouts &layouts, Place place, Decision *decision)
{
  const OptionValues &options   = layouts.settings->options;
  const Mode          mode      = ModeOf(options);
  const bool          on_device = kHasDevice && place == Place::Device;
  bool                made;

  PetscFunctionBegin;
  PetscCall(Look(A, layouts));
  measured_ = plain_ = false;
  if (on_device) OnDevice(options);
  else if (mode == Mode::Named) candidate_ = layouts.source && same_values_ < kBeforeStructure ? kAij : NamedIn(options);
  else if (seen_.nnz < LeastOf(options)) candidate_ = kAij;
  else if (mode == Mode::Structure) PetscCall(ByRules(A, layouts));
  else PetscCall(ByMeasurement(A, layouts));
  if (candidate_ != kAij) {
    decision->slot = candidate_ - 1 + (on_device ? Formats().size() : 0);
    // ByMeasurement() has already made current what is wanted of the layout; only with -spmv_audit there may be more to do.
    if (measured_) PetscCall(MakeCurrentIfItFits(A, layouts, *decision->slot, &made, ExtentOf(0)));
    else PetscCall(MakeCurrentWithinLimit(A, layouts, *decision->slot, &made));
    if (!made) {
      if (measured_) choice_->CannotBeMade(0);
      candidate_ = kAij;
      decision->slot.reset();
      measured_ = false;
    }
  }
  if (measured_ && candidate_ == kAij) PetscCall(ChooseLoop(A, layouts));
  if (plain_) *decision = {.plain = true, .nonempty_rows = nonempty_rows_};
  if (measured_ && (choice_->Timed() || loops_.IsInTurns())) start_ = std::chrono::steady_clock::now();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The columns of dense matrices are counted, not timed: AIJ multiplies the first 32, as it does the first 32 products with A^T.
PetscErrorCode SpmvChooser::BeginDense(Mat A, Layouts &layouts, PetscInt columns, Slot *slot)
{
  const OptionValues &options = layouts.settings->options;
  const bool          named   = ModeOf(options) == Mode::Named;
  bool                made    = false;

  PetscFunctionBegin;
  PetscCall(Look(A, layouts));
  break_even_.Look(seen_);
  const bool wanted = (named && !layouts.source) || (break_even_.Reached() && (named || seen_.nnz >= LeastOf(options)));
  break_even_.Count(columns);
  if (!wanted) PetscFunctionReturn(PETSC_SUCCESS);
  if (named) dense_ = NamedIn(options);
  else if (dense_ == kAij) dense_ = ByStructure(seen_.Lent(), Place::Host, true);
  if (dense_ == kAij || !Formats()[dense_ - 1]->many) PetscFunctionReturn(PETSC_SUCCESS);
  MadeLayout *const before   = layouts.slots.empty() ? nullptr : &layouts.slots[dense_ - 1];
  const bool        in_parts = before && before->layout && before->layout->Parts() > 1; // it would pack x for each of them
  if (in_parts) before->Forget();
  PetscCall(MakeCurrentIfItFits(A, layouts, dense_ - 1, &made));
  if (in_parts && choice_) choice_->Replaced(dense_, made ? Progress{.parts = 1, .made = 1, .current = 1} : Progress());
  if (made) *slot = dense_ - 1;
  else break_even_.GiveUp();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SpmvChooser::EndProduct(Mat A, Layouts &layouts, double by_parts)
{
  PetscFunctionBegin;
  ++products_;
  ++same_values_;
  by_aij_ += candidate_ == kAij && !plain_;
  if (measured_) PetscCall(EndMeasured(A, layouts, by_parts));
  else if (candidate_ != kAij) AddUnmeasured(*layouts.settings->type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

WhyAij SpmvChooser::Why(const Layouts &layouts) const
{
  const bool changed = products_ > same_values_; // whether values or pattern have, since the first product
  if (ModeOf(layouts.settings->options) == Mode::Named) return layouts.source ? WhyAij::Few : WhyAij::Asked;
  if (seen_.nnz < 0) return WhyAij::Asked; // the chooser was never asked
  if (seen_.nnz < LeastOf(layouts.settings->options)) return WhyAij::Small;
  if (no_memory_) return WhyAij::NoMemory;
  if (choice_) return choice_->Why();
  if (ModeOf(layouts.settings->options) == Mode::Structure) return changed ? WhyAij::Changing : WhyAij::Few;
  return WhyAij::NoMemory; // not even for the choice itself
}

void SpmvChooser::AddTo(MatSpMVChoiceInfo &choice) const
{
  choice.products += products_;
  choice.by_aij += by_aij_;
  choice.spent += Spent();
  choice.gained += Gained();
}

} // namespace petscspmv::spmv
