// How many seconds the search for the fastest format may cost: the whole program (Budget), and products of one pattern (Account).
#pragma once

#include "mat/tuning/rounds.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

namespace petscspmv {

/// The share of the program's time that may be lost, as in MayBeLost(), unless an option says otherwise.
inline constexpr double kDefaultRegret = 0.05;

/// Whether to read the program's clock for this question, the `asked`-th: always if the step takes more than a tenth of a
/// millisecond, beside which reading is nothing; otherwise one time in 16.
inline bool IsClockRead(double seconds, std::int64_t asked)
{
  constexpr double       kLarge = 1e-4;
  constexpr std::int64_t kEvery = 16;
  return seconds > kLarge || asked % kEvery == 0;
}

/// Cap on measured times, in units of what is known: longer ones were interrupted.
inline constexpr double kOutlier = 4;

/// What may be lost in a program that has taken so many seconds: the share `regret` of them, and at its beginning twice that. For
/// layouts cost short programs a larger share than long ones, and are of use at once or not at all.
inline double MayBeLost(double seconds, double regret)
{
  constexpr double kAtFirst = 0.025; // seconds beyond the share
  return regret * seconds + std::min(regret * seconds, kAtFirst);
}

/// What layouts are made for: products, or sweeps and products of a matrix that is relaxed.
enum class LayoutUse { Products, Sweeps };

/// The budget of a session. All matrices together never lose more than MayBeLost() by the program's time so far, as long as
/// callers ask before each step, with the time that the step will take.
class Budget {
public:
  /// `clock` gives the time that the program has taken so far; it never goes back. `in_rounds`: other processes wait for this one.
  explicit Budget(std::function<double()> clock, bool in_rounds = false) : clock_(std::move(clock)), in_rounds_(in_rounds) { }

  /// Whether something that takes time may be begun after n products since the values of their matrix changed.
  bool IsTime(std::int64_t n) const { return !in_rounds_ || IsRound(n); }

  /// Whether a step of so many seconds is allowed. Where others wait for this process, no more than the share may be lost for
  /// sweeps, even at the beginning: they gain less than products, and processes that lose at different moments lose the sum.
  /// Reading the clock takes as long as a tiny product: done only if `reading`.
  bool Allows(double seconds, double regret, bool reading, LayoutUse use)
  {
    if (lost_ + seconds > MostLost(regret, use) && reading) now_ = clock_();
    return lost_ + seconds <= MostLost(regret, use);
  }
  void Lose(double seconds) { lost_ += seconds; }

  /// What AIJ takes, or would take, for all products so far.
  void   AddAij(double seconds) { aij_ += seconds; }
  double Aij() const { return aij_; }

private:
  double MostLost(double regret, LayoutUse use) const
  {
    return in_rounds_ && use == LayoutUse::Sweeps ? regret * now_ : MayBeLost(now_, regret);
  }

  std::function<double()> clock_;
  bool                    in_rounds_;
  double                  now_ = 0, lost_ = 0, aij_ = 0;
};

/// The account of the products of matrices with one pattern: the time that AIJ would have taken, and the loss against AIJ. A gain
/// pays for earlier losses, never for later ones: so the loss is the largest net loss since any earlier moment.
class Account {
public:
  /// Whether so many more seconds may be lost: the loss never exceeds AIJ's time, and so is negligible where products are rare.
  bool Allows(double seconds) const { return loss_ + seconds <= aij_; }

  /// Adds a loss, or a gain if negative, and returns by how much the loss has changed.
  double Lose(double seconds)
  {
    const double before = std::exchange(loss_, std::max(0., loss_ + seconds));
    return loss_ - before;
  }
  void AddAij(double seconds) { aij_ += seconds; }
  void Add(const Account &other)
  {
    aij_ += other.aij_;
    loss_ += other.loss_;
  }

  double Aij() const { return aij_; }
  double Loss() const { return loss_; }

private:
  double aij_ = 0, loss_ = 0;
};

} // namespace petscspmv
