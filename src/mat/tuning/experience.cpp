#include "mat/tuning/experience.hpp"

#include "mat/exec/large_memory.hpp"
#include "mat/exec/session.hpp"
#include "mat/exec/settings.hpp"
#include "mat/format/divide.hpp"
#include "mat/format/transpose.hpp"
#include "mat/tuning/choose_target.hpp"
#include "mat/tuning/digest.hpp"
#include "mat/tuning/features.hpp"
#include "mat/tuning/measure_targets.hpp"
#include "mat/tuning/prediction.hpp"
#include "mat/tuning/remembered.hpp"
#include "mat/tuning/roles.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>

namespace petscspmv {

namespace {

using Size = std::tuple<PetscInt, PetscInt, PetscInt, Operation>;
using Key  = std::tuple<PetscInt, PetscInt, PetscInt, std::uint64_t, OptionValues>; // sizes, digest, options

constexpr double kCareful   = 1.2; // factor on measured builds and refreshes, since some take longer
constexpr double kTranspose = 2;   // factor on expected ones of layouts of A^T, which is made first

/// What this session has learned about a format.
struct Learned {
  RecentMedian product;        // measured over predicted
  RecentMedian build, refresh; // seconds per nonzero
};

/// All that is known in this session.
struct Experience {
  Remembered<Size, Family>                           families;
  Remembered<Key, Pattern>                           patterns;
  std::array<std::array<Learned, kMostTypes + 1>, 2> learned; // by operation (Operation) and candidate
  std::array<Roles, 2>                               roles;   // by operation
  std::map<std::pair<std::string, int>, std::shared_ptr<SweepFindings>>
    sweeps; // by family, and binary digits of the number of rows
};

Learned &LearnedOf(std::size_t candidate, Operation of)
{
  return OfSession<Experience>().learned[static_cast<std::size_t>(of)][candidate];
}

/// How many parts layouts of so many nonzeros are made in: each has work for a launch on all threads or, without threads, for a few
/// kernel calls.
int PartsOf(double nnz)
{
  constexpr double kMost     = 8;
  const Execution  execution = CurrentExecution();
  const double     work      = static_cast<double>(execution.launch_work) * static_cast<double>(execution.workers);
  return static_cast<int>(std::clamp(nnz / std::max(1., execution.workers > 1 ? work : work / 2), 1., kMost));
}

/// Seconds until the memory is there that making a layout takes, whose entries take so many bytes a nonzero if it `copies` them.
double SecondsForMemory(double nnz, bool copies, double bytes, Operation of)
{
  const bool of_transpose = of == Operation::Transpose;
  const auto source       = static_cast<double>(BytesToMake<PetscScalar, PetscInt>(false, of_transpose));
  const auto expected     = static_cast<double>(BytesToMake<PetscScalar, PetscInt>(copies, of_transpose)); // as when it is made
  const auto all          = [nnz](double each) { return static_cast<std::size_t>(each * nnz); };
  return SecondsForLarge(all(source + (copies ? bytes : 0)), all(expected)) / static_cast<double>(CurrentExecution().workers);
}

Key KeyOf(const Csr<PetscScalar, PetscInt> &csr, const OptionValues &options)
{
  return {csr.rows, csr.cols, csr.nnz(), PatternDigest(csr, true), options};
}

} // namespace

std::shared_ptr<Family> FamilyOf(PetscInt rows, PetscInt cols, PetscInt nnz, Operation of)
{
  return OfSession<Experience>().families.FindOrAdd({rows, cols, nnz, of}, [] { return std::make_shared<Family>(); });
}

std::shared_ptr<Role> RoleOf(const std::string &origin, PetscInt nnz, Operation of)
{
  return OfSession<Experience>().roles[static_cast<std::size_t>(of)].Of(origin, nnz, Formats().size() + 1);
}

std::shared_ptr<Pattern> FindPattern(const Csr<PetscScalar, PetscInt> &csr, const OptionValues &options)
{
  return OfSession<Experience>().patterns.Find(KeyOf(csr, options));
}

void RecordPattern(const Csr<PetscScalar, PetscInt> &csr, const OptionValues &options, std::shared_ptr<Pattern> pattern)
{
  OfSession<Experience>().patterns.FindOrAdd(KeyOf(csr, options), [&] { return std::move(pattern); });
}

std::shared_ptr<Pattern> NewPattern(const Csr<PetscScalar, PetscInt> &csr, double aij, const Role &role, Operation of)
{
  Features features = FeaturesOf(csr);
  // The rest is taken from A's rows, for want of those of A^T.
  if (of == Operation::Transpose) features.length = std::max(1., features.nnz / std::max(1., static_cast<double>(csr.cols)));
  const int  parts   = of == Operation::Product ? EvenParts(csr, PartsOf(features.nnz)) : 1;
  const auto matrix  = Measurable{.nnz = features.nnz, .aij = aij, .bytes = sizeof(PetscScalar) + sizeof(PetscInt)};
  auto       pattern = std::make_shared<Pattern>(Formats().size() + 1);
  for (std::size_t k = 0; k < Formats().size(); ++k) {
    const PetscFormat &format = *Formats()[k];
    if (format.by_name_only) {
      pattern->candidates[k + 1].next_trial = kNever;
      continue;
    }
    Prediction    &prediction = pattern->candidates[k + 1].predicted;
    const Learned &known      = LearnedOf(k + 1, of);
    const double   learned    = known.product.Known() ? known.product.Value() : 1;
    const Forecast forecast   = format.Expect(features, csr);
    prediction = Predict(matrix, {.rows = MeasuredNsOfRows(), .format = MeasuredNs(format)}, forecast, format.borrows);
    if (!format.borrows) prediction.parts = parts;
    if (of == Operation::Transpose) {
      prediction.build *= kTranspose;
      prediction.refresh *= kTranspose;
    }
    prediction.build += SecondsForMemory(features.nnz, !format.borrows, forecast.bytes, of) / aij;
    prediction.product *= role.product[k + 1].ValueOr(learned, learned); // one or two of a role promise no less than all others
    if (known.build.Known()) prediction.build = kCareful * known.build.Value() * features.nnz / aij;
    if (known.refresh.Known()) prediction.refresh = kCareful * known.refresh.Value() * features.nnz / aij;
  }
  return pattern;
}

void LearnProduct(std::size_t candidate, Role &role, Operation of, double predicted, double measured)
{
  if (!(predicted > 0 && measured > 0)) return; // NaN where the clock did not advance
  LearnedOf(candidate, of).product.Add(measured / predicted);
  role.product[candidate].Add(measured / predicted);
}

void LearnPreparation(std::size_t candidate, Operation of, bool built, double measured)
{
  Learned &known = LearnedOf(candidate, of);
  (built ? known.build : known.refresh).Add(measured);
}

std::shared_ptr<SweepFindings> SweepFindingsOf(const SweepFamily &family, PetscInt rows)
{
  const auto                      digits = static_cast<int>(std::bit_width(static_cast<std::make_unsigned_t<PetscInt>>(rows)));
  std::shared_ptr<SweepFindings> &found  = OfSession<Experience>().sweeps[{family.name, digits}];
  if (!found) found = std::make_shared<SweepFindings>(family);
  return found;
}

void ForgetExperience()
{
  OfSession<Experience>() = {};
}

} // namespace petscspmv
