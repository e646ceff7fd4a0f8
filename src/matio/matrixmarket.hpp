// The Matrix Market exchange format, without PETSc.
#pragma once

#include "matio/fileerror.hpp"

#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace petscspmv::matio {

/// A matrix as its file lists it, completed by the entries implied by symmetry.
struct Coordinates {
  std::int64_t                      rows = 0, cols = 0;
  bool                              symmetric = false; // as declared in the file
  bool                              complex   = false;
  std::vector<std::int64_t>         row, col; // from 0
  std::vector<std::complex<double>> value;
};

/// Reads a file in coordinate format, gzip-compressed or not: real, integer, complex or pattern (all ones); general, symmetric,
/// skew-symmetric or hermitian. Throws FileError, also if the file announces more than `most_entries`: a compressed file may hold
/// a thousand times its size.
Coordinates ReadMatrixMarket(const std::string &path, std::int64_t most_entries = std::numeric_limits<std::int64_t>::max());

/// The nonzeros of such a file by its header alone, with those that a symmetry leaves out; its diagonal is taken to be full.
/// Throws FileError.
double CountMatrixMarket(const std::string &path);

} // namespace petscspmv::matio
