// The cost of finding the fastest format, and its budget.
#pragma once

namespace petscspmv {

/// Accounts for the products of matrices of one size: what AIJ would have taken, and the loss against it. Everything spent on
/// finding out is a loss; what faster products save is a gain. A caller that asks before spending, and spends no more than it
/// asked for, never loses more than `regret` times what AIJ would have taken. In seconds.
class Account {
public:
  bool Allows(double seconds, double regret) const { return loss_ + seconds <= regret * aij_; }

  void Multiplied(double seconds, double aij)
  {
    aij_ += aij;
    loss_ += seconds - aij;
  }
  void Spend(double seconds) { loss_ += seconds; }

  double Aij() const { return aij_; }

private:
  double aij_ = 0, loss_ = 0;
};

} // namespace petscspmv
