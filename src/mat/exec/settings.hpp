// The settings of this process for running kernels, and properties of the machine.
#pragma once

#include "mat/exec/execution.hpp"

#include <cstddef>
#include <string>

namespace petscspmv {

void SetPrefetching(Prefetching prefetching);
void SetLaunchWork(std::size_t nonzeros);

/// The number of threads that read large host arrays, to check them and copy them to a device; 1 unless set.
void SetUploadThreads(int threads);
int  UploadThreads();

/// Sets the target that kernels use from now on (an index into Targets()), and a line that tells users why.
void               SetTarget(std::size_t target, std::string why);
std::size_t        CurrentTarget();
const std::string &WhyTarget();

/// An Execution with these settings, without stream and workspace.
Execution CurrentExecution();

} // namespace petscspmv
