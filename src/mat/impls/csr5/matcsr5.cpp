// The user's view of CSR5: the manual page of the type, and its setters.
#include "mat/impls/shadow/setter.hpp"
#include "petsc_success.hpp"
#include "petscspmv.h"

/*MC
   MATCSR5 - "csr5": a matrix of type `MATAIJ` that multiplies vectors in CSR5.

   The nonzeros are cut into tiles of omega columns and sigma rows. Each column is a run of consecutive nonzeros, and tiles are
   stored transposed so that SIMD lanes walk down the columns in step. A few bits per nonzero mark where rows begin. All tiles
   take the same time, whatever the rows look like. The matrix keeps its AIJ arrays as well: assembly, factorization, relaxation,
   matrix-matrix products, submatrices and all else are those of `MATAIJ`.

   Options Database Keys:
+  -mat_type csr5                              - on one process `MATSEQAIJCSR5`, on several `MATMPIAIJCSR5`
.  -mat_seqaij_type seqaijcsr5                 - for all sequential AIJ matrices, and the blocks of parallel ones
.  -mat_csr5_omega <1..64>                     - columns of a tile (default: 8)
.  -mat_csr5_sigma <1..32>                     - rows of a tile (default: 32)
.  -mat_csr5_segmented_sum <separate,prefix>   - see `MatCSR5SegmentedSum`
.  -mat_csr5_offsets <bool>                    - store column indices as 16-bit offsets in tiles that allow it (default: true)
.  -mat_csr5_values <auto,full,single>         - how values are stored, see `MatSpMVValues` (default: auto)
.  -mat_csr5_transpose <by>                    - how products with the transpose are computed, see `MatSpMVTranspose`
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
       Multiplication, ICS 2015. Tiles: section 3; sigma on GPUs: section 3.2; product: Algorithm 8.

.seealso: `MatCSR5SetOmega()`, `MatCSR5SetSigma()`, `MatCSR5SetSegmentedSum()`, `MatCSR5SetOffsets()`, `MatCSR5SetValues()`,
          `MatSpMVGetInfo()`, `PetscSpMVRegisterAll()`
M*/

/*@
   MatCSR5SetOmega - Sets omega, the number of columns of a tile, of a `MATCSR5` matrix.

   Logically Collective

   Input Parameters:
+  A     - the matrix
-  omega - 1 to 64, or `PETSC_DECIDE`

   Options Database Key:
.  -mat_csr5_omega <omega> - columns of a tile

   Level: advanced

   Note:
   The SIMD width of the processor, or a multiple (paper, section 3.2). The default on CPUs, tiles of 8 x 32 with
   `MAT_CSR5_SEPARATE`, has SIMD kernels; other shapes run slower.

.seealso: `MATCSR5`, `MatCSR5SetSigma()`
@*/
PetscErrorCode MatCSR5SetOmega(Mat A, PetscInt omega)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATCSR5, "omega", omega));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatCSR5SetSigma - Sets sigma, the number of rows of a tile, of a `MATCSR5` matrix.

   Logically Collective

   Input Parameters:
+  A     - the matrix
-  sigma - 1 to 32, or `PETSC_DECIDE`

   Options Database Key:
.  -mat_csr5_sigma <sigma> - rows of a tile

   Level: advanced

   Note:
   The default is 32 on CPUs. On devices it is chosen as in the paper from the average number of nonzeros per row, by the
   bounds r, s, t and the value u (section 3.2).

.seealso: `MATCSR5`, `MatCSR5SetOmega()`
@*/
PetscErrorCode MatCSR5SetSigma(Mat A, PetscInt sigma)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATCSR5, "sigma", sigma));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatCSR5SetSegmentedSum - Sets how a `MATCSR5` matrix sums rows that span several columns of a tile.

   Logically Collective

   Input Parameters:
+  A   - the matrix
-  sum - `MAT_CSR5_SEPARATE` or `MAT_CSR5_PREFIX`

   Options Database Key:
.  -mat_csr5_segmented_sum <separate,prefix> - how such rows are summed

   Level: advanced

.seealso: `MATCSR5`, `MatCSR5SegmentedSum`
@*/
PetscErrorCode MatCSR5SetSegmentedSum(Mat A, MatCSR5SegmentedSum sum)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATCSR5, "segmented_sum", static_cast<PetscInt>(sum)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatCSR5SetOffsets - Sets whether a `MATCSR5` matrix stores column indices in 16 bits where possible.

   Logically Collective

   Input Parameters:
+  A       - the matrix
-  offsets - `PETSC_TRUE` to store 16-bit offsets where possible

   Options Database Key:
.  -mat_csr5_offsets <bool> - store column indices as 16-bit offsets where possible (default: true)

   Level: advanced

   Note:
   The columns of a tile are stored as offsets from the smallest if the largest is less than 65536 away from it, and as
   plain indices otherwise. The last, incomplete tile always has plain indices. If fewer than 7 of 8 nonzeros can have offsets, or
   if they save nothing, no tile has them.

.seealso: `MATCSR5`, `MatCSR5SetSigma()`
@*/
PetscErrorCode MatCSR5SetOffsets(Mat A, PetscBool offsets)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATCSR5, "offsets", offsets));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatCSR5SetValues - Sets how the values of a `MATCSR5` matrix are stored for its products.

   Logically Collective

   Input Parameters:
+  A      - the matrix
-  values - `MAT_SPMV_VALUES_AUTO`, `MAT_SPMV_VALUES_FULL` or `MAT_SPMV_VALUES_SINGLE`

   Options Database Key:
.  -mat_csr5_values <auto,full,single> - how values are stored

   Level: advanced

   Note:
   Each tile has its own kind of storage. If that saves less than a sixteenth of the values' bytes, or the kind changes too
   often from tile to tile, all values are stored in full.

.seealso: `MATCSR5`, `MatSpMVValues`, `MatCSR5SetOffsets()`
@*/
PetscErrorCode MatCSR5SetValues(Mat A, MatSpMVValues values)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATCSR5, "values", static_cast<PetscInt>(values)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
