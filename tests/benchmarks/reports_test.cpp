// Tables and JSON of whole runs and sweeps.
#include "benchmarks/solve_report.hpp"
#include "benchmarks/sweeps.hpp"

#include <gtest/gtest.h>

namespace petscspmv::benchmarks {
namespace {

/// Two solvers of which one was left out, with a type that is twice as fast in KSPSolve, and one that is wrong.
std::vector<SolveRun> ExampleOfSolves()
{
  SolveRun run{.name = "m", .solver = "cg+icc"};
  run.types = {{.type = "aij", .whole = {4, 8, 4}, .solve = {2, 4, 2}, .iterations = 30},
               {.type = "aij again", .whole = {4, 8, 4}, .solve = {2, 4, 2}, .iterations = 30},
               {.type = "spmv", .whole = {3.2, 6.4, 3.2}, .solve = {1, 2, 1}, .iterations = 31},
               {.type = "csr5", .failure = "wrong"}};
  return {run, {.name = "m", .solver = "gmres+ilu", .left_out = "does not converge"}};
}

TEST(Benchmarks, WholeRuns)
{
  const std::vector<SolveRun> runs  = ExampleOfSolves();
  const std::string           table = Table(runs), summary = Summary(runs);
  EXPECT_NE(table.find("1.25 (1.25..1.25)     2.00 +1 its  wrong"), std::string::npos) << table;
  EXPECT_NE(table.find("gmres+ilu        left out: does not converge\n"), std::string::npos) << table;
  EXPECT_NE(summary.find("1 whole runs"), std::string::npos) << summary;
  EXPECT_NE(summary.find("spmv           whole run 1.25 (1.25), KSPSolve 2.00 (2.00)\n"), std::string::npos) << summary;
  EXPECT_NE(summary.find("csr5           whole run -, KSPSolve -\n"), std::string::npos) << summary;
  EXPECT_FALSE(ToJson(runs[0]).at("types")[3].contains("seconds"));
  EXPECT_EQ(Summary(std::vector<SolveRun>{runs[1]}), "");
}

TEST(Benchmarks, Sweeps)
{
  SweepsRun many{.name = "m", .operation = "SOR", .rows = 100, .nonzeros = 500, .side_by_side = 16};
  many.ways                 = {{.name = "aij", .seconds = {2, 4, 2}, .first = 2, .iterations = 20},
                               {.name = "spmv layout", .seconds = {1, 2, 1}, .first = 9},
                               {.name = "spmv single", .seconds = {0.5, 1, 0.5}, .first = 2, .error = 1e-7, .iterations = 21}};
  SweepsRun few             = many;
  few.side_by_side          = 15;
  few.ways[1].seconds       = {2, 4, 2};
  few.ways[2].error         = 0.1;
  const std::string summary = Summary(std::vector<SweepsRun>{many, few});
  EXPECT_NE(summary.find("spmv layout        1.41 (1.00) of 2     2.00 (2.00) of 1     3.8\n"), std::string::npos) << summary;
  EXPECT_NE(summary.find("spmv single        4.00 (4.00) of 1     4.00 (4.00) of 1     -\n"), std::string::npos) << summary;
  EXPECT_NE(Table(std::vector<SweepsRun>{few}).find("spmv single       wrong\n"), std::string::npos)
    << Table(std::vector<SweepsRun>{few});
  EXPECT_EQ(ToJson(few).at("types")[2].at("failure"), "wrong");
  EXPECT_DOUBLE_EQ(ToJson(many).at("types")[1].at("making"), 4);
}

} // namespace
} // namespace petscspmv::benchmarks
