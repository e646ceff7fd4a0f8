// Findings about the matrices that have one role in a program.
#pragma once

#include "mat/tuning/remembered.hpp"

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace petscspmv {

/// Shared findings by the origin of matrices and, to a factor of four, their size. What grows from step to step, as with refined
/// grids, finds out nothing twice: a role begins with what the next smaller one of that origin has found by then.
template <class Findings>
class Roles {
public:
  std::shared_ptr<Findings> Of(const std::string &origin, std::int64_t nnz)
  {
    const int  size    = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(nnz))) / 2;
    const auto smaller = known_.Find({origin, size - 1});
    return known_.FindOrAdd({origin, size}, [&] { return std::make_shared<Findings>(smaller ? *smaller : Findings()); });
  }

private:
  Remembered<std::pair<std::string, int>, Findings> known_;
};

} // namespace petscspmv
