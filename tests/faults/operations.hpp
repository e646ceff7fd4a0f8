// Operations during which memory runs out.
#pragma once

#include "faults/subject.hpp"

#include <span>

namespace petscspmv::test {

/// What is expected of an operation's allocations by the library: that there are some, if a layout of the type, or only of one
/// with a format of its own, is built, without which the operation may have to succeed; or no more than new shadows take.
enum class Allocates { Anything, Layout, LayoutOfFormat, OptionalLayoutOfFormat, Shadows };

struct Operation {
  const char *name;
  PetscErrorCode (*run)(Subject &);
  bool changes = false; // the matrix: after an error its contents are AIJ's responsibility until it succeeds
  PetscErrorCode (*prepare)(Subject &) = nullptr; // without a fault
  Allocates allocates                  = Allocates::Anything;
};
std::span<const Operation> ProductOperations(); // products with vectors and matrices, solves
std::span<const Operation> MatrixOperations();  // conversions, assembly, parts of matrices, viewers

} // namespace petscspmv::test
