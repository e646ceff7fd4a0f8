#include "mat/exec/array.hpp"

#include "mat/exec/large_memory.hpp"
#include "mat/exec/memory_use.hpp"

namespace petscspmv {

namespace {

constexpr std::align_val_t kLine{64};

} // namespace

void *Memory<HostSpace>::Get(std::size_t bytes)
{
  if (!AddArray(bytes)) throw NoMemory(bytes);
  void *data = bytes >= kLargeArray ? GetLarge(bytes) : nullptr;
  if (!data) data = ::operator new(bytes, kLine, std::nothrow);
  if (!data) {
    ReleaseLargeMemory();
    data = ::operator new(bytes, kLine, std::nothrow);
  }
  if (data) return data;
  RemoveArray(bytes);
  throw NoMemory(bytes);
}

void Memory<HostSpace>::Free(void *data, std::size_t bytes) noexcept
{
  if (bytes < kLargeArray || !FreeLarge(data)) ::operator delete(data, kLine);
  RemoveArray(bytes);
}

} // namespace petscspmv
