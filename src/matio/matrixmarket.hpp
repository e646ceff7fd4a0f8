// The Matrix Market exchange format, without PETSc.
#pragma once

#include <complex>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace petscspmv::matio {

/// A matrix as its file lists it, with the entries that a symmetry leaves out added.
struct Coordinates {
  std::int64_t                      rows = 0, cols = 0;
  bool                              symmetric = false; // the file says so
  bool                              complex   = false;
  std::vector<std::int64_t>         row, col; // from 0
  std::vector<std::complex<double>> value;
};

/// What is wrong with a file, and where: "matrix.mtx.gz, line 17: ...".
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads a file in coordinate format, gzip-compressed or not: real, integer, complex or pattern
/// (all ones); general, symmetric, skew-symmetric or hermitian. Throws FileError.
Coordinates ReadMatrixMarket(const std::string &path);

} // namespace petscspmv::matio
