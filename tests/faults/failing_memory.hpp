// Memory that fails on demand: the n-th allocation while a countdown lives, or that and all after it.
#pragma once

namespace petscspmv::test {

enum class Memory { Library, Petsc }; // what operator new gives, or PetscMalloc()
enum class Failure { Once, FromThenOn };

/// While one lives, the n-th allocation of a kind fails, counted from 1.
class FailingMemory {
public:
  FailingMemory(Memory memory, Failure failure, int n);
  ~FailingMemory();
  FailingMemory(const FailingMemory &)            = delete;
  FailingMemory &operator=(const FailingMemory &) = delete;

  bool HasFailed() const; // it was reached
};

/// Has PETSc's allocations go through here. After PetscInitialize().
void WatchPetscMemory();

} // namespace petscspmv::test
