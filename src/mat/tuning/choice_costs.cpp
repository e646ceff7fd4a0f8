// What candidates cost, by measurement or prediction, and whether they pay.
#include "mat/tuning/choice.hpp"

#include <algorithm>
#include <cmath>

namespace petscspmv {

namespace {

constexpr double kSurprised = 2.5; // the largest factor by which predictions are corrected
constexpr double kDisturbed = 2;   // times its forecast, the most that is believed of the first parts of a layout
constexpr double kInSolve   = 10;  // products after which a matrix is in a solve, presumably
constexpr double kToCome    = 30;  // products that are to come then, at least
constexpr double kSlow      = 1.5; // what the first product of an untimed candidate may take, in units of a product by AIJ

} // namespace

double Choice::Product(std::size_t k) const
{
  return Of(k).product.Known() ? Of(k).product.Value() : Of(k).predicted.product * Surprise() * Aij();
}

/// The incumbent's time over its predicted time. The other formats are expected to be off by as much with this matrix, or by less
/// if the incumbent was slower than predicted: an estimate too low costs a trial, one too high costs the whole gain.
double Choice::Surprise() const
{
  const Findings &known = Of(pattern_->adopted);
  if (pattern_->adopted == kAij || !known.product.Known() || known.predicted.product <= 0) return 1;
  const double off = std::clamp(known.product.Value() / (known.predicted.product * Aij()), 1 / kSurprised, kSurprised);
  return off > 1 ? std::sqrt(off) : off;
}

double Choice::Build(std::size_t k) const
{
  if (k == kAij) return 0;
  const double predicted = Of(k).predicted.build * Aij();
  if (!Of(k).build.Known()) return predicted;
  return Of(k).build.Sure() ? Of(k).build.Value() : std::min(Of(k).build.Value(), kDisturbed * predicted);
}

double Choice::Refresh(std::size_t k) const
{
  if (k == kAij) return 0;
  return Of(k).refresh.Known() ? Of(k).refresh.Value() : Of(k).predicted.refresh * Aij();
}

double Choice::Preparation(std::size_t k) const
{
  const Progress &layout = layouts_[k];
  if (k == kAij) return 0;
  return Share(k, layout.made - layout.current) * Refresh(k) + Share(k, PartsOf(k) - layout.made) * Build(k);
}

/// Beside a format that is faster than AIJ, rows multiplied from AIJ's arrays would cost a trial more than parts save.
bool Choice::NeedsWhole(std::size_t k) const
{
  return k != pattern_->adopted && pattern_->adopted != kAij;
}

double Choice::NextPart(std::size_t k) const
{
  if (IsWhole(k)) return 0;
  return Share(k, 1) * (IsStale(k) ? Refresh(k) : Build(k));
}

double Choice::Mixed(std::size_t k, int parts) const
{
  const double share = Share(k, parts);
  return share * Product(k) + (1 - share) * (rest_.Known() ? rest_.Value() : Aij());
}

double Choice::NextStep(std::size_t k) const
{
  return IsWhole(k) ? 0 : NextPart(k) + std::max(0., Mixed(k, layouts_[k].current + 1) - Aij());
}

/// Products for which values last: as long as between former changes, or as long as now.
double Choice::ValuesLast() const
{
  return std::max(period_, static_cast<double>(since_));
}

/// Products that this matrix is still expected to do: as many as earlier ones of its size did; beyond that, or if there were none,
/// as many more as it has done, or, in a solve, as many as a solve.
double Choice::Expected() const
{
  const double so_far = static_cast<double>(here_), life = family_->life.Value();
  if (family_->life.Known()) return life > so_far ? life - so_far : so_far;
  return so_far < kInSolve ? so_far : std::max(so_far, kToCome);
}

double Choice::Running(std::size_t k) const
{
  const double refresh = period_ > 0 ? Refresh(k) / std::max(1., ValuesLast()) : 0;
  return std::min(Product(k) + refresh, std::max(Aij(), Product(k))); // it need not be used if it does not pay
}

/// What a candidate is expected to gain over the adopted one.
double Choice::Gain(std::size_t k) const
{
  return Running(pattern_->adopted) - Running(k);
}

double Choice::Trying(std::size_t k) const
{
  const double first = Of(k).product.Known() ? Product(k) : kSlow * Aij();
  return Preparation(k) + std::max(0., first - Aij());
}

double Choice::Beginning(std::size_t k) const
{
  if (k == kAij || layouts_[k].current > 0 || NeedsWhole(k)) return Trying(k);
  return NextStep(k) + Share(k, 1) * (Trying(k) - Preparation(k));
}

/// By which candidates are compared. Of a matrix that is to last nobody knows how long, the long run counts.
double Choice::Value(std::size_t k) const
{
  return Gain(k) - (family_->life.Known() ? Trying(k) / std::max(1., Expected()) : 0);
}

/// Whether it pays to use a candidate, with one more part if it has none yet.
bool Choice::Pays(std::size_t k) const
{
  if (IsWhole(k) || (layouts_[k].current > 0 && Mixed(k, layouts_[k].current) <= Aij())) return true;
  return NextPartPays(k) && Allows(NextStep(k), true);
}

/// Whether the next part of a candidate is expected to pay within the products to come.
bool Choice::NextPartPays(std::size_t k) const
{
  if (no_memory_[k]) return false;
  const double gain = IsStale(k) ? ValuesLast() * (Aij() - Product(k)) : Expected() * (Aij() - Running(k));
  return Share(k, 1) * gain > NextPart(k);
}

} // namespace petscspmv
