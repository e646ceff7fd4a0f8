// The shadow: what a matrix of our types has in its spptr. The AIJ arrays stay the matrix; its layouts hold the same entries again.
#pragma once

#include "mat/exec/array.hpp"
#include "mat/layout/layouts.hpp"
#include "mat/shadow/base.hpp"
#include "mat/sweeps/relaxation.hpp"

#include <array>
#include <memory>
#include <petscsf.h>

namespace petscspmv {

/// What stays with a matrix when a header merge takes away its data and, with them, its shadow.
struct Lasting {
  Mat                      owner;
  Settings                 settings;
  MatSpMVInfo              info{};
  std::unique_ptr<Chooser> chooser; // only while there is no shadow; otherwise its layouts have it
  std::unique_ptr<Lasting> next;    // in the list of those without a shadow

  Lasting(Mat A, const TypeInfo &type) : owner(A), settings(type) { }
};

struct Shadow {
  Mat                      owner; // a header merge or swap moves shadows between matrices
  std::unique_ptr<Lasting> lasting;

  Shadow(Mat A, const TypeInfo &type) : owner(A), lasting(std::make_unique<Lasting>(A, type)) { }
  virtual ~Shadow()                 = default;
  Shadow(const Shadow &)            = delete;
  Shadow &operator=(const Shadow &) = delete;

  Settings    &settings() { return lasting->settings; }
  MatSpMVInfo &info() { return lasting->info; }

  virtual void                      ForgetLayouts() = 0;
  virtual void                      ForgetMatrix() { ForgetLayouts(); } // the shadow now belongs to another matrix
  virtual std::unique_ptr<Chooser> *OwnChooser() { return nullptr; }
};

/// What a block remembers of a parallel matrix that uses it: the states of both when they were last compared.
struct Parent {
  PetscObjectId    id          = 0;
  PetscObjectState state       = -1;
  PetscObjectState block_state = -1;
};

struct SequentialShadow final : Shadow {
  OwnBytes                    own;
  Layouts                     layouts;
  std::unique_ptr<Layouts>    transposed;    // layouts of A^T, after its first product
  std::shared_ptr<SorLayouts> sor, node_sor; // made at the first MatSOR() by rows or nodes; relaxations under way hold them too
  PetscInt                    aijs_room = 0; // for the inverted blocks of nodes, in entries, since AIJ's first relaxation by nodes
  Vec                         added     = nullptr; // x of the last MatMultAdd(); not owned
  std::array<Parent, 2>       parents{};           // of a block: after MatGetMultiProcBlock() two matrices share it

  SequentialShadow(Mat A, const TypeInfo &type) : Shadow(A, type), layouts(lasting->settings, lasting->info, own) { }

  bool                      HasLayouts() const { return !layouts.slots.empty() || transposed || sor || node_sor; }
  double                    TransposedBytes() const { return transposed ? transposed->Bytes() : 0; }
  double                    SorBytes() const;       // of all that relaxation needs
  double                    SorLayoutBytes() const; // of layouts of triangles alone
  void                      ForgetLayouts() override;
  void                      ForgetMatrix() override;
  std::unique_ptr<Chooser> *OwnChooser() override { return &layouts.chooser; }
};

/// Has no layouts of its own: those of its blocks are used.
struct ParallelShadow final : Shadow {
  // Ghost rows of dense matrices, which the off-diagonal block multiplies with, and their communication.
  Array<PetscScalar> ghosts;
  PetscSF            ghost_rows  = nullptr;
  PetscObjectState   ghost_state = -1; // the matrix's nonzero state that ghost_rows belong to

  using Shadow::Shadow;
  ~ParallelShadow() override;

  void ForgetLayouts() override;
};

/// The shadow of a matrix of our types; created again if a header merge has lost it.
PetscErrorCode GetShadow(Mat A, Shadow **shadow);
PetscErrorCode GetShadow(Mat A, SequentialShadow **shadow);
PetscErrorCode GetShadow(Mat A, ParallelShadow **shadow);

/// Frees the shadow in the matrix's destroy method. MatHeaderMerge() also calls that method, before it gives the matrix the data of
/// another one: then Lasting is kept for the shadow that comes with those data.
PetscErrorCode DestroyShadow(Mat A);

const TypeInfo *TypeOf(Mat A);                           // null if shadow and type name are lost, as in a header merge
PetscErrorCode  NeedType(Mat A, const TypeInfo **type);  // by its name; an error if it is not one of ours
bool            IsShadowed(Mat A, const TypeInfo &type); // sequential, of that type
bool            IsOurs(Mat A);                           // of any of our types

/// Gives a matrix and its blocks other settings. If options differ, the layouts are forgotten.
PetscErrorCode SetSettings(Mat A, Shadow &shadow, const Settings &settings);
PetscErrorCode SetBlockSettings(Mat block, const Settings &settings); // for a block: the settings of its parallel matrix

/// MatDuplicate() of all our types, by which IsOurs() recognizes their matrices. A duplicate has the same settings.
PetscErrorCode MatDuplicate_AIJShadow(Mat A, MatDuplicateOption op, Mat *B);

/// Makes a plain matrix one of our types, or the reverse: shadow, composed functions and name change together, or not at all.
using Compose = PetscErrorCode(Mat A, const TypeInfo &type, bool add);
PetscErrorCode Attach(Mat A, const TypeInfo &type, const char *name, Compose *compose);
PetscErrorCode Detach(Mat A, const TypeInfo *type, const Base &base, const struct _MatOps &own, Compose *compose);

} // namespace petscspmv
