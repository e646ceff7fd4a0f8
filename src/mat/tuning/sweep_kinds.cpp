#include "mat/tuning/sweep_kinds.hpp"

#include <algorithm>

namespace petscspmv {

namespace {

constexpr int kPeriod = 256; // reports between turns, which may lose three sweeps' time

} // namespace

void SweepKinds::Now(std::size_t kind)
{
  now_      = kind;
  Of().seen = true;
}

void SweepKinds::Choose(SweepBy way)
{
  way_            = way;
  const auto seen = std::count_if(kinds_.begin(), kinds_.end(), [](const Kind &kind) { return kind.seen; });
  for (Kind &kind : kinds_) kind = {.seen = kind.seen, .left = kind.seen && seen == 1 ? kPeriod : 0};
}

SweepBy SweepKinds::By() const
{
  const bool other = IsInTurns() ? Of().turns.IsOthers() : !IsLeftToAij() && (Of().known || !IsDue());
  return other ? way_ : SweepBy::Aij;
}

void SweepKinds::Swept(SweepBy by, std::optional<double> seconds)
{
  Kind &kind = Of();
  if (!kind.in_turns) {
    kind.left = std::max(0, kind.left - 1);
    return;
  }
  if (!seconds) return;
  kind.turns.Add(by != SweepBy::Aij, *seconds);
  if (kind.turns.IsOver()) kind = {.seen = true, .known = kind.turns, .left = kPeriod};
}

std::optional<double> SweepKinds::Seconds(SweepBy by) const
{
  const std::optional<LoopTurns> &known = Of().known;
  if (!known || known->AijSeconds() == 0) return {};
  return by == SweepBy::Aij ? known->AijSeconds() : known->Ratio() * known->AijSeconds();
}

} // namespace petscspmv
