// What a run was made on.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace petscspmv::benchmarks {

/// The processor as Linux reports it in `root`/proc and `root`/sys; what is not known is left out. Its `key`, such as
/// AuthenticAMD-25-1, is of vendor, family and model, and can name files. `mitigations` are all that the kernel knows of: some of
/// them make gathers several times as slow.
nlohmann::json DescribeMachine(const std::string &root = "");

/// The compiler of this program, which is that of the library.
std::string Compiler();

/// Today in UTC, as 2024-12-31.
std::string Today();

} // namespace petscspmv::benchmarks
