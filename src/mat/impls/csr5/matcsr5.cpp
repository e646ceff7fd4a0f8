// What a PETSc user meets of CSR5: the manual page of the type, and its setters.
#include "mat/impls/shadow/setter.hpp"
#include "petsc_success.hpp"
#include "petscspmv.h"

/*MC
   MATCSR5 - "csr5": a matrix of type `MATAIJ` that multiplies vectors in CSR5.

   The nonzeros are cut into tiles of omega columns and sigma rows, each column a run of consecutive
   nonzeros, stored transposed so that the lanes of a SIMD unit walk down the columns side by side. A
   few bits a nonzero say where rows begin. Tiles are alike whatever the rows look like, and so is the
   time for each. The matrix keeps its AIJ arrays as well: assembly, factorization, relaxation,
   matrix-matrix products, submatrices and all else are those of `MATAIJ`.

   Options Database Keys:
+  -mat_type csr5                              - on one process `MATSEQAIJCSR5`, on several `MATMPIAIJCSR5`
.  -mat_seqaij_type seqaijcsr5                 - for all sequential AIJ matrices, and the blocks of parallel ones
.  -mat_csr5_omega <1..64>                     - columns of a tile (default: 8)
.  -mat_csr5_sigma <1..32>                     - rows of a tile (default: 32)
.  -mat_csr5_segmented_sum <separate,prefix>   - see `MatCSR5SegmentedSum`
.  -mat_csr5_offsets <bool>                    - column indices as offsets of 16 bits, in tiles that allow it (default: true)
.  -mat_csr5_values <auto,full,single>         - how values are stored, see `MatSpMVValues` (default: auto)
.  -mat_csr5_transpose <by>                    - what does products with the transpose, see `MatSpMVTranspose`
.  -mat_csr5_eager                             - make the layout at assembly; the first product then only renews values
-  -mat_view ::ascii_info                      - show omega, sigma, tiles, those with offsets, with values of which kind, with
                                                empty rows, tail entries, bytes

   Level: beginner

   Notes:
   With 32-bit indices and real numbers of double precision the layout takes 12 bytes a nonzero, as the AIJ arrays do that it stands
   beside; 10 where 16 bits number the columns of most tiles; 6 where values are numbers of single precision besides, 3 where
   there are few different ones (stencils with constant coefficients), and 2 where they are all the same. What CSR5 adds to values
   and columns is about 2 percent of the 12, more where many rows are empty. It is made at the first product after assembly; when
   only values have changed since, they alone are renewed.

   Values written through a pointer that `MatSeqAIJGetArray()` has given count from
   `MatSeqAIJRestoreArray()` on; who writes to the arrays in another way calls
   `PetscObjectStateIncrease()`. The option `-spmv_audit` finds where that was forgotten.

   Results have the same bits in every run, whatever the number of threads. Products with the transpose
   are those of `MATAIJ` at first, later of a layout of the transpose (`MatSpMVTranspose`). `MatMatMult()`
   with a `MATDENSE`, also in `KSPMatSolve()`, multiplies with several columns at a time where the matrix has at least 8 nonzeros a
   column, `MatTransposeMatMult()` where it has 8 a row and there is a layout of the transpose; each column has the bits of a
   product by itself.

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
   The width of the processor's SIMD unit, or a multiple (paper, section 3.2). Tiles of 8 x 32, the default,
   with `MAT_CSR5_SEPARATE` have kernels in SIMD lanes on processors; others run slower.

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
   By itself it is 32 on processors. On devices it is chosen as in the paper, from the average of the nonzeros of a row,
   by bounds r, s, t and a value u (section 3.2).

.seealso: `MATCSR5`, `MatCSR5SetOmega()`
@*/
PetscErrorCode MatCSR5SetSigma(Mat A, PetscInt sigma)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATCSR5, "sigma", sigma));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatCSR5SetSegmentedSum - Sets how a `MATCSR5` matrix adds up rows that lie in several columns of a tile.

   Logically Collective

   Input Parameters:
+  A   - the matrix
-  sum - `MAT_CSR5_SEPARATE` or `MAT_CSR5_PREFIX`

   Options Database Key:
.  -mat_csr5_segmented_sum <separate,prefix> - how

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
   MatCSR5SetOffsets - Has the column indices of a `MATCSR5` matrix stored in 16 bits wherever these suffice.

   Logically Collective

   Input Parameters:
+  A       - the matrix
-  offsets - whether

   Options Database Key:
.  -mat_csr5_offsets <bool> - whether (default: true)

   Level: advanced

   Note:
   Columns of a tile are offsets against the smallest of them, if the largest is less than 65536 away from it, and plain
   indices otherwise, as is the last, incomplete tile. Where offsets hold for fewer than 7 of 8 nonzeros, or save
   nothing, no tile has them.

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
.  -mat_csr5_values <auto,full,single> - how

   Level: advanced

   Note:
   Each tile has its values stored in a kind of its own; where that saves less than a sixteenth of their bytes, or kinds change
   too often from tile to tile, all are stored as they are.

.seealso: `MATCSR5`, `MatSpMVValues`, `MatCSR5SetOffsets()`
@*/
PetscErrorCode MatCSR5SetValues(Mat A, MatSpMVValues values)
{
  PetscFunctionBegin;
  PetscCall(petscspmv::SetOptionOfType(A, MATCSR5, "values", static_cast<PetscInt>(values)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
