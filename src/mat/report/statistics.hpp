// What the process has done: counts, and for each matrix type the figures in its row of -spmv_view.
#pragma once

#include "mat/registry/registry.hpp"
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
  Trial,        // completed trials of variants
  OtherVariant, // of these, won by a variant other than the settings of the process
  MatMult,      // products with dense matrices by layouts
  Sor,          // relaxations by layouts
  SorByAij,     // relaxations by AIJ that a layout might have done
  Solve,        // solves with factors by layouts
  SolveByAij, // the last one: Statistics::kCounts
};

/// Figures of all matrices of one type. All are doubles, so that one reduction sums them.
struct TypeFigures {
  double made     = 0; // matrices and blocks
  double products = 0; // with whole matrices, each counted on one process
  double seconds  = 0; // of local products, with sequential matrices and with blocks
  double unknown  = 0; // local products for which AIJ's time is not known
  double gained   = 0; // seconds saved over AIJ, by measurements
  double overhead = 0; // seconds spent on choosing: analysis, and making layouts
};

struct Statistics {
  static constexpr std::size_t kCounts = static_cast<std::size_t>(Count::SolveByAij) + 1;

  std::array<double, kCounts>         counts{};
  std::array<double, kMostTypes>      by_format{};        // local products, in the order of Formats()
  std::array<TypeFigures, kMostTypes> types{};            // in the order of Types()
  std::array<double, kReasons>        why_aij{};          // seconds of local products by AIJ where a chooser decided
  double                              dense          = 0; // products with dense matrices, each counted on one process
  double                              layout_seconds = 0;

  double             Of(Count count) const { return counts[static_cast<std::size_t>(count)]; }
  TypeFigures       &Of(const TypeInfo &type);
  const TypeFigures &Of(const TypeInfo &type) const { return const_cast<Statistics *>(this)->Of(type); }
};

/// What this process has done in this session.
Statistics &OfThisProcess();

// The functions below are called under the lock, or take the lock. `info` has the counts of one matrix.

void AddCount(Count count); // of the process alone
void AddCount(MatSpMVInfo &info, Count count);

/// Counts a local product by `format`, or by AIJ if null. `chosen`: whether the matrix has a chooser.
void AddProduct(MatSpMVInfo &info, Count count, const PetscFormat *format, bool chosen);

/// Adds a local product with A, a matrix of that type, to the figures for -spmv_view.
PetscErrorCode NoteProduct(Mat A, Vec x, Vec y, const TypeInfo &type, double seconds);

/// Counts a product of a matrix with a dense one.
PetscErrorCode CountDenseProduct(Mat A, MatSpMVInfo &info);

void AddMatrix(const TypeInfo &type);
void AddLayoutSeconds(double seconds);
void AddWhyAij(WhyAij why, double seconds);
void AddUnmeasured(const TypeInfo &type);                        // by a format whose time is not compared with AIJ's
void AddGain(const TypeInfo &type, double gained, double spent); // seconds, by a chooser

} // namespace petscspmv
