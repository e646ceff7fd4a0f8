// Families of generated matrices, each by its name and its numbers, without PETSc.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace petscspmv::matio {

/// A matrix that is known row by row, so that every process makes its own rows, and always the same.
struct RowSource {
  std::int64_t                                                   rows, cols;
  std::function<void(std::int64_t, std::vector<std::int64_t> &)> columns; // of a row, ascending, into an empty vector
};

/// A family as users see it.
struct Family {
  const char *name;       // stencil7
  const char *parameters; // N
  const char *help;
  RowSource (*make)(const std::vector<std::string> &parameters);
};

/// All families, twin among them.
std::span<const Family> Families();

/// Why a name is none, or its numbers are out of range.
struct FamilyError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// Whether `name` is meant as a generated matrix: a family's name, alone or before a colon.
bool NamesFamily(const std::string &name);

/// The matrix that `name` stands for: a family, a colon, its parameters between commas, as in stencil7:100 or
/// random:100000,12,power. Throws FamilyError.
RowSource MakeFamily(const std::string &name);

/// A number in [0, 1) that depends on a row and a place in it alone.
double RandomAt(std::int64_t row, std::int64_t place);

/// `count` different columns in [begin, end), ascending: one from each of as many equal parts. count <= end - begin.
void SpreadColumns(std::int64_t row, std::int64_t count, std::int64_t begin, std::int64_t end, std::vector<std::int64_t> &columns);

} // namespace petscspmv::matio
