#include "mat/products/mat_product.hpp"

#include "mat/products/by_layout.hpp"
#include "mat/shadow/passing.hpp"
#include "mat/shadow/shadow.hpp"
#include "petsc/guard.hpp"

#include <array>
#include <string>

namespace petscspmv {

namespace {

/// The name under which PETSc has products of a matrix: AIJ's for a type derived from AIJ, otherwise the type's own.
std::string BaseName(Mat A)
{
  const std::string name = ((PetscObject)A)->type_name;
  for (const char *base : {MATSEQAIJ, MATMPIAIJ}) {
    if (name.starts_with(base)) return base;
  }
  return name;
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

/// The function composed under that name with the first operand that has one; ours does not count.
PetscErrorCode Query(const std::array<Mat, 3> &operands, const std::string &name, SetFromOptions *f)
{
  PetscFunctionBegin;
  *f = nullptr;
  for (Mat A : operands) {
    if (!A) continue;
    PetscCall(PetscObjectQueryFunction((PetscObject)A, name.c_str(), f));
    if (*f == Entry<MatProductSetFromOptions_Shadow>) *f = nullptr;
    if (*f) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MatMatTransposeMultSymbolic_SeqAIJ_SeqAIJ() gives B^T the type of A by MatSetType(), which destroys the contents of B^T unless
/// the type of A is that of B^T or derived from it. So B^T has to be a MATSEQAIJ: B passes for one, and -mat_seqaij_type has no
/// effect.
PetscErrorCode MatProductSymbolic_ABt_Shadow(Mat C)
{
  const Base *base;
  Mat         A, B;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  PetscCall(MatProductGetMats(C, &A, &B, NULL));
  PetscCall((*base->ops.productsetfromoptions)(C)); // replaces this symbolic phase by PETSc's own
  PetscCheck(C->ops->productsymbolic && C->ops->productsymbolic != Entry<MatProductSymbolic_ABt_Shadow>,
             PetscObjectComm((PetscObject)C), PETSC_ERR_SUP, "Product ABt of %s and %s is not supported",
             ((PetscObject)A)->type_name, ((PetscObject)B)->type_name);
  const WithoutCatchAll guard;
  // An A of PETSc's type aijcrl has to pass too: if B^T got that type, assembly would read values that B^T does not have.
  const PassesForAIJ passes(B), passes_too(A == B || IsOurs(A) ? nullptr : A);
  PetscCall((*C->ops->productsymbolic)(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Prepares a product as PETSc would for the base types. *done: whether PETSc knows such a product.
PetscErrorCode PrepareByPetsc(Mat C, std::array<Mat, 3> &operands, bool *done)
{
  std::string    name = "MatProductSetFromOptions";
  SetFromOptions f;

  PetscFunctionBegin;
  PetscCall(Operands(C, operands));
  for (Mat A : operands) {
    if (A) name += "_" + BaseName(A);
  }
  PetscCall(Query(operands, name + "_C", &f));
  if (!f) PetscCall(Query(operands, "MatProductSetFromOptions_anytype_C", &f)); // any operand's but ours
  *done = f != nullptr;
  if (f) PetscCall((*f)(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The symbolic phase of a product with a dense matrix is PETSc's; the numeric phase is done by a layout.
PetscErrorCode MatProductSymbolic_Dense_Shadow(Mat C)
{
  std::array<Mat, 3> operands{};
  bool               done;

  PetscFunctionBegin;
  PetscCall(PrepareByPetsc(C, operands, &done)); // replaces this symbolic phase by PETSc's own
  PetscCheck(done && C->ops->productsymbolic != Entry<MatProductSymbolic_Dense_Shadow>, PetscObjectComm((PetscObject)C),
             PETSC_ERR_SUP, "Product of %s and %s is not supported", ((PetscObject)operands[0])->type_name,
             ((PetscObject)operands[1])->type_name);
  PetscCall((*C->ops->productsymbolic)(C));
  PetscCall(MultiplyByLayout(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether layouts take part in a product: A B or A^T B with A of one of our types and B dense.
PetscErrorCode IsByLayout(MatProductType type, const std::array<Mat, 3> &operands, bool *by_layout)
{
  PetscBool dense = PETSC_FALSE;

  PetscFunctionBegin;
  *by_layout = false;
  if (!operands[1] || !FindType(((PetscObject)operands[0])->type_name)) PetscFunctionReturn(PETSC_SUCCESS);
  const bool mpi = BaseName(operands[0]) == MATMPIAIJ;
  PetscCall(PetscObjectTypeCompare((PetscObject)operands[1], mpi ? MATMPIDENSE : MATSEQDENSE, &dense));
  *by_layout = dense && (type == MATPRODUCT_AB || type == MATPRODUCT_AtB);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatProductSetFromOptions_Shadow(Mat C)
{
  std::array<Mat, 3> operands{};
  MatProductType     type;
  bool               done, by_layout = false;

  PetscFunctionBegin;
  PetscCall(PrepareByPetsc(C, operands, &done));
  if (!done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatProductGetType(C, &type));
  PetscCall(IsByLayout(type, operands, &by_layout));
  if (by_layout && C->ops->productsymbolic) C->ops->productsymbolic = Entry<MatProductSymbolic_Dense_Shadow>;
  if (type == MATPRODUCT_ABt && C->ops->productsymbolic && BaseName(operands[0]) == MATSEQAIJ && BaseName(operands[1]) == MATSEQAIJ)
    C->ops->productsymbolic = Entry<MatProductSymbolic_ABt_Shadow>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
