// What the process has done: counts, and by matrix type what -spmv_view shows in a row.
#pragma once

#include "mat/shadow/shadow.hpp"

#include <array>
#include <chrono>
#include <cstddef>

namespace petscspmv {

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
  static constexpr std::size_t kCounts = static_cast<std::size_t>(Count::MatMult) + 1;

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

/// Prints them for -spmv_view, on a viewer of all processes. Collective.
PetscErrorCode ViewStatistics(const Statistics &of_process, PetscViewer viewer, bool in_detail);

/// Whether -spmv_view asks for times.
bool Viewing();

/// Seconds since it was made; without -spmv_view no clock is read.
class ViewedTime {
public:
  ViewedTime()
  {
    if (Viewing()) start_ = Clock::now();
  }
  double Seconds() const { return Viewing() ? std::chrono::duration<double>(Clock::now() - start_).count() : 0; }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
};

/// Notes a local product for -spmv_view.
PetscErrorCode NoteProduct(Mat A, Vec x, Vec y, const Shadow &shadow, double seconds);

/// Counts a product of a matrix, whose shadow that is, with a dense one.
PetscErrorCode CountDenseProduct(Mat A, Shadow &shadow);

/// Counts a local product: by a format, or by AIJ (null).
void AddProduct(Shadow &shadow, Count count, const PetscFormat *format);

void AddMatrix(const TypeInfo &type);
void AddLayoutSeconds(double seconds);
void AddWhyAij(WhyAij why, double seconds);
void AddUnmeasured(const Shadow &shadow); // a local product by a format that a chooser has not compared with AIJ

} // namespace petscspmv
