// The matrices that a run is asked for.
#pragma once

#include <petscmat.h>
#include <string>
#include <vector>

namespace petscspmv::benchmarks {

/// A matrix to be measured. One found in a folder need not be readable.
struct Input {
  std::string path;
  bool        found;
};

/// Folders opened.
std::vector<Input> Expand(const std::vector<std::string> &names);

/// What people call a matrix: the name of its file or family.
std::string NameOf(const std::string &path);

/// The matrix of an input, or null and why.
PetscErrorCode Open(const std::string &path, Mat *A, std::string &error);

} // namespace petscspmv::benchmarks
