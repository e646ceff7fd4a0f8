// A matrix of the type spmv as PETSc meets it: who does its products.
#pragma once

#include "mat/impls/shadow/made.hpp"
#include "mat/impls/spmv/choice.hpp"
#include "mat/impls/spmv/record.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace petscspmv {
struct Shadow;
}

namespace petscspmv::spmv {

/// What a sequential matrix of the type keeps beside its layouts.
struct Turns {
  Recorded   recorded;
  PetscInt64 products = 0, by_aij = 0;

  // Of the present pattern and options.
  std::optional<Choice> choice;              // while products are measured
  Stamp                 seen;                // by the last product
  PetscInt64            same_values = 0;     // products since values or pattern have changed
  bool                  new_values  = false; // since the last product that was measured
  std::size_t           who         = kAij;  // did the last product
  std::size_t           by_rules    = kAij;  // does them by structure
  std::size_t           on_device   = kAij;  // and there
  bool                  no_memory   = false; // for the layout by structure

  // Of the product under way.
  bool                                  measured = false, noted = false; // by the choice; in the record
  std::chrono::steady_clock::time_point start;                           // if it is timed

  void   Restart();
  double Spent() const { return spent_ + (choice ? choice->Spent() : 0); }
  double Gained() const { return gained_ + (choice ? choice->Gained() : 0); }

private:
  double spent_ = 0, gained_ = 0; // seconds, by choices that are gone
};

/// Before a product: whose it is. If it is a format's, that layout is made current and in use.
PetscErrorCode BeginTurn(Mat A, Shadow &shadow, Place place, bool *by_aij);

/// After it.
PetscErrorCode EndTurn(Shadow &shadow);

/// For viewers (view.cpp).
Stats          FiguresOf(Shadow &shadow);
PetscErrorCode PrintChoice(PetscViewer viewer, Shadow &shadow);

} // namespace petscspmv::spmv
