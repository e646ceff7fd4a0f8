// Every option of every format, with values to try.
#pragma once

#include "petscspmv.h"

#include <string>
#include <vector>

namespace petscspmv::test {

struct OptionCase {
  const char           *type;
  const char           *key;
  std::vector<PetscInt> values;             // accepted
  std::vector<PetscInt> outside;            // rejected
  bool                  mixes_rows = false; // the rounding of a row depends on others: beyond the bounds of strict tests
};

inline const std::vector<OptionCase> &OptionCases()
{
  static const std::vector<OptionCase> cases{
    {"csr5", "omega", {1, 4, 8, 17, 64}, {0, 65}},
    {"csr5", "sigma", {1, 5, 16, 32}, {0, 33}},
    {"csr5", "segmented_sum", {MAT_CSR5_SEGMENTED_SUM_PREFIX, MAT_CSR5_SEGMENTED_SUM_SEPARATE}, {-1, 2}, true},
    {"csr5", "offsets", {0, 1}, {-1, 2}},
    {"csr5", "values", {MAT_SPMV_VALUES_FULL, MAT_SPMV_VALUES_AUTO}, {-1, 3}},
    {"sellcs", "chunk", {1, 3, 4, 8, 16, 32, 50, 100000}, {0, -2}},
    {"sellcs", "sigma", {1, 2, 7, 64, 100000}, {0, -2}},
    {"sellcs", "trimmed", {1, 0}, {-1, 2}},
    {"sellcs", "row_bound", {0, 3, 1000}, {-2}},
    {"sellcs", "offsets", {0, 1}, {-1, 2}},
    {"sellcs", "values", {MAT_SPMV_VALUES_FULL, MAT_SPMV_VALUES_AUTO}, {-1, 3}},
    {"sellcs", "shapes", {MAT_SELLCS_SHAPES_NONE, MAT_SELLCS_SHAPES_AUTO}, {-1, 2}},
    {"speculative", "tile_width", {1, 5, 16, 32, 64}, {0, 65}},
    {"speculative", "tile_height", {1, 7, 8, 64}, {0, 65}},
    {"speculative", "bunches", {1, 3, 64}, {0, 65}},
    {"speculative", "steps", {1, 6, 64}, {0, 65}},
    {"speculative", "check", {MAT_SPECULATIVE_CHECK_DEVICE, MAT_SPECULATIVE_CHECK_HOST}, {-1, 2}},
    {"ipcsr", "block_size", {1, 7, 128, 1024}, {0, 1025}},
    {"ipcsr", "shared_size", {1, 33, 1024, 8192}, {0, 8193}},
    {"ipcsr", "variant", {MAT_IPCSR_VARIANT_PCSR, MAT_IPCSR_VARIANT_IPCSR}, {-1, 2}},
    {"spmv", "choose", {3, 1, 5, 2, 4, 6, 0}, {-1, 100}},
    {"spmv", "least", {0, 4096}, {-1}},
    {"spmv", "regret", {0, 1000000}, {-1, 1000001}},
    {"csrcopy", "order", {1, 0}, {-1, 2}},
    {"csrcopy", "number", {1, 50, 100}, {0, 101}},
  };
  return cases;
}

} // namespace petscspmv::test
