#include "benchmarks/measure.hpp"

#include "benchmarks/bench.hpp"
#include "benchmarks/peers/use_peer.hpp"
#include "benchmarks/read.hpp"
#include "benchmarks/write.hpp"
#include "mat/tuning/variant_trial.hpp"
#include "petsc/vector_memory.hpp"
#include "petscspmv.h"

#include <algorithm>
#include <cstdio>

namespace petscspmv::benchmarks {

namespace {

/// A copy of A, converted to the type, and its first product; null if that fails, as PETSc's sell does for some
/// matrices. What failed is left lying: PETSc does not destroy it safely.
PetscErrorCode FirstProduct(Mat A, Bench &bench, TypeRun &run, Mat *B)
{
  double seconds;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, B));
  PetscCall(Time(bench, &seconds, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    ErrorGuard errors;
    PetscCall(Try(errors, bench.comm, run.failure, [&] { return Convert(run.type, B); }));
    if (run.failure.empty()) PetscCall(Try(errors, bench.comm, run.failure, [&] { return MatMult(*B, bench.x, bench.y); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  if (!run.failure.empty()) {
    *B = nullptr;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  run.first.push_back(seconds);
  PetscCall(NoteError(bench.product, bench.y, 1, run.error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// C = B X; C is null before the first time, and afterwards where the type has no such products.
PetscErrorCode MultiplySeveral(const std::string &type, Mat B, Mat X, Mat *C)
{
  PetscFunctionBegin;
  if (IsPeer(type)) {
    PetscCall(MultiplyByPeer(B, X, C));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatMatMult(B, X, *C ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, PETSC_DEFAULT, C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// First products with several vectors. Of the first and the last of them the result is known.
PetscErrorCode CheckSeveral(Bench &bench, const Settings &settings, MatrixRun &run)
{
  PetscFunctionBegin;
  bench.of_several.assign(run.types.size(), nullptr);
  for (std::size_t k = 0; k < run.types.size() && settings.vectors > 0; ++k) {
    if (!bench.of_type[k]) continue;
    PetscCall(MultiplySeveral(run.types[k].type, bench.of_type[k], bench.several, &bench.of_several[k]));
    for (const PetscInt column : {0, settings.vectors - 1}) {
      Vec y;
      if (!bench.of_several[k]) continue;
      PetscCall(MatDenseGetColumnVecRead(bench.of_several[k], column, &y));
      PetscCall(NoteError(bench.product, y, 1, run.types[k].error));
      PetscCall(MatDenseRestoreColumnVecRead(bench.of_several[k], column, &y));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// One round: the bandwidth, and a sample of each type, so that what else the machine does meets all alike.
PetscErrorCode Round(Bench &bench, const Settings &settings, ReadBenchmark &read, MatrixRun &run)
{
  PetscFunctionBegin;
  PetscCall(AddSample(bench, run.bandwidth, run.products, [&]() -> PetscErrorCode {
    read.Pass();
    return PETSC_SUCCESS;
  }));
  run.bandwidth.back() = run.ideal_bytes / run.bandwidth.back();
  for (std::size_t k = 0; k < run.types.size(); ++k) {
    if (Mat B = bench.of_type[k])
      PetscCall(AddSample(bench, run.types[k].product, run.products, [&] { return MatMult(B, bench.x, bench.y); }));
  }
  for (std::size_t k = 0; k < run.types.size() && settings.transpose; ++k) {
    if (Mat B = bench.of_type[k])
      PetscCall(AddSample(bench, run.types[k].transpose, run.products, [&] { return MatMultTranspose(B, bench.s, bench.t); }));
  }
  for (std::size_t k = 0; k < run.types.size(); ++k) {
    if (!bench.of_several[k]) continue;
    PetscCall(AddSample(bench, run.types[k].many, std::max(1, run.products / settings.vectors),
                        [&] { return MultiplySeveral(run.types[k].type, bench.of_type[k], bench.several, &bench.of_several[k]); }));
    run.types[k].many.back() /= settings.vectors;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Runs work(type) for the library's types with each of the targets, and goes back to the library's own choice.
template <class Work>
PetscErrorCode WithTargets(const Bench &bench, const Settings &settings, MatrixRun &run, const Work &work)
{
  PetscFunctionBegin;
  for (std::size_t t = 0; t < settings.targets.size(); ++t) {
    PetscCall(PetscSpMVSetTarget(settings.targets[t].c_str()));
    for (std::size_t k = 0; k < run.types.size(); ++k) {
      if (!bench.of_type[k] || bench.on_device || run.types[k].layout_bytes == 0) continue;
      auto &by_target = run.types[k].by_target;
      if (by_target.size() <= t) by_target.push_back({settings.targets[t], {}});
      PetscCall(work(bench.of_type[k], run.types[k], by_target[t]));
    }
  }
  if (!settings.targets.empty()) PetscCall(PetscSpMVSetTarget(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckTargets(Bench &bench, const Settings &settings, MatrixRun &run)
{
  return WithTargets(bench, settings, run, [&](Mat B, TypeRun &type, TargetRun &) -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(MatMult(B, bench.x, bench.y));
    PetscCall(NoteError(bench.product, bench.y, 1, type.error));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

PetscErrorCode TargetRound(const Bench &bench, const Settings &settings, MatrixRun &run)
{
  return WithTargets(bench, settings, run, [&](Mat B, TypeRun &, TargetRun &target) {
    return AddSample(bench, target.product, run.products, [&] { return MatMult(B, bench.x, bench.y); });
  });
}

/// Copies of the values after changes, in the host's memory.
PetscErrorCode Copies(const Bench &bench, int times, MatrixRun &run)
{
  PetscFunctionBegin;
  if (bench.on_device) PetscFunctionReturn(PETSC_SUCCESS);
  CopyBenchmark copy(static_cast<std::size_t>(run.nonzeros / bench.processes));
  for (int change = 0; change < times; ++change) {
    copy.Change();
    PetscCall(AddSample(bench, run.copy, 1, [&]() -> PetscErrorCode {
      copy.Pass();
      return PETSC_SUCCESS;
    }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Products after a change of values, doubled and halved in turn, which is exact.
PetscErrorCode Refreshes(Bench &bench, int times, MatrixRun &run)
{
  PetscFunctionBegin;
  for (int change = 0; change < times; ++change) {
    const PetscReal factor = change % 2 ? 0.5 : 2, expected = change % 2 ? 1 : 2;
    for (std::size_t k = 0; k < run.types.size(); ++k) {
      Mat B = bench.of_type[k];
      if (!B) continue;
      PetscCall(MatScale(B, factor));
      PetscCall(AddSample(bench, run.types[k].refresh, 1, [&] { return MatMult(B, bench.x, bench.y); }));
      PetscCall(NoteError(bench.product, bench.y, expected, run.types[k].error));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckTranspose(Bench &bench, MatrixRun &run)
{
  PetscFunctionBegin;
  for (std::size_t k = 0; k < run.types.size(); ++k) {
    if (!bench.of_type[k]) continue;
    for (int product = 0; product < kTransposes; ++product) PetscCall(MatMultTranspose(bench.of_type[k], bench.s, bench.t));
    PetscCall(NoteError(bench.transposed, bench.t, 1, run.types[k].transpose_error));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// All measurements with matrices made anew.
PetscErrorCode OneBuild(Mat A, const Settings &settings, ReadBenchmark &read, Bench &bench, MatrixRun &run)
{
  PetscFunctionBegin;
  bench.of_type.assign(run.types.size(), nullptr);
  for (std::size_t k = 0; k < run.types.size(); ++k) {
    if (run.types[k].failure.empty()) PetscCall(FirstProduct(A, bench, run.types[k], &bench.of_type[k]));
    if (!bench.of_type[k]) continue;
    PetscCall(LayoutBytes(bench.of_type[k], &run.types[k].layout_bytes));
    if (bench.on_device || run.types[k].layout_bytes == 0) continue;
    for (std::size_t product = 0; product < VariantTrial::kTurns; ++product) // until these have found the fastest way
      PetscCall(MatMult(bench.of_type[k], bench.x, bench.y));
    PetscCall(AddSample(bench, run.types[k].fresh, 1, [&]() -> PetscErrorCode {
      WriteFresh(static_cast<std::size_t>(run.types[k].layout_bytes) / static_cast<std::size_t>(bench.processes));
      return PETSC_SUCCESS;
    }));
  }
  if (bench.of_type[0]) {
    if (run.products == 0) PetscCall(ChooseProducts(bench, settings.seconds, &run.products));
    if (settings.transpose) PetscCall(CheckTranspose(bench, run));
    PetscCall(CheckSeveral(bench, settings, run));
    PetscCall(CheckTargets(bench, settings, run));
    for (int round = 0; round < settings.rounds; ++round) {
      PetscCall(Round(bench, settings, read, run));
      PetscCall(TargetRound(bench, settings, run));
    }
    PetscCall(Copies(bench, 2, run));
    PetscCall(Refreshes(bench, 2, run));
  }
  for (Mat &C : bench.of_several) PetscCall(MatDestroy(&C));
  for (Mat &B : bench.of_type) PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Prepare(Mat A, const Settings &settings, Bench &bench)
{
  PetscRandom random;

  PetscFunctionBegin;
  if (!settings.vec_type.empty()) PetscCall(MatSetVecType(A, settings.vec_type.c_str()));
  bench.comm = PetscObjectComm((PetscObject)A);
  PetscCallMPI(MPI_Comm_size(bench.comm, &bench.processes));
  PetscCall(MatCreateVecs(A, &bench.x, &bench.y));
  PetscCall(IsOnDevice(bench.x, &bench.on_device));
  PetscCall(VecDuplicate(bench.x, &bench.t));
  PetscCall(VecDuplicate(bench.y, &bench.s));
  PetscCall(PetscRandomCreate(bench.comm, &random));
  PetscCall(PetscRandomSetInterval(random, -1, 1));
  PetscCall(VecSetRandom(bench.x, random));
  PetscCall(VecSetRandom(bench.s, random));
  if (settings.vectors > 0) {
    PetscInt n, N;
    PetscCall(VecGetLocalSize(bench.x, &n));
    PetscCall(VecGetSize(bench.x, &N));
    PetscCall(MatCreateDense(bench.comm, n, PETSC_DECIDE, N, settings.vectors, NULL, &bench.several));
    PetscCall(MatSetRandom(bench.several, random));
    for (const PetscInt column : {0, settings.vectors - 1}) {
      Vec x;
      PetscCall(MatDenseGetColumnVecWrite(bench.several, column, &x));
      PetscCall(VecCopy(bench.x, x));
      PetscCall(MatDenseRestoreColumnVecWrite(bench.several, column, &x));
    }
  }
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(MultiplyInLongDouble(A, bench.x, bench.product));
  if (settings.transpose) {
    Mat T;
    PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &T));
    PetscCall(MultiplyInLongDouble(T, bench.s, bench.transposed));
    PetscCall(MatDestroy(&T));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode Measure(Mat A, const std::vector<std::string> &types, const Settings &settings,
                       const std::function<void(const std::string &)> &progress, MatrixRun &run)
{
  Bench bench{};

  PetscFunctionBegin;
  PetscCall(Describe(A, run));
  for (const std::string &type : types) run.types.emplace_back().type = type;
  PetscCall(Prepare(A, settings, bench));
  ReadBenchmark read(static_cast<std::size_t>(run.ideal_bytes) / static_cast<std::size_t>(bench.processes), bench.on_device);
  for (int build = 0; build < settings.builds; ++build) {
    progress("building " + std::to_string(build + 1) + " of " + std::to_string(settings.builds));
    PetscCall(OneBuild(A, settings, read, bench, run));
  }
  for (TypeRun &type : run.types) { // however fast
    char text[64];
    std::snprintf(text, sizeof(text), "wrong by %.3g times what rounding explains", type.error);
    if (type.failure.empty() && !(type.error <= 1)) type.failure = text;
    if (!(type.transpose_error <= 1)) type.transpose.clear();
  }
  PetscCall(MatDestroy(&bench.several));
  for (Vec *v : {&bench.x, &bench.y, &bench.s, &bench.t}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::benchmarks
