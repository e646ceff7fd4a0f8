#include "mat/impls/spmv/turns.hpp"

#include "mat/impls/shadow/choose_target.hpp"
#include "mat/impls/shadow/guard.hpp"
#include "mat/impls/shadow/shadow.hpp"
#include "mat/impls/spmv/experience.hpp"
#include "mat/impls/spmv/features.hpp"
#include "mat/impls/spmv/type.hpp"

#include <new>
#include <utility>

namespace petscspmv::spmv {

namespace {

constexpr PetscInt64 kBeforeStructure = 32; // products by AIJ with the same values before those by structure: what is done seldom
                                            // builds nothing, and the same program has the same bits again

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start)
{
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The format whose products read the least by what the pattern looks like, of those that can be at a place; AIJ if none can.
std::size_t ByStructure(const Features &features, Place place)
{
  std::size_t best  = kAij;
  double      least = 0;
  for (std::size_t k = 0; k < Formats().size(); ++k) {
    if (place == Place::Device && !Formats()[k]->device) continue;
    const double bytes = Formats()[k]->forecast(features).bytes;
    if (best != kAij && bytes >= least) continue;
    best  = k + 1;
    least = bytes;
  }
  return best;
}

/// Calls f(); if there is no memory for what it does, things go on without.
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

/// Looks at the pattern: look(start) reports to the choice what it found, and how long that took.
template <class Look>
PetscErrorCode LookAtPattern(const Look &look)
{
  PetscFunctionBegin;
  const auto start = Clock::now();
  PetscCall(NeedTarget());
  PetscCall(IfItFits([&] { look(start); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Looks the pattern up among those that are recorded.
PetscErrorCode Search(Turns &turns, const OptionValues &options)
{
  PetscFunctionBegin;
  PetscCall(LookAtPattern([&](Clock::time_point start) {
    if (auto pattern = FindPattern(turns.seen.Lent(), options)) turns.choice->SetPattern(pattern, true, SecondsSince(start));
    else turns.choice->Searched(SecondsSince(start));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Predicts what the formats will take.
PetscErrorCode Predict(Turns &turns)
{
  PetscFunctionBegin;
  PetscCall(LookAtPattern([&](Clock::time_point start) {
    auto pattern = NewPattern(FeaturesOf(turns.seen.Lent()), turns.choice->AijSeconds());
    turns.choice->SetPattern(std::move(pattern), false, SecondsSince(start));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Has other matrices of the pattern begin with what this one has found.
PetscErrorCode Record(Turns &turns, const OptionValues &options)
{
  PetscFunctionBegin;
  const auto start = Clock::now();
  PetscCall(IfItFits([&] { RecordPattern(turns.seen.Lent(), options, turns.choice->SharedPattern()); }));
  turns.choice->Recorded(SecondsSince(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes the layout in use current, or not if there is no memory for it: AIJ goes on then.
PetscErrorCode MakeCurrentIfItFits(Mat A, Shadow &shadow, bool *made)
{
  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  PetscErrorCode ierr = MakeCurrent(A, shadow);
  PetscCall(PetscPopErrorHandler());
  if (ierr != PETSC_SUCCESS && ierr != PETSC_ERR_MEM) {
    PetscCall(MakeCurrent(A, shadow)); // again, with the user's error handler
    ierr = PETSC_SUCCESS;
  }
  *made = ierr == PETSC_SUCCESS;
  if (*made) PetscFunctionReturn(PETSC_SUCCESS);
  shadow.Made().Forget();
  PetscCall(PetscInfo(A, "spmv: no memory for a layout in %s, aij goes on\n", shadow.Made().format->alias));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Prepares what is chosen by measurements.
PetscErrorCode Prepare(Mat A, Shadow &shadow)
{
  Turns     &turns  = *shadow.turns;
  const auto builds = shadow.info.builds;
  bool       made   = false;

  PetscFunctionBegin;
  const auto start = Clock::now();
  PetscCall(MakeCurrentIfItFits(A, shadow, &made));
  const double seconds = SecondsSince(start);
  if (!made) {
    turns.choice->CannotBeMade(seconds);
    turns.who = kAij;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const bool built = shadow.info.builds != builds;
  turns.choice->Prepared(built, seconds);
  LearnPreparation(turns.who, built, seconds / turns.choice->AijSeconds());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What multiplies by measurements.
PetscErrorCode ByMeasurement(Mat A, Shadow &shadow)
{
  Turns       &turns = *shadow.turns;
  const Stamp &stamp = turns.seen;

  PetscFunctionBegin;
  turns.who = kAij;
  if (!turns.choice) {
    PetscCall(IfItFits(
      [&] { turns.choice.emplace(FamilyOf(stamp.rows, stamp.cols, stamp.nnz), Formats().size() + 1, RegretOf(shadow.options)); }));
    if (!turns.choice) PetscFunctionReturn(PETSC_SUCCESS);
  } else if (turns.new_values) {
    turns.choice->ValuesChanged();
  }
  turns.new_values   = false;
  turns.measured     = true;
  const double start = TargetInUse() < 0 ? kStartSeconds : 0;
  if (turns.choice->WantsSearch(start)) PetscCall(Search(turns, shadow.options));
  if (turns.choice->WantsPattern(start)) PetscCall(Predict(turns));
  if (turns.choice->WantsRecord()) PetscCall(Record(turns, shadow.options));
  turns.who = turns.choice->Next();
  if (turns.who == kAij) PetscFunctionReturn(PETSC_SUCCESS);
  shadow.in_use = turns.who - 1;
  if (!turns.choice->IsCurrent(turns.who)) PetscCall(Prepare(A, shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What multiplies by the structure.
PetscErrorCode ByRules(Mat A, Shadow &shadow)
{
  Turns &turns = *shadow.turns;
  bool   made  = false;

  PetscFunctionBegin;
  turns.who = kAij;
  if (turns.same_values < kBeforeStructure || turns.no_memory) PetscFunctionReturn(PETSC_SUCCESS);
  if (turns.by_rules == kAij) turns.by_rules = ByStructure(FeaturesOf(turns.seen.Lent()), Place::Host);
  if (turns.by_rules == kAij) PetscFunctionReturn(PETSC_SUCCESS);
  shadow.in_use = turns.by_rules - 1;
  PetscCall(MakeCurrentIfItFits(A, shadow, &made));
  turns.no_memory = !made;
  if (made) turns.who = turns.by_rules;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What multiplies on a device: the format named, or that of the structure from the first product on, as AIJ is on the host. AIJ
/// if there is none.
PetscErrorCode OnDevice(Shadow &shadow)
{
  Turns &turns = *shadow.turns;

  PetscFunctionBegin;
  if (ModeOf(shadow.options) == Mode::Named) turns.who = NamedIn(shadow.options);
  else {
    if (turns.on_device == kAij) turns.on_device = ByStructure(FeaturesOf(turns.seen.Lent()), Place::Device);
    turns.who = turns.on_device;
  }
  if (turns.who != kAij && !Formats()[turns.who - 1]->device) turns.who = kAij;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

void Turns::Restart()
{
  spent_  = Spent();
  gained_ = Gained();
  choice.reset();
  seen        = Stamp();
  same_values = 0;
  who = by_rules = on_device = kAij;
  measured = noted = new_values = no_memory = false;
}

PetscErrorCode BeginTurn(Mat A, Shadow &shadow, Place place, bool *by_aij)
{
  Turns      &turns   = *shadow.turns;
  const Stamp before  = turns.seen;
  bool        replays = false;

  PetscFunctionBegin;
  PetscCall(turns.seen.Take(A));
  const bool same_pattern = before.SamePattern(turns.seen), same_values = same_pattern && before.SameValues(turns.seen);
  if (!same_pattern) {
    const Stamp now = turns.seen;
    for (MadeLayout &made : shadow.made) made.Forget();
    turns.Restart();
    turns.seen = now;
  }
  turns.same_values = same_values ? turns.same_values + 1 : 0;
  turns.new_values  = turns.new_values || !same_values;
  turns.measured = turns.noted = false;
  const Mode mode              = ModeOf(shadow.options);
  const bool on_device         = kHasDevice && place == Place::Device;
  if (on_device) PetscCall(OnDevice(shadow));
  else if (mode == Mode::Named) turns.who = NamedIn(shadow.options);
  else if (turns.seen.nnz < LeastOf(shadow.options)) turns.who = kAij;
  else if (mode == Mode::Structure) PetscCall(ByRules(A, shadow));
  else {
    PetscCall(turns.recorded.Next(turns.seen, &replays, &turns.who));
    turns.noted = true;
    if (!replays) PetscCall(ByMeasurement(A, shadow));
  }
  *by_aij = turns.who == kAij;
  if (!*by_aij) {
    shadow.in_use = turns.who - 1 + (on_device ? Formats().size() : 0);
    PetscCall(MakeCurrent(A, shadow)); // after measurements it is already, but for an audit
  }
  if (turns.measured && turns.choice->Timed()) turns.start = Clock::now();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EndTurn(Shadow &shadow)
{
  Turns &turns = *shadow.turns;

  PetscFunctionBegin;
  ++turns.products;
  turns.by_aij += turns.who == kAij;
  if (turns.noted) PetscCall(Guard([&] { turns.recorded.Add(turns.who); }));
  if (!turns.measured) PetscFunctionReturn(PETSC_SUCCESS);
  Choice &choice = *turns.choice;
  choice.Multiplied(choice.Timed() ? SecondsSince(turns.start) : 0);
  for (std::size_t k = 0; k < Formats().size(); ++k) {
    if (choice.Keeps(k + 1) || !shadow.made[k].layout) continue;
    const auto start = Clock::now();
    shadow.made[k].Forget();
    choice.Spend(SecondsSince(start));
  }
  const std::size_t tried = choice.Tried();
  if (tried == kAij) PetscFunctionReturn(PETSC_SUCCESS);
  const Pattern &pattern = choice.OfPattern();
  const Known   &known   = pattern.candidates[tried];
  const double   found   = known.product.Value() / choice.AijSeconds();
  LearnProduct(tried, known.predicted.uncorrected, found);
  PetscCall(PetscInfo(shadow.owner,
                      "spmv: tried %s, predicted %.2f of aij's time, found %.2f; products by %s from now on; spent %.3g s so far, "
                      "gained %.3g s\n",
                      NameOf(tried).c_str(), known.predicted.product, found, NameOf(pattern.adopted).c_str(), turns.Spent(),
                      turns.Gained()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::spmv
