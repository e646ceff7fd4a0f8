#include "mat/aij/convert.hpp"

#include "mat/products/mat_product.hpp"
#include "mat/shadow/adopt.hpp"
#include "mat/shadow/blocks.hpp"
#include "mat/shadow/shadow.hpp"
#include "petsc/fixed_string.hpp"
#include "petsc/guard.hpp"

#include <cstring>

namespace petscspmv {

namespace {

bool IsMPI(Mat A)
{
  return !std::strncmp(((PetscObject)A)->type_name, "mpi", 3);
}

PetscErrorCode Adopt(Mat A, const TypeInfo &type)
{
  PetscFunctionBegin;
  if (IsMPI(A)) PetscCall(AdoptMPIAIJ(A, type));
  else PetscCall(AdoptSeqAIJ(A, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindTypeOrFail(Mat A, MatType name, const TypeInfo **type)
{
  PetscFunctionBegin;
  *type = FindType(name);
  PetscCheck(*type, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_UNKNOWN_TYPE, "%s is not one of PetscSpMV's matrix types", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Sets *B to the matrix that a conversion changes in place: A itself or a copy. With MAT_REUSE_MATRIX, *B exists and only gets the
/// values of A; then the conversion is *done.
PetscErrorCode BeginConversion(Mat A, MatReuse reuse, Mat *B, bool *done)
{
  PetscFunctionBegin;
  *done = reuse == MAT_REUSE_MATRIX;
  if (reuse == MAT_REUSE_MATRIX) PetscCall(MatCopy(A, *B, SAME_NONZERO_PATTERN));
  else if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, B));
  else *B = A;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Ends a conversion: after an error the new matrix is destroyed.
PetscErrorCode EndConversion(PetscErrorCode ierr, MatReuse reuse, Mat *B)
{
  PetscFunctionBegin;
  if (ierr && reuse == MAT_INITIAL_MATRIX) {
    static_cast<void>(MatDestroy(B));
    *B = nullptr; // MatDestroy() may fail before it does this, if memory is short
  }
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// aij -> derived
PetscErrorCode MatConvert_AIJ_Shadow(Mat A, MatType name, MatReuse reuse, Mat *B)
{
  const TypeInfo *type;
  bool            done;

  PetscFunctionBegin;
  PetscCall(FindTypeOrFail(A, name, &type));
  PetscCall(BeginConversion(A, reuse, B, &done));
  if (!done) PetscCall(EndConversion(Adopt(*B, *type), reuse, B));
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(EndConversion(NoteNodes(*B, *type), reuse, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// derived -> aij
PetscErrorCode MatConvert_Shadow_AIJ(Mat A, MatType, MatReuse reuse, Mat *B)
{
  bool done;

  PetscFunctionBegin;
  PetscCall(BeginConversion(A, reuse, B, &done));
  if (!done) PetscCall(EndConversion(IsMPI(*B) ? StripMPIAIJ(*B) : StripSeqAIJ(*B), reuse, B));
  if (!done && IsMPI(*B)) PetscCall(EndConversion(GiveBlocksTypeOfOption(*B), reuse, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// derived -> itself; with MAT_REUSE_MATRIX also to another of our types
PetscErrorCode MatConvert_Shadow_Shadow(Mat A, MatType, MatReuse reuse, Mat *B)
{
  bool done;

  PetscFunctionBegin;
  PetscCall(BeginConversion(A, reuse, B, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// derived -> a type that AIJ has no converter for, or another type derived from AIJ, whose converter would mix its methods with
/// ours: converts to AIJ first
PetscErrorCode MatConvert_Shadow_ByAIJ(Mat A, MatType type, MatReuse reuse, Mat *B)
{
  Mat T;

  PetscFunctionBegin;
  if (reuse == MAT_INPLACE_MATRIX) {
    PetscCall(MatConvert_Shadow_AIJ(A, MATAIJ, MAT_INPLACE_MATRIX, B));
    PetscCall(MatConvert(*B, type, MAT_INPLACE_MATRIX, B));
  } else {
    PetscCall(MatConvert_Shadow_AIJ(A, MATAIJ, MAT_INITIAL_MATRIX, &T));
    if (reuse == MAT_INITIAL_MATRIX) {
      PetscCall(EndConversion(MatConvert(T, type, MAT_INPLACE_MATRIX, &T), reuse, &T));
      *B = T;
    } else {
      PetscCall(EndConversion(MatConvert(T, type, reuse, B), MAT_INITIAL_MATRIX, &T));
      PetscCall(MatDestroy(&T));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

using Converter = PetscErrorCode (*)(Mat, MatType, MatReuse, Mat *);

/// Composes `converter` with A, or removes it, as the conversion from type `from` to type `to`.
PetscErrorCode ComposeConverter(Mat A, const char *from, const char *to, bool add, Converter converter)
{
  const auto name = FixedString::Of({"MatConvert_", from, "_", to, "_C"});

  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction((PetscObject)A, name.c_str(), add ? converter : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ComposeByNames(Mat A, const TypeInfo &type, const Base &base, bool add)
{
  const char *derived = (base.parallel ? type.mpi : type.seq).c_str();

  PetscFunctionBegin;
  PetscCall(ComposeConverter(A, derived, base.name, add, Entry<MatConvert_Shadow_AIJ>));
  PetscCall(ComposeConverter(A, derived, type.alias, add, Entry<MatConvert_Shadow_Shadow>));
  PetscCall(
    ComposeConverter(A, derived, derived, add, Entry<MatConvert_Shadow_Shadow>)); // or PETSc creates a matrix just to query it
  PetscCall(ComposeConverter(A, base.name, derived, add, Entry<MatConvert_AIJ_Shadow>));
  PetscCall(ComposeConverter(A, base.name, type.alias, add, Entry<MatConvert_AIJ_Shadow>));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatProductSetFromOptions_anytype_C",
                                       add ? Entry<MatProductSetFromOptions_Shadow> : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// derived -> any type that no converter from our types is composed for: by AIJ's converter, unless the new type is derived from
/// AIJ, that is, its name begins with AIJ's
PetscErrorCode MatConvert_Shadow_Any(Mat A, MatType type, MatReuse reuse, Mat *B)
{
  Shadow     *shadow;
  const Base *base;
  Converter   converter = nullptr;
  PetscBool   derived;
  char        target[kNameLength], name[kNameLength];

  PetscFunctionBegin;
  PetscCall(GetShadow(A, &shadow)); // ends what is kept of A since a header merge: a conversion in place would not
  PetscCall(GetBaseOf(A, &base));
  for (const char *prefix : {"seq", "mpi", ""}) {
    PetscCall(PetscSNPrintf(target, sizeof(target), "%s%s", prefix, type));
    PetscCall(PetscStrbeginswith(target, base->name, &derived));
    if (converter || derived) continue;
    PetscCall(PetscSNPrintf(name, sizeof(name), "MatConvert_%s_%s_C", base->name, target));
    PetscCall(PetscObjectQueryFunction((PetscObject)A, name, &converter));
  }
  PetscCall(converter ? (*converter)(A, type, reuse, B) : MatConvert_Shadow_ByAIJ(A, type, reuse, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Registered with MatSeqAIJRegister(), called for -mat_seqaij_type. The result must not have our `convertfrom`: MatConvert() to
/// MATAIJ creates such a matrix and calls that method, which would call MatConvert() to MATAIJ again.
PetscErrorCode MatConvert_SeqAIJ_SeqAIJShadow(Mat A, MatType type, MatReuse reuse, Mat *B)
{
  PetscFunctionBegin;
  if (WithoutCatchAll::Any()) *B = A;
  else PetscCall(MatConvert_AIJ_Shadow(A, type, reuse, B));
  (*B)->ops->convertfrom = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MatConvert() to AIJ, called a second time if the first ends at another type: MATSCALAPACK becomes dense whatever type is
/// requested. Our own types do without MatConvert(), which -matconvert_type might redirect.
static PetscErrorCode ToAIJ(Mat A, MatReuse reuse, Mat *B)
{
  PetscBool aij;

  PetscFunctionBegin;
  if (FindType(((PetscObject)A)->type_name)) {
    PetscCall(MatConvert_Shadow_AIJ(A, MATAIJ, reuse, B));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatConvert(A, MATAIJ, reuse, B));
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)*B, &aij, MATSEQAIJ, MATMPIAIJ, ""));
  if (!aij) PetscCall(MatConvert(*B, MATAIJ, MAT_INPLACE_MATRIX, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Marks a matrix as being converted, to detect endless recursion. Conversions of other matrices may nest inside.
class Converting {
public:
  explicit Converting(Mat A) : A_(A), outer_(innermost) { innermost = this; }
  ~Converting() { innermost = outer_; }
  Converting(const Converting &)            = delete;
  Converting &operator=(const Converting &) = delete;
  static bool IsUnderWay(Mat A)
  {
    for (const Converting *c = innermost; c; c = c->outer_) {
      if (c->A_ == A) return true;
    }
    return false;
  }

private:
  static inline thread_local const Converting *innermost = nullptr;

  Mat               A_;
  const Converting *outer_;
};

/// any type -> derived, converted to AIJ first
PetscErrorCode MatConvert_Any_Shadow(Mat A, MatType name, MatReuse reuse, Mat *B)
{
  const TypeInfo *type;

  PetscFunctionBegin;
  PetscCheck(!Converting::IsUnderWay(A), PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "Cannot convert a matrix of type %s to %s while -matconvert_type redirects its conversion to aij",
             ((PetscObject)A)->type_name, name);
  PetscCall(FindTypeOrFail(A, name, &type));
  if (reuse == MAT_REUSE_MATRIX && FindType(((PetscObject)A)->type_name)) { // with its pattern *B keeps all that is set of it
    PetscCall(MatConvert_Shadow_Shadow(A, name, reuse, B));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  Mat T = A;
  {
    const Converting now(A);
    PetscCall(ToAIJ(A, reuse == MAT_INPLACE_MATRIX ? MAT_INPLACE_MATRIX : MAT_INITIAL_MATRIX, &T));
  }
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(EndConversion(MatCopy(T, *B, DIFFERENT_NONZERO_PATTERN), MAT_INITIAL_MATRIX, &T));
    PetscCall(MatDestroy(&T));
  } else {
    PetscCall(EndConversion(Adopt(T, *type), reuse, &T));
    *B = T;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
