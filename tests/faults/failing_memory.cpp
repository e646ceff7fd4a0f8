#include "faults/failing_memory.hpp"

#include "petsc/success.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>
#include <petscsys.h>

namespace petscspmv::test {

namespace {

bool    armed = false, failed = false;
Memory  watched = Memory::Library;
Failure mode    = Failure::Once;
int     left    = 0; // allocations that still succeed

/// Whether this allocation should fail.
bool Fails(Memory memory)
{
  if (!armed || memory != watched) return false;
  if (--left > 0 || (left < 0 && mode == Failure::Once)) return false;
  failed = true;
  return true;
}

PetscErrorCode (*petsc_malloc)(std::size_t, PetscBool, int, const char[], const char[], void **) = nullptr;

PetscErrorCode Malloc(std::size_t bytes, PetscBool clear, int line, const char function[], const char file[], void **result)
{
  if (bytes > 0 && Fails(Memory::Petsc)) {
    *result = nullptr;
    return PetscError(PETSC_COMM_SELF, line, function, file, PETSC_ERR_MEM, PETSC_ERROR_INITIAL, "Memory requested %zu", bytes);
  }
  return petsc_malloc(bytes, clear, line, function, file, result);
}

} // namespace

FailingMemory::FailingMemory(Memory memory, Failure failure, int n)
{
  watched = memory;
  mode    = failure;
  left    = n;
  failed  = false;
  armed   = true;
}

FailingMemory::~FailingMemory()
{
  armed = false;
}

bool FailingMemory::HasFailed() const
{
  return failed;
}

void WatchPetscMemory()
{
  if (PetscTrMalloc == Malloc) return;
  petsc_malloc  = PetscTrMalloc;
  PetscTrMalloc = Malloc;
}

/// Called by all operators below.
static void *New(std::size_t bytes, std::size_t alignment) noexcept
{
  if (Fails(Memory::Library)) return nullptr;
  return std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
}

static void *NewOrThrow(std::size_t bytes, std::size_t alignment)
{
  void *const data = New(bytes, alignment);
  if (!data) throw std::bad_alloc();
  return data;
}

} // namespace petscspmv::test

using petscspmv::test::New, petscspmv::test::NewOrThrow;

// The library's calls come here too: the program's operators replace those of the C++ library.
void *operator new(std::size_t bytes)
{
  return NewOrThrow(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void *operator new(std::size_t bytes, const std::nothrow_t &) noexcept
{
  return New(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void *operator new(std::size_t bytes, std::align_val_t alignment)
{
  return NewOrThrow(bytes, static_cast<std::size_t>(alignment));
}
void *operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t &) noexcept
{
  return New(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void *data) noexcept
{
  std::free(data);
}
void operator delete(void *data, std::size_t) noexcept
{
  std::free(data);
}
void operator delete(void *data, const std::nothrow_t &) noexcept
{
  std::free(data);
}
void operator delete(void *data, std::align_val_t) noexcept
{
  std::free(data);
}
void operator delete(void *data, std::size_t, std::align_val_t) noexcept
{
  std::free(data);
}
void operator delete(void *data, std::align_val_t, const std::nothrow_t &) noexcept
{
  std::free(data);
}
