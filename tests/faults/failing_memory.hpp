// Memory that fails on demand: the n-th allocation while a countdown lives, or that one and all later ones.
#pragma once

namespace petscspmv::test {

enum class Memory { Library, Petsc }; // operator new, or PetscMalloc()
enum class Failure { Once, FromThenOn };

/// While it lives, the n-th allocation of a kind fails, counted from 1.
class FailingMemory {
public:
  FailingMemory(Memory memory, Failure failure, int n);
  ~FailingMemory();
  FailingMemory(const FailingMemory &)            = delete;
  FailingMemory &operator=(const FailingMemory &) = delete;

  bool HasFailed() const; // the failure was reached
};

/// Routes PETSc's allocations through here. Call after PetscInitialize().
void WatchPetscMemory();

} // namespace petscspmv::test
