// The user's view of IPCSR: the manual page of the type, and its setters.
#include "mat/impls/shadow/setter.hpp"
#include "petsc_success.hpp"
#include "petscspmv.h"

/*MC
   MATIPCSR - "ipcsr": a matrix of type `MATAIJ` that multiplies vectors by IPCSR.

   The rows are cut into blocks of as many rows as have products that fit into a shared memory of fixed size (the L1 cache on
   CPUs). First all products of a block are computed, in the order of the AIJ arrays and regardless of rows; then they are summed
   row by row. A row that does not fit is a block of its own. The matrix multiplies with its AIJ arrays themselves and stores
   nothing but the row blocks. Assembly, factorization, relaxation, matrix-matrix products, submatrices and all else are those of
   `MATAIJ`.

   Options Database Keys:
+  -mat_type ipcsr                     - on one process `MATSEQAIJIPCSR`, on several `MATMPIAIJIPCSR`
.  -mat_seqaij_type seqaijipcsr        - for all sequential AIJ matrices, and the blocks of parallel ones
.  -mat_ipcsr_block_size <1..1024>     - threads of a block, which is also its largest number of rows (default: 256)
.  -mat_ipcsr_shared_size <1..8192>    - largest number of nonzeros of a block with several rows (default: 8 KiB of products)
.  -mat_ipcsr_variant <ipcsr,pcsr>     - see `MatIPCSRVariant`
.  -mat_ipcsr_transpose <by>           - how products with the transpose are computed, see `MatSpMVTranspose`
.  -mat_ipcsr_eager                    - build the row blocks at assembly
-  -mat_view ::ascii_info              - show the options, the blocks, rows per block, long rows, and threads per row

   Level: beginner

   Notes:
   The row blocks take one integer and one byte per block, far less than one percent of the AIJ arrays unless rows are very long or
   blocks very small. They are built at the first product after assembly, in less time than a product, and are reused as long as the
   nonzero pattern stays the same.

   In the view, `rows alone` counts rows that are a block of their own, and `long rows` those of them that exceed the shared size.
   `rows with 1 thread`, `rows with 2 threads`, ... count the other rows by the number of threads per row in the paper's decision
   tree. `MAT_IPCSR_VARIANT_PCSR` has no long rows: its blocks have as many rows as threads, one thread per row.

   Results have the same bits in every run, for any number of threads. Products with the transpose are those of `MATAIJ` at first,
   and use a layout of the transpose later (`MatSpMVTranspose`). `MatMatMult()` with a `MATDENSE`, also in `KSPMatSolve()`,
   multiplies several columns at a time if the matrix has at least 8 nonzeros per column (with 3 or 4 columns), 6 (with more), or 3
   (with more that fit into a core's cache); so does `MatTransposeMatMult()` by its nonzeros per row if there is a layout of the
   transpose. Each column has the same bits as a product with it alone.
   `MAT_IPCSR_VARIANT_PCSR` multiplies one column after the other.

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
   A block has at most nt rows. If it has fewer, the paper assigns several threads to each row: the largest power of two
   that is at most nt divided by the number of rows. On CPUs, SIMD lanes take the place of threads, 4 or 8 per row, and that
   number only decides whether a row may also be summed by one.

.seealso: `MATIPCSR`, `MatIPCSRSetSharedSize()`
@*/
PetscErrorCode MatIPCSRSetBlockSize(Mat A, PetscInt nt)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATIPCSR, "block_size", nt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatIPCSRSetSharedSize - Sets the largest number of nonzeros of a row block of a `MATIPCSR` matrix.

   Logically Collective

   Input Parameters:
+  A    - the matrix
-  size - 1 to 8192, or `PETSC_DECIDE`

   Options Database Key:
.  -mat_ipcsr_shared_size <size> - largest number of nonzeros of a block with several rows

   Level: advanced

   Note:
   The default follows from the limits of the processor (the paper's equation 3); on CPUs it is 8 KiB of products, a quarter
   of an L1 cache. A row with more nonzeros is a block of its own.

.seealso: `MATIPCSR`, `MatIPCSRSetBlockSize()`
@*/
PetscErrorCode MatIPCSRSetSharedSize(Mat A, PetscInt size)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATIPCSR, "shared_size", size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatIPCSRSetVariant - Sets the method by which a `MATIPCSR` matrix multiplies.

   Logically Collective

   Input Parameters:
+  A       - the matrix
-  variant - `MAT_IPCSR_VARIANT_IPCSR` or `MAT_IPCSR_VARIANT_PCSR`

   Options Database Key:
.  -mat_ipcsr_variant <ipcsr,pcsr> - the method

   Level: advanced

   Note:
   PCSR needs memory for one scalar per nonzero.

.seealso: `MATIPCSR`, `MatIPCSRVariant`
@*/
PetscErrorCode MatIPCSRSetVariant(Mat A, MatIPCSRVariant variant)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATIPCSR, "variant", static_cast<PetscInt>(variant)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
