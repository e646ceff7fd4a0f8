// The registered formats and matrix types of this session.
#pragma once

#include "mat/format/format.hpp"
#include "petsc/compat.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace petscspmv {

class Chooser;
using PetscFormat = FormatInfo<PetscScalar, PetscInt>;
using MakeChooser = std::unique_ptr<Chooser> (*)();

inline constexpr std::size_t kMostTypes = 32;

/// The formats, and the types: those of the formats, and further ones.
std::span<const PetscFormat *const> Formats();
std::span<const TypeInfo *const>    Types();

/// The format of a type; null if it has none of its own. Then it has what makes its choosers, which is null otherwise.
const PetscFormat *FormatOf(const TypeInfo &type);
MakeChooser        ChooserOf(const TypeInfo &type);

/// The type of a name: alias, root, sequential, parallel, or one that users guess (seqaijsellcs). Null if there is none.
const TypeInfo *FindType(const char *type_name);

/// Adds to the lists. A type that is one of a format is added with its format.
void           AddFormat(const PetscFormat &format);
PetscErrorCode AddType(const TypeInfo &type, MakeChooser make_chooser);

} // namespace petscspmv
