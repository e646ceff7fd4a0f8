// The blocks of a parallel matrix, which have the sequential type.
#pragma once

#include "mat/format/format.hpp"
#include "petsc/compat.hpp"

#include <vector>

namespace petscspmv {

/// Converts the blocks of a parallel matrix to the sequential type where needed. Called at the end of assembly and before each
/// product, since repeated preallocation, COO and hash assembly create plain blocks.
PetscErrorCode ConvertBlocks(Mat A, Mat blocks[2]);

/// The sequential matrices of a type that A consists of: A itself, or its two blocks.
PetscErrorCode BlocksOf(Mat A, const TypeInfo &type, std::vector<Mat> &blocks);

/// Reports that A, or its blocks, have no nodes but those that AIJ uses: right after assembly, and in duplicates.
PetscErrorCode NoteNodes(Mat A, const TypeInfo &type);

/// Gives the blocks of a plain MATMPIAIJ the type of -mat_seqaij_type if that is one of ours, as those have that PETSc makes. In
/// its symbolic phase of P^T A P PETSc makes a MATSEQAIJ and gives it the type of P's block by MatSetType(), which empties it
/// unless both are of one type.
PetscErrorCode GiveBlocksTypeOfOption(Mat A);

} // namespace petscspmv
