// What candidates cost, by measurement or prediction, and whether they pay.
#include "mat/tuning/choice.hpp"

#include <algorithm>
#include <cmath>

namespace petscspmv {

namespace {

constexpr double kSurprised = 2.5; // the largest factor by which predictions are corrected
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
  return Of(k).build.Known() ? Of(k).build.Value() : Of(k).predicted.build * Aij();
}

double Choice::Refresh(std::size_t k) const
{
  if (k == kAij) return 0;
  return Of(k).refresh.Known() ? Of(k).refresh.Value() : Of(k).predicted.refresh * Aij();
}

double Choice::Preparation(std::size_t k) const
{
  return layouts_[k] == State::Current ? 0 : layouts_[k] == State::Stale ? Refresh(k) : Build(k);
}

/// Products for which values last: as long as between former changes, or as long as now.
double Choice::ValuesLast() const
{
  return std::max(period_, static_cast<double>(since_));
}

/// Products that this matrix is still expected to do: as many as earlier ones of its size did, or as many more as it has done.
double Choice::Expected() const
{
  const double so_far = static_cast<double>(here_), life = family_->life.Value();
  return life > so_far ? life - so_far : so_far;
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

/// By which candidates are compared. Of a matrix that is to last nobody knows how long, the long run counts.
double Choice::Value(std::size_t k) const
{
  return Gain(k) - (family_->life.Known() ? Trying(k) / std::max(1., Expected()) : 0);
}

/// Whether it pays to prepare a candidate for the number of products that it is expected to do.
bool Choice::Pays(std::size_t k) const
{
  const double preparation = Preparation(k);
  if (preparation == 0) return true;
  const double gain = layouts_[k] == State::Stale ? ValuesLast() * (Aij() - Product(k)) : Expected() * (Aij() - Running(k));
  return gain > preparation && Allows(preparation, true);
}

} // namespace petscspmv
