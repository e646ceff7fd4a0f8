// What finding out costs, and what it may cost.
#pragma once

namespace petscspmv::spmv {

/// Keeps the books on the products of matrices of one size: what AIJ would have taken, and what was lost against that. All that is
/// spent on finding out is lost, what a faster product saves is gained. Whoever asks before spending, and spends no more than
/// asked for, loses at most `regret` times what AIJ would have taken, at any moment. In seconds.
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

} // namespace petscspmv::spmv
