// Comparisons of two runs.
#include "benchmarks/compare.hpp"

#include <gtest/gtest.h>

namespace petscspmv::benchmarks {
namespace {

/// A run of one matrix with a type that is `speed` times as fast as aij, give or take `noise`, in each of 21 rounds.
nlohmann::json RunOf(double speed, double noise)
{
  std::vector<double> aij, type;
  for (int k = 0; k < 21; ++k) {
    aij.push_back(1 + 0.5 * (k % 2)); // disturbs both types
    type.push_back(aij.back() / speed * (1 + noise * (k % 3 - 1)));
  }
  const auto entry = [](const char *name, const std::vector<double> &product) {
    return nlohmann::json{
      {"type", name},
      {"seconds", {{"product", product}, {"transpose", std::vector<double>{}}, {"first", {5.0}}, {"refresh", {1.0}}}}};
  };
  const nlohmann::json failed{{"type", "sell"}, {"failure", "not for this matrix"}};
  const nlohmann::json about{{"processor", "p"}, {"processes", 1},    {"threads", 1},
                             {"petsc", "v"},     {"scalar_bytes", 8}, {"index_bytes", 4}};
  return {{"run", about}, {"matrices", {{{"name", "m"}, {"types", {entry("aij", aij), entry("csr5", type), failed}}}}}};
}

TEST(Benchmarks, ComparisonOfWholeRunsAndSweeps)
{
  const auto run = [](double speed) {
    const std::vector<double> aij{2, 4, 2}, type{2 / speed, 4 / speed, 2 / speed};
    return nlohmann::json{{"run", nlohmann::json::object()},
                          {"matrices",
                           {{{"name", "m"},
                             {"solver", "cg+icc"},
                             {"types",
                              {{{"type", "aij"}, {"seconds", {{"whole", aij}, {"solve", aij}}}},
                               {{"type", "spmv"}, {"seconds", {{"whole", aij}, {"solve", type}}}},
                               {{"type", "csr5"}, {"failure", "wrong"}}}}},
                            {{"name", "m"},
                             {"operation", "SOR"},
                             {"types", {{{"type", "aij"}, {"seconds", aij}}, {{"type", "spmv"}, {"seconds", type}}}}}}}};
  };
  const std::string text = Compare(run(1), run(2), 0.03);
  EXPECT_NE(text.find("m cg+icc                             spmv         solve         1.000 -> 2.000"), std::string::npos) << text;
  EXPECT_NE(text.find("m                                    spmv         SOR           1.000 -> 2.000"), std::string::npos) << text;
  EXPECT_NE(text.find("the same, within the noise: 4\n"), std::string::npos) << text;
}

/// Whether a comparison mentions the product under a heading.
bool Reports(const std::string &text, const std::string &heading, const std::string &next)
{
  const auto begin = text.find(heading), end = text.find(next);
  return text.substr(begin, end - begin).find("csr5         product") != std::string::npos;
}

TEST(Benchmarks, ComparisonReportsWhatIsBeyondTheNoise)
{
  const std::string faster = Compare(RunOf(1.5, 0.01), RunOf(1.8, 0.01), 0.03),
                    slower = Compare(RunOf(1.5, 0.01), RunOf(1.2, 0.01), 0.03);
  EXPECT_TRUE(Reports(faster, "faster:", "slower:")) << faster;
  EXPECT_NE(faster.find("1.500 -> 1.800"), std::string::npos) << faster;
  EXPECT_FALSE(Reports(faster, "slower:", "the same")) << faster;
  EXPECT_TRUE(Reports(slower, "slower:", "the same")) << slower;
  EXPECT_FALSE(Reports(slower, "faster:", "slower:")) << slower;
}

TEST(Benchmarks, ComparisonIsSilentWithinTheNoise)
{
  for (const std::string &text : {Compare(RunOf(1.5, 0.01), RunOf(1.53, 0.01), 0.03),
                                  Compare(RunOf(1.5, 0.3), RunOf(1.6, 0.3), 0.03), Compare(RunOf(1.5, 0), RunOf(1.5, 0), 0)}) {
    EXPECT_FALSE(Reports(text, "faster:", "slower:")) << text;
    EXPECT_FALSE(Reports(text, "slower:", "the same")) << text;
  }
}

TEST(Benchmarks, ComparisonNotesOtherMachinesAndMissingMatrices)
{
  nlohmann::json other         = RunOf(1.5, 0);
  other["run"]["processes"]    = 2;
  other["matrices"][0]["name"] = "n";
  const std::string text       = Compare(RunOf(1.5, 0), other, 0.03);
  EXPECT_NE(text.find("processes was 1, is 2"), std::string::npos) << text;
  EXPECT_NE(text.find("m csr5 product"), std::string::npos) << text;
}

} // namespace
} // namespace petscspmv::benchmarks
