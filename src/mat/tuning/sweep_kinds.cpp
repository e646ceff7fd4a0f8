#include "mat/tuning/sweep_kinds.hpp"

#include <algorithm>
#include <cassert>

namespace petscspmv {

void SweepKinds::Now(std::size_t kind)
{
  assert(kind < kKinds);
  now_      = kind;
  Of().seen = true;
}

void SweepKinds::Choose(SweepBy way)
{
  way_            = way;
  const auto seen = std::count_if(kinds_.begin(), kinds_.end(), [](const Kind &kind) { return kind.seen; });
  for (Kind &kind : kinds_) kind.turns = RepeatedTurns(kind.seen && seen == 1 ? RepeatedTurns::kPeriod : 0);
}

SweepBy SweepKinds::By() const
{
  const bool other = IsInTurns() ? Of().turns.IsOthers() : !IsLeftToAij() && (Known() || !IsDue());
  return other ? way_ : SweepBy::Aij;
}

void SweepKinds::Swept(SweepBy by, std::optional<double> seconds)
{
  Of().turns.Done(by != SweepBy::Aij, seconds);
}

std::optional<double> SweepKinds::Seconds(SweepBy by) const
{
  if (!Known() || Known()->AijSeconds() == 0) return {};
  return by == SweepBy::Aij ? Known()->AijSeconds() : Known()->OtherSeconds();
}

} // namespace petscspmv
