/* The matrix type speculative: its names, and its manual page. Included by petscspmv.h. */
#pragma once

/*MC
   MATSPECULATIVE - "speculative": a matrix of type `MATAIJ` that multiplies vectors by speculative segmented sums.

   The matrix multiplies with its AIJ arrays as they are, without a copy of the entries or any preparation. The nonzeros are cut
   into tiles of T x W, and every product finds on the fly where rows begin in a tile. The sums of a tile's rows are stored
   consecutively, on the speculation that no row among them is empty. Afterwards a check moves the sums of tiles with empty rows.
   Assembly, factorization, matrix-matrix products and submatrices are those of `MATAIJ`, relaxation and solves with factors as
   `MatSpMVSweeps` says.

   Options Database Keys:
+  -mat_type speculative                     - on one process `MATSEQAIJSPECULATIVE`, on several `MATMPIAIJSPECULATIVE`
.  -mat_seqaij_type seqaijspeculative        - for all sequential AIJ matrices, and the blocks of parallel ones
.  -mat_speculative_tile_width T             - lanes of a tile, 1 to 64 (default: 64, on devices 32, which is the most there)
.  -mat_speculative_tile_height W            - consecutive nonzeros of a lane, 1 to 64 (default: 8, on devices 4 for doubles)
.  -mat_speculative_bunches B                - thread-bunches that a worker takes at a time, 1 to 64 (default: 4, on devices 5)
.  -mat_speculative_steps S                  - consecutive tiles of a thread-bunch, 1 to 64 (default: 8, on devices 7)
.  -mat_speculative_check (host|device)      - see `MatSpeculativeCheck` (default: host)
.  -mat_speculative_transpose (auto|aij|layout) - products with the transpose, see `MatSpMVTranspose` (default: auto)
.  -mat_speculative_sweeps (auto|aij|layout|single|plain) - what relaxes and solves with factors, see `MatSpMVSweeps`
                                                            (default: auto)
.  -mat_speculative_eager                    - allocate at assembly, not at the first product
-  -mat_view ::ascii_info                    - show T, W, B, S, tiles, dirty tiles, and the corrections of a product

   Level: beginner

   Notes:
   Besides the AIJ arrays there are two numbers for every tile and two for every S tiles, by default less than 1 percent. The type
   suits matrices whose values or nonzero pattern change often, and cases where memory is short. `MATSPMV` uses it only if named.

   A tile is dirty if a row between its first entry and the next tile's is empty. A correction is a row's sum that the check moves.
   Products that add to a vector (`MatMultAdd()`) have dirty tiles but no corrections: what was added to a wrong row could not be
   taken back, so the sums of dirty tiles are stored row by row at once.

   Results have the same bits in every run, for any number of threads, any B and either check. Products with the transpose are
   those of `MATAIJ` at first, and use a layout of the transpose later (`MatSpMVTranspose`).

   Reference:
.  * - W. Liu and B. Vinter, Speculative segmented sum for sparse matrix-vector multiplication on heterogeneous
       processors, Parallel Computing, 2015. Stages: section 3.2 and Algorithm 1; parameters: Table 1.

.seealso: `MATAIJ`, `MATSPMV`, `MatSpMVSetOption()`, `MatSpMVSweeps`, `MatSpMVTranspose`, `MatSpMVGetInfo()`,
          `PetscSpMVRegisterAll()`
M*/

#define MATSPECULATIVE       "speculative"
#define MATAIJSPECULATIVE    "aijspeculative"
#define MATSEQAIJSPECULATIVE "seqaijspeculative"
#define MATMPIAIJSPECULATIVE "mpiaijspeculative"

/*E
   MatSpeculativeCheck - Where a `MATSPECULATIVE` matrix corrects wrong speculation

   Values:
+  `MAT_SPECULATIVE_CHECK_HOST`   - in a loop of the calling thread, as in the paper (default)
-  `MAT_SPECULATIVE_CHECK_DEVICE` - where the kernels run, by all their threads; always so if their memory is not the host's

   Level: advanced

.seealso: `MATSPECULATIVE`, `MatSpMVSetOption()`
E*/
typedef enum {
  MAT_SPECULATIVE_CHECK_HOST,
  MAT_SPECULATIVE_CHECK_DEVICE
} MatSpeculativeCheck;
