#include "mat/exec/session.hpp"
#include "mat/shadow/shadow.hpp"
#include "petsc/guard.hpp"

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace petscspmv {

namespace {

struct Registry {
  std::vector<const PetscFormat *> formats;
  std::vector<const TypeInfo *>    types;    // of the formats, and further ones
  std::vector<MakeChooser>         choosers; // of each; null where it has a format of its own
};

/// Whether a name is one that users guess for a type: seqaijsellcs, where the alias is sellcs and the name seqaijscs.
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

std::unique_ptr<Chooser> MakeChooserOf(const TypeInfo &type)
{
  const Registry &registry = OfSession<Registry>();
  for (std::size_t k = 0; k < registry.types.size(); ++k) {
    if (registry.types[k] == &type && registry.choosers[k]) return registry.choosers[k]();
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

PetscErrorCode RegisterFormat(const PetscFormat &format, PetscErrorCode (*create_seq)(Mat), PetscErrorCode (*create_mpi)(Mat))
{
  PetscFunctionBegin;
  PetscCall(RegisterType(format, create_seq, create_mpi, nullptr));
  OfSession<Registry>().formats.push_back(&format);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// As root names: matrices then have the real name seqaijscs, which does not begin with PETSc's seqaijsell.
static PetscErrorCode RegisterGuesses(const TypeInfo &type)
{
  const std::string root = std::string("aij") + type.alias, seq = "seq" + root, mpi = "mpi" + root;

  PetscFunctionBegin;
  if (root == type.root) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatRegisterRootName(root.c_str(), type.seq.c_str(), type.mpi.c_str()));
  PetscCall(MatRegisterRootName(seq.c_str(), type.seq.c_str(), type.seq.c_str()));
  PetscCall(MatRegisterRootName(mpi.c_str(), type.mpi.c_str(), type.mpi.c_str()));
  PetscCall(MatSeqAIJRegister(seq.c_str(), Entry<MatConvert_SeqAIJ_SeqAIJShadow>));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RegisterType(const TypeInfo &type, PetscErrorCode (*create_seq)(Mat), PetscErrorCode (*create_mpi)(Mat),
                            MakeChooser     make_chooser)
{
  Registry &registry = OfSession<Registry>();

  PetscFunctionBegin;
  PetscCheck(registry.types.size() < kMostTypes, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s is one type more than the %d that are counted", type.title, static_cast<int>(kMostTypes));
  registry.types.push_back(&type);
  registry.choosers.push_back(make_chooser);
  PetscCall(MatRegister(type.seq.c_str(), create_seq));
  PetscCall(MatRegister(type.mpi.c_str(), create_mpi));
  // The first root name of a pair is the one that PETSc derives new types from: aijcsr5, whose
  // prefix says AIJ, before csr5.
  PetscCall(MatRegisterRootName(type.root.c_str(), type.seq.c_str(), type.mpi.c_str()));
  PetscCall(MatRegisterRootName(type.alias, type.seq.c_str(), type.mpi.c_str()));
  for (const char *name : {type.seq.c_str(), type.alias}) // -mat_seqaij_type
    PetscCall(MatSeqAIJRegister(name, Entry<MatConvert_SeqAIJ_SeqAIJShadow>));
  PetscCall(RegisterGuesses(type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
