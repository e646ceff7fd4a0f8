/* The matrix type spmv: names and setters. Included by petscspmv.h. */
#pragma once

#define MATSPMV       "spmv"
#define MATAIJSPMV    "aijspmv"
#define MATSEQAIJSPMV "seqaijspmv"
#define MATMPIAIJSPMV "mpiaijspmv"

/*S
   MatSpMVChoiceInfo - What multiplies with a `MATSPMV` matrix, and its costs and gains

   Times are those of the calling MPI process, in seconds; of a parallel matrix they are the sums over the diagonal and the
   off-diagonal block.

   Level: intermediate

.seealso: `MATSPMV`, `MatSpMVGetChoiceInfo()`
S*/
typedef struct {
  const char    *type;     /* "aij" (or the plain loop), or the format that does the products now; of the diagonal block */
  PetscInt64     products; /* y = A x and z = v + A x so far */
  PetscInt64     by_aij;   /* those of them done by AIJ's own methods */
  PetscLogDouble spent;    /* on examining patterns, conversions and refreshes */
  PetscLogDouble gained;   /* by products, against AIJ; negative if trials have lost more so far */
} MatSpMVChoiceInfo;

PETSCSPMV_EXTERN PetscErrorCode MatSpMVSetChoice(Mat, const char[]);
PETSCSPMV_EXTERN PetscErrorCode MatSpMVSetRegret(Mat, PetscReal);
PETSCSPMV_EXTERN PetscErrorCode MatSpMVGetChoiceInfo(Mat, MatSpMVChoiceInfo *);
