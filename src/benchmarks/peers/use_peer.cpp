#include "benchmarks/peers/use_peer.hpp"

#include "benchmarks/peers/peer.hpp"
#include "petsc/success.hpp"

#include <algorithm>
#include <petsc/private/petscimpl.h> // PetscObjectStateGet()
#include <stdexcept>

namespace petscspmv::benchmarks {

namespace {

constexpr const char *kAttached = "spmvbench_peer";

const std::map<std::string, std::unique_ptr<Peer> (*)()> kOpeners{{"mkl", OpenMkl}, {"librsb", OpenLibrsb}};

/// Those that have been opened. Never destroyed: matrices refer to them.
std::map<std::string, std::unique_ptr<Peer>> &Opened()
{
  static auto *opened = new std::map<std::string, std::unique_ptr<Peer>>;
  return *opened;
}

/// What is attached to a matrix.
struct Attached {
  std::unique_ptr<PeerMatrix> matrix;
  PetscObjectState            state; // of the matrix, whose values it has
};

#if PETSC_VERSION_GE(3, 23, 0)
/// The address of a pointer, which PETSc gives as void ** and, from 3.25 on, as void *.
template <class Address>
PetscErrorCode DestroyAttached(Address attached)
{
  delete *reinterpret_cast<Attached **>(attached);
  return PETSC_SUCCESS;
}
#else
PetscErrorCode DestroyAttached(void *attached)
{
  delete static_cast<Attached *>(attached);
  return PETSC_SUCCESS;
}
  #define PetscContainerSetCtxDestroy PetscContainerSetUserDestroy
#endif

/// Runs a library's work, whose exceptions become PETSc's errors.
template <class Work>
PetscErrorCode Guard(const Work &work)
{
  PetscFunctionBegin;
  try {
    work();
  } catch (const std::exception &e) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", e.what());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The library's matrix, with the values of now.
PetscErrorCode GetCurrent(Mat A, PeerMatrix **matrix)
{
  PetscContainer   container;
  PetscObjectState state;
  void            *pointer;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)A, kAttached, (PetscObject *)&container));
  PetscCall(PetscContainerGetPointer(container, &pointer));
  auto *attached = static_cast<Attached *>(pointer);
  PetscCall(PetscObjectStateGet((PetscObject)A, &state));
  if (state != attached->state) PetscCall(Guard([&] { attached->matrix->Refresh(); }));
  attached->state = state;
  *matrix         = attached->matrix.get();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Runs work(matrix, x's values, y's values).
template <class Work>
PetscErrorCode WithValues(Mat A, Vec x, Vec y, bool add, const Work &work)
{
  PeerMatrix        *matrix;
  const PetscScalar *from;
  PetscScalar       *to;

  PetscFunctionBegin;
  PetscCall(GetCurrent(A, &matrix));
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(add ? VecGetArray(y, &to) : VecGetArrayWrite(y, &to));
  PetscCall(Guard([&] { work(*matrix, from, to); }));
  PetscCall(add ? VecRestoreArray(y, &to) : VecRestoreArrayWrite(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Mult(Mat A, Vec x, Vec y)
{
  return WithValues(A, x, y, false, [](PeerMatrix &matrix, const auto *from, auto *to) { matrix.Multiply(from, to, false); });
}

PetscErrorCode MultAdd(Mat A, Vec x, Vec v, Vec z)
{
  PetscFunctionBegin;
  if (v != z) PetscCall(VecCopy(v, z));
  PetscCall(WithValues(A, x, z, true, [](PeerMatrix &matrix, const auto *from, auto *to) { matrix.Multiply(from, to, true); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MultTranspose(Mat A, Vec x, Vec y)
{
  return WithValues(A, x, y, false, [](PeerMatrix &matrix, const auto *from, auto *to) { matrix.MultiplyTranspose(from, to); });
}

PetscErrorCode GetArrays(Mat A, CsrArrays &arrays)
{
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, NULL, &arrays.cols));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &arrays.rows, &arrays.offsets, &arrays.columns, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "The matrix has no arrays of rows");
  PetscCall(MatSeqAIJGetArrayRead(A, &arrays.values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Both are AIJ's own arrays, which stay.
PetscErrorCode RestoreArrays(Mat A, CsrArrays &arrays)
{
  CsrArrays given = arrays;
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJRestoreArrayRead(A, &given.values));
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &given.rows, &given.offsets, &given.columns, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Attach(const Peer &peer, Mat A)
{
  CsrArrays      arrays;
  PetscContainer container;
  auto           attached = std::make_unique<Attached>();

  PetscFunctionBegin;
  PetscCall(GetArrays(A, arrays));
  const bool empty = arrays.offsets[arrays.rows] == 0; // which not all libraries take
  if (!empty) PetscCall(Guard([&] { attached->matrix = peer.Make(arrays); }));
  PetscCall(RestoreArrays(A, arrays));
  if (empty) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectStateGet((PetscObject)A, &attached->state));
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscContainerSetPointer(container, attached.release()));
  PetscCall(PetscContainerSetCtxDestroy(container, DestroyAttached));
  PetscCall(PetscObjectCompose((PetscObject)A, kAttached, (PetscObject)container));
  PetscCall(PetscContainerDestroy(&container));
  PetscCall(MatSetOperation(A, MATOP_MULT, reinterpret_cast<void (*)(void)>(Mult)));
  PetscCall(MatSetOperation(A, MATOP_MULT_ADD, reinterpret_cast<void (*)(void)>(MultAdd)));
  PetscCall(MatSetOperation(A, MATOP_MULT_TRANSPOSE, reinterpret_cast<void (*)(void)>(MultTranspose)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A product of one entry: with the first, libraries load the rest of themselves, which no matrix is to pay for.
void UseOnce(const Peer &peer)
{
  const PetscInt    offsets[] = {0, 1}, column = 0;
  const PetscScalar value = 1, x = 1;
  PetscScalar       y      = 0;
  const auto        matrix = peer.Make({1, 1, offsets, &column, &value});
  matrix->Multiply(&x, &y, false);
  matrix->MultiplyTranspose(&x, &y);
}

} // namespace

std::vector<std::string> PeerNames()
{
  return {"mkl", "librsb"};
}

bool IsPeer(const std::string &name)
{
  return kOpeners.contains(name);
}

PetscErrorCode OpenPeer(const std::string &name, std::string &error)
{
  PetscFunctionBegin;
  auto &peer = Opened()[name];
  try {
    if (!peer) {
      auto opened = kOpeners.at(name)();
      UseOnce(*opened);
      peer = std::move(opened);
    }
  } catch (const std::exception &e) {
    error = name + ": " + e.what();
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::map<std::string, std::string> PeerVersions()
{
  std::map<std::string, std::string> versions;
  for (const auto &[name, peer] : Opened()) {
    if (peer) versions[name] = peer->Version();
  }
  return versions;
}

PetscErrorCode UsePeer(const std::string &name, Mat A)
{
  PetscBool parallel;

  PetscFunctionBegin;
  const Peer &peer = *Opened().at(name);
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMPIAIJ, &parallel));
  if (parallel) {
    Mat diagonal, off_diagonal;
    PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &off_diagonal, NULL));
    PetscCall(Attach(peer, diagonal));
    PetscCall(Attach(peer, off_diagonal));
  } else PetscCall(Attach(peer, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MultiplyByPeer(Mat A, Mat X, Mat *C)
{
  PetscBool          sequential;
  PeerMatrix        *matrix;
  PetscInt           rows, vectors, ldx, ldc;
  const PetscScalar *x;
  PetscScalar       *c;
  bool               done = false;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)X, MATSEQDENSE, &sequential));
  if (!sequential) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetCurrent(A, &matrix));
  PetscCall(MatGetSize(A, &rows, NULL));
  PetscCall(MatGetSize(X, NULL, &vectors));
  if (!*C) PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, rows, vectors, NULL, C));
  PetscCall(MatDenseGetLDA(X, &ldx));
  PetscCall(MatDenseGetLDA(*C, &ldc));
  PetscCall(MatDenseGetArrayRead(X, &x));
  PetscCall(MatDenseGetArrayWrite(*C, &c));
  PetscCall(Guard([&] { done = matrix->MultiplyMany(x, ldx, c, ldc, vectors); }));
  PetscCall(MatDenseRestoreArrayWrite(*C, &c));
  PetscCall(MatDenseRestoreArrayRead(X, &x));
  if (!done) PetscCall(MatDestroy(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::benchmarks
