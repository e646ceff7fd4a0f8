// The parts of spmvbench that need no PETSc matrix.
#include "benchmarks/estimate.hpp"
#include "benchmarks/figures.hpp"
#include "benchmarks/first.hpp"
#include "benchmarks/machine.hpp"
#include "benchmarks/targets.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <unistd.h>

namespace petscspmv::benchmarks {
namespace {

TEST(Benchmarks, Quantiles)
{
  const Spread spread = SpreadOf({5, 1, 4, 2, 3});
  EXPECT_EQ(spread.median, 3);
  EXPECT_EQ(spread.lower, 2);
  EXPECT_EQ(spread.upper, 4);
  EXPECT_EQ(SpreadOf({1, 2}).median, 1.5);
  EXPECT_EQ(SpreadOf({7}).upper, 7);
  EXPECT_EQ(SpreadOf({}).median, 0);
  EXPECT_DOUBLE_EQ(GeometricMean({1, 4, 2}), 2);
}

/// aij: 2 s per product, no conversion. fast: 1 s, the first one 7 s. slow: 4 s, without conversion.
MatrixRun Example()
{
  MatrixRun run;
  run.rows = run.cols = 10;
  run.nonzeros        = 1000000000;
  run.row_max         = 2000000001;
  run.ideal_bytes     = 8e9;
  run.bandwidth       = {16e9, 16e9, 16e9}; // half a second
  run.copy            = {1, 1, 9};
  run.types           = {
              {"aij", "", {2, 2, 4}, {2, 2, 2}, {2}, {2}, {}, 0, 0, 0},
              {"fast", "", {1, 1, 2}, {2, 2, 1}, {7}, {4}, {3}, 0, 0, 1e11},
              {"slow", "", {4, 4, 4}, {2, 2, 1}, {4}, {4}, {}, 0, 0, 0},
  };
  return run;
}

TEST(Benchmarks, Figures)
{
  const MatrixRun run  = Example();
  const Figures   fast = FiguresOf(run, run.types[1]), slow = FiguresOf(run, run.types[2]), aij = FiguresOf(run, run.types[0]);
  EXPECT_TRUE(IsIrregular(run));
  EXPECT_DOUBLE_EQ(fast.ns_per_nonzero, 1);
  EXPECT_DOUBLE_EQ(fast.gflops, 2);
  EXPECT_DOUBLE_EQ(fast.limit.median, 0.5);
  EXPECT_DOUBLE_EQ(fast.speedup.median, 2); // round by round: a round that is slow for both is not slow in the ratio
  EXPECT_DOUBLE_EQ(fast.speedup.lower, 2);
  EXPECT_DOUBLE_EQ(fast.transpose_speedup.median, 1);
  EXPECT_DOUBLE_EQ(fast.first, 3.5);
  EXPECT_DOUBLE_EQ(fast.preprocessing, 3); // 6 s beyond a product, in products of aij
  EXPECT_DOUBLE_EQ(fast.refresh, 2);
  EXPECT_DOUBLE_EQ(fast.fresh, 2); // 3 + 1 s
  EXPECT_DOUBLE_EQ(fast.copy, 1);  // 1 + 1 s
  EXPECT_EQ(slow.fresh, 0);        // it has no layout
  EXPECT_EQ(slow.copy, 0);
  EXPECT_DOUBLE_EQ(fast.break_even, 6); // 7 + 5 = 6 * 2
  EXPECT_DOUBLE_EQ(fast.speedup_50, 100.0 / 56);
  EXPECT_DOUBLE_EQ(fast.speedup_500, 1000.0 / 506);
  EXPECT_EQ(slow.break_even, std::numeric_limits<double>::infinity());
  EXPECT_EQ(aij.break_even, 1);
  EXPECT_EQ(aij.speedup.median, 1);
}

TEST(Benchmarks, Targets)
{
  MatrixRun run = Example();
  EXPECT_EQ(TargetTable(run), "");
  EXPECT_EQ(TargetSummary({run}, {}), "");
  run.name                 = "matrix";
  run.target               = "wide";
  run.types[1].product     = {1.1, 1.1, 2.2};
  run.types[2].product     = {4, 4, 4};
  run.types[1].by_target   = {{"plain", {2, 2, 4}}, {"wide", {1.1, 1.1, 2.2}}, {"best", {1, 1, 2}}};
  run.types[2].by_target   = {{"plain", {5, 5, 5}}, {"wide", {4, 4, 4}}, {"best", {4.1, 4.1, 4.1}}};
  const TargetFigures fast = FiguresOfTargets(run, run.types[1]), slow = FiguresOfTargets(run, run.types[2]);
  EXPECT_EQ(fast.best, 2u);
  EXPECT_DOUBLE_EQ(fast.ns_per_nonzero[0], 2);
  EXPECT_DOUBLE_EQ(fast.chosen_over_best, 1.1);
  EXPECT_EQ(slow.best, 1u);
  EXPECT_EQ(slow.chosen_over_best, 1);
  const std::string summary = TargetSummary({run}, {{"plain", "wide", "best"}, "wide", "for a reason"});
  EXPECT_NE(summary.find("wide (for a reason)"), std::string::npos) << summary;
  EXPECT_NE(summary.find("for 1 of 2 pairs"), std::string::npos) << summary;
  EXPECT_NE(summary.find("at most 1.10 (matrix with fast)"), std::string::npos) << summary;
}

TEST(Benchmarks, EstimateOfTime)
{
  Plan plan{.nonzeros = {1000, 1000}, .types = {"aij", "aijsell"}, .settings = {}};
  plan.settings.builds    = 2;
  plan.settings.rounds    = 300;
  plan.settings.seconds   = 0.1;
  plan.settings.transpose = false;
  // Samples of the read rate and of both types, which take 0.1 s to 0.2 s each.
  const double samples = 2. * 2 * 300 * 3, seconds = EstimateSeconds(plan);
  EXPECT_GT(seconds, 0.1 * samples);
  EXPECT_LT(seconds, 0.2 * samples);
  EXPECT_EQ(Describe(plan), "about 10 minutes: 2 matrices, 2 types, 2 builds, 300 rounds");
  plan.settings.transpose = true;
  EXPECT_NEAR(EstimateSeconds(plan) / seconds, 5. / 3, 0.01);

  // A large matrix: its products take longer than a sample must, two processes half as long.
  plan.nonzeros    = {1e9};
  const double one = EstimateSeconds(plan);
  plan.processes   = 2;
  const double two = EstimateSeconds(plan);
  EXPECT_GT(one, 2. * 300 * 5);
  EXPECT_NEAR(one / two, 2, 0.1);
  plan.settings.rounds *= 2;
  EXPECT_NEAR(EstimateSeconds(plan) / two, 2, 0.2);
}

/// Processes that differ in speed. Of 300 faults of 1 ms each, 100 are of the start, which takes 0.5 s.
FirstOfType ExampleOfFirst()
{
  return {.type    = "csr5",
          .samples = {{"product", {0.1, 0.2, 0.1}},
                      {"fresh", {1, 2, 9}},
                      {"used", {0.3, 0.6, 0.9}},
                      {"refresh", {0.2, 0.4, 0.2}},
                      {"start", {0.5, 0.5, 0.7}},
                      {"fresh_faults", {300, 300, 301}},
                      {"used_faults", {0, 0, 0}},
                      {"start_faults", {100, 100, 90}},
                      {"fault", {0.001, 0.001, 0.002}},
                      {"transposed", {0.7, 0.7, 0.7}}}};
}

TEST(Benchmarks, FirstProductsInParts)
{
  const FirstFigures figures = FiguresOf(ExampleOfFirst());
  EXPECT_DOUBLE_EQ(figures.fresh, 10); // in products of the same process
  EXPECT_DOUBLE_EQ(figures.used, 3);
  EXPECT_DOUBLE_EQ(figures.refresh, 2);
  EXPECT_DOUBLE_EQ(figures.start, 5);
  EXPECT_DOUBLE_EQ(figures.pages, 2);
  EXPECT_DOUBLE_EQ(figures.passes, 3);
  EXPECT_DOUBLE_EQ(figures.transposed, 7);
}

TEST(Benchmarks, FirstProductsOfAllMatrices)
{
  FirstRun one{.name = "one", .types = {ExampleOfFirst()}}, four = one, failed = one;
  for (double &product : four.types[0].samples["product"]) product /= 4;
  failed.types[0].failed = true;
  EXPECT_NE(Table(failed).find("csr5             failed\n"), std::string::npos) << Table(failed);
  EXPECT_TRUE(ToJson(failed).at("types")[0].at("failed"));
  EXPECT_DOUBLE_EQ(ToJson(one).at("types")[0].at("pages"), 2);
  const std::string text = Summary({one, four, failed}); // geometric mean of 10 and 40, and so on
  EXPECT_NE(text.find("20.00       6.00       4.00      10.00       4.00       6.00      14.00\n"), std::string::npos) << text;
  EXPECT_NE(text.find("40.00      12.00       8.00      20.00       8.00      12.00      28.00\n"), std::string::npos) << text;
  const std::vector<FirstOfType> starts = StartsOf(failed);
  EXPECT_FALSE(starts[0].failed);
  EXPECT_EQ(starts[0].samples.size(), 2u);
  EXPECT_EQ(starts[0].samples.at("start"), (Samples{0.5, 0.5, 0.7}));
}

TEST(Benchmarks, EstimateOfFirstProducts)
{
  Plan plan{.task = Task::First, .nonzeros = {1e6}, .types = {"aij", "csr5"}, .settings = {}};
  plan.settings.rounds = 10;
  const double ten     = EstimateSeconds(plan);
  plan.settings.rounds = 20;
  EXPECT_NEAR(EstimateSeconds(plan) / ten, 2, 0.2);
}

TEST(Benchmarks, EstimateOfTotalsAndSolves)
{
  Plan plan{.task = Task::Totals, .nonzeros = {1e6}, .types = {"aij", "csr5"}, .settings = {}};
  plan.settings.rounds  = 10;
  const double all      = EstimateSeconds(plan); // 5000 products take about 5 s, fewer are left out
  plan.settings.longest = 0.1;                   // 50 products
  EXPECT_LT(EstimateSeconds(plan), all / 5);
  plan.nonzeros = {1};
  EXPECT_EQ(Describe(plan), "about 1 second: 1 matrix, 2 types, 10 rounds");
}

TEST(Benchmarks, RoundsOfShortRuns)
{
  Settings settings;
  settings.rounds = 5;
  EXPECT_EQ(settings.RoundsOf(0.001), 5);
  settings.most = 25;
  EXPECT_EQ(settings.RoundsOf(0), 25);
  EXPECT_EQ(settings.RoundsOf(0.001), 25);
  EXPECT_EQ(settings.RoundsOf(0.04), 12);
  EXPECT_EQ(settings.RoundsOf(3), 5);
}

TEST(Benchmarks, EstimateOfSolves)
{
  Plan plan{.task = Task::Solves, .nonzeros = {1e6}, .types = {"aij", "spmv"}, .settings = {}};
  plan.settings.rounds = 10;
  const double all     = EstimateSeconds(plan);
  EXPECT_GT(all, 60);
  plan.settings.steps   = 5;
  plan.settings.longest = 10;
  EXPECT_GT(EstimateSeconds(plan), 2 * all);
  plan.settings.longest = 0.1; // one run shows that it takes too long
  EXPECT_LT(EstimateSeconds(plan), all / 5);
  plan.settings.steps   = 1;
  plan.settings.longest = 10;
  plan.solvers          = 1;
  EXPECT_LT(EstimateSeconds(plan), all / 8);
  plan.nonzeros.clear();
  plan.problems = {1e6};
  EXPECT_LT(EstimateSeconds(plan), all / 8);
  EXPECT_EQ(Describe(plan).substr(0, Describe(plan).find(':')), "about 20 seconds");
}

/// A folder with files as Linux would report them.
class FakeRoot {
public:
  FakeRoot() { std::filesystem::remove_all(path_); }
  ~FakeRoot() { std::filesystem::remove_all(path_); }

  void Write(const std::string &file, const std::string &text) const
  {
    const std::filesystem::path path = path_ + "/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  const std::string &path() const { return path_; }

private:
  std::string path_ = testing::TempDir() + "petscspmv_machine_" + std::to_string(getpid());
};

TEST(Benchmarks, MachineOfX86)
{
  const FakeRoot root;
  const auto     cpus = std::string("sys/devices/system/cpu/");
  root.Write("proc/cpuinfo", "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC\n"
                             "stepping\t: 2\nmicrocode\t: 0xa0\n\nprocessor\t: 1\nvendor_id\t: Other\n");
  root.Write(cpus + "vulnerabilities/gather_data_sampling", "Not affected\n");
  for (const auto &[index, level, type] :
       {std::tuple("index0", "1", "Data"), {"index1", "1", "Instruction"}, {"index2", "2", "Unified"}}) {
    for (const auto &[file, text] : {std::pair("level", level), {"type", type}, {"size", "32K"}})
      root.Write(cpus + "cpu0/cache/" + index + "/" + file, text);
  }
  nlohmann::json machine = DescribeMachine(root.path());
  machine.erase("cores");
  EXPECT_EQ(machine, (nlohmann::json{{"key", "AuthenticAMD-25-1"},
                                     {"name", "AMD EPYC"},
                                     {"vendor", "AuthenticAMD"},
                                     {"family", "25"},
                                     {"model", "1"},
                                     {"stepping", "2"},
                                     {"microcode", "0xa0"},
                                     {"caches", {{"L1d", "32K"}, {"L2", "32K"}}},
                                     {"mitigations", {{"gather_data_sampling", "Not affected"}}}}));
}

TEST(Benchmarks, MachineOfArmAndOfNothingKnown)
{
  const FakeRoot root;
  EXPECT_NE(DescribeMachine(root.path()).at("key"), "");
  root.Write("proc/cpuinfo",
             "processor : 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n");
  const std::string key = DescribeMachine(root.path()).at("key");
  EXPECT_NE(key.find("-0x41-8-0xd0c"), std::string::npos) << key;
}

} // namespace
} // namespace petscspmv::benchmarks
