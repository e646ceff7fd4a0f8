/* The matrix type ipcsr: names and setters. Included by petscspmv.h. */
#pragma once

#define MATIPCSR       "ipcsr"
#define MATAIJIPCSR    "aijipcsr"
#define MATSEQAIJIPCSR "seqaijipcsr"
#define MATMPIAIJIPCSR "mpiaijipcsr"

/*E
   MatIPCSRVariant - The method by which a `MATIPCSR` matrix multiplies

   Values:
+  `MAT_IPCSR_VARIANT_IPCSR` - products and their sums in one kernel, in blocks of as many rows as fit into the cache (default)
-  `MAT_IPCSR_VARIANT_PCSR`  - the predecessor of IPCSR and the baseline of its paper: one kernel for all products, which pass
                               through memory, and another for their sums

   Level: advanced

.seealso: `MatIPCSRSetVariant()`
E*/
typedef enum {
  MAT_IPCSR_VARIANT_IPCSR,
  MAT_IPCSR_VARIANT_PCSR
} MatIPCSRVariant;

PETSCSPMV_EXTERN PetscErrorCode MatIPCSRSetBlockSize(Mat, PetscInt);
PETSCSPMV_EXTERN PetscErrorCode MatIPCSRSetSharedSize(Mat, PetscInt);
PETSCSPMV_EXTERN PetscErrorCode MatIPCSRSetVariant(Mat, MatIPCSRVariant);
