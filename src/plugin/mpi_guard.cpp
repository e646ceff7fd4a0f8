#include "plugin/mpi_guard.hpp"

#include <petscsys.h>

#include <cstdio>
#include <dlfcn.h>

namespace petscspmv {

namespace {

const char *NameOf(Mpi mpi)
{
  switch (mpi) {
  case Mpi::None:
    return "no MPI (MPIUNI)";
  case Mpi::Mpich:
    return "MPICH or a relative";
  case Mpi::OpenMpi:
    return "Open MPI";
  case Mpi::Unknown:
    break;
  }
  return "an unknown MPI";
}

/// The PETSc that the library is bound to. It is found once for all symbols: finding it among a hundred libraries takes longer than
/// finding symbols in it.
class BoundPetsc {
public:
  BoundPetsc()
  {
    Dl_info where;
    if (!dladdr(reinterpret_cast<void *>(&PetscInitializeNoArguments), &where)) return;
    handle_ = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle_) handle_ = dlopen(nullptr, RTLD_LAZY); // PETSc is part of the program itself
  }
  ~BoundPetsc()
  {
    if (handle_) dlclose(handle_);
  }
  BoundPetsc(const BoundPetsc &)            = delete;
  BoundPetsc &operator=(const BoundPetsc &) = delete;

  /// A symbol of PETSc, or of what PETSc is linked with; null if there is none.
  void *Find(const char *symbol) const { return handle_ ? dlsym(handle_, symbol) : nullptr; }

private:
  void *handle_ = nullptr;
};

} // namespace

Mpi FamilyOf(std::string_view version)
{
  const auto has = [&](std::string_view words) { return version.find(words) != version.npos; };
  if (has("Open MPI") || has("Spectrum MPI")) return Mpi::OpenMpi;
  if (has("MPICH") || has("MVAPICH") || has("Intel(R) MPI")) return Mpi::Mpich;
  return Mpi::Unknown;
}

Mpi BuiltWithMpi()
{
#if defined(PETSC_HAVE_MPIUNI)
  return Mpi::None;
#elif defined(OMPI_MAJOR_VERSION)
  return Mpi::OpenMpi;
#elif defined(MPICH_VERSION) || defined(MVAPICH2_VERSION) || defined(I_MPI_VERSION)
  return Mpi::Mpich;
#else
  return Mpi::Unknown;
#endif
}

Mpi RunningMpi()
{
  const BoundPetsc petsc;

  char version[1 << 14] = ""; // MPI_MAX_LIBRARY_VERSION_STRING of another MPI is not known: MPICH's is 8192
  int  length           = 0;
  if (petsc.Find("MPIUNI_TMP")) return Mpi::None;
  const auto get = reinterpret_cast<int (*)(char *, int *)>(petsc.Find("MPI_Get_library_version"));
  if (!get || get(version, &length)) return Mpi::Unknown;
  return FamilyOf(version);
}

bool IsRunningMpi(Mpi built)
{
  const Mpi running = RunningMpi();
  if (built == running || built == Mpi::Unknown || running == Mpi::Unknown) return true;
  std::fprintf(
    stderr,
    "error: PetscSpMV was built for a PETSc with %s, this program's PETSc has %s: build the library against the PETSc of "
    "this program (PETSC_DIR, PETSC_ARCH)\n",
    NameOf(built), NameOf(running));
  std::fflush(stderr);
  return false;
}

} // namespace petscspmv
