// The matrices of operations during which memory runs out.
#pragma once

#include "support/petsc_test.hpp"

#include <cstring>
#include <string>

namespace petscspmv::test {

/// A type, and what a matrix of type spmv chooses (null: AIJ, since the matrix is small).
struct Tried {
  std::string type;
  const char *choose = nullptr;
  std::string other  = {}; // the type that bounds the number of outcomes worse than an error; empty: there must be none

  bool        Chooses() const { return type.ends_with("spmv"); }
  bool        Measures() const { return Chooses() && (!choose || !std::strcmp(choose, "measured")); }
  bool        UsesLayouts() const { return !Chooses() || (choose && !std::strcmp(choose, "csr5")); }
  std::string Name() const { return type + (choose ? std::string(" ") + choose : ""); }
};

/// What operations work on: a matrix of a type, the same as plain AIJ, and their results. They allocate nothing of their own.
struct Subject {
  OwnedMat    A, plain, dense, made;
  OwnedVec    x, y, z;
  std::string type;
  const char *choose = nullptr;
  const char *option = nullptr;     // one of the type that operations change
  TestMatrix  others;               // with other values
  bool        lost_options = false; // by an operation that should have kept them
};

inline constexpr PetscInt kOtherOption = 16; // of each type's option, with another default
inline constexpr int      kRows        = 40; // of all processes

/// Creates a matrix with layouts of itself and of its transpose.
PetscErrorCode Create(const Tried &tried, Subject &s);

/// Whether products with A equal those with the plain matrix.
bool IsUsable(Subject &s);

/// Both matrices anew, and vectors; no layouts. In each process their parts have the same pattern.
PetscErrorCode CreateBoth(const TestMatrix &a, Subject &s);

/// Gives both matrices other values, or new entries, which fill a row of each process.
PetscErrorCode NewValues(Subject &s);
PetscErrorCode NewEntries(Subject &s);

} // namespace petscspmv::test
