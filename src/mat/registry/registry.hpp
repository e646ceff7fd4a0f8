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

/// The formats, and the matrix types: one of each format, and further types.
std::span<const PetscFormat *const> Formats();
std::span<const TypeInfo *const>    Types();

/// The format of a type, or null; and the function that makes choosers for a type, or null. A type has exactly one of the two.
const PetscFormat *FormatOf(const TypeInfo &type);
MakeChooser        ChooserOf(const TypeInfo &type);

/// The type that a name means: alias, root, sequential or parallel name, or a guess from the alias (seqaijsellcs). May be null.
const TypeInfo *FindType(const char *type_name);

/// Add to Formats() and Types(). The type of a format is added to both.
void           AddFormat(const PetscFormat &format);
PetscErrorCode AddType(const TypeInfo &type, MakeChooser make_chooser);

} // namespace petscspmv
