// Products in the matrix's own arrays.
#pragma once

#include "mat/format/csr.hpp"
#include "mat/format/result.hpp"
#include "mat/layout/nodes.hpp"

namespace petscspmv {

/// y = A x, y = v + A x or y = v - A x for the rows from `first` on, by nodes if there are any. Products are added in the order of
/// MatMult_SeqAIJ() or, by nodes, of MatMult_SeqAIJ_Inode(); without v the bits are the same. If `ahead`, what comes next is
/// prefetched: the processor's own prefetching ends with each page.
void MultiplyPlain(const Csr<PetscScalar, PetscInt> &csr, const Nodes &nodes, PetscInt first, bool ahead, const PetscScalar *x,
                   const Result<PetscScalar> &result);

} // namespace petscspmv
