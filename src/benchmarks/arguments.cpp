#include "benchmarks/arguments.hpp"

#include "benchmarks/legend.hpp"
#include "benchmarks/peers/use_peer.hpp"
#include "benchmarks/problems.hpp"
#include "benchmarks/solvers.hpp"
#include "matio/families.hpp"
#include "matio/twins.hpp"
#include "petscspmv.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>

namespace petscspmv::benchmarks {

namespace {

constexpr int    kRoundsOfSolves = 5, kMostOfSolves = 25;
constexpr double kLongestOfSolves = 3; // s

// Systems that are solved if none are named.
constexpr const char *kSystems[] = {"stencil7:40=diffusion",
                                    "stencil7:70=diffusion",
                                    "stencil27:40=diffusion",
                                    "ball:50=diffusion",
                                    "elasticity:18",
                                    "flow:14",
                                    "mg:49",
                                    "bratu:40",
                                    "heat:50"};

/// CLI::Range() lets NaN pass.
std::string CheckNumber(const std::string &word)
{
  return std::isnan(std::strtod(word.c_str(), nullptr)) ? "must be a number" : "";
}

std::string FamilyHelp()
{
  std::string text = "A matrix is a Matrix Market file (.mtx, .mtx.gz), a PETSc binary file, a folder of them, or generated:\n";
  for (const matio::Family &family : matio::Families()) {
    const std::string name = std::string(family.name) + ":" + family.parameters;
    text += "  " + name + std::string(name.size() < 24 ? 24 - name.size() : 1, ' ') + family.help + "\n";
  }
  text += "and with other values, as in stencil7:100=laplacian:\n";
  for (const matio::EntryRule &rule : matio::EntryRules())
    text += "  =" + std::string(rule.name) + std::string(23 - std::strlen(rule.name), ' ') + rule.help + "\n";
  text += "Twins: ";
  for (const matio::Twin &twin : matio::Twins()) text += std::string(twin.name) + " ";
  return text + "\nOptions after -- go to PETSc.";
}

std::string SolvesHelp()
{
  std::string text = "Besides matrices, programs on grids of N points a side:\n";
  for (const Problem &problem : Problems())
    text += "  " + std::string(problem.name) + ":N" + std::string(22 - std::strlen(problem.name), ' ') + problem.help + "\n";
  text += "Solvers, each with what it is of use for: ";
  for (const Solver &solver : Solvers()) text += std::string(solver.name) + " ";
  return text + "\nOptions after -- go to PETSc.";
}

/// Names with commas between them.
std::vector<std::string> Split(const std::string &list)
{
  std::vector<std::string> names;
  std::istringstream       stream(list);
  for (std::string name; std::getline(stream, name, ',');) names.push_back(CLI::detail::trim(name));
  return names;
}

/// What is wrong with the lists of the command line; empty if nothing is.
std::string Faults(const Arguments &arguments, const std::string &types, const std::string &peers)
{
  const std::vector<std::string> known = PeerNames();
  for (const std::string &name : peers == "all" ? std::vector<std::string>() : Split(peers)) {
    if (std::ranges::count(known, name) == 0)
      return "--peers: no library is called '" + name + "'; there are " + CLI::detail::join(known, ", ");
  }
  if (arguments.types.empty() || std::ranges::count(arguments.types, "") > 0) return "--types: an empty name in '" + types + "'";
  for (const std::string &name : arguments.types) {
    if (std::ranges::count(arguments.types, name) > 1) return "--types: " + name + " is there twice";
  }
  for (const std::string &name : arguments.solvers) {
    if (std::ranges::none_of(Solvers(), [&](const Solver &solver) { return name == solver.name; }))
      return "--solvers: none is called '" + name + "', see spmvbench solves --help";
  }
  return "";
}

} // namespace

const char *NameOf(Task task)
{
  constexpr const char *kNames[] = {"products", "totals", "chosen", "solves", "first", "sweeps"};
  return kNames[static_cast<std::size_t>(task)];
}

std::optional<int> Parse(int argc, char **argv, bool speak, Arguments &arguments)
{
  std::string types = "aij,aijsell,aijperm," PETSCSPMV_TYPES;
  std::string peers, solvers, mpiexec = "mpiexec";
  int         processes = 1;
  CLI::App    app("Times sparse matrix-vector products with several of PETSc's matrix types side by side.", "spmvbench");
  app.footer(FamilyHelp());
  app.add_option("matrices", arguments.inputs, "what to multiply with, see below")
    ->type_name("MATRIX")
    ->check([](const std::string &name) { return std::string(name.empty() ? "a name is empty" : ""); });
  std::vector<std::string> otherwise;
  app.add_option("--otherwise", otherwise, "matrices to take if there is no MATRIX; solves takes some of its own besides")
    ->type_name("MATRIX");
  app.add_option("-t,--types", types, "matrix types; the others are compared with the first")
    ->capture_default_str()
    ->type_name("LIST");
  app.add_flag("--peers{all}", peers, "also other libraries, as types mkl and librsb; --peers=mkl: that one alone");
  app.add_option("--builds", arguments.settings.builds, "times that matrices are built anew")
    ->capture_default_str()
    ->check(CLI::Range(1, 1000));
  app.add_option("--rounds", arguments.settings.rounds, "rounds with each of them; solves: 5, and up to 25 of short runs")
    ->capture_default_str()
    ->check(CLI::Range(1, 100000));
  app.add_option("--seconds", arguments.settings.seconds, "least time of a sample, in s")
    ->capture_default_str()
    ->check(CheckNumber)
    ->check(CLI::Range(0.0, 100.0));
  app.add_option("--least", arguments.least, "leave out matrices of fewer nonzeros")->capture_default_str();
  app.add_flag("!--no-transpose", arguments.settings.transpose, "leave out products with the transpose");
  app.add_option("--vectors", arguments.settings.vectors, "also time products with this many vectors at once")
    ->check(CLI::Range(1, 1000));
  app
    .add_option("--longest", arguments.settings.longest,
                "totals: leave out numbers of products that take longer; chosen: after 50, products that do; solves: runs that do "
                "(default: 3), in s")
    ->capture_default_str()
    ->check(CheckNumber)
    ->check(CLI::Range(0.0, 1e6));
  app.add_flag("--targets", arguments.all_targets, "also time this library's types with each of its targets (-spmv_simd)");
  app.add_option("--vec-type", arguments.settings.vec_type, "type of the vectors; cuda or kokkos: products on the GPU")
    ->type_name("TYPE");
  app.add_flag("--estimate", arguments.estimate, "print about how long the run would take, and measure nothing");
  bool legend = false;
  app.set_version_flag("--version", "spmvbench of petsc-spmv " PETSCSPMV_VERSION);
  app.add_flag("--legend", legend, "print what the columns of the tables mean, and measure nothing");
  app.add_option("--json", arguments.json, "write samples and figures to this file")->type_name("FILE");
  app.add_option("--commit", arguments.settings.commit, "the state of the sources, for --json")->type_name("TEXT");
  const CLI::App *totals =
    app.add_subcommand("totals", "The whole time of the first 1 to 5000 products with a new matrix, its conversion included.")
      ->fallthrough();
  const CLI::App *chosen =
    app
      .add_subcommand("chosen",
                      "What the type spmv multiplies with first and in the end, beside the fastest of the formats and AIJ.")
      ->fallthrough();
  CLI::App *solves =
    app
      .add_subcommand("solves",
                      "Whole runs as programs make them, a process each: from the matrix's first entry to the solution by "
                      "PETSc's solvers; without a MATRIX, a choice of systems.")
      ->fallthrough();
  solves->footer(SolvesHelp());
  solves->add_option("--steps", arguments.settings.steps, "time steps of a run, with new values in each")
    ->capture_default_str()
    ->check(CLI::Range(1, 100000));
  solves->add_option("--processes", processes, "processes of a run")->capture_default_str()->check(CLI::Range(1, 100000));
  solves->add_option("--mpiexec", mpiexec, "what starts several of them")->capture_default_str()->type_name("COMMAND");
  solves->add_option("--solvers", solvers, "these solvers alone, see below")->type_name("LIST");
  solves->add_option("--sample", arguments.sample)->group(""); // of one type, in a process that was started for it
  CLI::App *first =
    app
      .add_subcommand("first",
                      "The first product of a matrix, conversion included, in processes that have just started: its parts, "
                      "also in used memory, and after new values.")
      ->fallthrough();
  first->add_option("--sample", arguments.sample)->group(""); // of one type, in such a process
  const CLI::App *sweeps =
    app
      .add_subcommand(
        "sweeps", "Relaxation (SOR) and solves with factors (ILU, ICC), also by the plain loop, by layouts in double and in single "
                  "precision, and what making these takes.")
      ->fallthrough();
  CLI::App *compare = app.add_subcommand("compare", "Shows what got faster or slower between two runs, beyond the noise.");
  compare->add_option("before", arguments.before, "--json of one run")->required()->check(CLI::ExistingFile);
  compare->add_option("after", arguments.after, "--json of another")->required()->check(CLI::ExistingFile);
  compare->add_option("--noise", arguments.noise, "differences below this share are none")
    ->capture_default_str()
    ->check(CheckNumber)
    ->check(CLI::Range(0.0, 1.0));
  app.require_subcommand(0, 1);
  try {
    app.parse(argc, argv);
    if (legend) {
      if (speak) std::cout << Legend();
      return 0;
    }
    if (arguments.inputs.empty()) arguments.inputs = otherwise;
    if (*solves && app.count("matrices") == 0)
      arguments.inputs.insert(arguments.inputs.begin(), std::begin(kSystems), std::end(kSystems));
    if (!*compare && arguments.sample.empty() && arguments.inputs.empty()) throw CLI::RequiredError("a MATRIX");
  } catch (const CLI::ParseError &e) {
    std::ostringstream out, err;
    const int          code = app.exit(e, out, err);
    if (speak) {
      std::cout << out.str();
      std::cerr << err.str();
    }
    return code;
  }
  if (*totals) arguments.task = Task::Totals;
  if (*chosen) arguments.task = Task::Chosen;
  if (*solves) arguments.task = Task::Solves;
  if (*first) arguments.task = Task::First;
  if (*sweeps) arguments.task = Task::Sweeps;
  if (arguments.task != Task::Products && app.count("--types") == 0)
    types = *solves || *sweeps ? "aij," MATSPMV : "aij," PETSCSPMV_TYPES;
  arguments.types = Split(types);
  for (const std::string &name : peers == "all" ? PeerNames() : Split(peers)) {
    if (std::ranges::count(arguments.types, name) == 0) arguments.types.push_back(name);
  }
  if (*chosen) { // which knows y = A x with the types that spmv may multiply with
    std::erase(arguments.types, MATSPMV);
    arguments.settings.transpose = false;
    arguments.settings.vectors   = 0;
  }
  arguments.again.UseProcesses(processes, mpiexec);
  arguments.solvers = Split(solvers);
  if (*solves && app.count("--rounds") == 0) {
    arguments.settings.rounds = kRoundsOfSolves;
    arguments.settings.most   = kMostOfSolves;
  }
  if (*solves && app.count("--longest") == 0) arguments.settings.longest = kLongestOfSolves;
  std::string faults = Faults(arguments, types, peers);
  if (*chosen && app.count("--types") > 0) faults = "chosen measures all types that " MATSPMV " may choose: leave out --types";
  if (!faults.empty() && speak) std::cerr << faults << "\n";
  return faults.empty() ? std::nullopt : std::optional<int>(1);
}

} // namespace petscspmv::benchmarks
