#include "matio/twins.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>

namespace petscspmv::matio {

namespace {

// CSR5: Table 2 of that paper; speculative: Table 3; SELL: Table 2.2; IPCSR: Table 1. Rows, columns and nonzeros are taken from
// the last two if they have the matrix, otherwise the rounded ones of the first two, which alone report row lengths. The four
// matrices that only SELL has get the lengths suggested by its occupancy beta (C = 16, sigma = 1): at most the average over beta,
// and at least as far below it.
constexpr std::array<Twin, 31> twins{{
  {"dense", 2000, 2000, 4000000, 2000, 2000, "CSR5, speculative, SELL (dense2), IPCSR"},
  {"protein", 36417, 36417, 4344765, 18, 204, "CSR5, speculative, SELL (pdb1HYS), IPCSR"},
  {"spheres", 83334, 83334, 6010480, 1, 81, "CSR5, speculative, SELL (consph), IPCSR"},
  {"cantilever", 62451, 62451, 4007383, 1, 78, "CSR5, speculative, SELL (cant), IPCSR"},
  {"windtunnel", 217918, 217918, 11634424, 2, 180, "CSR5, speculative, SELL (pwtk), IPCSR"},
  {"qcd", 49152, 49152, 1916928, 39, 39, "CSR5, speculative, SELL (qcd5_4), IPCSR"},
  {"epidemiology", 525825, 525825, 2100225, 2, 4, "CSR5, speculative, SELL (mc2depi), IPCSR"},
  {"harbor", 46835, 46835, 2374001, 4, 145, "CSR5, speculative, SELL (rma10), IPCSR"},
  {"ship", 140874, 140874, 7813404, 24, 102, "CSR5, speculative, SELL (shipsec1), IPCSR"},
  {"economics", 206500, 206500, 1273389, 1, 44, "CSR5, speculative, SELL (mac_econ_fwd500), IPCSR"},
  {"accelerator", 121192, 121192, 2624331, 0, 81, "CSR5, speculative, SELL (cop20k_A), IPCSR"},
  {"circuit", 170998, 170998, 958936, 1, 353, "CSR5, speculative, SELL (scircuit), IPCSR"},
  {"Ga41As41H72", 268096, 268096, 18488476, 18, 702, "CSR5, IPCSR"},
  {"Si41Ge41H72", 185639, 185639, 15011265, 13, 662, "CSR5, IPCSR"},
  {"webbase", 1000005, 1000005, 3105536, 1, 4700, "CSR5, speculative, SELL (webbase-1M), IPCSR"},
  {"lp", 4284, 1092610, 11279748, 1, 56200, "CSR5, speculative, SELL (rail4284), IPCSR"},
  {"circuit5M", 5558326, 5558326, 59524291, 1, 1290000, "CSR5, IPCSR"},
  {"eu-2005", 862664, 862664, 19235140, 0, 6900, "CSR5, IPCSR"},
  {"in-2004", 1382908, 1382908, 16917053, 0, 7800, "CSR5, IPCSR"},
  {"mip1", 66463, 66463, 10352819, 4, 66400, "CSR5, IPCSR"},
  {"ASIC_680k", 683000, 683000, 3900000, 1, 395000, "CSR5, speculative"},
  {"dc2", 117000, 117000, 766000, 1, 114000, "CSR5, speculative"},
  {"FullChip", 2900000, 2900000, 26600000, 1, 2300000, "CSR5"},
  {"ins2", 309000, 309000, 2800000, 5, 309000, "CSR5, speculative"},
  {"boyd2", 466000, 466000, 1500000, 2, 93000, "speculative"},
  {"rajat21", 412000, 412000, 1900000, 1, 119000, "speculative"},
  {"transient", 179000, 179000, 962000, 1, 60000, "speculative"},
  {"RM07R", 381689, 381689, 37464962, 41, 156, "SELL"},
  {"kkt_power", 2063494, 2063494, 14612663, 1, 14, "SELL"},
  {"Hamrle3", 1447360, 1447360, 5514242, 3, 4, "SELL"},
  {"ML_Geer", 1504002, 1504002, 110879972, 73, 74, "SELL"},
}};

/// longest k^-s for k = 1, 2, ..., rounded down, with the s whose sum is the closest to `total` from below.
std::vector<std::int64_t> LongRows(std::size_t rows, std::int64_t longest, std::int64_t total)
{
  std::vector<std::int64_t> length(rows);
  const auto                sum = [&](double power) {
    std::int64_t all = 0;
    std::fill(length.begin(), length.end(), 0);
    for (std::size_t k = 0; k < rows; ++k) {
      length[k] = static_cast<std::int64_t>(static_cast<double>(longest) * std::pow(static_cast<double>(k + 1), -power));
      if (length[k] == 0) break;
      all += length[k];
    }
    return all;
  };
  double low = 0, high = 64; // sum(high) <= total
  for (int step = 0; step < 40; ++step) {
    const double middle                 = (low + high) / 2;
    (sum(middle) <= total ? high : low) = middle;
  }
  sum(high);
  return length;
}

} // namespace

std::span<const Twin> Twins()
{
  return twins;
}

std::vector<std::int64_t> TwinRowLengths(const Twin &twin)
{
  const auto                rows    = static_cast<std::size_t>(twin.rows);
  const std::int64_t        longest = twin.row_max - twin.row_min;
  std::int64_t              left    = twin.nonzeros - twin.rows * twin.row_min; // beyond the least length
  std::vector<std::int64_t> length(rows, twin.row_min);
  if (longest > 0) {
    const std::vector<std::int64_t> more =
      LongRows(rows - 1, longest, std::max(longest, left / 2)); // the last row keeps the least length
    for (std::size_t k = 0; k + 1 < rows; ++k) {
      length[k] += more[k];
      left -= more[k];
    }
  }
  while (left > 0) { // evenly to all rows that are not full
    std::size_t not_full = 0;
    for (std::size_t k = 0; k + 1 < rows; ++k) not_full += length[k] < twin.row_max;
    const std::int64_t each = std::max<std::int64_t>(1, left / static_cast<std::int64_t>(not_full));
    for (std::size_t k = rows - 1; k-- > 0 && left > 0;) {
      const std::int64_t more = std::min({each, left, twin.row_max - length[k]});
      length[k] += more;
      left -= more;
    }
  }
  std::shuffle(length.begin(), length.end(), std::mt19937_64(20150608));
  return length;
}

RowSource MakeTwin(const std::string &name)
{
  const auto twin = std::find_if(twins.begin(), twins.end(), [&](const Twin &each) { return name == each.name; });
  if (twin == twins.end()) {
    std::string names;
    for (const Twin &each : twins) names += std::string(names.empty() ? "" : ", ") + each.name;
    throw FamilyError("there is no twin of that name; there are " + names);
  }
  const auto lengths = std::make_shared<const std::vector<std::int64_t>>(TwinRowLengths(*twin));
  const auto rows = twin->rows, cols = twin->cols, average = twin->nonzeros / twin->rows;
  return {rows, cols, [=](std::int64_t row, std::vector<std::int64_t> &columns) {
            const std::int64_t length = (*lengths)[static_cast<std::size_t>(row)];
            const std::int64_t width  = length <= 8 * average ? std::min(cols, 16 * length) : cols;
            const std::int64_t begin  = std::clamp<std::int64_t>(row * cols / rows - width / 2, 0, cols - width);
            SpreadColumns(row, length, begin, begin + width, columns);
          }};
}

} // namespace petscspmv::matio
