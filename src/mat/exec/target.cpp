#include "mat/exec/target.hpp"

#include <cstring>

namespace petscspmv {

std::size_t FindTarget(const char *name)
{
  const std::span<const Target> targets = Targets();
  std::size_t                   k       = 0;
  while (k < targets.size() && std::strcmp(targets[k].name, name) != 0) ++k;
  return k;
}

std::size_t WidestTarget()
{
  const std::span<const Target> targets = Targets();
  std::size_t                   widest  = 0;
  for (std::size_t k = 1; k < targets.size(); ++k) {
    const bool better = targets[k].register_bytes > targets[widest].register_bytes || (targets[k].fused && !targets[widest].fused);
    if (targets[k].runs_here() && better) widest = k;
  }
  return widest;
}

std::size_t NarrowerTarget(std::size_t target)
{
  const std::span<const Target> targets  = Targets();
  std::size_t                   narrower = target;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (2 * targets[k].register_bytes != targets[target].register_bytes || targets[k].fused != targets[target].fused ||
        !targets[k].runs_here())
      continue;
    if (narrower == target || targets[k].gathers == targets[target].gathers) narrower = k;
  }
  return narrower;
}

} // namespace petscspmv
