// What candidates cost, by measurement or prediction, and whether they pay.
#include "mat/tuning/choice.hpp"

#include <algorithm>
#include <cmath>

namespace petscspmv {

namespace {

constexpr double kSurprised = 2.5; // the largest factor by which predictions are corrected
constexpr double kDisturbed = 1.5; // cap on build times, over the forecast, until several parts were built
constexpr double kInSolve   = 10;  // products after which a matrix is presumed to be in a solve
constexpr double kToCome    = 30;  // products that are still to come in a solve, at least
constexpr double kSoon      = 6;   // products to come in which no trial ends, of formats or of loops
constexpr double kSlowRest  = 1.1; // a product by parts and AIJ's arrays, in units of a product by AIJ
constexpr double kToMeasure = 4;   // products with the same parts until it is known what they take
constexpr double kSlow      = 1.5; // what a candidate's first product may take, in units of a product by AIJ

} // namespace

double Choice::Product(std::size_t k) const
{
  return Of(k).product.Known() ? Of(k).product.Value() : Of(k).predicted.product * Surprise() * Aij();
}

/// The factor that corrects predictions of formats not timed yet: the adopted format's time over its predicted time, or the square
/// root if that exceeds 1. An estimate that is too low costs only a trial, one that is too high costs the whole gain.
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

/// True in a trial against an adopted format, which is faster than AIJ: rows by AIJ would cost more than making few parts saves.
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

/// For how many products values last: as long as earlier values did or, if longer, as long as the present ones have so far.
double Choice::ValuesLast() const
{
  return std::max(period_, static_cast<double>(since_));
}

/// Whether earlier matrices of this size tell how long this one will be used or, if there were none, those of its role. In a solve
/// these tell nothing if they were in none.
bool Choice::KnowsLife() const
{
  return family_->life.Known() || role_->life.Value() > std::min(static_cast<double>(here_), kInSolve);
}

bool Choice::EndsSoon() const
{
  return KnowsLife() && Expected() < kSoon;
}

/// Products that this matrix is still expected to do: up to as many in all as those before it, and beyond that as many again as it
/// has done. If nothing is known: as many again and, in a solve, at least kToCome.
double Choice::Expected() const
{
  const double so_far = static_cast<double>(here_), life = (family_->life.Known() ? family_->life : role_->life).Value();
  if (KnowsLife()) return life > so_far ? life - so_far : so_far;
  return so_far < kInSolve ? so_far : std::max(so_far, kToCome);
}

double Choice::Running(std::size_t k) const
{
  const double refresh = period_ > 0 ? Refresh(k) / std::max(1., ValuesLast()) : 0;
  return std::min(Product(k) + refresh, std::max(Aij(), Product(k))); // where refreshes do not pay, AIJ multiplies instead
}

/// What a candidate is expected to gain per product over the adopted one.
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

/// The gain by which candidates are compared. The cost of trying is spread over the expected products if earlier matrices show how
/// many these are; otherwise only the long run counts.
double Choice::Value(std::size_t k) const
{
  return Gain(k) - (KnowsLife() ? Trying(k) / std::max(1., Expected()) : 0);
}

/// Whether a candidate pays with its current parts or, if not, with one more.
bool Choice::Pays(std::size_t k) const
{
  const double mixed = layouts_[k].current > 0 ? Mixed(k, layouts_[k].current) : 0;
  if (IsWhole(k) || (mixed > 0 && mixed <= Aij())) return true;
  if (IsMeasuredFirst(k)) return GainOfNextPart(k) > NextPart(k) && Allows(kToMeasure * (mixed - Aij()), true);
  return NextPartPays(k) && MayBegin(NextStep(k), true);
}

/// True where the next part would more than double those from which the product is known, if relaxation wants the matrix's arrays
/// besides: a few parts may stay in a cache with them where all would not. Not where rows without a part take so long that it is
/// better to make parts together.
bool Choice::IsMeasuredFirst(std::size_t k) const
{
  const int current = layouts_[k].current;
  return displacement_.IsPossible() && !IsRefused(k) && current > 0 && !IsWhole(k) && !IsStale(k) && !NeedsWhole(k) &&
         current >= 2 * measured_[k] && Mixed(k, current) < kSlowRest * Aij();
}

double Choice::GainOfNextPart(std::size_t k) const
{
  return Share(k, 1) * (IsStale(k) ? ValuesLast() * (Aij() - Product(k)) : Expected() * (Aij() - Running(k)));
}

/// Whether the next part is expected to pay: a new one within the products to come, a refreshed one until values change again.
bool Choice::NextPartPays(std::size_t k) const
{
  return !IsRefused(k) && !IsMeasuredFirst(k) && GainOfNextPart(k) > NextPart(k);
}

} // namespace petscspmv
