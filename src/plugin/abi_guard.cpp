// Checks that the library fits the running PETSc: PETSc silently loads a plugin built for another variant, and crashes later.
#include "petscspmv.h"
#include "plugin/plugin.hpp"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <iterator>

namespace petscspmv {

namespace {

constexpr const char *kScalars = PetscDefined(USE_COMPLEX) ? "complex" : "real";

/// Checks that the running PETSc has the same scalars as this library. Sizes do not show that, since PETSC_SCALAR is resolved at
/// compile time, but a scalar that PETSc writes does. No object is needed for it, whose creation would duplicate a communicator.
PetscErrorCode CheckScalar()
{
  PetscScalar written[64 / sizeof(PetscScalar)], expected[std::size(written)]; // a PETSc with wider scalars writes more

  PetscFunctionBegin;
  for (void *each : {written, expected}) std::memset(each, 0x55, sizeof(written));
  expected[0] = 1.0;
  PetscCall(PetscOptionsStringToScalar("1", written));
  PetscCheck(!std::memcmp(written, expected, sizeof(written)), PETSC_COMM_SELF, PETSC_ERR_LIB,
             "PetscSpMV was built for PETSc with %s numbers of %d bytes, this program's PETSc has others: build the library "
             "against the PETSc of this program (PETSC_DIR, PETSC_ARCH)",
             kScalars, static_cast<int>(sizeof(PetscScalar)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The file of the library or program that a function is in.
template <class Function>
bool FindFile(Function *function, Dl_info *file)
{
  return function && dladdr(reinterpret_cast<void *>(function), file) && file->dli_fname;
}

} // namespace

bool IsPetscRunning()
{
  if (PETSC_COMM_WORLD != MPI_COMM_NULL) return true;
  Dl_info    petsc;
  const bool found = FindFile(&PetscInitializeNoArguments, &petsc);
  std::fprintf(stderr,
               "error: PetscSpMV was built for PETSc %d.%d with %s numbers and %d-bit indices%s%s, which this program has not "
               "initialized: build the library against the PETSc of this program (PETSC_DIR, PETSC_ARCH) or, if that is the same, "
               "call PetscInitialize() before PetscSpMVRegisterAll()\n",
               PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, kScalars, static_cast<int>(8 * sizeof(PetscInt)), found ? ", " : "",
               found ? petsc.dli_fname : "");
  std::fflush(stderr);
  return false;
}

PetscErrorCode CheckOnlyCopy()
{
  PetscErrorCode (*create)(Mat) = nullptr;
  Dl_info other, own;

  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(MatList, MATSEQAIJSPMV, &create));
  PetscCheck(!FindFile(create, &other) || !FindFile(&IsPetscRunning, &own) || other.dli_fbase == own.dli_fbase, PETSC_COMM_SELF,
             PETSC_ERR_LIB,
             "PetscSpMV is loaded twice, from %s and from %s: load one of them, by its file (not its folder) in -dll_append, or "
             "link it",
             other.dli_fname, own.dli_fname);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckPetscBuild()
{
  std::size_t index_size;
  PetscInt    major = 0, minor = 0, subminor = 0, release = 0;

  PetscFunctionBegin;
  PetscCall(PetscDataTypeGetSize(PETSC_INT, &index_size));
  PetscCheck(index_size == sizeof(PetscInt), PETSC_COMM_SELF, PETSC_ERR_LIB,
             "PetscSpMV was built for PETSc with %d-bit indices, this program's PETSc has %d-bit ones: build the library against "
             "the PETSc of this program (PETSC_DIR, PETSC_ARCH)",
             static_cast<int>(8 * sizeof(PetscInt)), static_cast<int>(8 * index_size));
  PetscCall(PetscGetVersionNumber(&major, &minor, &subminor, &release));
  PetscCheck(major == PETSC_VERSION_MAJOR && minor == PETSC_VERSION_MINOR, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "PetscSpMV was built for PETSc %d.%d, this program's PETSc is %d.%d: build the library against the PETSc of this "
             "program (PETSC_DIR, PETSC_ARCH)",
             PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, static_cast<int>(major), static_cast<int>(minor));
  PetscCall(CheckScalar());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
