#include "benchmarks/bench.hpp"

#include "benchmarks/peers/use_peer.hpp"
#include "petscspmv.h"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <petscdevice.h>

namespace petscspmv::benchmarks {

PetscErrorCode Describe(Mat A, MatrixRun &run)
{
  const MPI_Comm              comm = PetscObjectComm((PetscObject)A);
  PetscInt                    rows, cols, begin, end, length;
  std::array<std::int64_t, 3> mine{
    0, 0, std::numeric_limits<std::int64_t>::min()}; // nonzeros, longest row, shortest with its sign changed

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &rows, &cols));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    PetscCall(MatGetRow(A, row, &length, NULL, NULL));
    mine = {mine[0] + length, std::max<std::int64_t>(mine[1], length), std::max<std::int64_t>(mine[2], -length)};
    PetscCall(MatRestoreRow(A, row, &length, NULL, NULL));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, mine.data(), 1, MPI_INT64_T, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, mine.data() + 1, 2, MPI_INT64_T, MPI_MAX, comm));
  run.rows     = rows;
  run.cols     = cols;
  run.nonzeros = mine[0];
  run.row_max  = mine[1];
  run.row_min  = rows > 0 ? -mine[2] : 0;

  const double scalar = sizeof(PetscScalar), index = sizeof(PetscInt);
  run.vector_bytes = static_cast<double>(rows + cols) * scalar;
  run.ideal_bytes  = static_cast<double>(run.nonzeros) * (scalar + index) + static_cast<double>(rows) * index + run.vector_bytes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Finish(const Bench &bench)
{
  PetscDeviceContext context;

  PetscFunctionBegin;
  if (!bench.on_device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  PetscCall(PetscDeviceContextSynchronize(context));
  if (Kokkos::is_initialized()) Kokkos::fence(); // all of the device, also what the library launched with a Kokkos of its own
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NoteError(const Reference &product, Vec y, PetscReal factor, double &error)
{
  double now;

  PetscFunctionBegin;
  PetscCall(LargestError(product, y, factor, &now));
  error = std::max(error, now);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Convert(const std::string &type, Mat *A)
{
  MatType name;
  Mat     blocks[2];

  PetscFunctionBegin;
  if (type == MATAIJ) PetscFunctionReturn(PETSC_SUCCESS); // MATAIJ to itself is a copy
  if (IsPeer(type)) {
    PetscCall(UsePeer(type, *A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatConvert(*A, type.c_str(), MAT_INPLACE_MATRIX, A));
  PetscCall(MatGetType(*A, &name));
  if (!std::string(name).starts_with("mpiaij")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatMPIAIJGetSeqAIJ(*A, &blocks[0], &blocks[1], NULL));
  for (Mat block : blocks) {
    MatType of_block;
    PetscCall(MatGetType(block, &of_block));
    if (std::string(of_block) == MATSEQAIJ)
      PetscCall(MatConvert(block, ("seq" + std::string(name).substr(3)).c_str(), MAT_INPLACE_MATRIX, &block));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LayoutBytes(Mat B, double *bytes)
{
  MatSpMVInfo info{};

  PetscFunctionBegin;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  const bool ours = MatSpMVGetInfo(B, &info) == PETSC_SUCCESS;
  PetscCall(PetscPopErrorHandler());
  *bytes = ours ? info.bytes : 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, bytes, 1, MPI_DOUBLE, MPI_SUM, PetscObjectComm((PetscObject)B)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChooseProducts(const Bench &bench, double least, int *products)
{
  Samples tried;

  PetscFunctionBegin;
  for (*products = 1; *products < 1 << 24; *products *= 2) {
    PetscCall(AddSample(bench, tried, *products, [&] { return MatMult(bench.of_type[0], bench.x, bench.y); }));
    if (tried.back() * *products >= least) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::benchmarks
