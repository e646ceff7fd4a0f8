/* The matrix type csr5: names and setters. Included by petscspmv.h. */
#pragma once

#define MATCSR5       "csr5"
#define MATAIJCSR5    "aijcsr5"
#define MATSEQAIJCSR5 "seqaijcsr5"
#define MATMPIAIJCSR5 "mpiaijcsr5"

/*E
   MatCSR5SegmentedSum - How a `MATCSR5` matrix adds up rows that lie in several columns of a tile

   Values:
+  `MAT_CSR5_SEPARATE` - every row by itself (default)
-  `MAT_CSR5_PREFIX`   - by differences of prefix sums over the whole tile, as the paper's Algorithm 6 prints it:
                         an Inf, a NaN or the rounding of one row reaches others in the tile

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
