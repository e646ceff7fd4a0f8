// The settings of this process for running kernels, and the properties of the machine.
#pragma once

#include "mat/exec/execution.hpp"

#include <cstddef>
#include <string>

namespace petscspmv {

void SetPrefetching(Prefetching prefetching);
void SetLaunchWork(std::size_t nonzeros);

/// The threads that read large arrays on their way to a device; 1 unless set.
void SetUploadThreads(int threads);
int  UploadThreads();

/// Sets the target that kernels use from now on, an index into the list, and a line for users that says why.
void               SetTarget(std::size_t target, std::string why);
std::size_t        CurrentTarget();
const std::string &WhyTarget();

/// The Execution by these settings, without stream and workspace.
Execution CurrentExecution();

} // namespace petscspmv
