// What products by a layout cost other work with their matrix.
#pragma once

#include "mat/tuning/recent_median.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace petscspmv {

/// Relaxation reads the matrix's own arrays. Where these stay in a cache from one product to the next relaxation and on, a layout
/// beside them displaces them: relaxation takes longer, which no product shows.
class Displacement {
public:
  /// Reports relaxation after the last product; its loop by a number, as only times of one loop are compared.
  void Relaxed(double seconds, std::size_t loop)
  {
    if (loop != loop_) in_arrays_ = beside_ = {};
    loop_ = loop;
    (parts_ == 0 ? in_arrays_ : beside_).Add(seconds);
    ++relaxed_;
  }

  /// Whether there was any relaxation.
  bool IsPossible() const { return in_arrays_.Known() || beside_.Known(); }

  /// Reports a product in the matrix's own arrays (`parts` 0), or by a layout with so many parts. Returns the seconds that the last
  /// one has cost if it was the same, as far as that is sure: the least of several times counts beside the layout.
  double Multiplied(std::size_t layout, int parts)
  {
    const bool same    = layout == layout_ && parts == parts_;
    const int  relaxed = std::exchange(relaxed_, 0);
    if (!same && parts > 0) {
      beside_ = {};
      cost_   = 0;
    }
    layout_ = layout;
    parts_  = parts;
    if (in_arrays_.Sure() && beside_.Sure()) cost_ = std::max(0., beside_.Least() - kChance * in_arrays_.Value());
    return same && parts > 0 ? relaxed * cost_ : 0;
  }

private:
  static constexpr double kChance = 1.03; // relaxation that takes so many times as long may do so by chance

  RecentMedian in_arrays_, beside_; // seconds of a relaxation: with no layout, and beside the present one
  double       cost_   = 0;         // seconds by which the layout makes a relaxation longer
  std::size_t  layout_ = 0, loop_ = 0;
  int          parts_ = 0, relaxed_ = 0; // of the last product; relaxations since
};

} // namespace petscspmv
