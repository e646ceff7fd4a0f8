// The user's view of the type spmv: its manual page, setters and getter.
#include "mat/exec/session.hpp"
#include "mat/impls/spmv/chooser.hpp"
#include "mat/impls/spmv/options.hpp"
#include "mat/shadow/blocks.hpp"
#include "mat/shadow/shadow.hpp"
#include "mat/tuning/experience.hpp"
#include "mat/tuning/kernel_variant.hpp"
#include "petsc/guard.hpp"
#include "petsc/option_text.hpp"

#include <cmath>
#include <cstring>

namespace petscspmv::spmv {

/// Does nothing with a matrix of another type, like setters of PETSc.
static PetscErrorCode SetOptionOfSpmv(Mat A, const char *key, PetscInt value)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  const TypeInfo *type = FindType(((PetscObject)A)->type_name);
  if (type && !std::strcmp(type->alias, MATSPMV)) PetscCall(MatSpMVSetOption(A, key, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::spmv

/*MC
   MATSPMV - "spmv": a matrix of type `MATAIJ` that finds the fastest format by timing its own products.

   It starts with AIJ's products and times them. As soon as the format with the best forecast would pay within the products
   expected to come, that format multiplies, and is timed; if it is not as fast as expected, AIJ or another format continues.

   Options Database Keys:
+  -mat_type spmv                     - on one process `MATSEQAIJSPMV`, on several `MATMPIAIJSPMV`
.  -mat_seqaij_type seqaijspmv        - for all sequential AIJ matrices, and the blocks of parallel ones
.  -mat_spmv_choose (measured|structure|aij|csr5|...) - what multiplies: the fastest as measured (default), the format
                                        expected to read the fewest bytes judging by the nonzero pattern, or the one named
.  -mat_spmv_regret share             - loss against AIJ that is allowed, as a share of the program's time (default 0.05), see below
.  -mat_spmv_least nonzeros           - matrices, or blocks, with fewer nonzeros use AIJ, unless a format is named or the product
                                        is on a device (default 4096)
.  -mat_spmv_<type>_<option>          - options of the formats, e.g. -mat_spmv_sellcs_sigma
.  -mat_spmv_transpose (auto|aij|layout) - what multiplies with the transpose: a choice of its own (auto, and layout too), or AIJ
.  -mat_spmv_sweeps (auto|aij|layout|single|plain) - what relaxes and solves with factors, see `MatSpMVSetSweeps()`; their share
                                        of the loss is always 0.05
-  -mat_view ::ascii_info             - show what was predicted, measured, spent and gained (::ascii_info_detail: on each process)

   Level: beginner

   Notes:
   Time spent on finding the fastest format (examining the pattern, conversions, refreshes, products by formats that turn out to be
   slow) is a loss until faster products of that matrix have made up for it; what they save beyond is not spent again. At any
   moment the losses of all matrices of a process are at most `regret` times the processor time that it has taken since the library
   was registered, or the elapsed time if that is less, and in its beginning twice that, up to 25 milliseconds more. With several
   processes there is no such beginning for relaxation, for solves with factors, and for products of matrices that are relaxed. The
   losses of one matrix are at most what AIJ would have taken for its products so far. A single step (a conversion or a product) may
   exceed both bounds by what it takes beyond its estimate; a measured conversion is the estimate of the next one. Going back to AIJ
   is always allowed. What AIJ would have taken is estimated from the last of its timed products. Products are measured in elapsed
   time, all else in processor time. What relaxation takes longer beside a layout counts as time of that layout's products.
   Matrices known to have the same nonzero pattern count as one. Each process has a budget of its own, and where processes wait
   for one another their losses may add up. The cost of the type itself is not counted: some 5 microseconds to create a matrix,
   more with `MatConvert()`, and some tens of nanoseconds per product.

   Each process, and each block of a parallel matrix, chooses for itself, without communication but for products with dense
   matrices, where processes agree on whether AIJ does all. If there is no memory for a layout, the product falls back to AIJ
   without an error, unless the format was named and the product is with a vector.

   Findings are kept by nonzero pattern and options, of up to 4096 patterns, until `PetscFinalize()`. A new matrix with the same
   nonzero pattern, as in nonlinear solvers and multigrid, uses them after a product or two if matrices of its size have done
   enough products for a conversion to pay. Of a matrix whose size is new, as many products are expected as earlier ones did that
   had about as many nonzeros (to a factor of four), the same options prefix, and the same kind of product (`MatProductType`) if
   they were products of matrices. A layout gets new values of the same pattern at the first product with them if the
   values before lasted long enough. Where values change too often for such refreshes to pay, AIJ does the products.

   With `measured`, the format may differ between products and between runs; each format adds the products of a row in its own
   order, so the last bits may differ from run to run. `structure` gives the same bits in every run: AIJ does the first 32
   products with the same values, the chosen format all others.

   Products with the transpose have a choice of their own (`MatSpMVTranspose`). Products with dense matrices are not timed: AIJ
   multiplies the first 32 columns, then the format chosen by structure among those for several vectors at a time; a format that
   is named multiplies from the first column on. On devices the format is chosen by structure, from the first product on.

   `MatSpMVSetOption()` and `MatSpMVGetStatistic()` give the share of -mat_spmv_regret in millionths.

.seealso: `MATAIJ`, `MatSpMVSetChoice()`, `MatSpMVSetRegret()`, `MatSpMVGetChoiceInfo()`, `MatSpMVGetInfo()`, `MatSpMVSetOption()`,
          `MatSpMVSweeps`, `MatSpMVTranspose`, `PetscSpMVForget()`, `PetscSpMVRegisterAll()`
M*/

/*@C
   MatSpMVSetChoice - Sets what multiplies with a `MATSPMV` matrix.

   Logically Collective; `name` must contain common value; No Fortran Support

   Input Parameters:
+  A    - the matrix
-  name - "measured", "structure", "aij" or the name of a format, such as "csr5"

   Options Database Key:
.  -mat_spmv_choose name - what multiplies

   Level: intermediate

   Notes:
   If the choice changes, layouts are freed, and what this matrix has found is forgotten: set it before the first product.

   An unknown name is an error that lists the choices. A known one does nothing on a matrix of another type.

.seealso: `MATSPMV`, `MatSpMVGetChoiceInfo()`, `MatSpMVSetRegret()`
@*/
PetscErrorCode MatSpMVSetChoice(Mat A, const char name[])
try {
  using namespace petscspmv;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCheck(name, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_NULL, "Name of the choice is NULL");
  std::string known;
  PetscInt    value = 0;
  for (const char *choice : spmv::Choices()) {
    if (!std::strcmp(choice, name)) {
      PetscCall(spmv::SetOptionOfSpmv(A, "choose", value));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    AddName(known, choice);
    ++value;
  }
  SETERRQ(PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE, "Unknown choice %s; the choices are %s", name, known.c_str());
}
PETSCSPMV_CATCH

/*@
   MatSpMVSetRegret - Sets the loss against AIJ that is allowed while a `MATSPMV` matrix finds the fastest format.

   Logically Collective; `regret` must contain common value; No Fortran Support

   Input Parameters:
+  A      - the matrix
-  regret - a share of the program's processor time (see `MATSPMV`), 0 to 1; with 0 AIJ does the products

   Options Database Key:
.  -mat_spmv_regret share - the loss allowed

   Level: intermediate

   Notes:
   The losses of all matrices of the process together are compared with the share of each (see `MATSPMV`): a matrix with a larger
   share may go on trying formats where others have to wait.

   If the share changes, layouts are freed, and what this matrix has found is forgotten: set it before the first product.

   On a matrix of any other type nothing happens.

.seealso: `MATSPMV`, `MatSpMVSetChoice()`
@*/
PetscErrorCode MatSpMVSetRegret(Mat A, PetscReal regret)
try {
  using namespace petscspmv::spmv;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscValidLogicalCollectiveReal(A, regret, 2);
  PetscCheck(regret >= 0 && regret <= 1, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE,
             "The regret is %g, must be 0 to 1", static_cast<double>(regret));
  PetscCall(SetOptionOfSpmv(A, "regret", static_cast<PetscInt>(std::lround(regret / kMillionth))));
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH

/*@
   MatSpMVGetChoiceInfo - Gets what multiplies with a `MATSPMV` matrix on the calling process, and its costs and gains.

   Not Collective; No Fortran Support

   Input Parameter:
.  A - the matrix

   Output Parameter:
.  choice - the current choice, the number of products, and the time spent and gained

   Level: intermediate

   Note:
   A matrix of another type is an error, an `mpiaij` too whose blocks have this type by `-mat_seqaij_type`.

.seealso: `MATSPMV`, `MatSpMVChoiceInfo`, `MatSpMVSetChoice()`
@*/
PetscErrorCode MatSpMVGetChoiceInfo(Mat A, MatSpMVChoiceInfo *choice)
try {
  using namespace petscspmv;
  const TypeInfo  *type;
  std::vector<Mat> blocks;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCheck(choice, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_NULL, "Result is NULL");
  PetscCall(NeedType(A, &type));
  PetscCheck(!std::strcmp(type->alias, MATSPMV), PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONG,
             "Matrix is of type %s, not " MATSPMV, ((PetscObject)A)->type_name);
  *choice      = MatSpMVChoiceInfo{};
  choice->type = "aij";
  if (A->preallocated) PetscCall(BlocksOf(A, *type, blocks));
  for (Mat block : blocks) {
    SequentialShadow *shadow;
    PetscCall(GetShadow(block, &shadow));
    const auto &chooser = static_cast<const spmv::SpmvChooser &>(*shadow->layouts.chooser);
    chooser.AddTo(*choice);
    if (block == blocks[0] && chooser.Candidate() != kAij) choice->type = Formats()[chooser.Candidate() - 1]->alias;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH

/*@
   PetscSpMVForget - Forgets the findings of this process' products: the fastest targets and prefetching for nonzero patterns, what
   sweeps by triangles take, and for `MATSPMV` the fastest formats, how many products matrices do, and corrections of forecasts.

   Not Collective; No Fortran Support

   Level: developer

   Note:
   For measurements that should start like a new program. Existing matrices keep what they know, the target of the kernels
   stays, and so does memory of former layouts, which the next ones use.

.seealso: `MATSPMV`, `PetscSpMVSetTarget()`
@*/
PetscErrorCode PetscSpMVForget(void)
try {
  const petscspmv::Locked alone(petscspmv::Lock());

  PetscFunctionBegin;
  petscspmv::ForgetVariants();
  petscspmv::ForgetExperience();
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH
