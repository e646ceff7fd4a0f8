#include "mat/aij/registration.hpp"

#include "mat/aij/convert.hpp"
#include "petsc/guard.hpp"

#include <string>

namespace petscspmv {

PetscErrorCode RegisterFormat(const PetscFormat &format, PetscErrorCode (*create_seq)(Mat), PetscErrorCode (*create_mpi)(Mat))
{
  PetscFunctionBegin;
  PetscCall(RegisterType(format, create_seq, create_mpi, nullptr));
  AddFormat(format);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Names that users may guess, as aliases (root names): the matrix's own name stays seqaijscs, since one that begins with
/// seqaijsell is taken for PETSc's type of that name.
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
  PetscFunctionBegin;
  PetscCall(AddType(type, make_chooser));
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
