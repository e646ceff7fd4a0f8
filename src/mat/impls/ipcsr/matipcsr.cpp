// What a PETSc user meets of IPCSR: the manual page of the type, and its setters.
#include "mat/impls/shadow/setter.hpp"
#include "petsc_success.hpp"
#include "petscspmv.h"

/*MC
   MATIPCSR - "ipcsr": a matrix of type `MATAIJ` that multiplies vectors by IPCSR.

   The rows are cut into blocks of as many rows as have products that fit into a shared memory of fixed
   size, the first-level cache on CPUs. A block's products are all made first, in the order of the AIJ arrays
   and without regard to rows, and then added up row by row; a row that does not fit is a block
   by itself. The matrix multiplies with its AIJ arrays themselves and stores nothing but the row blocks. Assembly,
   factorization, relaxation, matrix-matrix products, submatrices and all else are those of `MATAIJ`.

   Options Database Keys:
+  -mat_type ipcsr                     - on one process `MATSEQAIJIPCSR`, on several `MATMPIAIJIPCSR`
.  -mat_seqaij_type seqaijipcsr        - for all sequential AIJ matrices, and the blocks of parallel ones
.  -mat_ipcsr_block_size <1..1024>     - threads of a block, the most rows it has (default: 256)
.  -mat_ipcsr_shared_size <1..8192>    - most nonzeros of a block with several rows (default: as many as 8 KiB hold)
.  -mat_ipcsr_variant <ipcsr,pcsr>     - see `MatIPCSRVariant`
.  -mat_ipcsr_transpose <by>           - what does products with the transpose, see `MatSpMVTranspose`
.  -mat_ipcsr_eager                    - make the row blocks at assembly
-  -mat_view ::ascii_info              - show the options, blocks, rows of a block, long rows, threads of a row

   Level: beginner

   Notes:
   The row blocks take one integer and one byte for each block, far less than a percent of the AIJ arrays unless
   rows are very long or blocks made very small. They are made at the first product after assembly, in less time than a
   product, and stay while the pattern does.

   In the view, `rows alone` are rows that are a block by themselves, `long rows` those among them that are longer than
   the shared size, and `rows with 1 thread`, `rows with 2 threads`, ... the other rows by the number of threads that the paper's
   decision tree gives to each. `MAT_IPCSR_VARIANT_PCSR` has no long rows: its blocks have as many rows as
   threads, and each row has one.

   Results have the same bits in every run, whatever the number of threads. Products with the transpose
   are those of `MATAIJ` at first, later of a layout of the transpose (`MatSpMVTranspose`). `MatMatMult()`
   with a `MATDENSE`, also in `KSPMatSolve()`, multiplies with several columns at a time where the matrix has at least 8 nonzeros a
   column, `MatTransposeMatMult()` where it has 8 a row and there is a layout of the transpose; each column has the bits of a
   product by itself; `MAT_IPCSR_VARIANT_PCSR` multiplies with one after the other.

   Reference:
.  * - J. Gao, P. Qi and G. He, Efficient CSR-Based Sparse Matrix-Vector Multiplication on GPU, Mathematical
       Problems in Engineering, 2016. Row blocks: Algorithms 4 and 6; product: Algorithms 5 and 7 to 9; PCSR: Algorithms 1 and 2.

.seealso: `MatIPCSRSetBlockSize()`, `MatIPCSRSetSharedSize()`, `MatIPCSRSetVariant()`, `MatSpMVGetInfo()`, `PetscSpMVRegisterAll()`
M*/

/*@
   MatIPCSRSetBlockSize - Sets the number of threads of a row block of a `MATIPCSR` matrix.

   Logically Collective

   Input Parameters:
+  A  - the matrix
-  nt - 1 to 1024, or `PETSC_DECIDE`

   Options Database Key:
.  -mat_ipcsr_block_size <nt> - threads of a block

   Level: advanced

   Note:
   A block has at most as many rows. Where it has fewer, the paper has several threads work on each: the largest
   power of two that is at most nt divided by the rows. On CPUs, SIMD lanes stand for threads, 4 or 8 a row, and
   that number only tells whether a row may also be summed by one.

.seealso: `MATIPCSR`, `MatIPCSRSetSharedSize()`
@*/
PetscErrorCode MatIPCSRSetBlockSize(Mat A, PetscInt nt)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATIPCSR, "block_size", nt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatIPCSRSetSharedSize - Sets how many nonzeros a row block of a `MATIPCSR` matrix has at most.

   Logically Collective

   Input Parameters:
+  A    - the matrix
-  size - 1 to 8192, or `PETSC_DECIDE`

   Options Database Key:
.  -mat_ipcsr_shared_size <size> - most nonzeros of a block with several rows

   Level: advanced

   Note:
   By itself it follows from the limits of the processor (the paper's equation 3); on CPUs it is 8 KiB of
   products, a quarter of a first-level cache. A row with more nonzeros is a block by itself.

.seealso: `MATIPCSR`, `MatIPCSRSetBlockSize()`
@*/
PetscErrorCode MatIPCSRSetSharedSize(Mat A, PetscInt size)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATIPCSR, "shared_size", size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatIPCSRSetVariant - Sets which method a `MATIPCSR` matrix multiplies with.

   Logically Collective

   Input Parameters:
+  A       - the matrix
-  variant - `MAT_IPCSR_VARIANT_IPCSR` or `MAT_IPCSR_VARIANT_PCSR`

   Options Database Key:
.  -mat_ipcsr_variant <ipcsr,pcsr> - which

   Level: advanced

   Note:
   PCSR needs memory for as many scalars as there are nonzeros.

.seealso: `MATIPCSR`, `MatIPCSRVariant`
@*/
PetscErrorCode MatIPCSRSetVariant(Mat A, MatIPCSRVariant variant)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATIPCSR, "variant", static_cast<PetscInt>(variant)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
