/* The matrix type ipcsr: its names, and its manual page. Included by petscspmv.h. */
#pragma once

/*MC
   MATIPCSR - "ipcsr": a matrix of type `MATAIJ` that multiplies vectors by IPCSR.

   The rows are cut into blocks of as many rows as have products that fit into a shared memory of fixed size (the L1 cache on
   CPUs). First all products of a block are computed, in the order of the AIJ arrays and regardless of rows; then they are summed
   row by row. A row that does not fit is a block of its own. The matrix multiplies with its AIJ arrays themselves and stores
   nothing but the row blocks. Assembly, factorization, matrix-matrix products and submatrices are those of `MATAIJ`, relaxation
   and solves with factors as `MatSpMVSweeps` says.

   Options Database Keys:
+  -mat_type ipcsr                     - on one process `MATSEQAIJIPCSR`, on several `MATMPIAIJIPCSR`
.  -mat_seqaij_type seqaijipcsr        - for all sequential AIJ matrices, and the blocks of parallel ones
.  -mat_ipcsr_block_size n             - threads of a block, 1 to 1024, which is also its largest number of rows (default: 256)
.  -mat_ipcsr_shared_size n            - most nonzeros of a block with several rows, 1 to 8192 (default: 8 KiB of products)
.  -mat_ipcsr_variant (ipcsr|pcsr)     - see `MatIPCSRVariant` (default: ipcsr)
.  -mat_ipcsr_transpose (auto|aij|layout) - products with the transpose, see `MatSpMVTranspose` (default: auto)
.  -mat_ipcsr_sweeps (auto|aij|layout|single|plain) - what relaxes and solves with factors, see `MatSpMVSweeps` (default: auto)
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

.seealso: `MATAIJ`, `MATSPMV`, `MatSpMVSetOption()`, `MatSpMVSweeps`, `MatSpMVTranspose`, `MatSpMVGetInfo()`,
          `PetscSpMVRegisterAll()`
M*/

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

.seealso: `MATIPCSR`, `MatSpMVSetOption()`
E*/
typedef enum {
  MAT_IPCSR_VARIANT_IPCSR,
  MAT_IPCSR_VARIANT_PCSR
} MatIPCSRVariant;
