#include "benchmarks/again.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace petscspmv::benchmarks {

namespace {

/// What mpiexec tells its processes: the new one is none of them.
bool IsOfLauncher(const std::string &variable)
{
  constexpr const char *kBeginnings[] = {"PMI", "OMPI_COMM_", "OMPI_MCA_ess", "OMPI_MCA_orte", "OMPI_MCA_pmix", "PRTE_", "HYD"};
  return std::ranges::any_of(kBeginnings, [&](const char *beginning) { return variable.starts_with(beginning); });
}

/// As functions of C want it.
std::vector<char *> Pointers(std::vector<std::string> &words)
{
  std::vector<char *> pointers;
  for (std::string &word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

} // namespace

Again::Again(std::vector<std::string> of_petsc) : of_petsc_(std::move(of_petsc))
{
  for (char **variable = environ; *variable; ++variable) {
    if (!IsOfLauncher(*variable)) environment_.emplace_back(*variable);
  }
}

void Again::UseProcesses(int processes, const std::string &mpiexec)
{
  std::istringstream words(mpiexec);
  processes_ = processes;
  launcher_.clear();
  if (processes == 1) return;
  for (std::string word; words >> word;) launcher_.push_back(word);
  launcher_.insert(launcher_.end(), {"-n", std::to_string(processes)});
}

bool Again::Run(std::vector<std::string> arguments, const std::vector<std::string> &of_petsc) const
{
  std::vector<std::string> environment = environment_;
  pid_t                    process;
  int                      status = 0;
  constexpr const char    *kSelf  = "/proc/self/exe"; // of a launcher that is the launcher
  arguments.insert(arguments.begin(), launcher_.empty() ? kSelf : std::filesystem::read_symlink(kSelf).string());
  arguments.insert(arguments.begin(), launcher_.begin(), launcher_.end());
  arguments.push_back("--");
  for (const auto *words : {&of_petsc, &of_petsc_}) arguments.insert(arguments.end(), words->begin(), words->end());
  if (posix_spawnp(&process, arguments.front().c_str(), nullptr, nullptr, Pointers(arguments).data(),
                   Pointers(environment).data())) {
    std::cerr << "spmvbench: " << arguments.front() << " cannot be started\n";
    return false;
  }
  return waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Scratch::Scratch() : path_(std::filesystem::temp_directory_path().string() + "/spmvbench.XXXXXX")
{
  if (!mkdtemp(path_.data())) throw std::runtime_error("no folder can be made in that of temporary files");
}

Scratch::~Scratch()
{
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

} // namespace petscspmv::benchmarks
