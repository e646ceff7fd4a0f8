// What the process has been told about how kernels run, and what it found out about the machine.
#pragma once

#include "mat/exec/execution.hpp"

#include <cstddef>
#include <string>

namespace petscspmv {

void SetPrefetching(Prefetching prefetching);
void SetLaunchWork(std::size_t nonzeros);

/// The target that kernels use from now on, by its place in the list, and why: a line for users.
void               SetTarget(std::size_t target, std::string why);
std::size_t        CurrentTarget();
const std::string &WhyTarget();

/// How a kernel runs by these settings; without stream and workspace.
Execution CurrentExecution();

} // namespace petscspmv
