// Whether -spmv_view and -spmv_audit are given.
#pragma once

#include "mat/exec/session.hpp"
#include "petsc/compat.hpp"

#include <chrono>

namespace petscspmv {

/// `view`: whether -spmv_view asks for counts and times. `audit`: whether -spmv_audit asks for checks of layouts.
struct Asked {
  PetscBool view = PETSC_FALSE, audit = PETSC_FALSE;
};
inline Asked &AskedFor()
{
  return OfSession<Asked>();
}

inline bool Viewing()
{
  return AskedFor().view;
}
inline bool Auditing()
{
  return AskedFor().audit;
}

/// Seconds since construction; without -spmv_view always 0, and no clock is read.
class ViewedTime {
public:
  ViewedTime()
  {
    if (Viewing()) start_ = Clock::now();
  }
  double Seconds() const { return Viewing() ? std::chrono::duration<double>(Clock::now() - start_).count() : 0; }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
};

} // namespace petscspmv
