// What the process has done: counts, and the figures in the rows of -spmv_view, of each matrix type and of sweeps.
#pragma once

#include "mat/registry/registry.hpp"
#include "mat/tuning/sweep_by.hpp"
#include "mat/tuning/why_aij.hpp"
#include "petscspmv.h"

#include <array>
#include <cstddef>

namespace petscspmv {

enum class Count {
  Mult,
  MultAdd,
  MultTranspose,
  MPIMult,
  Build,
  Refresh,
  OnDevice,     // products on the device
  ByAij,        // products by AIJ
  ByPlain,      // by our plain loop in AIJ's arrays
  Trial,        // completed trials of variants
  OtherVariant, // of these, won by a variant other than the settings of the process
  MatMult,      // products with dense matrices by layouts; the last one: Statistics::kCounts
};

/// What has triangles: MatSOR() with a matrix, and solves with a factor.
enum class Sweeping { Sor, Solve };
inline constexpr std::size_t kSweepings = static_cast<std::size_t>(Sweeping::Solve) + 1;

// All figures are doubles, so that one reduction sums them.

/// What products or sweeps, with sequential matrices and with blocks, have taken and saved.
struct Times {
  double seconds  = 0;
  double unknown  = 0; // how many have no known time of AIJ
  double gained   = 0; // seconds saved over AIJ, by measurements
  double overhead = 0; // seconds spent on choosing, and on making layouts

  Times &operator+=(const Times &other)
  {
    seconds += other.seconds;
    unknown += other.unknown;
    gained += other.gained;
    overhead += other.overhead;
    return *this;
  }
};

/// Figures of all matrices of one type.
struct TypeFigures : Times {
  double made     = 0; // matrices and blocks
  double products = 0; // with whole matrices, each counted on one process
};

/// Figures of all relaxations, or of all solves, that layouts may do.
struct SweepFigures : Times {
  std::array<double, kSweepBys> done{}; // how many, by SweepBy

  double Of(SweepBy by) const { return done[static_cast<std::size_t>(by)]; }
  double All() const { return Of(SweepBy::Aij) + Of(SweepBy::Plain) + Of(SweepBy::Layouts); }
};

/// Seconds in which AIJ did what a format or layout might have done, by reason.
using SecondsByReason = std::array<double, kReasons>;

struct Statistics {
  static constexpr std::size_t kCounts = static_cast<std::size_t>(Count::MatMult) + 1;

  std::array<double, kCounts>          counts{};
  std::array<double, kMostTypes>       by_format{};        // local products, in the order of Formats()
  std::array<TypeFigures, kMostTypes>  types{};            // in the order of Types()
  std::array<SweepFigures, kSweepings> sweeps{};           // by Sweeping
  SecondsByReason                      why_aij{};          // of local products where a chooser decided
  SecondsByReason                      why_aij_sweeps{};   // of sweeps
  double                               dense          = 0; // products with dense matrices, each counted on one process
  double                               layout_seconds = 0;

  double             Of(Count count) const { return counts[static_cast<std::size_t>(count)]; }
  TypeFigures       &Of(const TypeInfo &type);
  const TypeFigures &Of(const TypeInfo &type) const { return const_cast<Statistics *>(this)->Of(type); }

  SweepFigures       &Of(Sweeping as) { return sweeps[static_cast<std::size_t>(as)]; }
  const SweepFigures &Of(Sweeping as) const { return sweeps[static_cast<std::size_t>(as)]; }
};

/// What this process has done in this session.
Statistics &OfThisProcess();

// The functions below are called under the lock, or take the lock. `info` has the counts of one matrix.

void AddCount(Count count); // of the process alone
void AddCount(MatSpMVInfo &info, Count count);

/// Counts a local product by `format` or, if null, by AIJ or the plain loop. `chosen`: whether the matrix has a chooser.
void AddProduct(MatSpMVInfo &info, Count count, const PetscFormat *format, bool plain, bool chosen);

/// Adds a local product with A, a matrix of that type, to the figures for -spmv_view.
PetscErrorCode NoteProduct(Mat A, Vec x, Vec y, const TypeInfo &type, double seconds);

/// Counts a product of a matrix with a dense one.
PetscErrorCode CountDenseProduct(Mat A, MatSpMVInfo &info);

void AddMatrix(const TypeInfo &type);
void AddLayoutSeconds(double seconds);
void AddWhyAij(WhyAij why, double seconds);
void AddUnmeasured(const TypeInfo &type);                        // by a format whose time is not compared with AIJ's
void AddGain(const TypeInfo &type, double gained, double spent); // seconds, by a chooser

/// Adds relaxations or solves and, unless AIJ did them, the seconds that they would have taken with AIJ: 0 if unknown.
void AddSweeps(Sweeping as, SweepBy by, double count, double seconds, double with_aij);
void AddWhyAijSweeps(WhyAij why, double seconds);
void AddSweepsOverhead(Sweeping as, double seconds);

} // namespace petscspmv
