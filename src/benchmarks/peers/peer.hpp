// Other libraries' sparse products, for comparison: what a user would take instead.
#pragma once

#include <memory>
#include <petscmat.h>
#include <string>
#include <vector>

namespace petscspmv::benchmarks {

/// The arrays of an AIJ matrix or block. They stay where they are; values may change in place.
struct CsrArrays {
  PetscInt           rows, cols;
  const PetscInt    *offsets, *columns;
  const PetscScalar *values;
};

/// A matrix in another library. All functions throw std::runtime_error with the library's reason.
class PeerMatrix {
public:
  virtual ~PeerMatrix() = default;

  /// y = A x, or y += A x.
  virtual void Multiply(const PetscScalar *x, PetscScalar *y, bool add) = 0;
  /// Y = A X with so many columns side by side; false where that is not measured.
  virtual bool MultiplyMany(const PetscScalar *, PetscInt, PetscScalar *, PetscInt, PetscInt) { return false; }
  /// y = A^T x.
  virtual void MultiplyTranspose(const PetscScalar *x, PetscScalar *y) = 0;
  /// All values have changed.
  virtual void Refresh() = 0;
};

/// A library, opened at run time: spmvbench neither links it nor needs it to be built.
class Peer {
public:
  virtual ~Peer() = default;

  virtual std::unique_ptr<PeerMatrix> Make(const CsrArrays &arrays) const = 0;
  virtual std::string                 Version() const                     = 0;
};

std::unique_ptr<Peer> OpenMkl();
std::unique_ptr<Peer> OpenLibrsb();

} // namespace petscspmv::benchmarks
