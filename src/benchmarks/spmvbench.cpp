// spmvbench: products with several matrix types side by side.
#include "benchmarks/arguments.hpp"
#include "benchmarks/checks.hpp"
#include "benchmarks/compare.hpp"
#include "benchmarks/inputs.hpp"
#include "benchmarks/problems.hpp"
#include "benchmarks/results.hpp"
#include "matio/load.hpp"
#include "petsc/success.hpp"
#include "petscspmv.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <new>
#include <optional>
#include <unistd.h>

namespace {

using namespace petscspmv;
using namespace petscspmv::benchmarks;

nlohmann::json ReadJson(const std::string &path)
{
  std::ifstream file(path);
  auto          run = nlohmann::json::parse(file, nullptr, false); // no exception: its words are not for users
  if (run.is_discarded()) throw std::runtime_error("it is not JSON");
  if (!run.is_object() || !run.contains("run") || !run["run"].is_object() || !run.contains("matrices") ||
      !run["matrices"].is_array())
    throw std::runtime_error("it is not of spmvbench");
  return run;
}

int CompareFiles(const Arguments &arguments)
{
  std::string path;
  try {
    const auto before = ReadJson(path = arguments.before), after = ReadJson(path = arguments.after);
    std::cout << Compare(before, after, arguments.noise);
    return 0;
  } catch (const nlohmann::json::exception &) { // its words are not for users
    std::cerr << arguments.before << " or " << arguments.after << " is not of spmvbench\n";
    return 1;
  } catch (const std::exception &e) {
    std::cerr << path << ": " << e.what() << "\n";
    return 1;
  }
}

/// Says on the first process what goes on, in one line that the next one overwrites.
class Progress {
public:
  Progress() : shown_(isatty(STDERR_FILENO)) { }

  void Say(const std::string &text) const
  {
    if (shown_) PetscFPrintf(PETSC_COMM_WORLD, stderr, "\r\033[K%s", text.c_str());
  }

private:
  bool shown_;
};

/// How long the run will take: for people at a terminal, or because that was asked for.
PetscErrorCode Announce(const Arguments &arguments, const std::vector<Input> &inputs)
{
  PetscMPIInt rank;
  Plan        plan{.task     = arguments.task,
                   .nonzeros = {},
                   .solvers  = arguments.solvers.size(),
                   .types    = arguments.types,
                   .settings = arguments.settings};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &plan.processes));
  if (rank > 0 || !(arguments.estimate || isatty(STDERR_FILENO))) PetscFunctionReturn(PETSC_SUCCESS);
  if (arguments.task == Task::Solves) plan.processes = arguments.again.processes();
  for (const Input &input : inputs) {
    if (arguments.task == Task::Solves && FindProblem(input.path)) {
      plan.problems.push_back(NonzerosOfProblem(input.path));
      continue;
    }
    const double nonzeros = matio::CountNonzeros(input.path);
    if (nonzeros >= static_cast<double>(std::max<std::int64_t>(1, arguments.least))) plan.nonzeros.push_back(nonzeros);
  }
  if (arguments.estimate) std::cout << Describe(plan) << "\n";
  else std::cerr << "spmvbench: " << Describe(plan) << " (--legend explains the columns)\n";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// PETSc's options after "--" that nothing has asked for.
PetscErrorCode ShowUnusedOptions()
{
  PetscInt n;
  char   **names, **values;

  PetscFunctionBegin;
  PetscCall(PetscOptionsLeftGet(NULL, &n, &names, &values));
  for (PetscInt i = 0; i < n; ++i)
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, stderr, "spmvbench: nothing has used the option -%s\n", names[i]));
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &names, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool WriteJson(const std::string &path, const nlohmann::json &run)
{
  PetscMPIInt rank;
  int         written = 1;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (rank == 0) {
    const std::string text = run.dump(1, ' ', false, nlohmann::json::error_handler_t::replace); // names may not be UTF-8
    std::ofstream     file(path);
    file << text << "\n";
    written = static_cast<bool>(file.flush());
  }
  MPI_Bcast(&written, 1, MPI_INT, 0, PETSC_COMM_WORLD);
  return written;
}

/// Measures the matrix of one input, the k-th, and leaves out what cannot be read; `error` says so if it was named.
PetscErrorCode RunInput(const Arguments &arguments, const std::vector<Input> &inputs, std::size_t k, const std::string &target,
                        const Progress &progress, Results &results, std::string &error)
{
  Mat               A;
  std::string       why;
  const std::string name  = NameOf(inputs[k].path);
  const auto        place = "[" + std::to_string(k + 1) + "/" + std::to_string(inputs.size()) + "] " + name + ": ";

  const auto say = [&](const std::string &what) { progress.Say(what.empty() ? what : place + what); };

  PetscFunctionBegin;
  if (arguments.task == Task::Solves && FindProblem(name)) {
    PetscCall(MeasureProgram(arguments, name, say, results));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  progress.Say(place + "reading");
  PetscCall(Open(inputs[k].path, &A, why));
  if (!A) {
    if (!inputs[k].found) error = "not all matrices were read";
    progress.Say("");
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, stderr, "spmvbench: left out: %s\n", why.c_str()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MeasureMatrix(arguments, A, name, target, say, results));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What all matrices together show.
PetscErrorCode Summarize(const Arguments &arguments, const Results &results, const TargetList &targets, std::string &error)
{
  const std::string by_target = TargetSummary(results.products, targets), products = Summary(results.products),
                    totals = Summary(results.totals), chosen = Summary(results.chosen), solves = Summary(results.solves),
                    first = Summary(results.first), sweeps = Summary(results.sweeps);

  PetscFunctionBegin;
  const bool solved = arguments.task == Task::Solves || arguments.task == Task::Sweeps;
  if (error.empty() && results.Empty())
    error = solved ? "nothing was measured: systems are square, with no zero on the diagonal, and are solved by aij in time"
                   : "none of the inputs is a matrix with nonzeros that this PETSc can hold";
  if (error.empty() && arguments.all_targets && by_target.empty()) error = "--targets: none of the types is of this library";
  for (const std::string &text : {products, totals, chosen, solves, first, sweeps, by_target})
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s", text.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// One sample of first products or of a whole run, for the process that has started this one.
PetscErrorCode Sample(const Arguments &arguments, std::string &error)
{
  nlohmann::json sample;

  PetscFunctionBegin;
  if (arguments.task == Task::Solves) PetscCall(SampleSolve(arguments.inputs.front(), arguments.settings, sample));
  else if (arguments.inputs.empty()) PetscCall(SampleStart(arguments.sample, sample));
  else PetscCall(SampleFirst(arguments.sample, arguments.inputs.front(), arguments.settings, sample));
  if (!WriteJson(arguments.json, sample)) error = arguments.json + " cannot be written";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Measures all matrices that can be read; `error` says what the user has to correct.
PetscErrorCode Run(Arguments arguments, std::string &error)
{
  const std::vector<Input> inputs = Expand(arguments.inputs);
  const Progress           progress;
  Results                  results;
  TargetList               targets;

  PetscFunctionBegin;
  PetscCall(CheckArguments(arguments, error));
  if (!error.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetTargets(targets));
  if (arguments.all_targets) arguments.settings.targets = targets.names;
  PetscCall(Announce(arguments, inputs));
  if (arguments.estimate) PetscFunctionReturn(PETSC_SUCCESS);
  const auto write_so_far = [&] {
    auto about    = DescribeRun(PETSC_COMM_WORLD, arguments.settings, targets);
    about["task"] = NameOf(arguments.task);
    if (arguments.task == Task::Solves)
      about.update({{"processes", arguments.again.processes()}, {"steps", arguments.settings.steps}});
    const bool written = arguments.json.empty() || WriteJson(arguments.json, {{"run", about}, {"matrices", results.json}});
    if (!written) error = arguments.json + " cannot be written";
    return written;
  };
  if (!write_so_far()) PetscFunctionReturn(PETSC_SUCCESS); // before hours of measurements
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    PetscCall(RunInput(arguments, inputs, k, targets.chosen, progress, results, error));
    if (!write_so_far()) break;
  }
  progress.Say("");
  PetscCall(Summarize(arguments, results, targets, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
try {
  Arguments   arguments;
  PetscMPIInt rank;
  int         own = 1; // our arguments, the rest are PETSc's
  while (own < argc && std::string(argv[own]) != "--") ++own;
  std::vector<char *> of_petsc{argv[0]};
  if (own < argc) of_petsc.insert(of_petsc.end(), argv + own + 1, argv + argc);
  int rest = static_cast<int>(of_petsc.size());
  of_petsc.push_back(nullptr); // as main() has it
  char **petsc = of_petsc.data();

  arguments.again = Again(std::vector<std::string>(of_petsc.begin() + 1, of_petsc.end() - 1)); // before MPI starts
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&rest, &petsc, NULL, NULL));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  std::optional<int> code = Parse(own, argv, rank == 0, arguments);
  if (!code && !arguments.before.empty()) code = rank == 0 ? CompareFiles(arguments) : 0;
  if (!code) {
    std::string error;
    const bool  plain = arguments.task == Task::Solves && arguments.sample == MATAIJ; // a program that does not know the library
    if (!plain) PetscCall(PetscSpMVRegisterAll());
    PetscCall(arguments.sample.empty() ? Run(arguments, error) : Sample(arguments, error));
    if (own < argc && arguments.sample.empty()) PetscCall(ShowUnusedOptions());
    if (!error.empty()) PetscCall(PetscFPrintf(PETSC_COMM_WORLD, stderr, "spmvbench: %s\n", error.c_str()));
    code = !error.empty();
  }
  PetscCall(PetscFinalize());
  return code.value_or(0);
} catch (const std::bad_alloc &) {
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "spmvbench needs more memory than there is, or than the process may have");
} catch (const std::exception &e) {
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "spmvbench: %s", e.what());
}
