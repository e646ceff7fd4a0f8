/* The matrix type speculative: names and setters. Included by petscspmv.h. */
#pragma once

#define MATSPECULATIVE       "speculative"
#define MATAIJSPECULATIVE    "aijspeculative"
#define MATSEQAIJSPECULATIVE "seqaijspeculative"
#define MATMPIAIJSPECULATIVE "mpiaijspeculative"

/*E
   MatSpeculativeCheck - Where a `MATSPECULATIVE` matrix corrects wrong speculation

   Values:
+  `MAT_SPECULATIVE_CHECK_HOST`   - in a loop of the calling thread, as in the paper (default)
-  `MAT_SPECULATIVE_CHECK_DEVICE` - where the kernels run, by all their threads; always so if their memory is not the host's

   Level: advanced

.seealso: `MatSpeculativeSetCheck()`
E*/
typedef enum {
  MAT_SPECULATIVE_CHECK_HOST,
  MAT_SPECULATIVE_CHECK_DEVICE
} MatSpeculativeCheck;

PETSCSPMV_EXTERN PetscErrorCode MatSpeculativeSetTileWidth(Mat, PetscInt);
PETSCSPMV_EXTERN PetscErrorCode MatSpeculativeSetTileHeight(Mat, PetscInt);
PETSCSPMV_EXTERN PetscErrorCode MatSpeculativeSetBunches(Mat, PetscInt);
PETSCSPMV_EXTERN PetscErrorCode MatSpeculativeSetSteps(Mat, PetscInt);
PETSCSPMV_EXTERN PetscErrorCode MatSpeculativeSetCheck(Mat, MatSpeculativeCheck);
