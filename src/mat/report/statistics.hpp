// What the process has done: counts, and by matrix type what -spmv_view shows in a row.
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
  ByAij,        // products by AIJ of matrices whose type may choose it
  Trial,        // trials of variants that are decided
  OtherVariant, // decided for another variant than the settings of the process
  MatMult,      // products with dense matrices by layouts
  Sor,          // relaxations by layouts
  SorByAij,     // and by AIJ where a layout might do them
  Solve,        // solves with factors by layouts
  SolveByAij,
};

/// Of matrices of one type. Numbers of one kind, so that one reduction sums all of them.
struct TypeFigures {
  double made     = 0; // matrices and blocks
  double products = 0; // of whole matrices, each on one process
  double seconds  = 0; // of local products: of sequential matrices and of blocks
  double unknown  = 0; // local products of which nobody knows what AIJ would have taken
  double gained   = 0; // seconds over AIJ, by measurements
  double overhead = 0; // seconds that these took, preparations among them
};

struct Statistics {
  static constexpr std::size_t kCounts = static_cast<std::size_t>(Count::SolveByAij) + 1;

  std::array<double, kCounts>         counts{};
  std::array<double, kMostTypes>      by_format{};        // local products, in the order of Formats()
  std::array<TypeFigures, kMostTypes> types{};            // in the order of Types()
  std::array<double, kReasons>        why_aij{};          // seconds of local products by AIJ where a chooser decided
  double                              dense          = 0; // products with dense matrices, each on one process
  double                              layout_seconds = 0;

  double             Of(Count count) const { return counts[static_cast<std::size_t>(count)]; }
  TypeFigures       &Of(const TypeInfo &type);
  const TypeFigures &Of(const TypeInfo &type) const { return const_cast<Statistics *>(this)->Of(type); }
};

/// What this process has done in this session.
Statistics &OfThisProcess();

// What follows is called under the lock, or takes it. `info` has the counts of the matrix alone.

void AddCount(Count count); // of the process alone
void AddCount(MatSpMVInfo &info, Count count);

/// Counts a local product: by a format, or by AIJ (null). `chosen`: whether a chooser decides.
void AddProduct(MatSpMVInfo &info, Count count, const PetscFormat *format, bool chosen);

/// Notes a local product of a matrix of that type for -spmv_view.
PetscErrorCode NoteProduct(Mat A, Vec x, Vec y, const TypeInfo &type, double seconds);

/// Counts a product of a matrix with a dense one.
PetscErrorCode CountDenseProduct(Mat A, MatSpMVInfo &info);

void AddMatrix(const TypeInfo &type);
void AddLayoutSeconds(double seconds);
void AddWhyAij(WhyAij why, double seconds);
void AddUnmeasured(const TypeInfo &type);                        // a local product by a format that is not compared with AIJ
void AddGain(const TypeInfo &type, double gained, double spent); // seconds, by a chooser's choices

} // namespace petscspmv
