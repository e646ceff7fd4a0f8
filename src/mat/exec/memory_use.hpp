// Counts the library's memory in one place, and limits it to a share of the matrices' own bytes.
#pragma once

#include <cstddef>

namespace petscspmv {

/// Memory of this process, in bytes.
struct MemoryUse {
  std::size_t arrays  = 0; // of layouts, of what layouts are made from, and of workspaces
  std::size_t most    = 0; // the maximum of `arrays` in this session
  std::size_t kept    = 0; // of former arrays, kept for new ones
  std::size_t refused = 0; // not bytes: how many arrays of layouts the limit refused
};

MemoryUse UseOfMemory();

/// Begins to count for a session. `share` times the matrices' bytes limits the arrays while a layout is made, and then arrays and
/// kept memory together; infinite for no limit.
void StartMemoryUse(double share);

/// Counts an array; false if the limit refuses it.
bool AddArray(std::size_t bytes) noexcept;
void RemoveArray(std::size_t bytes) noexcept;

double MemoryLimit(); // the share

/// The bytes that the limit leaves for arrays.
double MemoryLeft();

/// Exists while a layout is made, since the limit refuses arrays only then. Memory that products need is counted, never refused.
/// The caller holds the lock.
class MakingLayout {
public:
  /// `bytes`: about how many the whole layout takes; 0: few, or not known.
  explicit MakingLayout(std::size_t bytes);
  ~MakingLayout();
  MakingLayout(const MakingLayout &)            = delete;
  MakingLayout &operator=(const MakingLayout &) = delete;
};

/// The bytes of a matrix that has layouts or was refused them. The limit is a share of the sum over all such matrices.
class OwnBytes {
public:
  OwnBytes() = default;
  ~OwnBytes() { Set(0); }
  OwnBytes(const OwnBytes &)            = delete;
  OwnBytes &operator=(const OwnBytes &) = delete;

  void Set(double bytes) noexcept;

private:
  double bytes_ = 0;
};

} // namespace petscspmv
