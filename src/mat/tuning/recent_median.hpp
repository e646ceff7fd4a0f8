// The median of the last few values of a series.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace petscspmv {

/// A single outlier among several values does not affect the median.
class RecentMedian {
public:
  void Add(double value)
  {
    last_[count_ % kKept] = value;
    ++count_;
    std::array<double, kKept> sorted = last_;
    const std::size_t         n      = std::min(count_, kKept);
    const std::size_t         middle = (n - 1) / 2; // of two, the lower: times have outliers upward
    std::nth_element(sorted.begin(), sorted.begin() + middle, sorted.begin() + n);
    value_ = sorted[middle];
    least_ = *std::min_element(sorted.begin(), sorted.begin() + n);
  }

  /// Begins anew with a value that is sure.
  void Set(double value)
  {
    last_.fill(value);
    count_ = kKept;
    value_ = least_ = value;
  }

  bool   Known() const { return count_ > 0; }
  bool   IsFull() const { return count_ >= kKept; }
  bool   Sure() const { return count_ > 2; } // a single outlier no longer decides
  double Value() const { return value_; }    // 0 if nothing is known
  double Least() const { return least_; }    // of the last few

  /// The median, or what is expected. One or two values may come from a disturbed machine, and so are capped at `most`.
  double ValueOr(double expected, double most) const
  {
    if (Sure()) return Value();
    return Known() ? std::min(Value(), most) : expected;
  }

private:
  static constexpr std::size_t kKept = 5;

  std::array<double, kKept> last_{};
  std::size_t               count_ = 0;
  double                    value_ = 0, least_ = 0;
};

} // namespace petscspmv
