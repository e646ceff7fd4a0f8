// Allocation failures while the library is registered or finalized: registering ends in an error and succeeds when memory is back,
// and finalizing needs no memory, whatever is printed at the end.
#include "faults/failing_memory.hpp"
#include "support/petsc_test.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace petscspmv::test {

namespace {

std::FILE *printed; // takes what is printed

/// A product with a small matrix of a type.
PetscErrorCode Multiply(const std::string &type)
{
  OwnedMat  A;
  OwnedVec  x, y;
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetSizes(A, 5, 5, 5, 5));
  PetscCall(MatSetType(A, type.c_str()));
  PetscCall(MatSetUp(A));
  for (PetscInt i = 0; i < 5; ++i) PetscCall(MatSetValue(A, i, i, 2, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecNorm(y, NORM_1, &norm));
  PetscCheck(norm == 10, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The product is wrong");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The life of a program in which an allocation fails while the library is registered.
PetscErrorCode Live(int argc, char **argv, Memory memory, Failure failure, int n, bool *reached)
{
  PetscErrorCode     ierr;
  PetscInt           targets;
  const char *const *names;
  const char        *name;

  PetscFunctionBegin;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsInsertString(NULL, "-spmv_view -mat_spmv_least 0"));
  PETSC_STDOUT = printed;
  PetscCall(PetscViewerInitializePackage()); // PETSc would leave its packages half initialized
  PetscCall(VecInitializePackage());
  PetscCall(MatInitializePackage());
  PetscCall(PCInitializePackage());
  WatchPetscMemory();
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  {
    const FailingMemory failing(memory, failure, n);
    ierr     = PetscSpMVRegisterAll();
    *reached = failing.HasFailed();
  }
  PetscCheck(ierr == PETSC_SUCCESS || *reached, PETSC_COMM_SELF, ierr, "Registering fails by itself");
  PetscCall(PetscSpMVRegisterAll());
  PetscCall(PetscSpMVGetTargets(&targets, &names));
  PetscCall(PetscSpMVSetTarget(names[targets - 1])); // holds beyond PetscFinalize()
  for (const std::string &type : Types()) PetscCall(Multiply(type));
  PetscCall(PetscPopErrorHandler());
  {
    const FailingMemory none(Memory::Library, Failure::FromThenOn, 1);
    PetscCall(PetscFinalize());
  }
  PetscCall(PetscSpMVGetTarget(&name, NULL));
  PetscCheck(!std::strcmp(name, names[targets - 1]), PETSC_COMM_SELF, PETSC_ERR_PLIB, "The target that was set is lost");
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

} // namespace petscspmv::test

int main(int argc, char **argv)
{
  using namespace petscspmv::test;
  if (printed = std::tmpfile(); !printed) return EXIT_FAILURE;
  MPI_Init(&argc, &argv);
  for (const Memory memory : {Memory::Library, Memory::Petsc}) {
    int faults = 0;
    for (const Failure failure : {Failure::Once, Failure::FromThenOn}) {
      bool reached = true;
      for (int n = 1; reached; ++n, ++faults) {
        if (const PetscErrorCode ierr = Live(argc, argv, memory, failure, n, &reached)) {
          std::fprintf(stderr, "allocation %d: error %d\n", n, static_cast<int>(ierr));
          return EXIT_FAILURE;
        }
      }
    }
    std::printf("registering, memory of %s: %d faults\n", memory == Memory::Library ? "the library" : "PETSc", faults - 2);
  }
  MPI_Finalize();
  if (std::ftell(printed) <= 0) {
    std::fprintf(stderr, "-spmv_view has printed nothing\n");
    return EXIT_FAILURE;
  }
}
