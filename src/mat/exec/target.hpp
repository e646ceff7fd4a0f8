// Targets: what host kernels are compiled for, and which of them this processor runs.
#pragma once

#include <cstddef>
#include <span>

namespace petscspmv {

/// One row of targets.cmake.
struct Target {
  const char *name;
  const char *features; // that the processor must have beyond its family
  int         register_bytes;
  bool        gathers; // x by gather instructions; otherwise put together from loads
  bool        fused;   // multiplications and additions are rounded once
  bool (*runs_here)(); // whether this processor has the features
};

/// All that the library was compiled for, the baseline first (generated).
std::span<const Target> Targets();

/// The place of a target in the list; that of none is its size.
std::size_t FindTarget(const char *name);

/// The target that runs here with the widest registers, of several the first: what is used where nothing has been measured.
std::size_t WidestTarget();

/// Of the targets that run here, give the same bits and have registers half as wide, the one that is most like it; itself where
/// there is none.
std::size_t NarrowerTarget(std::size_t target);

} // namespace petscspmv
