// A triangle whose layout may be made in parts, each of some windows of rows. Parts are made in the order in which rows are solved;
// the rows behind the last part, or all rows, are solved by a plain loop, with the same bits.
#pragma once

#include "mat/triangles/triangle.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace petscspmv {

/// Of sweeps: seconds and work of plain loops, for rows without a part, and the work for all rows. Work counts entries and rows.
struct RestOfSweeps {
  double seconds = 0, work = 0, all = 0;

  double Share() const { return all > 0 ? work / all : 0; }
};

template <class Scalar, class Index>
class TriangleInParts {
public:
  using Methods = TriangleMethods<Scalar, Index>;
  using Source  = TriangleSource<Scalar, Index>;

  TriangleInParts() = default;
  explicit TriangleInParts(std::span<const Methods *const> by_target) : by_target_(by_target) { }

  /// Plans at most `most` parts. Returns false if too few rows can be solved side by side and options.always is not set.
  bool Plan(const Source &source, const TriangleOptions &options, int most)
  {
    if (!source.InOrder()) most = 1; // the plain loop sweeps all rows of such a source
    options_        = options;
    options_.window = options.window > 0 ? options.window : Triangle<Scalar, Index>(by_target_).Window(source);
    if (options_.window == 0 && !options.always) return false;
    const std::int64_t window = options_.window > 0 ? options_.window : source.rows, windows = (source.rows + window - 1) / window;
    rows_of_part_ = std::max<std::int64_t>(1, (windows + most - 1) / most) * window; // rows
    planned_      = static_cast<int>(std::max<std::int64_t>(1, (source.rows + rows_of_part_ - 1) / rows_of_part_));
    parts_.reserve(static_cast<std::size_t>(planned_));
    Lend(source);
    all_work_ = WorkOf(0, source.rows);
    return true;
  }

  /// Sets the arrays from which parts are made and refreshed, and which plain loops read.
  void Lend(const Source &source) { source_ = source; }

  bool IsPlanned() const { return planned_ > 0; }
  int  Parts() const { return planned_; }
  int  Made() const { return static_cast<int>(parts_.size()); }

  /// Makes the next part. Returns false if the first part shows that layouts are not worth it.
  bool BuildNext(const Execution &execution)
  {
    TriangleOptions options = options_;
    options.first           = Solved();
    options.count           = std::min<std::int64_t>(rows_of_part_, source_.rows - options.first);
    options.always          = options.always || options.first > 0; // the first part stands for all
    Triangle<Scalar, Index> part(by_target_);
    if (!part.Build(execution.OfPart(planned_), source_, options)) return false;
    if (diagonal_) part.SetDiagonal(diagonal_);
    parts_.push_back(std::move(part));
    work_ += WorkOf(options.first, Solved());
    return true;
  }
  void Refresh(const Execution &execution)
  {
    for (Triangle<Scalar, Index> &part : parts_) part.Refresh(execution.OfPart(planned_), source_);
  }
  void SetDiagonal(const Scalar *diagonal)
  {
    diagonal_ = diagonal;
    for (Triangle<Scalar, Index> &part : parts_) part.SetDiagonal(diagonal);
  }

  /// Sweeps over all rows by a plain loop.
  void RunPlain(const Execution &execution, const Sweep<Scalar> &sweep) const
  {
    by_target_[execution.target]->plain(source_, 0, diagonal_, sweep);
  }

  /// Sweeps over all rows. If `rest` is not null, adds this sweep to it.
  void Run(const Execution &execution, const Sweep<Scalar> &sweep, RestOfSweeps *rest = nullptr) const
  {
    using Clock             = std::chrono::steady_clock;
    const Execution of_part = execution.OfPart(planned_);
    for (const Triangle<Scalar, Index> &part : parts_) part.Run(of_part, sweep);
    if (rest) rest->all += all_work_;
    if (Solved() == source_.rows) return;
    const auto start = rest ? Clock::now() : Clock::time_point();
    by_target_[execution.target]->plain(source_, Solved(), diagonal_, sweep);
    if (!rest) return;
    rest->seconds += std::chrono::duration<double>(Clock::now() - start).count();
    rest->work += all_work_ - work_;
  }

  std::size_t Bytes() const
  {
    std::size_t bytes = 0;
    for (const Triangle<Scalar, Index> &part : parts_) bytes += part.Bytes();
    return bytes;
  }

private:
  /// How many rows have a part: those that are solved first.
  std::int64_t Solved() const { return std::min<std::int64_t>(Made() * rows_of_part_, source_.rows); }

  /// The number of entries and rows among those solved as number `first` to `last` - 1.
  double WorkOf(std::int64_t first, std::int64_t last) const
  {
    double work = static_cast<double>(last - first);
    for (std::int64_t number = first; number < last; ++number) {
      const Index row = source_.RowAt(number);
      work += static_cast<double>(source_.end[row] - source_.begin[row]);
    }
    return work;
  }

  std::span<const Methods *const>      by_target_;
  TriangleOptions                      options_;
  std::int64_t                         rows_of_part_ = 0;
  int                                  planned_      = 0;
  Source                               source_;
  const Scalar                        *diagonal_ = nullptr;      // lent
  std::vector<Triangle<Scalar, Index>> parts_;                   // made so far
  double                               work_ = 0, all_work_ = 0; // number of their entries and rows, and of all
};

} // namespace petscspmv
