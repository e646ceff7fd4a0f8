// What is known of the matrices that have one role in a program.
#pragma once

#include "mat/tuning/choice.hpp"
#include "mat/tuning/remembered.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace petscspmv {

/// Roles by the origin of matrices and, to a factor of four, their number of nonzeros. Where matrices grow from step to step, as
/// with refined grids, a role begins with what is known by then of one that is up to two such classes smaller.
class Roles {
public:
  std::shared_ptr<Role> Of(const std::string &origin, std::int64_t nnz, std::size_t candidates)
  {
    const int size = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(nnz))) / 2;
    return known_.FindOrAdd({origin, size}, [&] {
      for (const int smaller : {size - 1, size - 2})
        if (const auto found = known_.Find({origin, smaller})) return std::make_shared<Role>(*found);
      return std::make_shared<Role>(candidates);
    });
  }

private:
  Remembered<std::pair<std::string, int>, Role> known_;
};

} // namespace petscspmv
