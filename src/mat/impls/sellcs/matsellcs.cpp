// What a PETSc user meets of SELL-C-sigma: the manual page of the type, and its setters.
#include "mat/impls/shadow/setter.hpp"
#include "petsc_success.hpp"
#include "petscspmv.h"

/*MC
   MATSELLCS - "sellcs": a matrix of type `MATAIJ` that multiplies vectors in SELL-C-sigma.

   Rows are sorted by length within windows of sigma rows, and stored in chunks of C rows side by side:
   padded to the longest row of the chunk, column by column, so that each lane of a SIMD unit has a row.
   The vectors keep PETSc's order. The matrix keeps its AIJ arrays as well: assembly, factorization, relaxation,
   matrix-matrix products, submatrices and all else are those of `MATAIJ`.

   Options Database Keys:
+  -mat_type sellcs                - on one process `MATSEQAIJSCS`, on several `MATMPIAIJSCS`
.  -mat_seqaij_type seqaijscs      - for all sequential AIJ matrices, and the blocks of parallel ones
.  -mat_sellcs_chunk <C>           - rows of a chunk (default: 64 bytes of values, at least 8)
.  -mat_sellcs_sigma <sigma>       - rows of a window (default: chosen for each matrix)
.  -mat_sellcs_trimmed <bool>      - TSELL-C-sigma: no padding
.  -mat_sellcs_row_bound <n>       - rows of more nonzeros are stored outside of chunks (default: chosen for each chunk)
.  -mat_sellcs_offsets <bool>      - column indices as offsets of 16 bits, in chunks that allow it (default: true)
.  -mat_sellcs_values <auto,full,single> - how values are stored, see `MatSpMVValues` (default: auto)
.  -mat_sellcs_transpose <by>      - what does products with the transpose, see `MatSpMVTranspose`
.  -mat_sellcs_eager               - make the layout at assembly; the first product then only renews values
-  -mat_view ::ascii_info          - show C, sigma, chunks, those with offsets, with values of which kind, the chunk
                                     occupancy beta, rows outside of chunks, bytes, and the code balance in bytes/flop

   Level: beginner

   Notes:
   C = 1 and sigma = 1 is CSR, C = the number of rows and sigma = 1 ELLPACK.

   Padding never reaches a result, whatever is in the vector. Where rows would fill more than half
   of their chunk with padding (and more than eight entries for each of its rows), they are stored by themselves in CSR.
   The layout stores at most twice the nonzeros and eight entries more for each row, and with the sigma of its own
   choice mostly about as many as there are nonzeros: of 10 bytes where 16 bits number the columns of most chunks, down to 2 with
   values in fewer bytes (`MatSpMVValues`). It is made at the first product after assembly; when only
   values have changed since, they alone are renewed.

   A chunk is the work of one thread: with a C as large as the matrix there is only one.

   Results have the same bits in every run, whatever the number of threads. Products with the transpose
   are those of `MATAIJ` at first, later of a layout of the transpose (`MatSpMVTranspose`). `MatMatMult()`
   with a `MATDENSE`, also in `KSPMatSolve()`, multiplies with several columns at a time where the matrix has at least 8 nonzeros a
   column, `MatTransposeMatMult()` where it has 8 a row and there is a layout of the transpose; each column has the bits of a
   product by itself.

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
   The width of the processor's SIMD unit, or a multiple. Chunks of the default height have a kernel compiled for
   them; others run slower. A chunk is no higher than the matrix of the process.

.seealso: `MATSELLCS`, `MatSELLCSSetSigma()`
@*/
PetscErrorCode MatSELLCSSetChunk(Mat A, PetscInt C)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATSELLCS, "chunk", C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatSELLCSSetSigma - Sets sigma, the number of rows within which a `MATSELLCS` matrix sorts rows by length.

   Logically Collective

   Input Parameters:
+  A     - the matrix
-  sigma - 1 (no sorting) or more, or `PETSC_DECIDE`

   Options Database Key:
.  -mat_sellcs_sigma <sigma> - rows of a window

   Level: advanced

   Note:
   By itself it is the smallest of 1, 2C, 4C, ... and the number of rows whose chunk occupancy is 97 percent or more of
   that with all rows sorted, where nonzeros outside of chunks (and, trimmed, outside of columns) count twice. The
   larger sigma, the less padding, and the more scattered the accesses to the vectors.

.seealso: `MATSELLCS`, `MatSELLCSSetChunk()`
@*/
PetscErrorCode MatSELLCSSetSigma(Mat A, PetscInt sigma)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATSELLCS, "sigma", sigma));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatSELLCSSetTrimmed - Has a `MATSELLCS` matrix stored without padding, in TSELL-C-sigma.

   Logically Collective

   Input Parameters:
+  A       - the matrix
-  trimmed - whether only the columns that all rows of a chunk fill are stored side by side, and the rest row by row

   Options Database Key:
.  -mat_sellcs_trimmed <bool> - whether

   Level: advanced

   Note:
   It pays for matrices with very little occupancy of chunks only (section 3.5 of the paper).

.seealso: `MATSELLCS`, `MatSELLCSSetRowBound()`
@*/
PetscErrorCode MatSELLCSSetTrimmed(Mat A, PetscBool trimmed)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATSELLCS, "trimmed", trimmed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatSELLCSSetRowBound - Sets from which length on a `MATSELLCS` matrix stores rows outside of chunks, in CSR.

   Logically Collective

   Input Parameters:
+  A - the matrix
-  n - rows of more nonzeros are stored so; or `PETSC_DECIDE`

   Options Database Key:
.  -mat_sellcs_row_bound <n> - nonzeros

   Level: advanced

   Note:
   By itself the longest rows leave a chunk until it stores at most twice its nonzeros, and some more where rows are
   short; none does where the matrix is trimmed. With a bound of your own nothing else limits the padding.

.seealso: `MATSELLCS`, `MatSELLCSSetTrimmed()`
@*/
PetscErrorCode MatSELLCSSetRowBound(Mat A, PetscInt n)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATSELLCS, "row_bound", n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatSELLCSSetOffsets - Has the column indices of a `MATSELLCS` matrix stored in 16 bits wherever these suffice.

   Logically Collective

   Input Parameters:
+  A       - the matrix
-  offsets - whether

   Options Database Key:
.  -mat_sellcs_offsets <bool> - whether (default: true)

   Level: advanced

   Note:
   Columns of a chunk are offsets against the smallest of them, if the largest is less than 65536 away from it, and plain
   indices otherwise. Where offsets hold for fewer than 7 of 8 nonzeros, or save nothing, no chunk has them; nor has a
   trimmed matrix any.

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
.  -mat_sellcs_values <auto,full,single> - how

   Level: advanced

   Note:
   Each chunk has its values stored in a kind of its own; where that saves less than a sixteenth of their bytes, or kinds change
   too often from chunk to chunk, all are stored as they are.

.seealso: `MATSELLCS`, `MatSpMVValues`, `MatSELLCSSetOffsets()`
@*/
PetscErrorCode MatSELLCSSetValues(Mat A, MatSpMVValues values)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATSELLCS, "values", static_cast<PetscInt>(values)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
