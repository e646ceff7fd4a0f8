// Registration of the derived types with PETSc.
#pragma once

#include "mat/registry/registry.hpp"

namespace petscspmv {

PetscErrorCode RegisterFormat(const PetscFormat &format, PetscErrorCode (*create_seq)(Mat), PetscErrorCode (*create_mpi)(Mat));
PetscErrorCode RegisterType(const TypeInfo &type, PetscErrorCode (*create_seq)(Mat), PetscErrorCode (*create_mpi)(Mat),
                            MakeChooser     make_chooser);

} // namespace petscspmv
