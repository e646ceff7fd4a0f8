#include "mat/shadow/blocks.hpp"

#include "mat/shadow/adopt.hpp"
#include "mat/shadow/shadow.hpp"

namespace petscspmv {

PetscErrorCode ConvertBlocks(Mat A, Mat blocks[2])
{
  ParallelShadow *shadow;

  PetscFunctionBegin;
  PetscCall(GetShadow(A, &shadow));
  PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  for (int k = 0; k < 2; ++k) {
    if (!blocks[k] || HashActive(blocks[k]) || IsShadowed(blocks[k], *shadow->settings().type)) continue;
    PetscCall(AdoptSeqAIJ(blocks[k], *shadow->settings().type));
    shadow->ghost_state = -1; // a new block counts its states from zero
    PetscCall(SetBlockSettings(blocks[k], shadow->settings()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BlocksOf(Mat A, const TypeInfo &type, std::vector<Mat> &blocks)
{
  PetscFunctionBegin;
  blocks = {A};
  if (type.mpi == ((PetscObject)A)->type_name) {
    blocks.resize(2);
    if (A->assembled && !HashActive(A)) PetscCall(ConvertBlocks(A, blocks.data()));
    else PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  }
  std::erase_if(blocks, [&](Mat block) { return !block || !IsShadowed(block, type); });
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NoteNodes(Mat A, const TypeInfo &type)
{
  Mat               blocks[2] = {A, nullptr};
  SequentialShadow *shadow;

  PetscFunctionBegin;
  if (type.mpi == ((PetscObject)A)->type_name) PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  for (Mat block : blocks) {
    if (!block || !IsShadowed(block, type)) continue;
    PetscCall(GetShadow(block, &shadow));
    shadow->layouts.uses_nodes = true;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GiveBlocksTypeOfOption(Mat A)
{
  Mat made, blocks[2];

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, &made));
  PetscCall(MatSetSizes(made, 0, 0, 0, 0));
  PetscCall(MatSetType(made, MATSEQAIJ));
  const TypeInfo *const type = FindType(((PetscObject)made)->type_name);
  PetscCall(MatDestroy(&made));
  if (!type) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  for (Mat block : blocks) {
    if (block && !HashActive(block)) PetscCall(AdoptSeqAIJ(block, *type));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
