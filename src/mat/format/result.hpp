// Where a product goes.
#pragma once

#include "mat/exec/function.hpp"

#include <cstdint>

namespace petscspmv {

template <class T>
struct ResultRow {
  T       *y;
  const T *v;
  bool     minus;
};

/// y = op(A) x if there is no v, otherwise y = v + op(A) x or, with `minus`, y = v - op(A) x. v may be y.
template <class T>
struct Result {
  T       *y     = nullptr;
  const T *v     = nullptr;
  bool     minus = false;

  bool Adds() const { return v != nullptr; }

  KOKKOS_FORCEINLINE_FUNCTION ResultRow<T> operator[](std::int64_t row) const { return {y + row, v + row, minus}; }

  /// The result for the rows from `row` on.
  Result From(std::int64_t row) const { return {y + row, v ? v + row : nullptr, minus}; }
};

} // namespace petscspmv
