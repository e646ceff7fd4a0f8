// Errors in files.
#pragma once

#include <stdexcept>

namespace petscspmv::matio {

/// What is wrong, and where: "matrix.mtx.gz, line 17: ..." or "matrix.dat, byte 24: ...".
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace petscspmv::matio
