/* The matrix type csr5: names and setters. Included by petscspmv.h. */
#pragma once

#define MATCSR5       "csr5"
#define MATAIJCSR5    "aijcsr5"
#define MATSEQAIJCSR5 "seqaijcsr5"
#define MATMPIAIJCSR5 "mpiaijcsr5"

/*E
   MatCSR5SegmentedSum - How a `MATCSR5` matrix sums rows that span several columns of a tile

   Values:
+  `MAT_CSR5_SEPARATE` - row by row (default)
-  `MAT_CSR5_PREFIX`   - by differences of prefix sums over the whole tile, as in the paper's Algorithm 6:
                         an Inf, a NaN or the rounding errors of one row affect others in the tile

   Level: advanced

.seealso: `MatCSR5SetSegmentedSum()`
E*/
typedef enum {
  MAT_CSR5_SEPARATE,
  MAT_CSR5_PREFIX
} MatCSR5SegmentedSum;

PETSCSPMV_EXTERN PetscErrorCode MatCSR5SetOmega(Mat, PetscInt);
PETSCSPMV_EXTERN PetscErrorCode MatCSR5SetSigma(Mat, PetscInt);
PETSCSPMV_EXTERN PetscErrorCode MatCSR5SetSegmentedSum(Mat, MatCSR5SegmentedSum);
PETSCSPMV_EXTERN PetscErrorCode MatCSR5SetOffsets(Mat, PetscBool);
PETSCSPMV_EXTERN PetscErrorCode MatCSR5SetValues(Mat, MatSpMVValues);
