// Choices recorded in a file, and replayed from it.
#pragma once

#include "mat/impls/shadow/made.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace petscspmv::spmv {

/// One run of consecutive products by the same format.
struct Run {
  std::string who; // aij, or a format
  PetscInt64  products;
};

/// The record of one matrix in this process: matrices are numbered in the order of their first products.
class Recorded {
public:
  /// Call before each product; returns the recorded choice if the process replays a record.
  PetscErrorCode Next(const Stamp &stamp, bool *given, std::size_t *who);
  /// Whether the remaining record has more products by `who`.
  bool Uses(std::size_t who) const;
  /// Records who did the product.
  void Add(std::size_t who);

private:
  std::ptrdiff_t matrix_ = -1; // index
  std::size_t    run_    = 0;
  PetscInt64     used_   = 0;
};

std::string NameOf(std::size_t who);

/// -mat_spmv_record and -mat_spmv_replay.
PetscErrorCode ReadRecordOptions();
PetscErrorCode FinishRecord();

} // namespace petscspmv::spmv
