// What a matrix reports to the program.
#include "mat/shadow/blocks.hpp"
#include "mat/shadow/shadow.hpp"
#include "mat/shadow/view.hpp"
#include "petsc/guard.hpp"
#include "petsc/option_text.hpp"

#include <cstring>
#include <string>
#include <vector>

/*@
   MatSpMVGetInfo - Gets what a matrix of one of PetscSpMV's types has done on the calling process.

   Not Collective; No Fortran Support

   Input Parameter:
.  A - the matrix

   Output Parameter:
.  info - counts of products by the format's own kernels, of builds and refreshes of its layout, and bytes

   Level: advanced

   Note:
   This does not build a layout: `bytes` is 0 until a product, a relaxation or an eager assembly has made one. A matrix of another
   type is an error, an `mpiaij` too whose blocks have one of these types by `-mat_seqaij_type`.

.seealso: `MatSpMVInfo`, `MatSpMVGetStatistic()`
@*/
PetscErrorCode MatSpMVGetInfo(Mat A, MatSpMVInfo *info)
try {
  using namespace petscspmv;
  const TypeInfo  *type;
  Shadow          *shadow;
  std::vector<Mat> blocks;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCheck(info, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_NULL, "Result is NULL");
  PetscCall(NeedType(A, &type));
  PetscCall(GetShadow(A, &shadow));
  *info         = MatSpMVInfo{};
  info->mpimult = shadow->info().mpimult;
  if (type->mpi == ((PetscObject)A)->type_name) { // the blocks count neither
    info->matmult = shadow->info().matmult;
    info->bytes   = static_cast<double>(static_cast<const ParallelShadow *>(shadow)->ghosts.bytes());
  }
  if (A->preallocated) PetscCall(BlocksOf(A, *type, blocks));
  for (Mat block : blocks) {
    SequentialShadow *own;
    PetscCall(GetShadow(block, &own));
    const MatSpMVInfo &counts = own->info();
    const double       bytes  = own->layouts.Bytes() + own->TransposedBytes() + own->SorBytes();
    info->mult += counts.mult;
    info->multadd += counts.multadd;
    info->multtranspose += counts.multtranspose;
    info->matmult += counts.matmult;
    info->builds += counts.builds;
    info->refreshes += counts.refreshes;
    info->bytes += bytes;
    if (bytes == 0) continue;
    Stamp now;
    PetscCall(now.Take(block));
    info->csr_bytes += now.CsrBytes();
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH

/*@
   MatSpMVGetStatistic - Gets a figure of a matrix's layout, which is built if needed, or of the choice made by `MATSPMV`.

   Not Collective; No Fortran Support

   Input Parameters:
+  A   - the assembled matrix; for a parallel one, the figures are of the calling process' diagonal block
-  key - the figure's name as printed by `-mat_view ::ascii_info`, with underscores, e.g. "tiles_with_empty_rows"

   Output Parameter:
.  value - the figure

   Level: advanced

   Notes:
   All types have "bytes" and "csr_bytes", the memory of the layout and of the AIJ arrays, both per nonzero ("bytes_per_nonzero",
   "csr_bytes_per_nonzero"), and the memory of the layout of the transpose ("transpose_bytes"), of all that relaxation needs
   ("sor_bytes") and of its layouts ("sor_layout_bytes"). They alone are there if `-spmv_memory_limit` refuses the layout. Units are
   bytes, and seconds.

   An unknown key is an error that lists the keys. A matrix of another type is an error, too.

.seealso: `MatSpMVGetInfo()`, `MatSpMVSetOption()`
@*/
PetscErrorCode MatSpMVGetStatistic(Mat A, const char key[], PetscReal *value)
try {
  using namespace petscspmv;
  const TypeInfo  *type;
  std::vector<Mat> blocks;
  Stats            stats;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCheck(key && value, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_NULL, "Name of the figure or result is NULL");
  PetscCall(NeedType(A, &type));
  PetscCheck(A->assembled, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE, "Not for unassembled matrix");
  PetscCall(BlocksOf(A, *type, blocks));
  PetscCheck(!blocks.empty(), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "The matrix has no blocks of type %s yet",
             type->seq.c_str());
  PetscCall(FiguresOf(blocks[0], stats));
  std::string known;
  for (const Stat &stat : stats) {
    if (!std::strcmp(stat.key, key)) {
      *value = static_cast<PetscReal>(stat.Figure());
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    AddName(known, stat.key);
  }
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%s has no figure %s; it has %s", type->title, key, known.c_str());
}
PETSCSPMV_CATCH
