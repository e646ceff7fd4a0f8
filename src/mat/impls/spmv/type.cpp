#include "mat/impls/spmv/type.hpp"

#include "mat/aij/mpi.hpp"
#include "mat/aij/registration.hpp"
#include "mat/aij/seq.hpp"
#include "mat/exec/session.hpp"
#include "mat/impls/spmv/chooser.hpp"
#include "mat/impls/spmv/options.hpp"
#include "petsc/guard.hpp"

#include <memory>

namespace petscspmv::spmv {

namespace {

struct OfSpmv {
  TypeInfo type;
};

PetscErrorCode CreateSeq(Mat A)
{
  return MatCreate_SeqAIJShadow(A, OfSession<OfSpmv>().type);
}

PetscErrorCode CreateMPI(Mat A)
{
  return MatCreate_MPIAIJShadow(A, OfSession<OfSpmv>().type);
}

} // namespace

PetscErrorCode RegisterSpmv()
{
  TypeInfo &type = OfSession<OfSpmv>().type;

  PetscFunctionBegin;
  type.options = MakeOptions();
  type.alias   = "spmv";
  type.root    = "aijspmv";
  type.seq     = "seqaijspmv";
  type.mpi     = "mpiaijspmv";
  type.symbol  = "SpMV";
  type.title   = "spmv";
  PetscCall(RegisterType(type, Entry<CreateSeq>, Entry<CreateMPI>,
                         []() -> std::unique_ptr<Chooser> { return std::make_unique<SpmvChooser>(); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::spmv
