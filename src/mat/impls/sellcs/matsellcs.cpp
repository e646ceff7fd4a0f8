// The user's view of SELL-C-sigma: the manual page of the type, and its setters.
#include "mat/impls/shadow/setter.hpp"
#include "petsc_success.hpp"
#include "petscspmv.h"

/*MC
   MATSELLCS - "sellcs": a matrix of type `MATAIJ` that multiplies vectors in SELL-C-sigma.

   Rows are sorted by length within windows of sigma rows and stored in chunks of C rows, padded to the longest row of the chunk,
   column by column, so that each SIMD lane processes one row. The vectors keep PETSc's ordering. The matrix keeps its AIJ arrays
   as well: assembly, factorization, relaxation, matrix-matrix products, submatrices and all else are those of `MATAIJ`.

   Options Database Keys:
+  -mat_type sellcs                - on one process `MATSEQAIJSCS`, on several `MATMPIAIJSCS`
.  -mat_seqaij_type seqaijscs      - for all sequential AIJ matrices, and the blocks of parallel ones
.  -mat_sellcs_chunk <C>           - rows of a chunk (default: 64 bytes of values, at least 8)
.  -mat_sellcs_sigma <sigma>       - rows of a window (default: chosen for each matrix)
.  -mat_sellcs_trimmed <bool>      - store TSELL-C-sigma, without padding (default: false)
.  -mat_sellcs_row_bound <n>       - rows with more nonzeros are stored outside of chunks (default: chosen for each chunk)
.  -mat_sellcs_offsets <bool>      - store column indices as 16-bit offsets in chunks that allow it (default: true)
.  -mat_sellcs_values <auto,full,single> - how values are stored, see `MatSpMVValues` (default: auto)
.  -mat_sellcs_transpose <by>      - how products with the transpose are computed, see `MatSpMVTranspose`
.  -mat_sellcs_eager               - build the layout at assembly; the first product then only refreshes values
-  -mat_view ::ascii_info          - show C, sigma, the numbers of chunks (all, with offsets, by kind of values), the chunk
                                     occupancy beta, rows outside of chunks, nonzeros per row (Nnzr), alpha, the code
                                     balance in bytes/flop, and bytes

   Level: beginner

   Notes:
   C = 1 with sigma = 1 is CSR; C = the number of rows with sigma = 1 is ELLPACK.

   In the view, `beta` is the number of nonzeros over that of stored entries, and `nnzr` the number of nonzeros per row. `alpha` is
   the number of entries of x that each nonzero loads from memory, in the best case, where each entry is loaded once: columns over
   nonzeros. The code balance is the number of bytes that a product then moves over its floating-point operations (eq. 4.3, with the
   bytes actually stored).

   Padding never affects a result, whatever the vector contains. Rows that would fill more than half of their chunk with padding
   (and more than eight entries for each of its rows) are stored separately in CSR. The layout stores at most twice the nonzeros
   plus eight entries per row; with the default sigma it mostly stores about as many entries as there are nonzeros. An entry takes
   10 bytes if 16-bit offsets hold the columns of most chunks, and down to 2 with values in fewer bytes (`MatSpMVValues`). The
   layout is built at the first product after assembly; if only values have changed since, only they are refreshed.

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

.seealso: `MatSELLCSSetChunk()`, `MatSELLCSSetSigma()`, `MatSELLCSSetTrimmed()`, `MatSELLCSSetRowBound()`, `MatSELLCSSetOffsets()`,
          `MatSELLCSSetValues()`, `MatSpMVGetInfo()`, `PetscSpMVRegisterAll()`
M*/

/*@
   MatSELLCSSetChunk - Sets C, the number of rows of a chunk, of a `MATSELLCS` matrix.

   Logically Collective

   Input Parameters:
+  A - the matrix
-  C - 1 or more, or `PETSC_DECIDE`

   Options Database Key:
.  -mat_sellcs_chunk <C> - rows of a chunk

   Level: advanced

   Note:
   The SIMD width of the processor, or a multiple. Chunks of the default height have a kernel of their own; others run slower. A
   chunk has at most as many rows as the local matrix.

.seealso: `MATSELLCS`, `MatSELLCSSetSigma()`
@*/
PetscErrorCode MatSELLCSSetChunk(Mat A, PetscInt C)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATSELLCS, "chunk", C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatSELLCSSetSigma - Sets sigma, the size of the windows within which a `MATSELLCS` matrix sorts rows by length.

   Logically Collective

   Input Parameters:
+  A     - the matrix
-  sigma - 1 (no sorting) or more, or `PETSC_DECIDE`

   Options Database Key:
.  -mat_sellcs_sigma <sigma> - rows of a window

   Level: advanced

   Note:
   The default is the smallest of 1, 2C, 4C, ... and the number of rows whose chunk occupancy is at least 97 percent of that with
   all rows sorted, where nonzeros outside of chunks (and, if trimmed, outside of columns) count twice. A larger sigma means less
   padding, but more scattered accesses to the vectors.

.seealso: `MATSELLCS`, `MatSELLCSSetChunk()`
@*/
PetscErrorCode MatSELLCSSetSigma(Mat A, PetscInt sigma)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATSELLCS, "sigma", sigma));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatSELLCSSetTrimmed - Sets whether a `MATSELLCS` matrix is stored without padding, in TSELL-C-sigma.

   Logically Collective

   Input Parameters:
+  A       - the matrix
-  trimmed - `PETSC_TRUE` to store only the columns filled by all rows of a chunk in chunks, and the rest row by row

   Options Database Key:
.  -mat_sellcs_trimmed <bool> - store TSELL-C-sigma

   Level: advanced

   Note:
   It pays off only for matrices with a very low chunk occupancy (section 3.5 of the paper).

.seealso: `MATSELLCS`, `MatSELLCSSetRowBound()`
@*/
PetscErrorCode MatSELLCSSetTrimmed(Mat A, PetscBool trimmed)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATSELLCS, "trimmed", trimmed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatSELLCSSetRowBound - Sets the row length above which a `MATSELLCS` matrix stores rows outside of chunks, in CSR.

   Logically Collective

   Input Parameters:
+  A - the matrix
-  n - rows with more nonzeros are stored outside of chunks; or `PETSC_DECIDE`

   Options Database Key:
.  -mat_sellcs_row_bound <n> - largest number of nonzeros of a row in a chunk

   Level: advanced

   Note:
   By default the longest rows leave a chunk until it stores at most twice its nonzeros, plus a few where rows are short; if
   trimmed, no row leaves. With an explicit bound nothing else limits the padding.

.seealso: `MATSELLCS`, `MatSELLCSSetTrimmed()`
@*/
PetscErrorCode MatSELLCSSetRowBound(Mat A, PetscInt n)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATSELLCS, "row_bound", n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatSELLCSSetOffsets - Sets whether a `MATSELLCS` matrix stores column indices in 16 bits where possible.

   Logically Collective

   Input Parameters:
+  A       - the matrix
-  offsets - `PETSC_TRUE` to store 16-bit offsets where possible

   Options Database Key:
.  -mat_sellcs_offsets <bool> - store column indices as 16-bit offsets where possible (default: true)

   Level: advanced

   Note:
   The columns of a chunk are stored as offsets from the smallest if the largest is less than 65536 away from it, and as plain
   indices otherwise. If fewer than 7 of 8 nonzeros can have offsets, or if they save nothing, no chunk has them; nor does a
   trimmed matrix.

.seealso: `MATSELLCS`, `MatSELLCSSetTrimmed()`
@*/
PetscErrorCode MatSELLCSSetOffsets(Mat A, PetscBool offsets)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATSELLCS, "offsets", offsets));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatSELLCSSetValues - Sets how the values of a `MATSELLCS` matrix are stored for its products.

   Logically Collective

   Input Parameters:
+  A      - the matrix
-  values - `MAT_SPMV_VALUES_AUTO`, `MAT_SPMV_VALUES_FULL` or `MAT_SPMV_VALUES_SINGLE`

   Options Database Key:
.  -mat_sellcs_values <auto,full,single> - how values are stored

   Level: advanced

   Note:
   Each chunk has its own kind of storage. If that saves less than a sixteenth of the values' bytes, or the kind changes too often
   from chunk to chunk, all values are stored in full.

.seealso: `MATSELLCS`, `MatSpMVValues`, `MatSELLCSSetOffsets()`
@*/
PetscErrorCode MatSELLCSSetValues(Mat A, MatSpMVValues values)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATSELLCS, "values", static_cast<PetscInt>(values)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
