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

/// Registers names that users may guess, such as aijsellcs, as aliases (root names). The matrix's own name stays seqaijscs, since
/// PETSc takes a name that begins with seqaijsell for its own type seqaijsell.
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
  // PETSc derives further types from the first root name of a pair: aijcsr5, whose prefix says AIJ, so has to come before csr5.
  PetscCall(MatRegisterRootName(type.root.c_str(), type.seq.c_str(), type.mpi.c_str()));
  PetscCall(MatRegisterRootName(type.alias, type.seq.c_str(), type.mpi.c_str()));
  for (const char *name : {type.seq.c_str(), type.alias}) // for -mat_seqaij_type
    PetscCall(MatSeqAIJRegister(name, Entry<MatConvert_SeqAIJ_SeqAIJShadow>));
  PetscCall(RegisterGuesses(type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
