#include "benchmarks/first.hpp"

#include "benchmarks/format.hpp"
#include "benchmarks/statistics.hpp"
#include "petsc/success.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>

namespace petscspmv::benchmarks {

namespace {

/// The figures that tables have, in their order.
struct Column {
  const char *name;
  double FirstFigures::*figure;
};

constexpr std::array<Column, 7> kColumns{{{"fresh", &FirstFigures::fresh},
                                          {"used", &FirstFigures::used},
                                          {"refresh", &FirstFigures::refresh},
                                          {"start", &FirstFigures::start},
                                          {"pages", &FirstFigures::pages},
                                          {"passes", &FirstFigures::passes},
                                          {"transposed", &FirstFigures::transposed}}};

std::string Heading()
{
  std::string text = Format("  %-14s", "type");
  for (const Column &column : kColumns) text += Format("%11s", column.name);
  return text + "\n";
}

PetscErrorCode WriteBinary(Mat A, const std::string &path)
{
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCall(PetscViewerBinaryOpen(PetscObjectComm((PetscObject)A), path.c_str(), FILE_MODE_WRITE, &viewer));
  PetscCall(PetscViewerBinarySetSkipInfo(viewer, PETSC_TRUE));
  PetscCall(MatView(A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Starts the program for one sample, and adds what it has measured; false if it failed.
bool AddSample(const Again &again, const Scratch &scratch, std::vector<std::string> arguments,
               const std::vector<std::string> &of_petsc, FirstOfType &of)
{
  const std::string path = scratch.File("sample.json");
  arguments.insert(arguments.begin(), {"first", "--sample", of.type, "--json", path});
  if (!again.Run(std::move(arguments), of_petsc)) return false;
  std::ifstream file(path);
  const auto    sample = nlohmann::json::parse(file, nullptr, false);
  if (!sample.is_object()) return false;
  for (const auto &[name, value] : sample.items()) of.samples[name].push_back(value);
  return true;
}

double Median(const FirstOfType &of, const char *name)
{
  return SpreadOf(of.samples.at(name)).median;
}

} // namespace

FirstFigures FiguresOf(const FirstOfType &of)
{
  const auto   products = [&](const char *name) { return SpreadOf(Ratios(of.samples.at(name), of.samples.at("product"))).median; };
  const double product  = Median(of, "product");
  const double faults   = std::max(0., Median(of, "fresh_faults") - Median(of, "start_faults"));
  FirstFigures figures{.fresh      = products("fresh"),
                       .used       = products("used"),
                       .refresh    = products("refresh"),
                       .start      = Median(of, "start") / product,
                       .pages      = faults * Median(of, "fault") / product,
                       .transposed = products("transposed")};
  figures.passes = figures.fresh - figures.start - figures.pages;
  return figures;
}

std::vector<FirstOfType> StartsOf(const FirstRun &run)
{
  std::vector<FirstOfType> types;
  for (const FirstOfType &of : run.types) {
    types.push_back({.type = of.type, .samples = {}});
    for (const char *name : {"start", "start_faults"}) {
      if (of.samples.contains(name)) types.back().samples[name] = of.samples.at(name);
    }
  }
  return types;
}

PetscErrorCode MeasureFirst(Mat A, const std::vector<std::string> &types, const Settings &settings, const Again &again,
                            FirstRun &run)
{
  PetscInt      rows, cols;
  MatInfo       info;
  const Scratch scratch;
  const auto    matrix = scratch.File("matrix.petsc"), seconds = Format("%g", settings.seconds);

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &rows, &cols));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  run.rows     = rows;
  run.cols     = cols;
  run.nonzeros = static_cast<std::int64_t>(info.nz_used);
  PetscCall(WriteBinary(A, matrix)); // files of other kinds take long to read, and that uses memory
  if (run.types.empty()) {
    for (const std::string &type : types) run.types.push_back({.type = type, .samples = {}});
  }
  for (std::size_t round = 0; round < static_cast<std::size_t>(settings.rounds); ++round) {
    for (FirstOfType &of : run.types) {
      if (of.failed) continue;
      // A tiny matrix is not worth starting threads for, which a large one needs.
      of.failed = (of.samples["start"].size() <= round && !AddSample(again, scratch, {}, {"-spmv_launch_work", "1"}, of)) ||
                  !AddSample(again, scratch, {"--seconds", seconds, matrix}, {}, of);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string Table(const FirstRun &run)
{
  std::string text =
    Format("\n%s: %lld x %lld, %lld nonzeros; first products in products of aij\n", run.name.c_str(),
           static_cast<long long>(run.rows), static_cast<long long>(run.cols), static_cast<long long>(run.nonzeros)) +
    Heading();
  for (const FirstOfType &of : run.types) {
    text += Format("  %-14s", of.type.c_str());
    if (of.failed) text += "   failed";
    else {
      const FirstFigures figures = FiguresOf(of);
      for (const Column &column : kColumns) text += Format("%11.2f", figures.*column.figure);
    }
    text += "\n";
  }
  return text;
}

std::string Summary(const std::vector<FirstRun> &runs)
{
  if (runs.empty()) return "";
  std::string text =
    Format("\n%d matrices: first products in products of aij, geometric mean and greatest\n", static_cast<int>(runs.size())) +
    Heading();
  for (std::size_t t = 0; t < runs.front().types.size(); ++t) {
    std::string means, greatest;
    for (const Column &column : kColumns) {
      constexpr double    kNothing = 0.01; // parts may be none, or less by noise
      std::vector<double> figures;
      for (const FirstRun &run : runs) {
        if (!run.types[t].failed) figures.push_back(std::max(kNothing, FiguresOf(run.types[t]).*column.figure));
      }
      if (figures.empty()) continue;
      means += Format("%11.2f", GeometricMean(figures));
      greatest += Format("%11.2f", *std::max_element(figures.begin(), figures.end()));
    }
    text += Format("  %-14s", runs.front().types[t].type.c_str()) + means + Format("\n  %-14s", "    greatest") + greatest + "\n";
  }
  return text;
}

nlohmann::json ToJson(const FirstRun &run)
{
  nlohmann::json types = nlohmann::json::array();
  for (const FirstOfType &of : run.types) {
    nlohmann::json entry{{"type", of.type}, {"failed", of.failed}, {"samples", of.samples}};
    if (!of.failed) {
      const FirstFigures figures = FiguresOf(of);
      for (const Column &column : kColumns) entry[column.name] = figures.*column.figure;
    }
    types.push_back(std::move(entry));
  }
  return {{"name", run.name}, {"rows", run.rows}, {"cols", run.cols}, {"nonzeros", run.nonzeros}, {"types", types}};
}

} // namespace petscspmv::benchmarks
