#include "mat/report/statistics_view.hpp"

#include "mat/exec/settings.hpp"
#include "mat/exec/target.hpp"
#include "mat/format/by_enumerator.hpp"
#include "mat/report/memory_view.hpp"
#include "mat/tuning/choose_target.hpp"
#include "mat/tuning/prefetching_names.hpp"
#include "petsc/fixed_string.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

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

/// Prints a row for each type that matrices had. The row has AIJ's time only if a chooser has measured that time for all products.
PetscErrorCode ViewTypes(const Statistics &all, int size, PetscViewer viewer)
{
  PetscFunctionBegin;
  const FixedString mean = size > 1 ? FixedString("  (mean of %d processes, without communication)", size) : FixedString();
  const bool        chosen =
    std::ranges::any_of(Types(), [&](const TypeInfo *type) { return !FormatOf(*type) && all.Of(*type).made > 0; });
  PetscCall(PetscViewerASCIIPrintf(viewer, "PetscSpMV %12s %10s %10s%s%s\n", "type", "products", "seconds",
                                   chosen ? "   overhead   with aij   speed-up" : "", mean.c_str()));
  for (const TypeInfo *type : Types()) {
    const TypeFigures &figures = all.Of(*type);
    const double       taken = figures.seconds + figures.overhead, aij = figures.seconds + figures.gained;
    FixedString        against;
    if (figures.made == 0) continue;
    if (!FormatOf(*type) && figures.unknown == 0 && taken > 0)
      against.Add(" %10.4g %10.4g %10.2f", figures.overhead / size, aij / size, aij / taken);
    PetscCall(PetscViewerASCIIPrintf(viewer, "PetscSpMV %12s %10.0f %10.4g%s\n", type->alias, figures.products,
                                     figures.seconds / size, against.c_str()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Prints how many relaxations and solves with factors were by layouts, and by AIJ, on all processes.
PetscErrorCode ViewSweeps(const Statistics &all, PetscViewer viewer)
{
  FixedString by_layouts, by_aij;

  PetscFunctionBegin;
  AddIfAny(by_layouts, "sor", all.Of(Count::Sor));
  AddIfAny(by_layouts, "solve", all.Of(Count::Solve));
  AddIfAny(by_aij, "sor", all.Of(Count::SorByAij));
  AddIfAny(by_aij, "solve", all.Of(Count::SolveByAij));
  if (!by_layouts.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "PetscSpMV local sweeps by layouts:%s\n", by_layouts.c_str()));
  if (!by_aij.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "PetscSpMV local sweeps by aij:%s\n", by_aij.c_str()));
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

/// If choosing gained little and AIJ did most of the products, prints why.
PetscErrorCode ViewWhyAij(const Statistics &all, PetscViewer viewer)
{
  static constexpr auto kTexts  = ByEnumerator<WhyAij::Asked, const char *>({
     {WhyAij::Small, "matrices, or their blocks, were so small that formats gain nothing (-mat_spmv_least)"},
     {WhyAij::Few, "they came before a matrix had had enough products to pay for preparing a format"},
     {WhyAij::Budget, "preparing a format may take no larger share of the program's time so far (-mat_spmv_regret)"},
     {WhyAij::Changing, "values changed too often to pay for copying them to a format"},
     {WhyAij::NotFaster, "no format was, or is expected to be, faster with these matrices"},
     {WhyAij::NoMemory, "there was not enough memory for a format"},
     {WhyAij::Asked, "aij was asked for (-mat_spmv_choose, -mat_spmv_transpose)"},
  });
  constexpr double      kLittle = 0.05; // of the products' time
  const auto            most    = std::ranges::max_element(all.why_aij);
  const double          by_aij  = std::accumulate(all.why_aij.begin(), all.why_aij.end(), 0.);
  double                seconds = 0, gained = 0;

  PetscFunctionBegin;
  for (const TypeInfo *type : Types()) {
    seconds += FormatOf(*type) ? 0 : all.Of(*type).seconds;
    gained += all.Of(*type).gained - all.Of(*type).overhead;
  }
  if (by_aij <= seconds / 2 || gained > kLittle * seconds) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "PetscSpMV: aij did most products (%.0f %% of their time): %s\n", 100 * by_aij / seconds,
                                   kTexts[static_cast<std::size_t>(most - all.why_aij.begin())]));
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
                                     "PetscSpMV " PETSCSPMV_VERSION ": matrices had its types (%s), but no products with them, and "
                                     "no sweeps by layouts: a direct solver (LU, Cholesky) has few or none, or they are with other "
                                     "matrices (-ksp_view shows their types)%s%s\n",
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
  const double products =
    all.Of(Count::Mult) + all.Of(Count::MultAdd) + all.Of(Count::MultTranspose) + all.Of(Count::ByAij) + all.Of(Count::MatMult);
  if (products + all.Of(Count::Sor) + all.Of(Count::Solve) == 0) {
    PetscCall(ViewNothing(all, viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscViewerASCIIPrintf(viewer, "PetscSpMV " PETSCSPMV_VERSION ": processes: %d, threads of each: %d\n", size,
                                   static_cast<int>(CurrentExecution().workers)));
  PetscCall(ViewTypes(all, size, viewer));
  PetscCall(ViewWhyAij(all, viewer));
  PetscCall(ViewSweeps(all, viewer));
  PetscCall(ViewMemory(PETSC_COMM_WORLD, viewer, "PetscSpMV"));
  if (!in_detail) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ViewSettings(viewer));
  PetscCall(ViewCounts(all, size, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
