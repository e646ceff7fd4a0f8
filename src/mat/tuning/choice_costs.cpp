// What candidates cost, by measurement or prediction, and whether they pay.
#include "mat/tuning/choice.hpp"

#include <algorithm>
#include <cmath>

namespace petscspmv {

namespace {

constexpr double kSurprised = 2.5; // the largest factor by which predictions are corrected

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

/// Products for which a matrix lasts: as many as earlier matrices of the pattern did; without any, as many as there were in total.
double Choice::MatrixLasts() const
{
  return std::max(pattern_->life.Known() ? pattern_->life.Value() : static_cast<double>(pattern_->products),
                  static_cast<double>(here_));
}

double Choice::Cost(std::size_t k) const
{
  double cost = Product(k);
  if (period_ > 0) cost += Refresh(k) / std::max(1., ValuesLast());
  if (pattern_->life.Known()) cost += Build(k) / std::max(1., MatrixLasts());
  return std::min(cost, std::max(Aij(), Product(k))); // it need not be used if it does not pay
}

/// Whether it pays to prepare a candidate for the number of products that it is expected to do.
bool Choice::Pays(std::size_t k) const
{
  const double preparation = Preparation(k);
  if (preparation == 0) return true;
  const double lasts    = layouts_[k] == State::Stale ? ValuesLast() : MatrixLasts();
  const double renewals = layouts_[k] == State::None && period_ > 0 ? Refresh(k) / std::max(1., ValuesLast()) : 0;
  return lasts * (Aij() - Product(k) - renewals) > preparation && Allows(preparation);
}

} // namespace petscspmv
