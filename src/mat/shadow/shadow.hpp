// A matrix derived from MATAIJ that keeps a second layout of its entries, its shadow, and uses it for its products. This folder
// implements the derivation and is independent of formats.
#pragma once

#include "mat/exec/device.hpp"
#include "mat/format/format.hpp"
#include "mat/layout/chooser.hpp"
#include "mat/layout/made.hpp"
#include "mat/layout/transpose.hpp"
#include "mat/tuning/choose_target.hpp"
#include "petsc/compat.hpp"
#include "petscspmv.h"

#include <array>
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
  "Kokkos for GPUs needs a PETSc with real scalars: complex ones are of Thrust's type there, which kernels do not support");
#endif
#if !PETSC_VERSION_GE(3, 20, 0)
static_assert(!kHasDevice, "Kokkos for GPUs needs a PETSc that exports its stream: 3.20 or later");
#endif

/// What a block remembers of a parallel matrix that uses it: both states at that time.
struct Parent {
  PetscObjectId    id          = 0;
  PetscObjectState state       = -1;
  PetscObjectState block_state = -1;
};

/// The contents of a derived matrix's spptr. In a parallel matrix only type, options, eager, transpose_by and mpimult are used: its
/// blocks have the layouts and choosers.
struct Shadow {
  Mat                     owner; // a header merge or swap moves shadows between matrices
  const TypeInfo         *type;
  OptionValues            options;
  OptionValues            chosen; // the defaults or the values from setters: what the options database starts from
  PetscBool               eager        = PETSC_FALSE;
  MatSpMVTranspose        transpose_by = MAT_SPMV_TRANSPOSE_AUTO;
  std::vector<MadeLayout> layouts;           // after NeedLayouts(): of the type's format, by Place, or those that are chosen from
  std::size_t             in_use        = 0; // index of the layout of the last product not done by AIJ
  Vec                     added         = nullptr; // x of the last MatMultAdd(); not owned
  PetscInt                nonempty_rows = 0;
  std::array<Parent, 2>   parents{}; // of a block: MatGetMultiProcBlock() makes two matrices share one
  MatSpMVInfo             info{};

  // In a parallel matrix: ghost rows of dense matrices, multiplied by its off-diagonal block, and their communication.
  Array<PetscScalar> ghosts;
  PetscSF            ghost_rows  = nullptr;
  PetscObjectState   ghost_state = -1; // the matrix's nonzero state at that time

  std::unique_ptr<Chooser>         chooser;           // if the type has no format of its own
  bool                             measuring = false; // a product that it has chosen is under way
  int                              under_way = 0;     // products that have a layout
  std::unique_ptr<Shadow>          transpose;   // of a sequential matrix, after its first product with A^T: has layouts of A^T
  std::unique_ptr<TransposeSource> source;      // of such a shadow: what its layouts are made from
  std::unique_ptr<Shadow>          next_orphan; // of those that header merges have left without a matrix

  Shadow(Mat owner, const TypeInfo &type);
  ~Shadow();
  Shadow(const Shadow &)            = delete;
  Shadow &operator=(const Shadow &) = delete;

  PetscErrorCode NeedLayouts();
  void           ForgetOwnLayouts(); // all except those of A^T
  void           ForgetLayouts();
  MadeLayout    &Made() { return layouts[in_use]; }
  double         Bytes() const; // of all layouts except those of A^T
  double         TransposeBytes() const;
};

inline constexpr std::size_t kMostTypes = 32;

/// The registered formats, the format of a type (null: it has none of its own), and the type of a name (alias, root, sequential or
/// parallel).
std::span<const PetscFormat *const> Formats();
std::span<const TypeInfo *const>    Types(); // of the formats, and further ones
const PetscFormat                  *FormatOf(const TypeInfo &type);
const TypeInfo                     *FindType(const char *type_name);
PetscErrorCode RegisterFormat(const PetscFormat &format, PetscErrorCode (*create_seq)(Mat), PetscErrorCode (*create_mpi)(Mat));
std::unique_ptr<Chooser> MakeChooserOf(const TypeInfo &type); // null if it has a format of its own
PetscErrorCode           RegisterType(const TypeInfo &type, PetscErrorCode (*create_seq)(Mat), PetscErrorCode (*create_mpi)(Mat),
                                      MakeChooser     make_chooser);

/// Gives a matrix a shadow of its own, with options from the database.
PetscErrorCode AttachShadow(Mat A, const TypeInfo &type);

/// The shadow of a derived matrix; created again if a header merge has lost it.
PetscErrorCode GetShadow(Mat A, Shadow **shadow);

/// Frees the shadow in the matrix's destroy method. MatHeaderMerge() also calls that method, to refill the matrix with another
/// one's data: then the settings are kept for the shadow that comes with these data.
PetscErrorCode  DestroyShadow(Mat A);
bool            IsLast(Mat A); // called by MatDestroy() or MatHeaderMerge(), which remove everything composed themselves
const TypeInfo *TypeOf(Mat A); // null if shadow and type name are lost, as in a header merge
PetscErrorCode  NeedType(Mat A, const TypeInfo **type);  // by its name; an error if it is not one of ours
bool            IsShadowed(Mat A, const TypeInfo &type); // sequential, of that format
bool            IsOurs(Mat A);                           // of any of our types

/// Builds the layout in use of a sequential matrix, or refreshes its values, unless it is current. A shadow of A^T also takes A.
/// The caller holds the lock (exec/session.hpp), also for counts.
PetscErrorCode MakeCurrent(Mat A, Shadow &shadow);
PetscErrorCode MakeCurrentIfItFits(Mat A, Shadow &shadow, bool *made); // falls back to AIJ if there is no memory for it

/// How the kernels of the layout in use run: by the settings of the process and the findings of its products, on PETSc's stream.
Execution ExecutionOf(Shadow &shadow);

/// Builds the layout in the matrix's assemblyend method, for -mat_<type>_eager, if there is memory for it. The first product still
/// refreshes its values: PETSc increases the state only after that method, and its matrix products and submatrices write values
/// later still.
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

/// Converts the blocks of a parallel matrix to the sequential type where needed. Called at the end of assembly and before each
/// product: repeated preallocation, COO and hash assembly create plain blocks.
PetscErrorCode ConvertBlocks(Mat A, Mat blocks[2]);

/// Called before a product of a parallel matrix, of our type or PETSc's: reports to blocks of our types changes that were reported
/// to the parallel matrix only.
PetscErrorCode PrepareBlocks(Mat A);

/// The methods of parallel matrices that use their blocks (parallel.cpp), which MATMPIAIJ itself also gets (watch.cpp), and what
/// MATSEQAIJ itself gets.
void           SetParallelMethods(struct _MatOps &ops);
PetscErrorCode WatchMPIAIJ(Mat A);
PetscErrorCode WatchSeqAIJ(Mat A);
PetscErrorCode CreateUnwatched(Mat A, MatType base);
PetscErrorCode RegisterWatch(); // for all matrices that are made from now on

/// PETSc's own types derived from AIJ (derived.cpp): their creators, and the conversions of a plain matrix to them.
PetscErrorCode ReplaceCreatorsOfDerived();
PetscErrorCode ReplaceConversionsToDerived(Mat A);

/// The sequential matrices of a type behind A: A itself, or its two blocks.
PetscErrorCode BlocksOf(Mat A, const TypeInfo &type, std::vector<Mat> &blocks);

/// MatView's lines (view.cpp).
PetscErrorCode ViewShadow(Mat A, PetscViewer viewer);

/// Names of types and of composed functions are built on the stack, which cannot fail.
inline constexpr std::size_t kNameLength = 256;

/// Changes a matrix's type name, or leaves it if memory is short: PetscObjectChangeTypeName() frees the old name first.
PetscErrorCode ChangeTypeName(Mat A, const char *name);
PetscErrorCode TakeTypeName(Mat A, char *name); // a name that PETSc has allocated

/// The methods of MATSEQAIJ and MATMPIAIJ themselves, taken from a pristine matrix.
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
void           ResetMethods(struct _MatOps &ops, const struct _MatOps &own, const struct _MatOps &base); // where own differs

/// While it lives, -mat_seqaij_type has no effect if it names one of our types: MatSetType() to MATSEQAIJ makes exactly that.
class WithoutCatchAll {
public:
  WithoutCatchAll() { ++living; }
  ~WithoutCatchAll() { --living; }
  WithoutCatchAll(const WithoutCatchAll &)            = delete;
  WithoutCatchAll &operator=(const WithoutCatchAll &) = delete;
  static bool      Any() { return living > 0; }

private:
  static thread_local int living;
};

/// A matrix that was preallocated before it gets its type keeps its preallocation (preallocated.cpp).
void           KeepWhatIsPreallocated(Mat A, bool mpi);       // of a plain matrix, from now on
PetscErrorCode DestroyBase(Mat A, const Base &base);          // for its destroy method
PetscErrorCode MatSetTypeAsPreallocated(Mat A, MatType base); // MatSetType() in the creator of a type
PetscErrorCode GiveUpPreallocated(Mat A);                     // what is kept for another matrix than A
PetscErrorCode ForgetPreallocated();
PetscErrorCode CheckPreallocated(Mat A);

/// Composed functions: conversions (convert.cpp) and products (product.cpp). With add they are composed with A, otherwise removed.
PetscErrorCode ComposeByNames(Mat A, const TypeInfo &type, const Base &base, bool add);
PetscErrorCode ComposeSeqAIJMethods(Mat A, const TypeInfo &type, bool add); // all of the type
PetscErrorCode ComposeMPIAIJMethods(Mat A, const TypeInfo &type, bool add);
PetscErrorCode MatProductSetFromOptions_Shadow(Mat C);

/// Makes a plain matrix one of a type, or the reverse: shadow, composed functions and name, all or none of them.
using Compose = PetscErrorCode(Mat A, const TypeInfo &type, bool add);
PetscErrorCode Attach(Mat A, const TypeInfo &type, const char *name, Compose *compose);
PetscErrorCode Detach(Mat A, const TypeInfo *type, const Base &base, const struct _MatOps &own, Compose *compose);

PetscErrorCode MultiplyByLayout(Mat C); // a product with a dense matrix, prepared by PETSc (many.cpp)
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
  OnDevice, // products on the device
  ByAij,    // products by AIJ of matrices whose type may choose it
  Trial,    // trials of variants that are decided
  OtherWay, // decided for another variant than the settings of the process
  MatMult,  // products with dense matrices by layouts
};
void           AddCount(Shadow &shadow, Count count);
void           AddGain(Shadow &shadow, double gained, double spent); // seconds, by a chooser's choices
bool           Auditing();
PetscErrorCode StartStatistics();
PetscErrorCode FinishStatistics();
PetscErrorCode CloseView();

} // namespace petscspmv
