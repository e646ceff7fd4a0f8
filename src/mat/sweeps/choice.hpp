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

  /// Reports an application that has read `triangles` triangles.
  void AddAij(double seconds, double triangles)
  {
    ++applied_;
    aij_ = std::min(aij_, seconds / triangles);
  }
  void AddLayout(double seconds, double triangles)
  {
    ++applied_;
    layout_ = std::min(layout_, seconds / triangles);
    if (++timed_ >= kTimed && layout_ > aij_) Refuse();
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
