// One matrix in all its types, and how something is timed with it.
#pragma once

#include "benchmarks/errors.hpp"
#include "benchmarks/matrix_run.hpp"
#include "benchmarks/reference.hpp"

#include <petscmat.h>
#include <string>
#include <vector>

namespace petscspmv::benchmarks {

/// One matrix in all its types, and the vectors of its products.
struct Bench {
  MPI_Comm         comm;
  PetscMPIInt      processes;
  bool             on_device;  // the vectors
  std::vector<Mat> of_type;    // null where the type cannot be had
  Vec              x, y;       // y = A x
  Vec              s, t;       // t = A^T s
  Mat              several;    // vectors, of which the first and the last are x
  std::vector<Mat> of_several; // their products, by type
  Reference        product, transposed;
};

/// Rows, nonzeros, and the bytes of a product.
PetscErrorCode Describe(Mat A, MatrixRun &run);

/// Waits for the device, if products are there.
PetscErrorCode Finish(const Bench &bench);

/// Remembers the error of y = `factor` times the product, if it is larger than before.
PetscErrorCode NoteError(const Reference &product, Vec y, PetscReal factor, double &error);

/// Converts an AIJ matrix in place, as it would be had it been assembled in that type. PETSc's own types leave the blocks
/// of an assembled parallel matrix as they are.
PetscErrorCode Convert(const std::string &type, Mat *A);

/// The layout's memory on all processes, if it is one of this library.
PetscErrorCode LayoutBytes(Mat B, double *bytes);

/// The number of products that takes as long as a sample should, with the first type.
PetscErrorCode ChooseProducts(const Bench &bench, double least, int *products);

/// Seconds of `work`, on the slowest process.
template <class Work>
PetscErrorCode Time(const Bench &bench, double *seconds, const Work &work)
{
  PetscFunctionBegin;
  PetscCall(Finish(bench));
  PetscCallMPI(MPI_Barrier(bench.comm));
  const double start = MPI_Wtime();
  PetscCall(work());
  PetscCall(Finish(bench));
  *seconds = MPI_Wtime() - start;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, bench.comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Work>
PetscErrorCode AddSample(const Bench &bench, Samples &samples, int times, const Work &work)
{
  double seconds;

  PetscFunctionBegin;
  PetscCall(Time(bench, &seconds, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    for (int k = 0; k < times; ++k) PetscCall(work());
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  samples.push_back(seconds / times);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Runs a step of all processes; the failure is not empty if it failed in any.
template <class Step>
PetscErrorCode Try(ErrorGuard &errors, MPI_Comm comm, std::string &failure, const Step &step)
{
  PetscFunctionBegin;
  const PetscErrorCode code = step();
  if (code) {
    PetscCall(errors.RaiseIfAlone());
    failure = errors.text();
  }
  int fails = code != PETSC_SUCCESS;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &fails, 1, MPI_INT, MPI_MAX, comm));
  if (fails && !code) failure = "it failed on another process";
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::benchmarks
