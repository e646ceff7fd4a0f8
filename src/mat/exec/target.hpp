// Targets: instruction sets that host kernels are compiled for, and which of them this processor runs.
#pragma once

#include <cstddef>
#include <span>

namespace petscspmv {

/// One row of targets.cmake.
struct Target {
  const char *name;
  const char *features; // CPU features needed beyond the family's baseline
  int         register_bytes;
  bool        gathers; // loads x by gather instructions, otherwise by single loads
  bool        fused;   // uses FMA
  bool (*runs_here)(); // whether this processor has the features
};

/// All targets that the library was compiled for, the baseline first (generated).
std::span<const Target> Targets();

/// The index of a target in the list; the list's size if there is none of that name.
std::size_t FindTarget(const char *name);

/// Of the targets that run here, the first with the widest registers, preferably with FMA: the default until targets are measured.
std::size_t WidestTarget();

/// The most similar target with registers half as wide, among those that run here and give the same bits. Returns `target` if there
/// is none.
std::size_t NarrowerTarget(std::size_t target);

} // namespace petscspmv
