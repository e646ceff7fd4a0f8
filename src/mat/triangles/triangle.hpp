// Solves with a triangle of a sparse matrix: the interface, without PETSc. Its functions are compiled for each target.
#pragma once

#include "mat/exec/execution.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace petscspmv {

/// The strictly lower or upper triangle of a square matrix, in the caller's arrays. Row i has entries begin[i] .. end[i] - 1 of
/// col_idx and val. A lower triangle is solved from the first row on, an upper one from the last: rows need earlier ones only.
template <class Scalar, class Index>
struct TriangleSource {
  Index         rows    = 0;
  bool          upper   = false;
  const Index  *begin   = nullptr; // rows + 1; begin[rows] is the size of col_idx and val, which may hold other matrix entries too
  const Index  *end     = nullptr; // rows
  const Index  *col_idx = nullptr;
  const Scalar *val     = nullptr;

  /// The arrays hold the columns of the triangle in place of its rows. A row's products are added in the order of solving the x_j.
  bool transposed = false;
  bool reversed   = false; // a row's products are added from the last entry to the first
  bool negated    = false; // the values are those of the triangle times -1

  bool InOrder() const { return !transposed && !reversed && !negated; }

  /// The row that is solved as number t.
  Index RowAt(std::int64_t t) const { return static_cast<Index>(upper ? rows - 1 - t : t); }
};

/// What a sweep does for each row i. T is the triangle, and s_i = b_i - sum_j T_ij x_j unless stated otherwise:
enum class SweepKind {
  Solve,    // x_i = s_i + more_i
  Scaled,   // x_i = s_i d_i
  Start,    // s_i = b_i d_i - sum_j T_ij x_j, x_i = s_i
  Relax,    // x_i = keep x_i + (s_i + more_i) d_i
  Multiply, // s_i alone: x is not changed
};

/// A sweep and its arrays, which are indexed by row. b and x may be the same array.
template <class Scalar>
struct Sweep {
  SweepKind     kind = SweepKind::Solve;
  const Scalar *b    = nullptr; // null: zero
  Scalar       *x    = nullptr;
  Scalar       *sum  = nullptr; // s_i, if not null
  const Scalar *more = nullptr; // null: zero
  Scalar        keep = 0;
};

struct TriangleOptions {
  std::int64_t window = 0;           // rows that are ordered together; 0: chosen from a sample
  bool         always = false;       // build a layout even if it is expected to be slower than a plain loop
  bool         single = false;       // round values to single precision
  std::int64_t first = 0, count = 0; // rows, numbered as they are solved; count 0: all from `first` on; only of a source InOrder()
};

/// The functions of one target, on layouts that are opaque to callers. Layouts are the same for all targets.
template <class Scalar, class Index>
struct TriangleMethods {
  void *(*make)();
  void (*destroy)(void *layout);
  /// The window to take, chosen from a sample; 0 if no window has enough rows side by side.
  std::int64_t (*window)(const TriangleSource<Scalar, Index> &source);
  /// Returns false if a layout is not worth it (few rows side by side, much padding) or impossible (too many rows).
  bool (*build)(void *layout, const Execution &execution, const TriangleSource<Scalar, Index> &source,
                const TriangleOptions &options);
  /// Writes new values of the same triangle. Reads col_idx too unless the source is in order.
  void (*refresh)(void *layout, const Execution &execution, const TriangleSource<Scalar, Index> &source);
  /// Sets d, a factor for each row of the matrix.
  void (*set_diagonal)(void *layout, const Scalar *diagonal);
  void (*sweep)(const void *layout, const Execution &execution, const Sweep<Scalar> &sweep);
  /// Sweeps without a layout over the rows from the one solved as number `first` on; d has a factor for each row. Sources that are
  /// not in order have all rows swept; transposed ones by Solve, Scaled or Start, without `sum` and `more`; the values of others
  /// are negated if, and only if, they are reversed.
  void (*plain)(const TriangleSource<Scalar, Index> &source, std::int64_t first, const Scalar *d, const Sweep<Scalar> &sweep);
  std::size_t (*bytes)(const void *layout);
};

/// A layout of a triangle, or of the part of its rows that options.first and options.count give. Rows that do not need each other's
/// results are solved side by side.
template <class Scalar, class Index>
class Triangle {
public:
  using Methods = TriangleMethods<Scalar, Index>;
  using Source  = TriangleSource<Scalar, Index>;

  Triangle() = default;
  explicit Triangle(std::span<const Methods *const> by_target) : by_target_(by_target), layout_(by_target[0]->make()) { }
  Triangle(Triangle &&other) noexcept { *this = std::move(other); }
  Triangle &operator=(Triangle &&other) noexcept
  {
    std::swap(by_target_, other.by_target_);
    std::swap(layout_, other.layout_);
    return *this;
  }
  ~Triangle()
  {
    if (layout_) by_target_[0]->destroy(layout_);
  }

  std::int64_t Window(const Source &source) const { return by_target_[0]->window(source); }
  bool         Build(const Execution &execution, const Source &source, const TriangleOptions &options)
  {
    return Of(execution).build(layout_, execution, source, options);
  }
  void        Refresh(const Execution &execution, const Source &source) { Of(execution).refresh(layout_, execution, source); }
  void        SetDiagonal(const Scalar *diagonal) { by_target_[0]->set_diagonal(layout_, diagonal); }
  void        Run(const Execution &execution, const Sweep<Scalar> &sweep) const { Of(execution).sweep(layout_, execution, sweep); }
  std::size_t Bytes() const { return layout_ ? by_target_[0]->bytes(layout_) : 0; }

private:
  const Methods &Of(const Execution &execution) const { return *by_target_[execution.target]; }

  std::span<const Methods *const> by_target_;
  void                           *layout_ = nullptr;
};

} // namespace petscspmv
