// Memory of a layout.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace petscspmv {

/// Host memory, and the memory of Kokkos' device (exec/device.hpp).
struct HostSpace { };
struct DeviceSpace { };

/// Whether a space is host memory.
template <class Space>
inline constexpr bool kHostMemory = std::is_same_v<Space, HostSpace>;

/// An allocation of this many bytes failed.
struct NoMemory : std::bad_alloc {
  explicit NoMemory(std::size_t n) : bytes(n) { }
  std::size_t bytes;
};

/// The allocator of a memory space.
template <class Space>
struct Memory;

/// Host memory bypasses Kokkos, so that small matrices do not start Kokkos, and matrices that outlive Kokkos::finalize() can be
/// freed. Memory is aligned to a cache line. With several threads hardly any page is touched here: a page should be near the thread
/// that first uses it.
template <>
struct Memory<HostSpace> {
  static void *Get(std::size_t bytes);
  static void  Free(void *data, std::size_t bytes) noexcept;
};

/// Owned, uninitialized memory for T in a memory space.
template <class T, class Space = HostSpace>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  Array() = default;
  explicit Array(std::size_t n) : size_(n)
  {
    if (n == 0) return;
    if (n > static_cast<std::size_t>(-1) / sizeof(T)) throw NoMemory(static_cast<std::size_t>(-1));
    data_ = static_cast<T *>(Memory<Space>::Get(bytes()));
  }
  Array(Array &&other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) { }
  Array &operator=(Array &&other) noexcept
  {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Array()
  {
    if (data_) Memory<Space>::Free(data_, bytes());
  }

  /// Replaces the memory by new memory for n items.
  void Allocate(std::size_t n) { *this = Array(n); }

  T          *data() { return data_; }
  const T    *data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  T          &operator[](std::size_t i) { return data_[i]; }
  const T    &operator[](std::size_t i) const { return data_[i]; }

private:
  T          *data_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace petscspmv
