#include "benchmarks/solves.hpp"

#include "benchmarks/entries.hpp"
#include "benchmarks/format.hpp"
#include "benchmarks/problems.hpp"
#include "petsc/success.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>

namespace petscspmv::benchmarks {

namespace {

constexpr const char *kMostIterations = "1000";
constexpr const char *kTolerance      = "1e-8";

/// What is run: a type under a name, chosen by an option if it is not PETSc's own.
struct Candidate {
  std::string              name, type;
  std::vector<std::string> options;
};

/// All types, the first one twice.
PetscErrorCode CandidatesOf(const std::vector<std::string> &types, std::vector<Candidate> &candidates)
{
  PetscFunctionBegin;
  for (const std::string &type : types) {
    Candidate candidate{.name = type, .type = type, .options = {}};
    if (type != MATAIJ) {
      Mat     A;
      MatType sequential;
      PetscCall(MatCreate(PETSC_COMM_SELF, &A));
      PetscCall(MatSetType(A, type.c_str()));
      PetscCall(MatGetType(A, &sequential));
      candidate.options = {"-mat_seqaij_type", sequential};
      PetscCall(MatDestroy(&A));
    }
    candidates.push_back(candidate);
    if (candidates.size() > 1) continue;
    candidate.name += " again";
    candidates.push_back(candidate);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Starts the program for one run of a system, which is a file or a problem: what it has measured, or null if it failed.
nlohmann::json Start(const WholeRuns &runs, const std::string &system, const Solver &solver, const Candidate &candidate)
{
  const std::string        path    = runs.scratch.File("sample.json");
  std::vector<std::string> options = OptionsOf(solver, runs.again.processes());
  std::error_code          ignored;
  std::filesystem::remove(path, ignored); // a process may fail before it writes
  options.insert(options.end(), {"-ksp_rtol", kTolerance, "-ksp_max_it", kMostIterations});
  options.insert(options.end(), candidate.options.begin(), candidate.options.end());
  const std::string steps = std::to_string(runs.settings.steps);
  if (!runs.again.Run({"solves", "--sample", candidate.type, "--steps", steps, "--json", path, system}, options)) return nullptr;
  std::ifstream file(path);
  auto          sample = nlohmann::json::parse(file, nullptr, false);
  return sample.is_object() ? sample : nlohmann::json();
}

/// Why a sample does not count, beside one of the first type; empty if it does.
std::string FaultOf(const nlohmann::json &sample, const nlohmann::json &first)
{
  constexpr double kWorse = 10, kRounding = 1e-7; // solvers stop by another residual than this
  if (sample.is_null()) return "failed";
  if (!sample.at("converged").get<bool>()) return "does not converge";
  const nlohmann::json &residual = sample.at("residual"), &reference = first.at("residual");
  if (!residual.is_number() || !reference.is_number()) return "not a number";
  return residual.get<double>() <= std::max(kWorse * reference.get<double>(), kRounding) ? "" : "wrong";
}

/// Runs all types in every round, each time another one first, after a run of the first type that shows whether to.
SolveRun MeasureRounds(const WholeRuns &runs, const std::string &system, const Solver &solver,
                       const std::vector<Candidate> &candidates)
{
  SolveRun             run{.solver = solver.name};
  const nlohmann::json first = Start(runs, system, solver, candidates.front());
  run.left_out               = FaultOf(first, first);
  if (!run.left_out.empty()) return run;
  run.first = first.at("whole");
  if (run.first > runs.settings.longest) {
    run.left_out = Format("takes %.1f s", run.first);
    return run;
  }
  for (const Candidate &candidate : candidates) run.types.push_back({.type = candidate.name});
  const int rounds = runs.settings.RoundsOf(run.first);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < run.types.size(); ++k) {
      const std::size_t    t      = (k + static_cast<std::size_t>(round)) % run.types.size();
      SolveOfType         &of     = run.types[t];
      const nlohmann::json sample = of.failure.empty() ? Start(runs, system, solver, candidates[t]) : nlohmann::json();
      if (of.failure.empty()) of.failure = FaultOf(sample, first);
      if (!of.failure.empty()) continue;
      of.whole.push_back(sample.at("whole"));
      of.solve.push_back(sample.at("solve"));
      of.iterations = sample.at("iterations");
    }
  }
  run.left_out = run.types.front().failure; // nothing to compare with
  return run;
}

/// Whether there is a zero on the diagonal, stored or not.
PetscErrorCode HasZeroOnDiagonal(Mat A, bool *has)
{
  Vec       diagonal;
  PetscReal least;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, NULL, &diagonal));
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(VecAbs(diagonal));
  PetscCall(VecMin(diagonal, NULL, &least));
  PetscCall(VecDestroy(&diagonal));
  *has = least == 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool IsWanted(const WholeRuns &runs, const std::string &solver)
{
  return runs.solvers.empty() || std::ranges::count(runs.solvers, solver) > 0;
}

} // namespace

PetscErrorCode MeasureSolves(Mat A, const std::string &name, const WholeRuns &runs, std::vector<SolveRun> &results)
{
  constexpr PetscInt     kUnknownsOfFlow = 4;
  const std::string      file            = runs.scratch.File("entries");
  PetscInt               rows, cols;
  PetscBool              symmetric;
  bool                   zero = false;
  MatInfo                info;
  Entries                entries;
  std::vector<Candidate> candidates;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &rows, &cols));
  if (rows != cols) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CandidatesOf(runs.types, candidates));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCall(MatIsSymmetric(A, 0, &symmetric));
  PetscCall(HasZeroOnDiagonal(A, &zero));
  PetscCall(EntriesOf(A, entries));
  WriteEntries(entries, file);
  const SystemKind kind{.symmetric = symmetric == PETSC_TRUE, .diagonal = !zero, .saddle = entries.block == kUnknownsOfFlow};
  for (const Solver &solver : Solvers()) {
    if (!Fits(solver, kind) || !IsWanted(runs, solver.name)) continue;
    runs.progress(solver.name);
    SolveRun run = MeasureRounds(runs, file, solver, candidates);
    run.name     = name;
    run.rows     = rows;
    run.nonzeros = static_cast<std::int64_t>(info.nz_used);
    results.push_back(std::move(run));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MeasureProblem(const std::string &name, const WholeRuns &runs, std::vector<SolveRun> &results)
{
  const Problem         &problem = *FindProblem(name);
  std::vector<Candidate> candidates;

  PetscFunctionBegin;
  PetscCall(CandidatesOf(runs.types, candidates));
  for (const Solver &solver : Solvers()) {
    if (std::ranges::count(problem.solvers, solver.name) == 0 || !IsWanted(runs, solver.name)) continue;
    runs.progress(solver.name);
    results.push_back(MeasureRounds(runs, name, solver, candidates));
    results.back().name = name;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::benchmarks
