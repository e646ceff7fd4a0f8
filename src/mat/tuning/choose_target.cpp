#include "mat/tuning/choose_target.hpp"

#include "mat/exec/session.hpp"
#include "mat/exec/settings.hpp"
#include "mat/exec/target.hpp"
#include "mat/tuning/measure_targets.hpp"
#include "petsc/guard.hpp"
#include "petsc/option_text.hpp"
#include "petscspmv.h"

#include <string>
#include <vector>

namespace petscspmv {

namespace {

/// Nonzeros multiplied before targets are measured: multiplying so many takes about half as long as the measurement.
constexpr double kBeforeMeasurement = 1e6;

constexpr char kByProgram[] = "PetscSpMVSetTarget()", kByOption[] = "-spmv_simd";

/// What the program has set; it holds from one session to the next.
struct TargetOfProgram {
  std::string name; // forced by PetscSpMVSetTarget() and not revoked, or empty
};

/// Nonzeros multiplied so far, counted until targets are measured.
struct Multiplied {
  double nonzeros = 0;
};

struct TargetOfSession {
  bool        in_use = false; // a target is set: the measured, a forced or, before a measurement, the expected one
  bool        forced = false;
  std::string by_option; // the name given by -spmv_simd at this registration
};

std::string Names(bool here_only)
{
  std::string names;
  for (const Target &target : Targets()) {
    if (!here_only || target.runs_here()) AddName(names, target.name);
  }
  return names;
}

/// Uses the target of this name from now on.
PetscErrorCode ForceTarget(const char *name, const char *by)
{
  const std::size_t target = FindTarget(name);

  PetscFunctionBegin;
  PetscCheck(target < Targets().size(), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%s is %s, which is not one of the library's targets; this processor runs %s", by, *name ? name : "empty",
             Names(true).c_str());
  PetscCheck(Targets()[target].runs_here(), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%s is %s, which this processor does not have: it needs %s; this processor runs %s", by, name,
             Targets()[target].features, Names(true).c_str());
  PetscCall(Guard([&] { SetTarget(target, DescribeLoads(Targets()[target]) + ", by " + by); }));
  TargetOfSession &session = OfSession<TargetOfSession>();
  session.in_use = session.forced = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ReadTarget()
{
  char      name[64];
  PetscBool given;

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Target of PetscSpMV's kernels", "Mat"); // PETSc shows the help of each title once
  PetscCall(PetscOptionsString(
    "-spmv_simd", (std::string("Target of the library's kernels on CPUs, by default the fastest here: ") + Names(false)).c_str(),
    "PetscSpMVSetTarget", "", name, sizeof(name), &given));
  PetscOptionsEnd();
  const std::string &by_program = OfProcess<TargetOfProgram>().name;
  if (!by_program.empty()) PetscCall(ForceTarget(by_program.c_str(), kByProgram));
  if (!given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ForceTarget(name, kByOption));
  OfSession<TargetOfSession>().by_option = name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void ChooseTarget()
{
  if (TargetIsSettled()) return;
  const Measurements &measured = MeasureTargets();
  SetTarget(measured.target, measured.why);
  OfSession<TargetOfSession>().in_use = true;
}

double SecondsToChooseTarget()
{
  constexpr double kEach = 4e-4; // target
  return TargetIsForced() ? 0 : kEach * TargetsToMeasure();
}

void CountTowardsMeasurement(PetscInt nonzeros)
{
  if (TargetIsSettled()) return;
  double &multiplied = OfProcess<Multiplied>().nonzeros;
  if (multiplied < kBeforeMeasurement) {
    multiplied += static_cast<double>(nonzeros);
  } else {
    multiplied = 0; // to count anew if there is no memory for the measurement
    ChooseTarget();
  }
}

PetscErrorCode NeedTarget()
{
  const std::string &by_program = OfProcess<TargetOfProgram>().name;

  PetscFunctionBegin;
  if (OfSession<TargetOfSession>().in_use) PetscFunctionReturn(PETSC_SUCCESS);
  if (!by_program.empty()) { // it was forced in an earlier session
    PetscCall(ForceTarget(by_program.c_str(), kByProgram));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(!Formats().empty(), PETSC_COMM_SELF, PETSC_ERR_ORDER, "Call PetscSpMVRegisterAll() first");
  PetscCall(Guard([] {
    if (TargetsToMeasure() <= 1) return ChooseTarget();
    const std::size_t expected = ExpectedTarget();
    SetTarget(expected, DescribeLoads(Targets()[expected]) + ", until products are worth a measurement");
    OfSession<TargetOfSession>().in_use = true;
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int TargetInUse()
{
  return OfSession<TargetOfSession>().in_use ? static_cast<int>(CurrentTarget()) : -1;
}

bool TargetIsForced()
{
  return OfSession<TargetOfSession>().forced;
}

bool TargetIsSettled()
{
  return TargetIsForced() || (OfSession<TargetOfSession>().in_use && TargetsToMeasure() <= 1);
}

std::size_t TargetOf(const PetscFormat &format)
{
  const Measured *const measured = MeasuredWith(format);
  return TargetIsForced() || !measured ? CurrentTarget() : measured->best;
}

std::size_t OtherTargetOf(const PetscFormat &format)
{
  const Measured *const measured = MeasuredWith(format);
  return measured ? measured->other : CurrentTarget();
}

FixedString DescribeTarget()
{
  return TargetInUse() >= 0 ? FixedString("target %s, %s", Targets()[CurrentTarget()].name, WhyTarget().c_str())
                            : FixedString("no target was needed, as no layout multiplied on the host");
}

} // namespace petscspmv

/*@C
   PetscSpMVGetTargets - Gets the targets for which the library's kernels can run on this processor.

   Not Collective; No Fortran Support

   Output Parameters:
+  n     - the number of targets
-  names - their names, as for the option `-spmv_simd`; the array belongs to the library

   Level: advanced

   Note:
   A target is an instruction set together with a way of loading x; src/mat/exec/targets.cmake lists them. All targets with FMA,
   which are all but `baseline`, give the same bits.

.seealso: `PetscSpMVSetTarget()`, `PetscSpMVGetTarget()`, `PetscSpMVRegisterAll()`
@*/
PetscErrorCode PetscSpMVGetTargets(PetscInt *n, const char *const *names[])
try {
  using namespace petscspmv;
  struct Here {
    std::vector<const char *> names;
  };
  std::vector<const char *> &here = OfProcess<Here>().names;
  const Locked               now(Lock());

  PetscFunctionBegin;
  PetscCheck(n && names, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "Result is NULL");
  PetscCall(Guard([&] {
    if (!here.empty()) return;
    for (const Target &target : Targets()) {
      if (target.runs_here()) here.push_back(target.name);
    }
  }));
  *n     = static_cast<PetscInt>(here.size());
  *names = here.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH

/*@C
   PetscSpMVSetTarget - Sets the target for which the library's kernels run on the calling process from now on.

   Not Collective; No Fortran Support

   Input Parameter:
.  name - one of `PetscSpMVGetTargets()`, or `NULL` to revoke an earlier call

   Options Database Key:
.  -spmv_simd name   - the same, for all processes

   Level: advanced

   Notes:
   It may be called before `PetscSpMVRegisterAll()`, and holds until it is revoked; `-spmv_simd` at a later registration overrides
   it. Existing layouts stay valid: they are the same for all targets.

   If no target is set, the library times its kernels, in a millisecond or two, once it has multiplied with a million nonzeros, when
   the type `spmv` looks at its first pattern, or before triangles get layouts. From then on each type uses the target that was the
   fastest. The measurement has x in the L1 cache. With a larger matrix, a few of its first twenty products also try the best target
   that loads x in the other way, and run without prefetching; the fastest combination is kept for matrices of that nonzero pattern.
   All these products have the same bits, except for the sign of NaNs. While a target is set here or by the option, no combinations
   are tried; layouts built meanwhile do not try any later.

.seealso: `PetscSpMVGetTargets()`, `PetscSpMVGetTarget()`
@*/
PetscErrorCode PetscSpMVSetTarget(const char name[])
try {
  using namespace petscspmv;
  const Locked now(Lock());

  PetscFunctionBegin;
  if (name) {
    PetscCall(ForceTarget(name, kByProgram));
    OfProcess<TargetOfProgram>().name = name;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  OfProcess<TargetOfProgram>().name.clear();
  TargetOfSession &session = OfSession<TargetOfSession>();
  if (!session.by_option.empty()) {
    PetscCall(ForceTarget(session.by_option.c_str(), kByOption));
  } else {
    session.in_use = session.forced = false;
    if (!Formats().empty()) PetscCall(NeedTarget());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH

/*@C
   PetscSpMVGetTarget - Gets the target for which the library's kernels run on this processor, unless another is faster with a
   type or a matrix; targets are measured first if necessary.

   Not Collective; No Fortran Support

   Output Parameters:
+  name - its name
-  why  - how x is loaded, and the reason: nanoseconds per nonzero compared with the other targets, or the user's choice; may be
          `NULL`. It stays valid until the target changes

   Level: advanced

.seealso: `PetscSpMVGetTargets()`, `PetscSpMVSetTarget()`
@*/
PetscErrorCode PetscSpMVGetTarget(const char *name[], const char *why[])
try {
  using namespace petscspmv;
  const Locked now(Lock());

  PetscFunctionBegin;
  PetscCheck(name, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "Result is NULL");
  PetscCall(NeedTarget());
  PetscCall(Guard(ChooseTarget));
  *name = Targets()[CurrentTarget()].name;
  if (why) *why = WhyTarget().c_str();
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH
