#include "mat/tuning/kernel_variant.hpp"

#include "mat/exec/host.hpp"
#include "mat/exec/session.hpp"
#include "mat/exec/settings.hpp"
#include "mat/exec/target.hpp"
#include "mat/tuning/choose_target.hpp"
#include "mat/tuning/remembered.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace petscspmv {

namespace {

// The smallest L1 data cache there is. Loads from an x that fits in it do not stall, as in the measurement that chose the format's
// target.
constexpr std::size_t kNearestCache = 32 * 1024;

// Variants are remembered by format, options and pattern digest. If a format borrows, the digest covers only the row pointers:
// matrices that differ in columns then share an entry, which may cost time but nothing else.
using VariantKey = std::tuple<const PetscFormat *, OptionValues, std::uint64_t>;

struct KnownVariants {
  Remembered<VariantKey, void> of_patterns;
};

} // namespace

LayoutVariant::LayoutVariant(const PetscFormat &format, const OptionValues &options, std::uint64_t pattern,
                             const Csr<PetscScalar, PetscInt> &csr, std::size_t bytes)
{
  if (TargetIsForced()) return;
  undecided_ = {.format  = &format,
                .options = options,
                .pattern = pattern,
                .x_bytes = static_cast<std::size_t>(csr.cols) * sizeof(PetscScalar),
                .bytes   = bytes};
  if (TargetIsSettled()) Find();
}

void LayoutVariant::Find()
{
  if (!undecided_ || TargetIsForced()) return;
  if (!TargetIsSettled()) {
    ++undecided_->products;
    return;
  }
  const Undecided            layout    = *std::exchange(undecided_, std::nullopt);
  const PetscFormat         &format    = *layout.format;
  const Execution            execution = CurrentExecution();
  std::vector<KernelVariant> variants(1);
  if (OtherTargetOf(format) != TargetOf(format) && layout.x_bytes > kNearestCache) variants.push_back({.other_target = true});
  if (execution.prefetching == Prefetching::Auto && HostExec(execution).Prefetches(layout.bytes)) {
    for (std::size_t n = variants.size(), k = 0; k < n; ++k)
      variants.push_back({.other_target = variants[k].other_target, .no_prefetch = true});
  }
  if (variants.size() == 1) return;
  const auto make = [&] {
    VariantTrial trial(variants.size());
    for (std::size_t product = 0; product < std::min(layout.products, VariantTrial::kBefore); ++product)
      trial.Add(0); // time not counted
    return std::make_shared<Shared>(Shared{.format = &format, .variants = std::move(variants), .trial = trial});
  };
  shared_ = std::static_pointer_cast<Shared>(
    OfSession<KnownVariants>().of_patterns.FindOrAdd({&format, layout.options, layout.pattern}, make));
}

void LayoutVariant::SetIn(Execution &execution) const
{
  if (!shared_ || TargetIsForced()) return;
  if (shared_->Current().other_target) execution.target = OtherTargetOf(*shared_->format);
  if (shared_->Current().no_prefetch && execution.prefetching == Prefetching::Auto) execution.prefetching = Prefetching::Off;
}

bool LayoutVariant::TakeTurn()
{
  if (!shared_ || shared_->in_turn || !shared_->trial.Runs() || TargetIsForced()) return false;
  return shared_->in_turn = true;
}

void LayoutVariant::GiveTurnBack()
{
  shared_->in_turn = false;
}

bool LayoutVariant::EndTurn(double seconds)
{
  GiveTurnBack();
  shared_->trial.Add(seconds);
  return !shared_->trial.Runs();
}

bool LayoutVariant::IsOther() const
{
  return shared_ && !shared_->trial.Runs() && shared_->trial.Variant() != 0;
}

FixedString LayoutVariant::Describe() const
{
  Execution execution = CurrentExecution();
  execution.target    = TargetOf(*shared_->format);
  SetIn(execution);
  return FixedString("target %s%s", Targets()[execution.target].name,
                     execution.prefetching == Prefetching::Off ? ", without prefetching" : "");
}

void ForgetVariants()
{
  OfSession<KnownVariants>() = {};
}

} // namespace petscspmv
