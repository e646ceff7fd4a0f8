// What is measured in a process that has just started.
#include "benchmarks/first.hpp"
#include "benchmarks/statistics.hpp"
#include "benchmarks/write.hpp"
#include "matio/families.hpp"
#include "matio/generate.hpp"
#include "petsc/success.hpp"
#include "petscspmv.h"

#include <algorithm>
#include <sys/resource.h>
#include <unistd.h>

namespace petscspmv::benchmarks {

namespace {

double Faults()
{
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_minflt + usage.ru_majflt);
}

struct Cost {
  double seconds = 0, faults = 0;
};

template <class Work>
PetscErrorCode Measure(Cost &cost, const Work &work)
{
  PetscFunctionBegin;
  const double faults = Faults(), start = MPI_Wtime();
  PetscCall(work());
  cost.seconds = MPI_Wtime() - start;
  cost.faults  = Faults() - faults;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Seconds of a page fault in ordinary memory, with what the system does to have a page that is all zeros.
double FaultSeconds()
{
  constexpr std::size_t kPages = 2048;
  const auto            page   = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  FreshMemory<char>     memory(kPages * page);
  volatile char *const  bytes  = memory.data();
  const double          faults = Faults(), start = MPI_Wtime();
  for (std::size_t k = 0; k < kPages; ++k) bytes[k * page] = 1;
  const double seconds = MPI_Wtime() - start;
  return seconds / std::max(1., Faults() - faults);
}

/// An AIJ matrix, read without more memory than it has itself.
PetscErrorCode ReadBinary(const std::string &path, Mat *A)
{
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_SELF, path.c_str(), FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetType(*A, MATSEQAIJ));
  PetscCall(MatLoad(*A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A matrix and its vectors, whose pages are there and whose products by AIJ need nothing any more.
struct Ready {
  Mat    A;
  Vec    x, y;
  double product = 0; // seconds, by AIJ
};

PetscErrorCode MakeReady(Mat A, double least, Ready &ready)
{
  Samples samples;
  double  all = 0;

  PetscFunctionBegin;
  ready.A = A;
  PetscCall(MatCreateVecs(A, &ready.x, &ready.y));
  PetscCall(VecSet(ready.x, 1));
  PetscCall(VecSet(ready.y, 0));
  PetscCall(MatMult(A, ready.x, ready.y));
  while (samples.size() < 5 || all < least) {
    Cost cost;
    PetscCall(Measure(cost, [&] { return MatMult(A, ready.x, ready.y); }));
    samples.push_back(cost.seconds);
    all += cost.seconds;
  }
  ready.product = SpreadOf(samples).median;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Destroy(Ready &ready)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&ready.x));
  PetscCall(VecDestroy(&ready.y));
  PetscCall(MatDestroy(&ready.A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FirstProduct(const std::string &type, Ready &ready, Cost &cost)
{
  return Measure(cost, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    if (type != MATAIJ) PetscCall(MatConvert(ready.A, type.c_str(), MAT_INPLACE_MATRIX, &ready.A));
    PetscCall(MatMult(ready.A, ready.x, ready.y));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

/// Likewise with A^T, which types that have a format multiply with by a layout at once.
PetscErrorCode FirstTransposed(const std::string &type, Ready &ready, Cost &cost)
{
  return Measure(cost, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    if (type != MATAIJ) {
      PetscCall(MatConvert(ready.A, type.c_str(), MAT_INPLACE_MATRIX, &ready.A));
      PetscCall(MatSpMVSetTranspose(ready.A, MAT_SPMV_TRANSPOSE_LAYOUT));
    }
    PetscCall(MatMultTranspose(ready.A, ready.y, ready.x));
    PetscFunctionReturn(PETSC_SUCCESS);
  });
}

/// Destroys the layouts, and what was learned of them.
PetscErrorCode ForgetProducts(const std::string &type, Ready &ready)
{
  PetscFunctionBegin;
  if (type != MATAIJ) PetscCall(MatConvert(ready.A, MATSEQAIJ, MAT_INPLACE_MATRIX, &ready.A));
  PetscCall(PetscSpMVForget());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode SampleFirst(const std::string &type, const std::string &path, const Settings &settings, nlohmann::json &sample)
{
  Mat         A;
  Ready       ready{};
  Cost        fresh, used, targets, transposed[2]; // the first of these in memory that was not all used before
  Samples     refreshes;
  MatSpMVInfo info{};

  PetscFunctionBegin;
  PetscCall(ReadBinary(path, &A));
  PetscCall(MakeReady(A, settings.seconds, ready));
  PetscCall(FirstProduct(type, ready, fresh));
  PetscCall(ForgetProducts(type, ready));
  PetscCall(Measure(targets, [] {
    const char *name;
    return PetscSpMVGetTarget(&name, NULL);
  }));
  PetscCall(FirstProduct(type, ready, used));
  for (const PetscScalar factor : {2., 0.5, 2.}) {
    Cost cost;
    PetscCall(MatScale(ready.A, factor));
    PetscCall(Measure(cost, [&] { return MatMult(ready.A, ready.x, ready.y); }));
    refreshes.push_back(cost.seconds);
  }
  for (Cost &cost : transposed) {
    PetscCall(ForgetProducts(type, ready));
    PetscCall(FirstTransposed(type, ready, cost));
  }
  if (!type.starts_with(MATAIJ)) PetscCall(MatSpMVGetInfo(ready.A, &info)); // an error with PETSc's types
  sample = {{"product", ready.product},
            {"fresh", fresh.seconds},
            {"fresh_faults", fresh.faults},
            {"used", used.seconds},
            {"used_faults", used.faults},
            {"refresh", SpreadOf(refreshes).median},
            {"fault", FaultSeconds()},
            {"targets", targets.seconds},
            {"transposed", transposed[1].seconds},
            {"transposed_by_type", info.multtranspose}};
  PetscCall(Destroy(ready));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SampleStart(const std::string &type, nlohmann::json &sample)
{
  Ready ready[2] = {};
  Cost  cost[2];

  PetscFunctionBegin;
  for (Ready &each : ready) {
    Mat tiny;
    PetscCall(matio::CreateMatFromFamily(PETSC_COMM_SELF, "stencil5:10", &tiny));
    PetscCall(MakeReady(tiny, 0, each));
  }
  for (int k = 0; k < 2; ++k) PetscCall(FirstProduct(type, ready[k], cost[k]));
  sample = {{"start", cost[0].seconds - cost[1].seconds}, {"start_faults", cost[0].faults - cost[1].faults}};
  for (Ready &each : ready) PetscCall(Destroy(each));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::benchmarks
