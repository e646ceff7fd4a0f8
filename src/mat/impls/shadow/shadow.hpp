// A matrix derived from MATAIJ that keeps a second layout of its entries, its shadow, and does its
// products with that. Everything in this folder is about being so derived and knows no format.
#pragma once

#include "mat/exec/device.hpp"
#include "mat/format/format.hpp"
#include "mat/impls/shadow/choose_target.hpp"
#include "mat/impls/shadow/chooser.hpp"
#include "mat/impls/shadow/compat.hpp"
#include "mat/impls/shadow/made.hpp"
#include "mat/impls/shadow/transpose.hpp"
#include "petscspmv.h"

#include <cstddef>
#include <memory>
#include <petscsf.h>
#include <span>
#include <utility>
#include <vector>

namespace petscspmv {

#if defined(PETSC_USE_COMPLEX)
static_assert(
  !kHasDevice,
  "With a Kokkos for GPUs a PETSc of real numbers is needed: complex ones are of Thrust's type there, which kernels do not know");
#endif
#if !PETSC_VERSION_GE(3, 20, 0)
static_assert(!kHasDevice, "With a Kokkos for GPUs a PETSc is needed that gives its stream away: 3.20 or later");
#endif

/// What a derived matrix has in its spptr. In a parallel matrix only type, options, eager, transpose_by
/// count, mpimult, and the states: its blocks have the layouts, and those that choose.
struct Shadow {
  Mat                     owner; // a header merge or swap moves shadows between matrices
  const TypeInfo         *type;
  OptionValues            options;
  OptionValues            chosen; // the defaults, or what setters have said: what the database starts from
  PetscBool               eager        = PETSC_FALSE;
  MatSpMVTranspose        transpose_by = MAT_SPMV_TRANSPOSE_AUTO;
  std::vector<MadeLayout> layouts; // from NeedLayouts() on: of the type's format, by Place, or those that are chosen from
  std::size_t             in_use          = 0;       // of them, in the last product that was none of AIJ's
  Vec                     added           = nullptr; // x of the last product added to something; not ours
  PetscInt                nonempty_rows   = 0;
  PetscObjectState        state           = -1;       // of a parallel matrix at its last product,
  PetscObjectState        block_states[2] = {-1, -1}; // and of its blocks
  MatSpMVInfo             info{};

  // Of a parallel matrix: rows of dense matrices that its off-diagonal blocks multiply with, and where they come from.
  Array<PetscScalar> ghosts;
  PetscSF            ghost_rows  = nullptr;
  PetscObjectState   ghost_state = -1; // the matrix' nonzero state then

  std::unique_ptr<Chooser>         chooser;   // where the type has no format of its own
  std::unique_ptr<Shadow>          transpose; // of a sequential matrix, from its first product with A^T on: with layouts of that
  std::unique_ptr<TransposeSource> source;    // of such a shadow: what they are made from

  Shadow(Mat owner, const TypeInfo &type);
  ~Shadow();
  Shadow(const Shadow &)            = delete;
  Shadow &operator=(const Shadow &) = delete;

  PetscErrorCode NeedLayouts();
  void           ForgetLayouts();
  MadeLayout    &Made() { return layouts[in_use]; }
  double         Bytes() const; // of all, those of A^T apart
  double         TransposeBytes() const;
};

inline constexpr std::size_t kMostFormats = 32;

/// The formats registered, the one of a type (null: it has none of its own), and the type that a name (alias, root, sequential or
/// parallel) means.
std::span<const PetscFormat *const> Formats();
const PetscFormat                  *FormatOf(const TypeInfo &type);
const TypeInfo                     *FindType(const char *type_name);
PetscErrorCode RegisterFormat(const PetscFormat &format, PetscErrorCode (*create_seq)(Mat), PetscErrorCode (*create_mpi)(Mat));
std::unique_ptr<Chooser> MakeChooserOf(const TypeInfo &type); // null where it has a format of its own
PetscErrorCode           RegisterType(const TypeInfo &type, PetscErrorCode (*create_seq)(Mat), PetscErrorCode (*create_mpi)(Mat),
                                      MakeChooser     make_chooser);
PetscErrorCode           FinalizeFormats();

/// Gives a matrix a shadow of its own, with the options of the database.
PetscErrorCode AttachShadow(Mat A, const TypeInfo &type);

/// The shadow of a derived matrix; made anew where a header merge has lost it.
PetscErrorCode GetShadow(Mat A, Shadow **shadow);

/// Frees the shadow in the matrix' destroy method. MatHeaderMerge() calls that as well, to fill the
/// matrix with another one's data: the settings are kept then for the shadow that comes with these.
PetscErrorCode  DestroyShadow(Mat A);
bool            IsLast(Mat A); // it is that method of MatDestroy(): all that is composed with the matrix goes with it
void            ForgetOrphans();
const TypeInfo *TypeOf(Mat A);                           // null where shadow and type name are lost, as in a header merge
bool            IsShadowed(Mat A, const TypeInfo &type); // sequential, of that format

/// Builds the layout in use of a sequential matrix, or renews its values, unless it is current. A shadow of A^T takes A too.
PetscErrorCode MakeCurrent(Mat A, Shadow &shadow);
PetscErrorCode MakeCurrentIfItFits(Mat A, Shadow &shadow, bool *made); // not if there is no memory for it: AIJ goes on then

/// What does a product with a sequential matrix: AIJ, or the layout in use of a shadow, which is current. If a chooser decided
/// that, it is to be told of the end.
struct Product {
  Shadow  *shadow  = nullptr;
  bool     by_aij  = false;
  Chooser *chooser = nullptr;
};
PetscErrorCode BeginProduct(Mat A, Op op, Place place, PetscInt vectors, Product *product);
PetscErrorCode BeginTranspose(Mat A, Shadow &shadow, Place place, PetscInt vectors, Product *product); // the shadow of A

/// How the kernels of a current shadow run: by the process' settings and what its products have found out, on PETSc's stream, in
/// the workspace of its layout.
Execution ExecutionOf(Shadow &shadow);

/// The product with the layout of a current shadow, where its last one was to be.
PetscErrorCode ApplyLayout(Shadow &shadow, Op op, bool add, const PetscScalar *x, PetscScalar *y);

/// Makes the layout in the matrix' assemblyend method, for -mat_<type>_eager. The first product renews
/// its values all the same: PETSc raises the state only after that method, and its matrix products and
/// submatrices write values later still.
PetscErrorCode MakeLayoutAtAssembly(Mat A);

/// Options (options.cpp).
PetscErrorCode ReadOptions(Mat A, Shadow &shadow);
PetscErrorCode SetOptions(Mat A, Shadow &shadow, const OptionValues &options);

/// The sequential type (seq.cpp) and the parallel one (mpi.cpp).
PetscErrorCode MatCreate_SeqAIJShadow(Mat A, const TypeInfo &type);
PetscErrorCode MatCreate_MPIAIJShadow(Mat A, const TypeInfo &type);
PetscErrorCode AdoptSeqAIJ(Mat A, const TypeInfo &type); // in place; A is any AIJ-derived
PetscErrorCode AdoptMPIAIJ(Mat A, const TypeInfo &type);
PetscErrorCode StripSeqAIJ(Mat A); // in place, back to MATSEQAIJ
PetscErrorCode StripMPIAIJ(Mat A);

/// Methods of both (methods.cpp).
PetscErrorCode MatDuplicate_AIJShadow(Mat A, MatDuplicateOption op, Mat *B);
PetscErrorCode MatView_AIJShadow(Mat A, PetscViewer viewer);
PetscErrorCode MatSetFromOptions_AIJShadow(Mat A, OptionItems items);

/// Gives the blocks of a parallel matrix the sequential type where that is still to be done. At the end of
/// assembly, and again before each product: preallocation anew, COO and hash assembly put plain ones in place.
PetscErrorCode ConvertBlocks(Mat A, Mat blocks[2]);

/// Before a product: tells the blocks of changes told to the whole matrix alone.
PetscErrorCode PrepareBlocks(Mat A);

/// The sequential matrices of a type behind A: itself, or its two blocks.
PetscErrorCode BlocksOf(Mat A, const TypeInfo &type, std::vector<Mat> &blocks);

/// MatView's lines (view.cpp).
PetscErrorCode ViewShadow(Mat A, PetscViewer viewer);

/// Names of types and of composed functions are put together in place: that needs no memory.
inline constexpr std::size_t kNameLength = 256;

/// Gives a matrix the name of another type, unless there is no memory for it: PetscObjectChangeTypeName() frees the old one first.
PetscErrorCode ChangeTypeName(Mat A, const char *name);
PetscErrorCode TakeTypeName(Mat A, char *name); // one that PETSc has allocated

/// While one lives, a matrix (null: none) has the name of MATSEQAIJ for functions of PETSc that ask for it.
class PassesForSeqAIJ {
public:
  explicit PassesForSeqAIJ(Mat A) : A_(A)
  {
    if (A_) std::swap(((PetscObject)A_)->type_name, name_);
  }
  ~PassesForSeqAIJ()
  {
    if (A_) std::swap(((PetscObject)A_)->type_name, name_);
  }
  PassesForSeqAIJ(const PassesForSeqAIJ &)            = delete;
  PassesForSeqAIJ &operator=(const PassesForSeqAIJ &) = delete;

private:
  Mat   A_;
  char  seqaij_[sizeof(MATSEQAIJ)] = MATSEQAIJ;
  char *name_                      = seqaij_;
};

/// What MATSEQAIJ and MATMPIAIJ themselves do: their methods, taken from a matrix nobody has touched.
struct Base {
  MatType        name;
  bool           parallel;
  struct _MatOps ops;
  PetscErrorCode (*retrieve)(Mat);                   // MatRetrieveValues_C
  PetscErrorCode (*kron)(Mat, Mat, MatReuse, Mat *); // MatSeqAIJKron_C
  PetscErrorCode (*columns)(Mat, PetscInt *);        // MatSeqAIJSetColumnIndices_C
};
PetscErrorCode GetSeqBase(const Base **base);
PetscErrorCode GetMPIBase(const Base **base);
PetscErrorCode GetBaseOf(Mat A, const Base **base);
void           ResetMethods(struct _MatOps &ops, const struct _MatOps &own, const struct _MatOps &base); // what own has of its own

/// While one lives, -mat_seqaij_type leaves matrices alone: MatSetType() to MATSEQAIJ makes just that.
class WithoutCatchAll {
public:
  WithoutCatchAll() { ++living; }
  ~WithoutCatchAll() { --living; }
  WithoutCatchAll(const WithoutCatchAll &)            = delete;
  WithoutCatchAll &operator=(const WithoutCatchAll &) = delete;
  static bool      Any() { return living > 0; }

private:
  static int living;
};

/// Composed functions: conversions (convert.cpp) and products (product.cpp). With add they are
/// composed with A, without they are taken off.
PetscErrorCode ComposeByNames(Mat A, const TypeInfo &type, const Base &base, bool add);
PetscErrorCode ComposeSeqAIJMethods(Mat A, const TypeInfo &type, bool add); // all of the type
PetscErrorCode ComposeMPIAIJMethods(Mat A, const TypeInfo &type, bool add);
PetscErrorCode MatProductSetFromOptions_Shadow(Mat C);

/// Makes a plain matrix one of a type, or one of a type plain: shadow, composed functions and name, all or none of them.
using Compose = PetscErrorCode(Mat A, const TypeInfo &type, bool add);
PetscErrorCode Attach(Mat A, const TypeInfo &type, const char *name, Compose *compose);
PetscErrorCode Detach(Mat A, const TypeInfo *type, const Base &base, const struct _MatOps &own, Compose *compose);

PetscErrorCode MultiplyByLayout(Mat C); // a product with a dense matrix, which PETSc has prepared (many.cpp)
PetscErrorCode MatConvert_Any_Shadow(Mat A, MatType type, MatReuse reuse, Mat *B);
PetscErrorCode MatConvert_Shadow_Any(Mat A, MatType type, MatReuse reuse, Mat *B);
PetscErrorCode MatConvert_SeqAIJ_SeqAIJShadow(Mat A, MatType type, MatReuse reuse, Mat *B);

/// Counts of the whole process (statistics.cpp).
enum class Count {
  Mult,
  MultAdd,
  MultTranspose,
  MPIMult,
  Build,
  Refresh,
  OnDevice, // products that were there
  ByAij,    // of matrices whose type may choose that
  Trial,    // of ways, decided
  OtherWay, // than by the process' settings, decided
  MatMult,  // products with dense matrices by layouts
};
void           AddCount(Shadow &shadow, Count count, bool by_aij = false);
void           AddGain(Shadow &shadow, double gained, double spent); // seconds, by what a chooser has chosen
bool           Auditing();
PetscErrorCode StartStatistics();
PetscErrorCode FinishStatistics();

} // namespace petscspmv
