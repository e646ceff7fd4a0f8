// Memory through which the workers of a product exchange results.
#pragma once

#include <cstddef>
#include <utility>

namespace petscspmv {

/// Memory of any space, which its owner lends to a product. Concurrent products with one layout need a workspace each.
class Workspace {
public:
  Workspace() = default;
  Workspace(void *data, std::size_t bytes, void (*free)(void *, std::size_t)) : data_(data), bytes_(bytes), free_(free) { }
  Workspace(Workspace &&other) noexcept { *this = std::move(other); }
  Workspace &operator=(Workspace &&other) noexcept
  {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(free_, other.free_);
    return *this;
  }
  ~Workspace()
  {
    if (data_) free_(data_, bytes_);
  }

  void       *data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

private:
  void       *data_                  = nullptr;
  std::size_t bytes_                 = 0;
  void (*free_)(void *, std::size_t) = nullptr;
};

/// Consecutive arrays in a workspace, each aligned to a cache line. With a null workspace, Take() only counts bytes.
class WorkspaceArrays {
public:
  explicit WorkspaceArrays(void *workspace) : begin_(static_cast<char *>(workspace)) { }

  template <class T>
  T *Take(std::size_t n)
  {
    char *at = begin_ ? begin_ + bytes_ : nullptr;
    bytes_ += (n * sizeof(T) + kLine - 1) / kLine * kLine;
    return reinterpret_cast<T *>(at);
  }

  std::size_t bytes() const { return bytes_; }

private:
  static constexpr std::size_t kLine = 64;

  char       *begin_;
  std::size_t bytes_ = 0;
};

} // namespace petscspmv
