// What spmvbench is asked for.
#pragma once

#include "benchmarks/again.hpp"
#include "benchmarks/estimate.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace petscspmv::benchmarks {

struct Arguments {
  Task                     task = Task::Products;
  std::vector<std::string> inputs;
  std::vector<std::string> types;
  Settings                 settings;
  std::string              json;
  std::string              before, after; // of a comparison
  double                   noise       = 0.03;
  std::int64_t             least       = 0; // nonzeros
  bool                     all_targets = false;
  bool                     estimate    = false; // and nothing else
  std::vector<std::string> solvers;             // of whole runs; empty for all
  std::string              sample;              // the type to measure one sample of, in a process started for it
  Again                    again;               // starts such
};

const char *NameOf(Task task);

/// Reads the command line; an exit code if that was all. Prints only if `speak`.
std::optional<int> Parse(int argc, char **argv, bool speak, Arguments &arguments);

} // namespace petscspmv::benchmarks
