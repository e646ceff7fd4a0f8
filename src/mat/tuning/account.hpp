// What finding the fastest format may cost: the program, and each matrix. In seconds.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

namespace petscspmv {

/// The share of the program's time that may be lost, unless an option says otherwise.
inline constexpr double kDefaultRegret = 0.05;

/// The budget of the process. All matrices together never lose more than `regret` times what the program has taken so far, if each
/// step is asked for before it is taken, at what it takes.
class Budget {
public:
  /// `clock` gives the time that the program has taken so far; it never goes back.
  explicit Budget(std::function<double()> clock) : clock_(std::move(clock)) { }

  /// Reading the clock takes as long as a tiny product: without `reading` the last reading counts.
  bool Allows(double seconds, double regret, bool reading)
  {
    if (lost_ + seconds > regret * now_ && reading) now_ = clock_();
    return lost_ + seconds <= regret * now_;
  }
  void Lose(double seconds) { lost_ += seconds; }

private:
  std::function<double()> clock_;
  double                  now_ = 0, lost_ = 0;
};

/// Accounts for the products of the matrices of one pattern: what AIJ would have taken, and the loss against it. Gains pay for the
/// losses before them, not for later ones: so the loss is at any moment the largest since any earlier moment.
class Account {
public:
  /// No pattern loses more than AIJ would have taken: with rare products nothing worth mentioning.
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
