#include "mat/impls/shadow/shadow.hpp"

#include <cstring>
#include <vector>

namespace petscspmv {

namespace {
std::vector<const PetscFormat *> formats;
}

std::span<const PetscFormat *const> Formats()
{
  return formats;
}

const PetscFormat *FindFormat(const char *type_name)
{
  if (!type_name) return nullptr;
  for (const PetscFormat *format : formats) {
    if (!std::strcmp(type_name, format->alias) || type_name == format->root || type_name == format->seq || type_name == format->mpi)
      return format;
  }
  return nullptr;
}

PetscErrorCode RegisterFormat(const PetscFormat &format, PetscErrorCode (*create_seq)(Mat), PetscErrorCode (*create_mpi)(Mat))
{
  PetscFunctionBegin;
  PetscCheck(formats.size() < kMostFormats, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s is one format more than the %d that are counted",
             format.title, static_cast<int>(kMostFormats));
  formats.push_back(&format);
  PetscCall(MatRegister(format.seq.c_str(), create_seq));
  PetscCall(MatRegister(format.mpi.c_str(), create_mpi));
  // The first root name of a pair is the one that PETSc derives new types from: aijcsr5, whose
  // prefix says AIJ, before csr5.
  PetscCall(MatRegisterRootName(format.root.c_str(), format.seq.c_str(), format.mpi.c_str()));
  PetscCall(MatRegisterRootName(format.alias, format.seq.c_str(), format.mpi.c_str()));
  PetscCall(MatSeqAIJRegister(format.seq.c_str(), MatConvert_SeqAIJ_SeqAIJShadow)); // -mat_seqaij_type
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FinalizeFormats()
{
  PetscFunctionBegin;
  formats.clear();
  ForgetOrphans();
  ForgetWays();
  PetscCall(ForgetOption());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
