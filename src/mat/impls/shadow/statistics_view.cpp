// What -spmv_view prints. Every line begins with the name of the library.
#include "mat/exec/settings.hpp"
#include "mat/exec/target.hpp"
#include "mat/impls/shadow/choose_target.hpp"
#include "mat/impls/shadow/statistics.hpp"
#include "mat/impls/shadow/words.hpp"

#include <algorithm>
#include <array>

namespace petscspmv {

namespace {

/// Adds a count after its word, as in " mult 12", unless it is 0.
void AddIfAny(Words &line, const char *word, double count)
{
  if (count > 0) line.Add(" %s %.0f", word, count);
}

/// Says so where processes have different targets: each measures for itself.
PetscErrorCode ViewOtherTargets()
{
  const PetscInt64 none = PETSC_MAX_INT, mine = TargetInUse();
  const PetscInt64 ends[2] = {mine < 0 ? none : mine, mine < 0 ? none : -mine};
  PetscInt64       least[2];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(ends, least, 2, MPIU_INT64, MPI_MIN, PETSC_COMM_WORLD));
  if (least[0] == none || least[0] == -least[1]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "PetscSpMV: that is the target of the first process; others have another, such as %s\n",
                        Targets()[static_cast<std::size_t>(least[0] == mine ? -least[1] : least[0])].name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewSettings()
{
  const Execution execution = CurrentExecution();

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "PetscSpMV " PETSCSPMV_VERSION ": %s; prefetch %s; threads of a process: %d\n",
                        DescribeTarget().c_str(), kPrefetchingNames[static_cast<std::size_t>(execution.prefetching)],
                        static_cast<int>(execution.workers)));
  PetscCall(ViewOtherTargets());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A row for each type that matrices had. What AIJ would have taken is known where a chooser has measured it.
PetscErrorCode ViewTypes(const Statistics &all, int size)
{
  PetscFunctionBegin;
  const Words mean = size > 1 ? Words("  (mean of %d processes, without communication)", size) : Words();
  const bool  chosen =
    std::ranges::any_of(Types(), [&](const TypeInfo *type) { return !FormatOf(*type) && all.Of(*type).made > 0; });
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "PetscSpMV %12s %10s %10s%s%s\n", "type", "products", "seconds",
                        chosen ? "   choosing   with aij   speed-up" : "", mean.c_str()));
  for (const TypeInfo *type : Types()) {
    const TypeFigures &figures = all.Of(*type);
    const double       taken = figures.seconds + figures.choosing, aij = figures.seconds + figures.gained;
    Words              against;
    if (figures.made == 0) continue;
    if (!FormatOf(*type) && figures.unknown == 0 && taken > 0)
      against.Add(" %10.4g %10.4g %10.2f", figures.choosing / size, aij / size, aij / taken);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "PetscSpMV %12s %10.0f %10.4g%s\n", type->alias, figures.products,
                          figures.seconds / size, against.c_str()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The counts of all processes that are not zero.
PetscErrorCode ViewCounts(const Statistics &all, int size)
{
  Words local, by, layouts;

  PetscFunctionBegin;
  AddIfAny(local, "mult", all.Of(Count::Mult));
  AddIfAny(local, "multadd", all.Of(Count::MultAdd));
  AddIfAny(local, "multT", all.Of(Count::MultTranspose));
  AddIfAny(local, "device", all.Of(Count::OnDevice));
  for (std::size_t k = 0; k < Formats().size(); ++k) AddIfAny(by, Formats()[k]->alias, all.by_format[k]);
  AddIfAny(by, "aij", all.Of(Count::ByAij));
  if (!by.empty()) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "PetscSpMV local products:%s; by%s\n", local.c_str(), by.c_str()));
  AddIfAny(layouts, "build", all.Of(Count::Build));
  AddIfAny(layouts, "refresh", all.Of(Count::Refresh));
  if (!layouts.empty())
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "PetscSpMV layouts:%s; seconds %.4g\n", layouts.c_str(), all.layout_seconds / size));
  if (all.dense > 0) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "PetscSpMV products with dense matrices: %.0f\n", all.dense));
  if (all.Of(Count::Trial) > 0)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "PetscSpMV trials of other targets and prefetching: %.0f, another way was faster: %.0f (-info shows "
                          "which)\n",
                          all.Of(Count::Trial), all.Of(Count::OtherWay)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Where nothing was multiplied: why, and what to try: the type that chooses among the formats, if there is one.
PetscErrorCode ViewNothing(const Statistics &all)
{
  Words made, hint;

  PetscFunctionBegin;
  const TypeInfo &best = **std::ranges::max_element(Types(), {}, [](const TypeInfo *type) { return !FormatOf(*type); });
  hint.Add("-mat_seqaij_type %s (-PREFIX_mat_seqaij_type for sequential matrices with an options prefix)", best.seq.c_str());
  for (const TypeInfo *type : Types()) {
    if (all.Of(*type).made > 0) made.Add("%s%s", made.empty() ? "" : ", ", type->alias);
  }
  if (made.empty())
    PetscCall(
      PetscPrintf(PETSC_COMM_WORLD, "PetscSpMV " PETSCSPMV_VERSION ": no matrix had one of its types; try %s\n", hint.c_str()));
  else
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "PetscSpMV " PETSCSPMV_VERSION ": matrices had its types (%s), but no products with them; where products "
                          "are with other matrices (-ksp_view shows their types), try %s\n",
                          made.c_str(), hint.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ViewStatistics(const Statistics &of_process)
{
  Statistics  all;
  PetscMPIInt size;

  PetscFunctionBegin;
  static_assert(sizeof(Statistics) % sizeof(double) == 0);
  PetscCallMPI(
    MPI_Allreduce(&of_process, &all, static_cast<int>(sizeof(Statistics) / sizeof(double)), MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  const double products =
    all.Of(Count::Mult) + all.Of(Count::MultAdd) + all.Of(Count::MultTranspose) + all.Of(Count::ByAij) + all.Of(Count::MatMult);
  if (products == 0) {
    PetscCall(ViewNothing(all));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(ViewSettings());
  PetscCall(ViewTypes(all, size));
  PetscCall(ViewCounts(all, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
