// Choices recorded in a file, and replayed from it.
#pragma once

#include "mat/impls/shadow/made.hpp"

#include <cstddef>

namespace petscspmv::spmv {

/// The record of one matrix in this process: matrices are numbered in the order of their first products.
class Recorded {
public:
  /// Whether the process records or replays.
  static bool Any();
  /// Call before each product, or several times before it: takes the memory to record it, and returns the recorded choice if the
  /// process replays a record.
  PetscErrorCode Prepare(const Stamp &stamp, bool *given, std::size_t *who);
  /// Whether the remaining record has more products by `who`.
  bool Uses(std::size_t who) const;
  /// Records who did the product, and goes on to the next one.
  void Add(std::size_t who) noexcept;

private:
  std::ptrdiff_t matrix_ = -1; // index
  std::size_t    run_    = 0;
  PetscInt64     used_   = 0; // products of this run
};

const char *NameOf(std::size_t who);

/// -mat_spmv_record and -mat_spmv_replay.
PetscErrorCode ReadRecordOptions();
PetscErrorCode FinishRecord();

} // namespace petscspmv::spmv
