#include "mat/workarounds/derived.hpp"

#include "mat/exec/session.hpp"
#include "mat/shadow/adopt.hpp"
#include "mat/shadow/shadow.hpp"
#include "petsc/guard.hpp"

#include <array>
#include <cstring>
#include <utility>

namespace petscspmv {

namespace {

using Create      = PetscErrorCode (*)(Mat);
using Convert     = PetscErrorCode (*)(Mat, MatType, MatReuse, Mat *);
using Preallocate = PetscErrorCode (*)(Mat, PetscInt, const PetscInt[], PetscInt, const PetscInt[]);

/// A derived type, and PETSc's functions that ours replace.
struct Derived {
  char        name[64]    = "";
  Create      create      = nullptr;
  Convert     convert     = nullptr; // from its base
  Preallocate preallocate = nullptr; // of a parallel type
};

/// Lasts as long as the process, so that a name keeps its index in every session.
struct DerivedTypes {
  std::array<Derived, 32> types;
};

bool BeginsWith(const char *name, const char *base)
{
  return !std::strncmp(name, base, std::strlen(base));
}

/// Finds a derived type by its name, which may lack the prefix (seq or mpi).
Derived *FindDerived(const char *name, const char *prefix)
{
  const std::size_t skipped = BeginsWith(name, prefix) ? 0 : std::strlen(prefix);
  for (Derived &derived : OfProcess<DerivedTypes>().types) {
    if (derived.create && BeginsWith(derived.name, prefix) && !std::strcmp(derived.name + skipped, name)) return &derived;
  }
  return nullptr;
}

PetscErrorCode StripBlocks(Mat A)
{
  Mat blocks[2];

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  for (Mat block : blocks) {
    if (block && IsOurs(block) && !HashActive(block)) PetscCall(StripSeqAIJ(block));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// In this method a parallel matrix of a derived type makes its blocks, and converts them to the sequential derived type.
PetscErrorCode MatMPIAIJSetPreallocation_Derived(Mat A, PetscInt d_nz, const PetscInt d_nnz[], PetscInt o_nz,
                                                 const PetscInt o_nnz[])
{
  const Derived *derived = FindDerived(((PetscObject)A)->type_name, "mpi");

  PetscFunctionBegin;
  PetscCheck(derived && derived->preallocate, PetscObjectComm((PetscObject)A), PETSC_ERR_PLIB,
             "No preallocation of type %s is known", ((PetscObject)A)->type_name);
  const WithoutCatchAll guard;
  PetscCall(StripBlocks(A)); // those that preallocation keeps
  PetscCall((*derived->preallocate)(A, d_nz, d_nnz, o_nz, o_nnz));
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr const char *kPreallocation = "MatMPIAIJSetPreallocation_C";

PetscErrorCode ReplacePreallocation(Mat A, Derived &derived)
{
  Preallocate preallocate = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)A, kPreallocation, &preallocate));
  if (!preallocate || preallocate == Entry<MatMPIAIJSetPreallocation_Derived>) PetscFunctionReturn(PETSC_SUCCESS);
  derived.preallocate = preallocate;
  PetscCall(PetscObjectComposeFunction((PetscObject)A, kPreallocation, Entry<MatMPIAIJSetPreallocation_Derived>));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CreateDerived(Mat A, Derived &derived)
{
  PetscFunctionBegin;
  {
    const WithoutCatchAll guard;
    PetscCall((*derived.create)(A));
  }
  if (!std::strcmp(((PetscObject)A)->type_name, derived.name) && BeginsWith(derived.name, "mpi"))
    PetscCall(ReplacePreallocation(A, derived));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The creator of the type at an index of the table.
template <std::size_t index>
PetscErrorCode MatCreate_Derived(Mat A)
{
  return CreateDerived(A, OfProcess<DerivedTypes>().types[index]);
}

template <std::size_t... indices>
constexpr std::array<Create, sizeof...(indices)> CreatorsOfDerived(std::index_sequence<indices...>)
{
  return {Entry<MatCreate_Derived<indices>>...};
}

/// aij -> derived. Otherwise PETSc's copy of A would become one of our types, by -mat_seqaij_type.
PetscErrorCode MatConvert_AIJ_Derived(Mat A, MatType type, MatReuse reuse, Mat *B)
{
  const bool mpi     = BeginsWith(((PetscObject)A)->type_name, "mpi");
  Derived   *derived = FindDerived(type, mpi ? "mpi" : "seq");

  PetscFunctionBegin;
  PetscCheck(derived && derived->convert, PetscObjectComm((PetscObject)A), PETSC_ERR_PLIB, "No conversion to type %s is known",
             type);
  if (reuse == MAT_REUSE_MATRIX) { // PETSc's conversion would create B again, without the values
    PetscCall(MatCopy(A, *B, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const WithoutCatchAll guard;
  PetscCall((*derived->convert)(A, type, reuse, B));
  if (!mpi) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(StripBlocks(*B));
  PetscCall(ReplacePreallocation(*B, *derived));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ReplaceConversionsToDerived(Mat A)
{
  char name[kNameLength];

  PetscFunctionBegin;
  for (Derived &derived : OfProcess<DerivedTypes>().types) {
    const char *const base    = ((PetscObject)A)->type_name;
    Convert           convert = nullptr;
    if (!derived.create || !BeginsWith(derived.name, base)) continue;
    PetscCall(PetscSNPrintf(name, sizeof(name), "MatConvert_%s_%s_C", base, derived.name));
    PetscCall(PetscObjectQueryFunction((PetscObject)A, name, &convert));
    if (!convert || convert == Entry<MatConvert_AIJ_Derived>) continue;
    derived.convert = convert;
    PetscCall(PetscObjectComposeFunction((PetscObject)A, name, Entry<MatConvert_AIJ_Derived>));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReplaceCreatorsOfDerived()
{
  constexpr std::size_t most     = std::tuple_size_v<decltype(DerivedTypes::types)>;
  static constexpr auto creators = CreatorsOfDerived(std::make_index_sequence<most>());
  auto                 &types    = OfProcess<DerivedTypes>().types;
  const char          **names    = nullptr;
  int                   count    = 0;

  PetscFunctionBegin;
  PetscCall(PetscFunctionListGet(MatList, &names, &count));
  PetscErrorCode ierr = PETSC_SUCCESS;
  for (int k = 0; k < count && !ierr; ++k) {
    const char *const name = names[k];
    if (!name || (!BeginsWith(name, MATSEQAIJ) && !BeginsWith(name, MATMPIAIJ))) continue;
    if (!name[std::strlen(MATSEQAIJ)] || FindType(name)) continue; // AIJ itself, and ours
    std::size_t index = 0;
    while (index < most && types[index].create && std::strcmp(types[index].name, name)) ++index;
    Create create = nullptr;
    if (index == most || std::strlen(name) >= sizeof(types[index].name)) {
      ierr = PetscInfo(
        NULL, "Type %s is not kept apart from those of -mat_seqaij_type: there are too many, or its name is too long\n", name);
      continue;
    }
    ierr = PetscFunctionListFind(MatList, name, &create);
    if (ierr || !create || create == creators[index]) continue;
    std::strcpy(types[index].name, name);
    types[index].create = create;
    ierr                = MatRegister(name, creators[index]);
  }
  static_cast<void>(PetscFree(names));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
