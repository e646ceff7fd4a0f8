#include "mat/impls/shadow/choose_target.hpp"

#include "mat/exec/settings.hpp"
#include "mat/exec/target.hpp"
#include "mat/impls/shadow/guard.hpp"
#include "mat/impls/shadow/shadow.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace petscspmv {

namespace {

bool        chosen     = false; // or forced
bool        forced     = false;
bool        by_program = false; // forced by PetscSpMVSetTarget(), until it takes that back
std::string by_option;          // the name that -spmv_simd has given, or empty
std::size_t measured_target, other_target;
std::string measured_why; // empty until something has been measured in this process

/// A matrix that fits into a first-level cache with its vectors: what differs between targets shows there most.
struct ProbeMatrix {
  static constexpr PetscInt kRows = 192, kMostInRow = 15;

  std::vector<PetscInt>    row_ptr{0}, col_idx;
  std::vector<PetscScalar> val, x, y;

  ProbeMatrix() : x(kRows, PetscScalar(1)), y(kRows)
  {
    unsigned   state = 1; // of a generator of pseudorandom numbers
    const auto next  = [&](PetscInt most) { return static_cast<PetscInt>((state = state * 1664525u + 1013904223u) >> 16) % most; };
    for (PetscInt row = 0; row < kRows; ++row) {
      for (PetscInt k = 1 + next(kMostInRow); k > 0; --k) {
        col_idx.push_back(next(kRows));
        val.push_back(PetscScalar(0.5));
      }
      row_ptr.push_back(static_cast<PetscInt>(col_idx.size()));
    }
  }

  Csr<PetscScalar, PetscInt> Arrays() const { return {kRows, kRows, row_ptr.data(), col_idx.data(), val.data()}; }
};

/// The matrix in every format, and how to multiply with it by any target.
class Probe {
public:
  Probe()
  {
    execution_.launch_work = static_cast<std::size_t>(-1); // no threads
    execution_.target      = WidestTarget();
    for (const PetscFormat *format : Formats()) {
      OptionValues options;
      for (const OptionSpec &option : format->options) options.push_back(option.initial);
      layouts_.emplace_back(*format, Place::Host);
      layouts_.back().Build(execution_, matrix_.Arrays(), options);
      workspaces_.push_back(layouts_.back().MakeWorkspace());
    }
  }

  /// Nanoseconds a nonzero, in the mean of the formats: the median of some samples of each target, which take turns. Fewer of
  /// them where time runs out: all that chooses a target shall take less than a millisecond.
  std::vector<double> Measure(const std::vector<std::size_t> &targets)
  {
    constexpr int                    kLeast = 3, kMost = 9;
    constexpr auto                   kTime = std::chrono::microseconds(600);
    const auto                       start = std::chrono::steady_clock::now();
    std::vector<std::vector<double>> samples(targets.size());
    std::vector<double>              medians;
    for (int s = 0; s <= kLeast || (s <= kMost && std::chrono::steady_clock::now() - start < kTime); ++s) {
      for (std::size_t k = 0; k < targets.size(); ++k) {
        const double ns = Sample(targets[k]);
        if (s > 0) samples[k].push_back(ns); // the first brings instructions and data to the caches
      }
    }
    for (std::vector<double> &of_target : samples) {
      const auto median = of_target.begin() + static_cast<std::ptrdiff_t>(of_target.size() / 2);
      std::nth_element(of_target.begin(), median, of_target.end());
      medians.push_back(*median);
    }
    return medians;
  }

private:
  double Sample(std::size_t target)
  {
    constexpr int kProducts = 3;
    execution_.target       = target;
    const auto start        = std::chrono::steady_clock::now();
    for (std::size_t k = 0; k < layouts_.size(); ++k) {
      execution_.workspace = workspaces_[k].data();
      for (int product = 0; product < kProducts; ++product)
        layouts_[k].Apply(execution_, Op::N, false, matrix_.x.data(), matrix_.y.data());
    }
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    return spent.count() / (kProducts * static_cast<double>(layouts_.size() * matrix_.val.size()));
  }

  Execution                execution_;
  ProbeMatrix              matrix_;
  std::vector<PetscLayout> layouts_;
  std::vector<Workspace>   workspaces_;
};

/// The targets that run here and whose results have the same bits, in the order of the list: those with fused operations, if any.
std::vector<std::size_t> Candidates()
{
  const bool               fused = Targets()[WidestTarget()].fused;
  std::vector<std::size_t> candidates;
  for (std::size_t k = 0; k < Targets().size(); ++k) {
    if (Targets()[k].runs_here() && Targets()[k].fused == fused) candidates.push_back(k);
  }
  return candidates;
}

std::string XBy(const Target &target)
{
  return target.gathers ? "x by gathers" : "x by loads";
}

/// Times the candidates, and chooses: a later one if it is faster by more than what such a measurement is sure of.
void MeasureTargets()
{
  constexpr double               kSure      = 0.97;
  constexpr double               kHopeless  = 2; // beyond, not even an x far away makes good what another way of loading it costs
  const std::vector<std::size_t> candidates = Candidates();
  if (candidates.size() == 1) {
    measured_target = other_target = candidates.front();
    measured_why                   = XBy(Targets()[measured_target]) + ", the only one for this processor";
    return;
  }
  const std::vector<double> ns   = Probe().Measure(candidates);
  std::size_t               best = 0;
  for (std::size_t k = 1; k < candidates.size(); ++k) {
    if (ns[k] < kSure * ns[best]) best = k;
  }
  std::size_t other = best;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    if (Targets()[candidates[k]].gathers != Targets()[candidates[best]].gathers && ns[k] < kHopeless * ns[best] &&
        (other == best || ns[k] < ns[other]))
      other = k;
  }
  char text[64];
  std::snprintf(text, sizeof(text), ": %.2f ns a nonzero against", ns[best]);
  std::string why = XBy(Targets()[candidates[best]]) + text;
  for (std::size_t k = 0, others = 0; k < candidates.size(); ++k) {
    if (k == best) continue;
    std::snprintf(text, sizeof(text), "%s %.2f (%s)", others++ ? "," : "", ns[k], Targets()[candidates[k]].name);
    why += text;
  }
  measured_target = candidates[best];
  other_target    = candidates[other];
  measured_why    = why;
}

std::string Names(bool here_only)
{
  std::string names;
  for (const Target &target : Targets()) {
    if (!here_only || target.runs_here()) names += std::string(names.empty() ? "" : ", ") + target.name;
  }
  return names;
}

/// From now on the target of this name.
PetscErrorCode ForceTarget(const char *name, const char *by)
{
  const std::size_t target = FindTarget(name);

  PetscFunctionBegin;
  PetscCheck(target < Targets().size(), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%s is %s, which is none of the library's targets; this processor runs %s", by, name, Names(true).c_str());
  PetscCheck(Targets()[target].runs_here(), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%s is %s, which this processor does not have: it needs %s; this processor runs %s", by, name,
             Targets()[target].features, Names(true).c_str());
  PetscCall(Guard([&] { SetTarget(target, XBy(Targets()[target]) + ", by " + by); }));
  chosen = forced = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ReadTarget()
{
  char      name[64];
  PetscBool given;

  PetscFunctionBegin;
  chosen = forced = by_program;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Target of PetscSpMV's kernels", "Mat"); // PETSc shows the help of a title once
  PetscCall(PetscOptionsString(
    "-spmv_simd",
    (std::string("Target of the library's kernels on processors, by default the fastest here: ") + Names(false)).c_str(),
    "PetscSpMVSetTarget", "", name, sizeof(name), &given));
  PetscOptionsEnd();
  by_option = given ? name : "";
  if (given) PetscCall(ForceTarget(name, "-spmv_simd"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NeedTarget()
{
  PetscFunctionBegin;
  if (chosen) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!Formats().empty(), PETSC_COMM_SELF, PETSC_ERR_ORDER, "Call PetscSpMVRegisterAll() first");
  PetscCall(Guard([] {
    if (measured_why.empty()) MeasureTargets();
    SetTarget(measured_target, measured_why);
  }));
  chosen = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

int TargetInUse()
{
  return chosen ? static_cast<int>(CurrentTarget()) : -1;
}

bool TargetIsForced()
{
  return forced;
}

std::size_t OtherTarget()
{
  return other_target;
}

std::string DescribeTarget()
{
  return chosen ? std::string("target ") + Targets()[CurrentTarget()].name + ", " + WhyTarget() : "no target was needed";
}

} // namespace petscspmv

/*@C
   PetscSpMVGetTargets - Gets the targets that the library's kernels can run for on this processor.

   Not Collective

   Output Parameters:
+  n     - how many there are
-  names - their names, as of the option `-spmv_simd`; the array belongs to the library

   Level: advanced

   Note:
   A target is a set of instructions with a way of loading x; src/mat/exec/targets.cmake lists them. All with
   fused operations, which are all but `baseline`, give the same bits.

.seealso: `PetscSpMVSetTarget()`, `PetscSpMVGetTarget()`, `PetscSpMVRegisterAll()`
@*/
PetscErrorCode PetscSpMVGetTargets(PetscInt *n, const char *const *names[])
{
  using namespace petscspmv;
  static std::vector<const char *> here;

  PetscFunctionBegin;
  PetscCheck(n && names, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "Result is NULL");
  PetscCall(Guard([] {
    if (!here.empty()) return;
    for (const Target &target : Targets()) {
      if (target.runs_here()) here.push_back(target.name);
    }
  }));
  *n     = static_cast<PetscInt>(here.size());
  *names = here.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   PetscSpMVSetTarget - Chooses the target that the library's kernels run for on the calling process from now on.

   Not Collective

   Input Parameter:
.  name - one of `PetscSpMVGetTargets()`, or `NULL` to take back what was chosen so

   Options Database Key:
.  -spmv_simd <name> - the same, for all processes

   Level: advanced

   Notes:
   It may be called before `PetscSpMVRegisterAll()`, and holds until it is taken back; `-spmv_simd` at a later
   registration comes before it. Layouts that have been made stay valid: they are the same for all targets.

   Without it the library times its kernels when they are first needed, for less than a millisecond, and takes the
   fastest target. That is with x in the nearest cache: with a larger matrix, a few of its first twenty products try the
   best target that loads x in the other way as well, and prefetching and none, and the fastest is kept for matrices of that
   pattern. All these products have the same bits. While a target is chosen here or by the option, none is tried.

.seealso: `PetscSpMVGetTargets()`, `PetscSpMVGetTarget()`
@*/
PetscErrorCode PetscSpMVSetTarget(const char name[])
{
  using namespace petscspmv;

  PetscFunctionBegin;
  by_program = false;
  if (name) {
    PetscCall(ForceTarget(name, "PetscSpMVSetTarget()"));
    by_program = true;
  } else if (!by_option.empty()) {
    PetscCall(ForceTarget(by_option.c_str(), "-spmv_simd"));
  } else {
    chosen = forced = false;
    if (!Formats().empty()) PetscCall(NeedTarget());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
   PetscSpMVGetTarget - Gets the target that the library's kernels run for on this processor, where products with a matrix have
   found no faster one; it is chosen if need be.

   Not Collective

   Output Parameters:
+  name - its name
-  why  - how x is loaded, and what chose it: nanoseconds a nonzero beside those of the other targets, or the user; may be `NULL`.
          It stays valid until the target changes

   Level: advanced

.seealso: `PetscSpMVGetTargets()`, `PetscSpMVSetTarget()`
@*/
PetscErrorCode PetscSpMVGetTarget(const char *name[], const char *why[])
{
  using namespace petscspmv;

  PetscFunctionBegin;
  PetscCheck(name, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "Result is NULL");
  PetscCall(NeedTarget());
  *name = Targets()[CurrentTarget()].name;
  if (why) *why = WhyTarget().c_str();
  PetscFunctionReturn(PETSC_SUCCESS);
}
