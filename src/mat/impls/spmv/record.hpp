// Choices written to a file, and repeated from it.
#pragma once

#include "mat/impls/shadow/made.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace petscspmv::spmv {

/// Who did the products of a matrix, in their order: each entry a number of products in a row.
struct Run {
  std::string who; // aij, or a format
  PetscInt64  products;
};

/// A matrix' place in the record of the process: matrices are counted in the order of their first products.
class Recorded {
public:
  /// Of the next product; what was recorded for it where the process repeats a record.
  PetscErrorCode Next(const Stamp &stamp, bool *given, std::size_t *who);
  /// Whether what is repeated has more products by it, from the next one on.
  bool Uses(std::size_t who) const;
  /// It was done so.
  void Add(std::size_t who);

private:
  std::ptrdiff_t matrix_ = -1; // place
  std::size_t    run_    = 0;
  PetscInt64     used_   = 0;
};

std::string NameOf(std::size_t who);

/// -mat_spmv_record and -mat_spmv_replay.
PetscErrorCode ReadRecordOptions();
PetscErrorCode FinishRecord();

} // namespace petscspmv::spmv
