/* The matrix type csr5: its names, and its manual page. Included by petscspmv.h. */
#pragma once

/*MC
   MATCSR5 - "csr5": a matrix of type `MATAIJ` that multiplies vectors in CSR5.

   The nonzeros are cut into tiles of omega columns and sigma rows. Each column is a run of consecutive nonzeros, and tiles are
   stored transposed so that SIMD lanes walk down the columns in step. A few bits per nonzero mark where rows begin. All tiles
   take the same time, whatever the rows look like. The matrix keeps its AIJ arrays as well: assembly, factorization,
   matrix-matrix products and submatrices are those of `MATAIJ`, relaxation and solves with factors as `MatSpMVSweeps` says.

   Options Database Keys:
+  -mat_type csr5                              - on one process `MATSEQAIJCSR5`, on several `MATMPIAIJCSR5`
.  -mat_seqaij_type seqaijcsr5                 - for all sequential AIJ matrices, and the blocks of parallel ones
.  -mat_csr5_omega omega                       - columns of a tile, 1 to 64 (default: 8, on devices 32)
.  -mat_csr5_sigma sigma                       - rows of a tile, 1 to 32 (default: 32, on devices 16)
.  -mat_csr5_segmented_sum (separate|prefix)   - see `MatCSR5SegmentedSum` (default: separate)
.  -mat_csr5_offsets (true|false)              - store column indices as 16-bit offsets in tiles that allow it (default: true)
.  -mat_csr5_values (auto|full|single)         - how values are stored, see `MatSpMVValues` (default: auto)
.  -mat_csr5_transpose (auto|aij|layout)       - products with the transpose, see `MatSpMVTranspose` (default: auto)
.  -mat_csr5_sweeps (auto|aij|layout|single|plain) - what relaxes and solves with factors, see `MatSpMVSweeps` (default: auto)
.  -mat_csr5_eager                             - build the layout at assembly; the first product then only refreshes values
-  -mat_view ::ascii_info                      - show omega, sigma, the numbers of tiles (all, with offsets, by kind of values, with
                                                empty rows), tail entries, and bytes

   Level: beginner

   Notes:
   With 32-bit indices and real double precision the layout takes 12 bytes per nonzero, like the AIJ arrays that it
   supplements. It takes 10 if 16-bit offsets hold the columns of most tiles; 6 if values are also exact in single precision; 3 if
   there are few different values (stencils with constant coefficients); and 2 if all are equal. Other arrays add about 2 percent
   of the 12 bytes, more if many rows are empty. The layout is built at the first product after assembly; if only values have
   changed since, only they are refreshed.

   Values written through a pointer from `MatSeqAIJGetArray()` take effect at `MatSeqAIJRestoreArray()`. Code that writes to the
   arrays in any other way must call `PetscObjectStateIncrease()`. The option `-spmv_audit` finds where this was forgotten.

   Results have the same bits in every run, for any number of threads. Products with the transpose are those of `MATAIJ` at first,
   and use a layout of the transpose later (`MatSpMVTranspose`). `MatMatMult()` with a `MATDENSE`, also in `KSPMatSolve()`,
   multiplies several columns at a time if the matrix has at least 8 nonzeros per column (with 3 or 4 columns), 6 (with more), or 3
   (with more that fit into a core's cache); so does `MatTransposeMatMult()` by its nonzeros per row if there is a layout of the
   transpose. Each column has the same bits as a product with it alone.

   Reference:
.  * - W. Liu and B. Vinter, CSR5: An Efficient Storage Format for Cross-Platform Sparse Matrix-Vector
       Multiplication, ICS 2015. Tiles: section 3; product: Algorithm 8.

.seealso: `MATAIJ`, `MATSPMV`, `MatSpMVSetOption()`, `MatSpMVSweeps`, `MatSpMVTranspose`, `MatSpMVGetInfo()`,
          `PetscSpMVRegisterAll()`
M*/

#define MATCSR5       "csr5"
#define MATAIJCSR5    "aijcsr5"
#define MATSEQAIJCSR5 "seqaijcsr5"
#define MATMPIAIJCSR5 "mpiaijcsr5"

/*E
   MatCSR5SegmentedSum - How a `MATCSR5` matrix sums rows that span several columns of a tile

   Values:
+  `MAT_CSR5_SEGMENTED_SUM_SEPARATE` - row by row (default)
-  `MAT_CSR5_SEGMENTED_SUM_PREFIX`   - by differences of prefix sums over the whole tile, as in the paper's Algorithm 6:
                                        an Inf, a NaN or the rounding errors of one row affect others in the tile

   Level: advanced

.seealso: `MATCSR5`, `MatSpMVSetOption()`
E*/
typedef enum {
  MAT_CSR5_SEGMENTED_SUM_SEPARATE,
  MAT_CSR5_SEGMENTED_SUM_PREFIX
} MatCSR5SegmentedSum;
