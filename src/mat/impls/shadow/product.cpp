// MatProduct with operands of the derived types: to PETSc's tables they pass for AIJ.
#include "mat/impls/shadow/shadow.hpp"

#include <array>
#include <string>

namespace petscspmv {

namespace {

/// The name PETSc's own products know a matrix by.
std::string BaseName(Mat A)
{
  const char     *name = ((PetscObject)A)->type_name;
  const TypeInfo *type = FindType(name);
  if (!type) return name;
  return type->mpi == name ? MATMPIAIJ : MATSEQAIJ;
}

using SetFromOptions = PetscErrorCode (*)(Mat);

PetscErrorCode Operands(Mat C, std::array<Mat, 3> &operands)
{
  MatProductType type;

  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &operands[0], &operands[1], &operands[2]));
  PetscCall(MatProductGetType(C, &type));
  if (type != MATPRODUCT_ABC) operands[2] = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The first operand's answer to the name of a composed function, other than our own.
PetscErrorCode Query(const std::array<Mat, 3> &operands, const std::string &name, SetFromOptions *f)
{
  PetscFunctionBegin;
  *f = nullptr;
  for (Mat A : operands) {
    if (!A) continue;
    PetscCall(PetscObjectQueryFunction((PetscObject)A, name.c_str(), f));
    if (*f == MatProductSetFromOptions_Shadow) *f = nullptr;
    if (*f) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MatMatTransposeMultSymbolic_SeqAIJ_SeqAIJ() gives B^T the type of A by MatSetType(), which wipes
/// it unless that is a subtype of its own. B passes for a MATSEQAIJ meanwhile, and B^T must become one.
PetscErrorCode MatProductSymbolic_ABt_Shadow(Mat C)
{
  const Base *base;
  Mat         A, B;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  PetscCall(MatProductGetMats(C, &A, &B, NULL));
  const TypeInfo *type = FindType(((PetscObject)B)->type_name);
  PetscCall((*base->ops.productsetfromoptions)(C)); // puts PETSc's own symbolic phase in place of this one
  PetscCheck(C->ops->productsymbolic && C->ops->productsymbolic != MatProductSymbolic_ABt_Shadow, PetscObjectComm((PetscObject)C),
             PETSC_ERR_SUP, "Product ABt of %s and %s is not supported", ((PetscObject)A)->type_name, ((PetscObject)B)->type_name);
  const WithoutCatchAll guard;
  if (type) PetscCall(PetscObjectChangeTypeName((PetscObject)B, MATSEQAIJ));
  const PetscErrorCode ierr = (*C->ops->productsymbolic)(C);
  if (type) PetscCall(PetscObjectChangeTypeName((PetscObject)B, type->seq.c_str()));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatProductSetFromOptions_Shadow(Mat C)
{
  std::array<Mat, 3> operands{};
  std::string        name = "MatProductSetFromOptions";
  SetFromOptions     f;
  MatProductType     type;

  PetscFunctionBegin;
  PetscCall(Operands(C, operands));
  for (Mat A : operands) {
    if (A) name += "_" + BaseName(A);
  }
  PetscCall(Query(operands, name + "_C", &f));
  if (!f) PetscCall(Query(operands, "MatProductSetFromOptions_anytype_C", &f)); // another operand's own
  if (!f) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*f)(C));
  PetscCall(MatProductGetType(C, &type));
  if (type == MATPRODUCT_ABt && C->ops->productsymbolic && BaseName(operands[0]) == MATSEQAIJ &&
      BaseName(operands[1]) == MATSEQAIJ && FindType(((PetscObject)operands[1])->type_name))
    C->ops->productsymbolic = MatProductSymbolic_ABt_Shadow;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
