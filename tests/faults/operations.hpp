// What is done while memory runs out: the matrices, and operations on them.
#pragma once

#include "support/petsc_test.hpp"

#include <cstring>
#include <span>
#include <string>

namespace petscspmv::test {

/// A type, and what a matrix of type spmv chooses (null: AIJ, since the matrix is small).
struct Tried {
  std::string type;
  const char *choose = nullptr;
  std::string other  = {}; // the type that bounds the number of outcomes worse than an error; empty: there must be none

  bool        Chooses() const { return type.ends_with("spmv"); }
  bool        UsesLayouts() const { return !Chooses() || (choose && !std::strcmp(choose, "csr5")); }
  std::string Name() const { return type + (choose ? std::string(" ") + choose : ""); }
};

/// What operations work on: a matrix of a type, the same as plain AIJ, and their results. They allocate nothing of their own.
struct Subject {
  OwnedMat    A, plain, dense, made;
  OwnedVec    x, y;
  std::string type;
  const char *choose = nullptr;
  const char *option = nullptr;     // one of the type that operations change
  TestMatrix  others;               // with other values
  bool        lost_options = false; // by an operation that should have kept them
};

/// Creates a matrix with layouts of itself and of its transpose.
PetscErrorCode Create(const Tried &tried, Subject &s);

/// Whether products with A equal those with the plain matrix.
bool IsUsable(Subject &s);

/// What is expected of an operation's allocations by the library: that there are some, if a layout of the type, or only of one
/// with a format of its own, is built; or no more than new shadows take.
enum class Allocates { Anything, Layout, LayoutOfFormat, Shadows };

struct Operation {
  const char *name;
  PetscErrorCode (*run)(Subject &);
  bool changes = false; // the matrix: after an error its contents are AIJ's responsibility until it succeeds
  PetscErrorCode (*prepare)(Subject &) = nullptr; // without a fault
  Allocates allocates                  = Allocates::Anything;
};
std::span<const Operation> Operations();

} // namespace petscspmv::test
