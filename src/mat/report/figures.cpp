#include "mat/report/figures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace petscspmv {

namespace {

/// One statistic as text: the name of a choice, "varies", or a number.
std::string Text(const TypeInfo &type, const Stat &stat)
{
  double unit = 0;
  if (std::isnan(stat.value)) return "varies";
  for (const OptionSpec &option : type.options) {
    if (std::strcmp(option.key, stat.key)) continue;
    if (!option.names.empty()) return option.names[static_cast<std::size_t>(stat.value)];
    if (option.unit != 0) unit = option.unit;
  }
  char text[32];
  if (unit != 0) {
    std::snprintf(text, sizeof(text), "%g", stat.value * unit);
    return text;
  }
  std::snprintf(text, sizeof(text), stat.Figure() == std::floor(stat.Figure()) ? "%.0f" : "%.4g", stat.Figure());
  return text;
}

} // namespace

PetscErrorCode ReduceFigures(MPI_Comm comm, Stats &stats)
{
  std::vector<double> sum, over, least, most;

  PetscFunctionBegin;
  for (const Stat &stat : stats) {
    sum.push_back(stat.value);
    over.push_back(stat.over);
  }
  least = most = sum;
  const int n  = static_cast<int>(stats.size());
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum.data(), n, MPI_DOUBLE, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, over.data(), n, MPI_DOUBLE, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, least.data(), n, MPI_DOUBLE, MPI_MIN, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most.data(), n, MPI_DOUBLE, MPI_MAX, comm));
  for (std::size_t k = 0; k < stats.size(); ++k) {
    switch (stats[k].kind) {
    case Stat::Parameter:
      stats[k].value = least[k] == most[k] ? most[k] : std::nan("");
      break;
    case Stat::Count:
    case Stat::IfNonzero:
      stats[k].value = sum[k];
      break;
    case Stat::Ratio:
      stats[k].value = sum[k];
      stats[k].over  = over[k];
      break;
    case Stat::Least:
      stats[k].value = least[k];
      break;
    case Stat::Most:
      stats[k].value = most[k];
      break;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrintFigures(PetscViewer viewer, const TypeInfo &type, const char *what, const Stats &stats)
{
  std::string              line  = std::string(type.title) + what + ":";
  double                   bytes = 0, csr_bytes = 0;
  std::vector<std::string> words;

  PetscFunctionBegin;
  for (const Stat &stat : stats) {
    if (!std::strcmp(stat.key, "bytes")) bytes = stat.value;
    if (!std::strcmp(stat.key, "csr_bytes")) csr_bytes = stat.value;
    if (stat.kind == Stat::IfNonzero && stat.value == 0) continue;
    words.push_back(std::string(" ") + stat.key + "=" + Text(type, stat));
    std::replace(words.back().begin(), words.back().end(), '_', ' ');
    if (*stat.unit) words.back() += std::string(" ") + stat.unit;
    if (&stat != &stats.back()) words.back() += ",";
  }
  char share[64];
  std::snprintf(share, sizeof(share), " (layout is %.4g of CSR)", csr_bytes > 0 ? bytes / csr_bytes : 0);
  words.push_back(share);
  for (const std::string &word : words) {
    if (line.size() + word.size() > 100) {
      PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", line.c_str()));
      line = " ";
    }
    line += word;
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", line.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
