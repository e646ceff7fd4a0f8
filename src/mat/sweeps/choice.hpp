// Whether PETSc's loop or a layout does the next sweep with a triangle.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace petscspmv {

/// A layout is made after some applications by PETSc's loop, of the same pattern and with the same values, and dropped if it turns
/// out not to be faster. Both give the same bits wherever PETSc adds a row's products in their order, so that it does not show in
/// results which of them was timed to be faster.
class SweepChoice {
public:
  void NewPattern() { *this = {}; }
  void NewValues()
  {
    if (applied_ == 0) return; // the values before were not used
    needed_  = applied_ < kForValues ? kForValues : 0;
    applied_ = 0;
  }

  bool WantsLayout() const { return !refused_ && applied_ >= needed_; }

  /// No layout for this pattern: too few rows are side by side, there is no memory for it, or it is not faster.
  void Refuse() { refused_ = true; }

  /// Whether the time of an application counts. Afterwards the choice holds for the pattern.
  bool IsOpen() const { return !refused_ && timed_ < kTimed; }

  /// Reports an application, and, while the choice is open, how long a triangle took.
  void Add(bool by_layout, double seconds)
  {
    ++applied_;
    if (!IsOpen()) return;
    double &least = by_layout ? layout_ : aij_;
    least         = std::min(least, seconds);
    if (by_layout && ++timed_ == kTimed && layout_ > aij_) Refuse();
  }

private:
  static constexpr std::int64_t kForLayout = 8; // applications by PETSc's loop before a layout is built
  static constexpr std::int64_t kForValues = 4; // and after new values before a refresh; none if the old values served as many
  static constexpr std::int64_t kTimed     = 5; // applications by the layout before both are compared

  std::int64_t applied_ = 0; // with the current values
  std::int64_t needed_  = kForLayout;
  std::int64_t timed_   = 0;
  bool         refused_ = false;
  double       aij_ = std::numeric_limits<double>::infinity(), layout_ = aij_; // least seconds for a triangle
};

} // namespace petscspmv
