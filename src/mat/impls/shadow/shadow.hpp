// A matrix derived from MATAIJ that keeps a second layout of its entries, its shadow, and does its
// products with that. Everything in this folder is about being so derived and knows no format.
#pragma once

#include "mat/exec/device.hpp"
#include "mat/format/format.hpp"
#include "mat/impls/shadow/choose_target.hpp"
#include "mat/impls/shadow/chooser.hpp"
#include "mat/impls/shadow/compat.hpp"
#include "mat/impls/shadow/made.hpp"
#include "petscspmv.h"

#include <cstddef>
#include <memory>
#include <span>
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

/// What a derived matrix has in its spptr. In a parallel matrix only type, options and eager
/// count, mpimult, and the states: its blocks have the layouts, and those that choose.
struct Shadow {
  Mat                     owner; // a header merge or swap moves shadows between matrices
  const TypeInfo         *type;
  OptionValues            options;
  OptionValues            chosen; // the defaults, or what setters have said: what the database starts from
  PetscBool               eager = PETSC_FALSE;
  std::vector<MadeLayout> layouts; // from NeedLayouts() on: of the type's format, by Place, or those that are chosen from
  std::size_t             in_use          = 0;       // of them, in the last product that was none of AIJ's
  Vec                     added           = nullptr; // x of the last product added to something; not ours
  PetscInt                nonempty_rows   = 0;
  PetscObjectState        state           = -1;       // of a parallel matrix at its last product,
  PetscObjectState        block_states[2] = {-1, -1}; // and of its blocks
  MatSpMVInfo             info{};

  std::unique_ptr<Chooser> chooser; // where the type has no format of its own

  Shadow(Mat owner, const TypeInfo &type);

  PetscErrorCode NeedLayouts();
  void           ForgetLayouts();
  MadeLayout    &Made() { return layouts[in_use]; }
  double         Bytes() const; // of all
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

/// Builds the layout in use of a sequential matrix, or renews its values, unless it is current.
PetscErrorCode MakeCurrent(Mat A, Shadow &shadow);

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

/// The sequential matrices of a type behind A: itself, or its two blocks.
PetscErrorCode BlocksOf(Mat A, const TypeInfo &type, std::vector<Mat> &blocks);

/// MatView's lines (view.cpp).
PetscErrorCode ViewShadow(Mat A, PetscViewer viewer);

/// What MATSEQAIJ and MATMPIAIJ themselves do: their methods, taken from a matrix nobody has touched.
struct Base {
  MatType        name;
  const char    *prefix; // of type names
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
};
void           AddCount(Shadow &shadow, Count count, bool by_aij = false);
void           AddGain(Shadow &shadow, double gained, double spent); // seconds, by what a chooser has chosen
bool           Auditing();
PetscErrorCode StartStatistics();
PetscErrorCode FinishStatistics();

} // namespace petscspmv
