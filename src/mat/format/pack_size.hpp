// How many vectors kernels multiply with at a time, and the workspace for that.
#pragma once

#include "mat/exec/workspace.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace petscspmv {

/// The number of vectors that kernels of a target multiply with at a time (a pack): as many as a register has lanes, so that the
/// sums of a chunk stay in registers, but at least four, since every pack reads all entries of the matrix again.
constexpr int VectorsOfPack(int register_bytes, std::size_t scalar_bytes)
{
  return std::max(4, register_bytes / static_cast<int>(scalar_bytes));
}

/// The largest number of vectors in a pack of any target.
template <class Scalar>
inline constexpr std::size_t kMostPacked = VectorsOfPack(64, sizeof(Scalar));

/// The bytes of a workspace for many vectors: `own_workspace`, as for one vector, for each of a pack, then the packed rows of X.
template <class Scalar>
std::size_t BytesForMany(std::int64_t cols, std::size_t own_workspace)
{
  WorkspaceArrays arrays(nullptr);
  arrays.Take<std::byte>(kMostPacked<Scalar> * own_workspace);
  arrays.Take<Scalar>(kMostPacked<Scalar> * static_cast<std::size_t>(cols));
  return arrays.bytes();
}

} // namespace petscspmv
