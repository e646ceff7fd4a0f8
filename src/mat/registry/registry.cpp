#include "mat/registry/registry.hpp"

#include "mat/exec/session.hpp"

#include <cstring>
#include <string_view>
#include <vector>

namespace petscspmv {

namespace {

struct Registry {
  std::vector<const PetscFormat *> formats;
  std::vector<const TypeInfo *>    types;
  std::vector<MakeChooser>         choosers; // of each type
};

/// Whether users may guess this name from a type's alias: seqaijsellcs from sellcs, although the type is named seqaijscs.
bool IsGuess(std::string_view name, const TypeInfo &type)
{
  if (name.starts_with("seq") || name.starts_with("mpi")) name.remove_prefix(3);
  return name.starts_with("aij") && name.substr(3) == type.alias;
}

} // namespace

std::span<const PetscFormat *const> Formats()
{
  return OfSession<Registry>().formats;
}

std::span<const TypeInfo *const> Types()
{
  return OfSession<Registry>().types;
}

const PetscFormat *FormatOf(const TypeInfo &type)
{
  for (const PetscFormat *format : Formats()) {
    if (format == &type) return format;
  }
  return nullptr;
}

MakeChooser ChooserOf(const TypeInfo &type)
{
  const Registry &registry = OfSession<Registry>();
  for (std::size_t k = 0; k < registry.types.size(); ++k) {
    if (registry.types[k] == &type) return registry.choosers[k];
  }
  return nullptr;
}

const TypeInfo *FindType(const char *type_name)
{
  if (!type_name) return nullptr;
  for (const TypeInfo *type : Types()) {
    if (!std::strcmp(type_name, type->alias) || type_name == type->root || type_name == type->seq || type_name == type->mpi ||
        IsGuess(type_name, *type))
      return type;
  }
  return nullptr;
}

void AddFormat(const PetscFormat &format)
{
  OfSession<Registry>().formats.push_back(&format);
}

PetscErrorCode AddType(const TypeInfo &type, MakeChooser make_chooser)
{
  Registry &registry = OfSession<Registry>();

  PetscFunctionBegin;
  PetscCheck(registry.types.size() < kMostTypes, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s is one type more than the %d that are counted", type.title, static_cast<int>(kMostTypes));
  registry.types.push_back(&type);
  registry.choosers.push_back(make_chooser);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
