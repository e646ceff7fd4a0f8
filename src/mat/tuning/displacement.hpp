// What products by a layout cost other work with their matrix.
#pragma once

#include "mat/tuning/recent_median.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace petscspmv {

/// Relaxation reads the matrix's own arrays. Where these stay in a cache from one product to the next relaxation and on, a layout
/// beside them displaces them: relaxation takes longer, which no product shows. That is so of the first relaxation after a product;
/// the next ones find the arrays in the cache again.
class Displacement {
public:
  /// Reports relaxation after the last product; its loop by a number, as only times of one loop are compared. No number: by layouts
  /// of its own, which do not read the matrix's arrays.
  void Relaxed(double seconds, std::optional<std::size_t> loop)
  {
    is_possible_ = true;
    apart_       = !loop;
    if (apart_ || std::exchange(relaxed_, true)) return;
    latest_ = Find(*loop);
    (parts_ == 0 ? loops_[latest_].in_arrays : loops_[latest_].beside).Add(seconds);
  }

  /// Whether there was any relaxation.
  bool IsPossible() const { return is_possible_; }

  /// Whether to begin no trial until it is known what each loop takes that has begun to relax: nothing could be compared with that
  /// later. In all, so many products are waited for and no more.
  bool IsNew() const
  {
    const auto is_new = [&](const Loop &loop) {
      const RecentMedian &taken = parts_ == 0 ? loop.in_arrays : loop.beside;
      return taken.Known() && !taken.Sure();
    };
    return relaxed_ && new_ < kMostWaited && std::ranges::any_of(loops_, is_new);
  }

  /// Whether to wait until it is known what the present layout costs. It may never be: relaxation may have stopped, or go on by
  /// another loop.
  bool Waits() const { return is_possible_ && !apart_ && waited_ < kMostWaited && !loops_[latest_].IsSure(); }

  /// Reports a product in the matrix's own arrays (`parts` 0), or by a layout with so many parts. Returns the seconds that the last
  /// one has cost if it was the same, as far as that is sure.
  double Multiplied(std::size_t layout, int parts)
  {
    if (IsNew()) ++new_;
    const bool same    = layout == layout_ && parts == parts_;
    const bool relaxed = std::exchange(relaxed_, false);
    waited_            = same ? std::min(waited_ + 1, kMostWaited) : 0;
    if (!same && parts > 0) {
      for (Loop &loop : loops_) loop.beside = {};
      cost_ = 0;
    }
    layout_ = layout;
    parts_  = parts;
    if (loops_[latest_].IsSure()) cost_ = loops_[latest_].Cost();
    return same && relaxed && parts > 0 ? cost_ : 0;
  }

  /// The seconds that the present layout or, beside AIJ's products, the last one costs, as far as that is sure since it began.
  double Cost() const { return apart_ ? 0 : cost_; }

private:
  static constexpr double kChance     = 1.03; // relaxation that takes so many times as long may do so by chance
  static constexpr int    kMostWaited = 32;   // products

  /// Seconds of a relaxation: with no layout, and beside the present one, where the least of several times counts.
  struct Loop {
    std::size_t  number = 0;
    RecentMedian in_arrays{}, beside{};

    bool   IsSure() const { return in_arrays.Sure() && beside.Sure(); }
    double Cost() const { return std::max(0., beside.Least() - kChance * in_arrays.Value()); }
  };

  /// The place of a loop, the oldest one's if it is new.
  std::size_t Find(std::size_t number)
  {
    for (std::size_t k = 0; k < loops_.size(); ++k) {
      if (loops_[k].number == number) return k;
    }
    oldest_         = (oldest_ + 1) % loops_.size();
    loops_[oldest_] = {.number = number};
    return oldest_;
  }

  std::array<Loop, 6> loops_;
  std::size_t         latest_ = 0, oldest_ = 0;
  double              cost_    = 0; // seconds by which the layout makes a relaxation longer
  std::size_t         layout_  = 0; // of the last product
  int                 parts_   = 0;
  int                 waited_  = 0;                           // products since then that were the same
  int                 new_     = 0;                           // products for which IsNew() was true
  bool                relaxed_ = false, is_possible_ = false; // since the last product; ever
  bool                apart_ = false;                         // the last relaxation was by layouts
};

} // namespace petscspmv
