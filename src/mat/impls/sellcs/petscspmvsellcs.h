/* The matrix type sellcs: names and setters. Included by petscspmv.h. */
#pragma once

#define MATSELLCS    "sellcs"
#define MATAIJSCS    "aijscs"
#define MATSEQAIJSCS "seqaijscs"
#define MATMPIAIJSCS "mpiaijscs"

PETSCSPMV_EXTERN PetscErrorCode MatSELLCSSetChunk(Mat, PetscInt);
PETSCSPMV_EXTERN PetscErrorCode MatSELLCSSetSigma(Mat, PetscInt);
PETSCSPMV_EXTERN PetscErrorCode MatSELLCSSetTrimmed(Mat, PetscBool);
PETSCSPMV_EXTERN PetscErrorCode MatSELLCSSetRowBound(Mat, PetscInt);
PETSCSPMV_EXTERN PetscErrorCode MatSELLCSSetOffsets(Mat, PetscBool);
PETSCSPMV_EXTERN PetscErrorCode MatSELLCSSetValues(Mat, MatSpMVValues);
