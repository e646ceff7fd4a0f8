// Families of generated matrices, each known by its name and parameters, without PETSc.
#pragma once

#include "matio/row_source.hpp"

#include <span>
#include <string>
#include <vector>

namespace petscspmv::matio {

/// A family as users see it.
struct Family {
  const char *name;       // stencil7
  const char *parameters; // N
  const char *help;
  RowSource (*make)(const std::vector<std::string> &parameters);
};

/// All families, including twin.
std::span<const Family> Families();

/// Whether `name` refers to a generated matrix: a family's name, alone or before a colon.
bool NamesFamily(const std::string &name);

/// The matrix named by a family, a colon and its parameters separated by commas, e.g. stencil7:100 or random:100000,12,power; a
/// rule for values may follow an equals sign, e.g. stencil7:100=laplacian. Throws FamilyError.
RowSource MakeFamily(const std::string &name);

/// Nonzeros of a matrix by a sample of its rows; of a twin, all there are.
double CountFamily(const std::string &name);

} // namespace petscspmv::matio
