/* The matrix type sellcs: its names, and its manual page. Included by petscspmv.h. */
#pragma once

/*MC
   MATSELLCS - "sellcs": a matrix of type `MATAIJ` that multiplies vectors in SELL-C-sigma.

   Rows are sorted by length within windows of sigma rows and stored in chunks of C rows, padded to the longest row of the chunk,
   column by column, so that each SIMD lane processes one row. The vectors keep PETSc's ordering. The matrix keeps its AIJ arrays
   as well: assembly, factorization, matrix-matrix products and submatrices are those of `MATAIJ`, relaxation and solves with
   factors as `MatSpMVSweeps` says.

   Options Database Keys:
+  -mat_type sellcs                - on one process `MATSEQAIJSCS`, on several `MATMPIAIJSCS`
.  -mat_seqaij_type seqaijscs      - for all sequential AIJ matrices, and the blocks of parallel ones
.  -mat_sellcs_chunk C             - rows of a chunk (default: 64 bytes of values, at least 8; on devices 32)
.  -mat_sellcs_sigma sigma         - rows of a window (default: chosen for each matrix)
.  -mat_sellcs_trimmed (true|false) - store TSELL-C-sigma, without padding (default: false)
.  -mat_sellcs_row_bound n         - rows with more nonzeros are stored outside of chunks (default: chosen for each chunk,
                                     on devices for the matrix)
.  -mat_sellcs_offsets (true|false) - store column indices as 16-bit offsets in chunks that allow it (default: true)
.  -mat_sellcs_values (auto|full|single) - how values are stored, see `MatSpMVValues` (default: auto)
.  -mat_sellcs_shapes (auto|none)  - share column indices where rows allow it, see `MatSELLCSShapes` (default: auto)
.  -mat_sellcs_transpose (auto|aij|layout) - products with the transpose, see `MatSpMVTranspose` (default: auto)
.  -mat_sellcs_sweeps (auto|aij|layout|single|plain) - what relaxes and solves with factors, see `MatSpMVSweeps` (default: auto)
.  -mat_sellcs_eager               - build the layout at assembly; the first product then only refreshes values
-  -mat_view ::ascii_info          - show C, sigma, the numbers of chunks (all, with offsets, by kind of values), the
                                     shares of entries in runs and blocks, the chunk occupancy beta, rows outside of chunks,
                                     nonzeros per row (Nnzr), alpha, the code balance in bytes/flop, and bytes

   Level: beginner

   Notes:
   C = 1 with sigma = 1 is CSR; C = the number of rows with sigma = 1 is ELLPACK.

   In the view, `beta` is the number of nonzeros over that of stored entries, and `nnzr` the number of nonzeros per row. `alpha` is
   the number of entries of x that each nonzero loads from memory, in the best case, where each entry is loaded once: columns over
   nonzeros. The code balance is the number of bytes that a product then moves over its floating-point operations (eq. 4.3, with the
   bytes actually stored).

   Padding never affects a result, whatever the vector contains. Rows that would fill more than half of their chunk with padding
   (and more than eight entries for each of its rows) are stored separately in CSR. The layout stores at most twice the nonzeros
   plus eight entries per row (on devices more, where padding is not read); with the default sigma it mostly stores about as
   many entries as there are nonzeros. An entry takes 10 bytes if 16-bit offsets hold the columns of most chunks, little more than
   8 on grids (`MatSELLCSShapes`), and down to 2 with values in fewer bytes (`MatSpMVValues`). The layout is built at the first
   product after assembly; if only values have changed since, only they are refreshed.

   The types of sequential and parallel matrices have "scs" in their names, as PETSc takes names that begin with "seqaijsell" for
   its own.

   One thread processes a chunk: with C as large as the matrix there is only one.

   Results have the same bits in every run, for any number of threads. Products with the transpose are those of `MATAIJ` at first,
   and use a layout of the transpose later (`MatSpMVTranspose`). `MatMatMult()` with a `MATDENSE`, also in `KSPMatSolve()`,
   multiplies several columns at a time if the matrix has at least 8 nonzeros per column (with 3 or 4 columns), 6 (with more), or 3
   (with more that fit into a core's cache); so does `MatTransposeMatMult()` by its nonzeros per row if there is a layout of the
   transpose. Each column has the same bits as a product with it alone.

   Reference:
.  * - M. Kreutzer, G. Hager, G. Wellein, H. Fehske and A. R. Bishop, A unified sparse matrix data format for
       efficient general sparse matrix-vector multiplication on modern processors with wide SIMD units, SIAM
       J. Sci. Comput. 36, 2014. Format: section 3.3; beta: eq. 3.3; TSELL-C-sigma: section 3.5; code balance:
       eq. 4.3.

.seealso: `MATAIJ`, `MATSPMV`, `MatSpMVSetOption()`, `MatSpMVSweeps`, `MatSpMVTranspose`, `MatSpMVGetInfo()`,
          `PetscSpMVRegisterAll()`
M*/

#define MATSELLCS    "sellcs"
#define MATAIJSCS    "aijscs"
#define MATSEQAIJSCS "seqaijscs"
#define MATMPIAIJSCS "mpiaijscs"

/*E
   MatSELLCSShapes - Which chunks of a `MATSELLCS` matrix share column indices

   Values:
+  `MAT_SELLCS_SHAPES_AUTO` - those with runs or blocks (default)
-  `MAT_SELLCS_SHAPES_NONE` - none

   Level: advanced

   Notes:
   Runs are entries side by side in a chunk whose columns follow one another, in matrices of grids in their natural order. All rows
   of a chunk then share one column index for an entry, and products load x in whole registers. Rows that miss an entry, at the
   boundary of a grid, are padded, with as many bytes as the column indices would take at most. Unless sigma is given, rows of such
   a matrix are not sorted.

   Blocks are two to four rows with the same columns, in matrices with several unknowns a node. They share their column indices, and
   products load x once for all of them. They are sorted as a whole; if sigma is given, there are none.

   There are neither in chunks of another height than the default, in trimmed ones, and on devices. Results have the same bits.

.seealso: `MATSELLCS`, `MatSpMVSetOption()`
E*/
typedef enum {
  MAT_SELLCS_SHAPES_AUTO,
  MAT_SELLCS_SHAPES_NONE
} MatSELLCSShapes;
