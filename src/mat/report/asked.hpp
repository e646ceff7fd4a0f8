// Whether -spmv_view and -spmv_audit are given.
#pragma once

#include "mat/exec/session.hpp"
#include "petsc/compat.hpp"

#include <chrono>

namespace petscspmv {

/// Whether counts and times are asked for by -spmv_view, and layouts are checked for -spmv_audit.
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

/// Seconds since it was made; without -spmv_view no clock is read.
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
