// How fast the targets are on this processor, by format.
#pragma once

#include "mat/registry/registry.hpp"

#include <cstddef>
#include <map>
#include <string>

namespace petscspmv {

struct Target;

/// The results for one format.
struct Measured {
  std::size_t best, other;
  double      ns = 0; // per nonzero, with the best; 0: not measured
};

/// What was measured, once a process.
struct Measurements {
  std::size_t                             target = 0; // the fastest on average over the formats that copy
  std::string                             why;        // empty until measured
  std::map<const PetscFormat *, Measured> of_formats;
  double                                  ns_of_rows = 0; // per nonzero of a plain loop over the rows
  double                                  least_ns   = 0; // per nonzero with the fastest of the formats
};

/// How many targets there are to choose from; 0 once that was measured.
int TargetsToMeasure();

/// The target to use before a measurement.
std::size_t ExpectedTarget();

/// The measurements, which the first call in a process makes. Needs a session; may throw.
const Measurements &MeasureTargets();

/// What was measured with a format; null if nothing was.
const Measured *MeasuredWith(const PetscFormat &format);

/// The measured ns per nonzero with a format, for a matrix in the L1 cache; 0 if not measured.
double MeasuredNs(const PetscFormat &format);
double LeastMeasuredNs();  // of the formats that were measured
double MeasuredNsOfRows(); // the same for a plain loop over the rows, as in AIJ

/// How a target loads x, for users.
std::string DescribeLoads(const Target &target);

} // namespace petscspmv
