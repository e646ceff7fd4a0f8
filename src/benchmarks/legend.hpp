// What the columns of spmvbench's tables mean.
#pragma once

#include <string>

namespace petscspmv::benchmarks {

std::string Legend();

} // namespace petscspmv::benchmarks
