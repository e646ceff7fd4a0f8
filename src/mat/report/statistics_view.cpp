#include "mat/report/statistics_view.hpp"

#include "mat/exec/settings.hpp"
#include "mat/exec/target.hpp"
#include "mat/format/by_enumerator.hpp"
#include "mat/report/memory_view.hpp"
#include "mat/report/prefetching_names.hpp"
#include "mat/tuning/choose_target.hpp"
#include "mat/tuning/program_budget.hpp"
#include "petsc/fixed_string.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace petscspmv {

namespace {

/// Adds a count after its word, as in " mult 12", unless it is 0.
void AddIfAny(FixedString &line, const char *word, double count)
{
  if (count > 0) line.Add(" %s %.0f", word, count);
}

/// Prints a line if processes have different targets, since each process measures for itself.
PetscErrorCode ViewOtherTargets(PetscViewer viewer)
{
  const PetscInt64 none = PETSC_MAX_INT, mine = TargetInUse();
  const PetscInt64 ends[2] = {mine < 0 ? none : mine, mine < 0 ? none : -mine};
  PetscInt64       least[2];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(ends, least, 2, MPIU_INT64, MPI_MIN, PETSC_COMM_WORLD));
  if (least[0] == none || least[0] == -least[1]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "PetscSpMV: that is the target of the first process; others have another, such as %s\n",
                                   Targets()[static_cast<std::size_t>(least[0] == mine ? -least[1] : least[0])].name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewSettings(PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "PetscSpMV %s; prefetch %s\n", DescribeTarget().c_str(),
                                   kPrefetchingNames[static_cast<std::size_t>(CurrentExecution().prefetching)]));
  PetscCall(ViewOtherTargets(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr const char *kAgainstAij = "   overhead   with aij   speed-up"; // columns

/// Those columns of a row; empty unless AIJ's time is known of everything in the row.
FixedString AgainstAij(const Times &times, int size)
{
  const double taken = times.seconds + times.overhead, aij = times.seconds + times.gained;
  FixedString  columns;
  if (times.unknown == 0 && taken > 0) columns.Add(" %10.4g %10.4g %10.2f", times.overhead / size, aij / size, aij / taken);
  return columns;
}

/// Prints a row for each type that matrices had. Only the type with a chooser is compared with AIJ.
PetscErrorCode ViewTypes(const Statistics &all, int size, PetscViewer viewer)
{
  PetscFunctionBegin;
  const FixedString mean = size > 1 ? FixedString("  (mean of %d processes, without communication)", size) : FixedString();
  const bool        chosen =
    std::ranges::any_of(Types(), [&](const TypeInfo *type) { return !FormatOf(*type) && all.Of(*type).made > 0; });
  PetscCall(PetscViewerASCIIPrintf(viewer, "PetscSpMV %12s %10s %10s%s%s\n", "type", "products", "seconds",
                                   chosen ? kAgainstAij : "", mean.c_str()));
  for (const TypeInfo *type : Types()) {
    const TypeFigures &figures = all.Of(*type);
    if (figures.made == 0) continue;
    PetscCall(PetscViewerASCIIPrintf(viewer, "PetscSpMV %12s %10.0f %10.4g%s\n", type->alias, figures.products,
                                     figures.seconds / size, FormatOf(*type) ? "" : AgainstAij(figures, size).c_str()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Prints a row for relaxation, and one for solves with factors, if there were any.
PetscErrorCode ViewSweeps(const Statistics &all, int size, PetscViewer viewer)
{
  static constexpr auto kNames = ByEnumerator<Sweeping::Solve, const char *>({{Sweeping::Sor, "sor"}, {Sweeping::Solve, "solve"}});
  bool                  begun  = false;

  PetscFunctionBegin;
  for (std::size_t k = 0; k < kNames.size(); ++k) {
    const SweepFigures &figures = all.sweeps[k];
    if (figures.All() == 0) continue;
    if (!std::exchange(begun, true))
      PetscCall(PetscViewerASCIIPrintf(viewer, "PetscSpMV %12s %10s %10s %10s %10s%s\n", "local sweeps", "layouts", "plain", "aij",
                                       "seconds", kAgainstAij));
    PetscCall(PetscViewerASCIIPrintf(viewer, "PetscSpMV %12s %10.0f %10.0f %10.0f %10.4g%s\n", kNames[k],
                                     figures.Of(SweepBy::Layouts), figures.Of(SweepBy::Plain), figures.Of(SweepBy::Aij),
                                     figures.seconds / size, AgainstAij(figures, size).c_str()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Prints the nonzero counts, summed over all processes.
PetscErrorCode ViewCounts(const Statistics &all, int size, PetscViewer viewer)
{
  FixedString local, by, layouts;

  PetscFunctionBegin;
  AddIfAny(local, "mult", all.Of(Count::Mult));
  AddIfAny(local, "multadd", all.Of(Count::MultAdd));
  AddIfAny(local, "multT", all.Of(Count::MultTranspose));
  AddIfAny(local, "device", all.Of(Count::OnDevice));
  for (std::size_t k = 0; k < Formats().size(); ++k) AddIfAny(by, Formats()[k]->alias, all.by_format[k]);
  AddIfAny(by, "plain", all.Of(Count::ByPlain));
  AddIfAny(by, "aij", all.Of(Count::ByAij));
  if (!by.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "PetscSpMV local products:%s; by%s\n", local.c_str(), by.c_str()));
  AddIfAny(layouts, "build", all.Of(Count::Build));
  AddIfAny(layouts, "refresh", all.Of(Count::Refresh));
  if (!layouts.empty())
    PetscCall(PetscViewerASCIIPrintf(viewer, "PetscSpMV layouts:%s; seconds %.4g\n", layouts.c_str(), all.layout_seconds / size));
  if (all.dense > 0) PetscCall(PetscViewerASCIIPrintf(viewer, "PetscSpMV products with dense matrices: %.0f\n", all.dense));
  if (all.Of(Count::Trial) > 0)
    PetscCall(
      PetscViewerASCIIPrintf(viewer,
                             "PetscSpMV trials of other targets and prefetching: %.0f, another way was faster: %.0f (-info shows "
                             "which)\n",
                             all.Of(Count::Trial), all.Of(Count::OtherVariant)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// If little was gained, and AIJ did most, prints why.
PetscErrorCode ViewWhyAij(const Times &times, const SecondsByReason &by_aij, bool of_sweeps, PetscViewer viewer)
{
  struct Reason {
    const char *text, *of_products, *of_sweeps; // with the options that change it
  };
  static constexpr auto kReasonsInWords = ByEnumerator<WhyAij::Asked, Reason>({
    {WhyAij::Small, {"matrices, or their blocks, were so small that nothing is gained", " (-mat_spmv_least)", ""}},
    {WhyAij::Few, {"they were too few for each matrix to pay for the preparation", "", ""}},
    {WhyAij::Budget, {"preparing may take no larger share of the program's time so far", " (-mat_spmv_regret)", ""}},
    {WhyAij::Changing, {"values changed too often to pay for copying them", "", ""}},
    {WhyAij::NotFaster,
     {"nothing was, or is expected to be, faster with these matrices", "", ", or their rows wait for one another"}},
    {WhyAij::NoMemory, {"there was no memory for layouts, or -spmv_memory_limit left none", "", ", or a zero on the diagonal"}},
    {WhyAij::Asked, {"aij was asked for", " (-mat_spmv_choose, -mat_spmv_transpose)", " (-mat_<type>_sweeps)"}},
  });
  constexpr double      kLittle         = 0.05; // of the time
  const auto            most            = std::ranges::max_element(by_aij);
  const double          seconds         = std::accumulate(by_aij.begin(), by_aij.end(), 0.);

  PetscFunctionBegin;
  if (seconds <= times.seconds / 2 || times.gained - times.overhead > kLittle * times.seconds) PetscFunctionReturn(PETSC_SUCCESS);
  const Reason &reason = kReasonsInWords[static_cast<std::size_t>(most - by_aij.begin())];
  PetscCall(PetscViewerASCIIPrintf(viewer, "PetscSpMV: aij did most %s (%.0f %% of their time): %s%s\n",
                                   of_sweeps ? "sweeps" : "products", 100 * seconds / times.seconds, reason.text,
                                   of_sweeps ? reason.of_sweeps : reason.of_products));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Prints what was gained and spent, as far as it is known, and why if little was gained.
PetscErrorCode ViewGain(const Statistics &all, int size, PetscViewer viewer)
{
  Times  products, sweeps, known;
  double unknown = 0, program, mine = SecondsOfProgram(); // seconds

  PetscFunctionBegin;
  for (const TypeInfo *type : Types()) {
    if (FormatOf(*type)) continue;
    products += all.Of(*type);
    if (all.Of(*type).unknown == 0) known += all.Of(*type);
    else unknown += all.Of(*type).seconds;
  }
  for (const SweepFigures &figures : all.sweeps) {
    sweeps += figures;
    if (figures.unknown == 0) known += figures;
    else unknown += figures.seconds;
  }
  PetscCall(ViewWhyAij(products, all.why_aij, false, viewer));
  PetscCall(ViewWhyAij(sweeps, all.why_aij_sweeps, true, viewer));
  if (known.gained == 0 && known.overhead == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Allreduce(&mine, &program, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  const FixedString rest = unknown > 0 ? FixedString("; not compared with aij: %.4g s", unknown / size) : FixedString();
  PetscCall(PetscViewerASCIIPrintf(viewer, "PetscSpMV: gained %.4g s and spent %.4g s in %.4g s of processor time%s\n",
                                   known.gained / size, known.overhead / size, program / size, rest.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether an option is given whose name ends with `end`.
PetscErrorCode IsGiven(const char *end, bool *given)
{
  char  *all, *word;
  size_t length;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetAll(NULL, &all));
  PetscCall(PetscStrlen(end, &length));
  *given = false;
  for (word = std::strstr(all, end); word && !*given; word = std::strstr(word + 1, end)) *given = word[length] == ' ';
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Prints why nothing was multiplied, and what to try unless already given: -mat_seqaij_type with the type that chooses.
PetscErrorCode ViewNothing(const Statistics &all, PetscViewer viewer)
{
  FixedString made, hint;
  bool        reaches_all = false;

  PetscFunctionBegin;
  const TypeInfo &best = **std::ranges::max_element(Types(), {}, [](const TypeInfo *type) { return !FormatOf(*type); });
  PetscCall(IsGiven("mat_seqaij_type", &reaches_all));
  for (const TypeInfo *type : Types()) {
    if (all.Of(*type).made > 0) made.Add("%s%s", made.empty() ? "" : ", ", type->alias);
  }
  if (!reaches_all)
    hint.Add(
      "try -mat_seqaij_type %s, which reaches all AIJ matrices (sequential ones with an options prefix: -PREFIX_mat_seqaij_type)",
      best.seq.c_str());
  if (made.empty())
    PetscCall(PetscViewerASCIIPrintf(viewer, "PetscSpMV " PETSCSPMV_VERSION ": no matrix had one of its types; %s\n",
                                     reaches_all ? "none is AIJ (-ksp_view shows their types), or -mat_seqaij_type has the wrong "
                                                   "prefix: sequential matrices need their own, blocks of parallel ones none"
                                                 : hint.c_str()));
  else
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "PetscSpMV " PETSCSPMV_VERSION ": matrices had its types (%s), but no products with them, no "
                                     "relaxation, and no solves with factors that it knows: factors are another package's, such as "
                                     "MUMPS, or aij's as asked for, or all is done with other matrices (-ksp_view shows it)%s%s\n",
                                     made.c_str(), reaches_all ? "" : "; ", hint.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ViewStatistics(const Statistics &of_process, PetscViewer viewer, bool in_detail)
{
  Statistics  all;
  PetscMPIInt size;

  PetscFunctionBegin;
  static_assert(sizeof(Statistics) % sizeof(double) == 0);
  PetscCallMPI(
    MPI_Allreduce(&of_process, &all, static_cast<int>(sizeof(Statistics) / sizeof(double)), MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  double done = all.Of(Count::Mult) + all.Of(Count::MultAdd) + all.Of(Count::MultTranspose) + all.Of(Count::ByAij) +
                all.Of(Count::ByPlain) + all.Of(Count::MatMult);
  for (const SweepFigures &figures : all.sweeps) done += figures.All();
  if (done == 0) {
    PetscCall(ViewNothing(all, viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscViewerASCIIPrintf(viewer, "PetscSpMV " PETSCSPMV_VERSION ": processes: %d, threads of each: %d\n", size,
                                   static_cast<int>(CurrentExecution().workers)));
  PetscCall(ViewTypes(all, size, viewer));
  PetscCall(ViewSweeps(all, size, viewer));
  PetscCall(ViewGain(all, size, viewer));
  PetscCall(ViewMemory(PETSC_COMM_WORLD, viewer, "PetscSpMV"));
  if (!in_detail) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ViewSettings(viewer));
  PetscCall(ViewCounts(all, size, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
