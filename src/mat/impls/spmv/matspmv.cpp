// What a PETSc user meets of the type spmv: its manual page, setters and getter.
#include "mat/impls/shadow/guard.hpp"
#include "mat/impls/shadow/setter.hpp"
#include "mat/impls/shadow/shadow.hpp"
#include "mat/impls/spmv/experience.hpp"
#include "mat/impls/spmv/turns.hpp"
#include "mat/impls/spmv/type.hpp"

#include <cmath>
#include <cstring>

/*MC
   MATSPMV - "spmv": a matrix of type `MATAIJ` whose products find the fastest format.

   It begins as what it is, with AIJ's products, and measures them. When they have taken long enough it tries the formats of this
   library with them, one after the other, and goes on with the fastest.

   Options Database Keys:
+  -mat_type spmv                     - on one process `MATSEQAIJSPMV`, on several `MATMPIAIJSPMV`
.  -mat_seqaij_type seqaijspmv        - for all sequential AIJ matrices, and the blocks of parallel ones
.  -mat_spmv_choose <measured,structure,aij,csr5,...> - what multiplies: what is measured to be the fastest (default), the
                                        format that reads the fewest bytes as far as the pattern tells, or the one named
.  -mat_spmv_regret <share>           - net loss against AIJ that is allowed, as a share of its time (default 0.05)
.  -mat_spmv_least <nonzeros>         - matrices, or blocks, of fewer nonzeros are left to AIJ (default 4096)
.  -mat_spmv_<type>_<option>          - options of the formats, as in -mat_spmv_sellcs_sigma
.  -mat_spmv_transpose <auto,aij>      - what does products with the transpose: a choice of their own (default), or AIJ
.  -mat_spmv_record <file>            - write down what did which product
.  -mat_spmv_replay <file>            - repeat that
-  -mat_view ::ascii_info             - show what was expected, measured, spent and gained (::ascii_info_detail: on each process)

   Level: beginner

   Notes:
   The bound. What is spent on finding out (looks at the pattern, conversions, refreshes, turns of what turns out to be slow)
   may at no moment exceed what products have saved by then, and `regret` times what AIJ would have taken. So the products
   of a block take no longer than AIJ's by more than that share, and by what one step, a conversion or a product, took beyond
   what was expected of it; what a conversion has taken is expected of the next one. Going back to AIJ is always allowed. What AIJ
   would have taken is known as far as the last of its timed products tell. Matrices of one size share the budget;
   blocks and processes have their own, and where processes wait for one another their losses may add up. Not counted are the
   making of the type itself, some 10 microseconds a matrix, or 20 with `MatConvert()`, and some tens of nanoseconds a product.

   Each process, and each block of a parallel matrix, chooses for itself; nobody waits for anybody. Where there is no memory for a
   layout AIJ goes on, without an error, unless the format was named.

   What the products of a matrix have found out is kept for its pattern and options as long as the process lives. A matrix made anew
   with the same pattern, as in nonlinear solvers and multigrid, begins with the answer if such matrices live long enough for a
   conversion to pay. Values that change again and again cost refreshes; where these do not pay, AIJ does the products.

   With `measured`, formats may change from one product to another, and from run to run; each adds the products of a row in
   an order of its own, so last bits may differ from run to run. `structure` gives the same bits in every run: AIJ does 32 products
   with the same values, the format chosen all others. A record of `measured` products gives the bits of the run that was recorded, with
   the same program, matrices and number of processes; with several processes each has a file of its own, named <file>.<rank>.

   Products with the transpose have a choice of their own (`MatSpMVTranspose`). On devices the format is chosen by structure,
   from the first product on.

   The share that -mat_spmv_regret is given as counts in millionths with `MatSpMVSetOption()` and `MatSpMVGetStatistic()`.

.seealso: `MatSpMVSetChoice()`, `MatSpMVSetRegret()`, `MatSpMVGetChoice()`, `MatSpMVGetInfo()`, `PetscSpMVRegisterAll()`
M*/

/*@C
   MatSpMVSetChoice - Chooses what multiplies with a `MATSPMV` matrix.

   Logically Collective

   Input Parameters:
+  A    - the matrix
-  name - "measured", "structure", "aij" or the name of a format, such as "csr5"

   Options Database Key:
.  -mat_spmv_choose <name> - what multiplies

   Level: intermediate

   Note:
   On a matrix of any other type nothing happens.

.seealso: `MATSPMV`, `MatSpMVGetChoice()`, `MatSpMVSetRegret()`
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
      PetscCall(SetOptionOfType(A, MATSPMV, "choose", value));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    known += std::string(known.empty() ? "" : ", ") + choice;
    ++value;
  }
  SETERRQ(PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE, "Unknown choice %s; the choices are %s", name, known.c_str());
}
PETSCSPMV_CATCH

/*@
   MatSpMVSetRegret - Sets the net loss against AIJ that a `MATSPMV` matrix may have while it finds the fastest format.

   Logically Collective

   Input Parameters:
+  A      - the matrix
-  regret - 0 to 1; with 0 it does as `MATAIJ` does

   Options Database Key:
.  -mat_spmv_regret <share> - the share

   Level: intermediate

   Note:
   On a matrix of any other type nothing happens.

.seealso: `MATSPMV`, `MatSpMVSetChoice()`
@*/
PetscErrorCode MatSpMVSetRegret(Mat A, PetscReal regret)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscValidLogicalCollectiveReal(A, regret, 2);
  PetscCheck(regret >= 0 && regret <= 1, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE,
             "The regret is %g, must be 0 to 1", static_cast<double>(regret));
  PetscCall(
    petscspmv::SetOptionOfType(A, MATSPMV, "regret", static_cast<PetscInt>(std::lround(regret / petscspmv::spmv::kMillionth))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatSpMVGetChoice - Reports what multiplies with a `MATSPMV` matrix on the calling process, and what that has brought.

   Not Collective

   Input Parameter:
.  A - the matrix

   Output Parameter:
.  choice - what, how many products, and what was spent and gained

   Level: intermediate

.seealso: `MATSPMV`, `MatSpMVChoice`, `MatSpMVSetChoice()`
@*/
PetscErrorCode MatSpMVGetChoice(Mat A, MatSpMVChoice *choice)
try {
  using namespace petscspmv;
  std::vector<Mat> blocks;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCheck(choice, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_NULL, "Result is NULL");
  const TypeInfo *type = FindType(((PetscObject)A)->type_name);
  PetscCheck(type && !std::strcmp(type->alias, MATSPMV), PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONG,
             "Matrix is of type %s, not " MATSPMV, ((PetscObject)A)->type_name);
  *choice      = MatSpMVChoice{};
  choice->type = "aij";
  if (A->preallocated) PetscCall(BlocksOf(A, *type, blocks));
  for (Mat block : blocks) {
    Shadow *shadow;
    PetscCall(GetShadow(block, &shadow));
    const auto &turns = static_cast<const spmv::Turns &>(*shadow->chooser);
    turns.AddTo(*choice);
    if (block == blocks[0] && turns.Who() != spmv::kAij) choice->type = Formats()[turns.Who() - 1]->alias;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH

/*@
   PetscSpMVForget - Forgets what the products of this process have found out: the fastest ways with patterns, and for `MATSPMV` the
   fastest formats.

   Not Collective

   Level: developer

   Note:
   For measurements that are to begin as a program does. Matrices that exist keep what they know; the target of
   the kernels stays.

.seealso: `MATSPMV`, `PetscSpMVSetTarget()`
@*/
PetscErrorCode PetscSpMVForget(void)
try {
  PetscFunctionBegin;
  petscspmv::ForgetWays();
  petscspmv::spmv::ForgetExperience();
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH
