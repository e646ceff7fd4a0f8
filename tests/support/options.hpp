// Every option of every format, with its setter and values to try.
#pragma once

#include "petscspmv.h"

#include <string>
#include <type_traits>
#include <vector>

namespace petscspmv::test {

struct OptionCase {
  const char *type;
  const char *key;
  PetscErrorCode (*set)(Mat, PetscInt);
  std::vector<PetscInt> values;             // accepted
  std::vector<PetscInt> outside;            // rejected
  bool                  mixes_rows = false; // the rounding of a row depends on others: beyond the bounds of strict tests
};

inline const std::vector<OptionCase> &OptionCases()
{
  // A PetscBool is an enum in older PETSc versions and may hold any value; in later ones it is the language's bool.
  const std::vector<PetscInt> no_bool = std::is_same_v<PetscBool, bool> ? std::vector<PetscInt>{} : std::vector<PetscInt>{-1, 2};
  static const std::vector<OptionCase> cases{
    {"csr5", "omega", MatCSR5SetOmega, {1, 4, 8, 17, 64}, {0, 65}},
    {"csr5", "sigma", MatCSR5SetSigma, {1, 5, 16, 32}, {0, 33}},
    {"csr5",
     "segmented_sum",
     [](Mat A, PetscInt value) { return MatCSR5SetSegmentedSum(A, static_cast<MatCSR5SegmentedSum>(value)); },
     {MAT_CSR5_PREFIX, MAT_CSR5_SEPARATE},
     {-1, 2},
     true},
    {"csr5", "offsets", [](Mat A, PetscInt value) { return MatCSR5SetOffsets(A, static_cast<PetscBool>(value)); }, {0, 1}, no_bool},
    {"csr5",
     "values",
     [](Mat A, PetscInt value) { return MatCSR5SetValues(A, static_cast<MatSpMVValues>(value)); },
     {MAT_SPMV_VALUES_FULL, MAT_SPMV_VALUES_AUTO},
     {-1, 3}},
    {"sellcs", "chunk", MatSELLCSSetChunk, {1, 3, 4, 8, 16, 32, 50, 100000}, {0, -2}},
    {"sellcs", "sigma", MatSELLCSSetSigma, {1, 2, 7, 64, 100000}, {0, -2}},
    {"sellcs",
     "trimmed",
     [](Mat A, PetscInt value) { return MatSELLCSSetTrimmed(A, static_cast<PetscBool>(value)); },
     {1, 0},
     no_bool},
    {"sellcs", "row_bound", MatSELLCSSetRowBound, {0, 3, 1000}, {-2}},
    {"sellcs",
     "offsets",
     [](Mat A, PetscInt value) { return MatSELLCSSetOffsets(A, static_cast<PetscBool>(value)); },
     {0, 1},
     no_bool},
    {"sellcs",
     "values",
     [](Mat A, PetscInt value) { return MatSELLCSSetValues(A, static_cast<MatSpMVValues>(value)); },
     {MAT_SPMV_VALUES_FULL, MAT_SPMV_VALUES_AUTO},
     {-1, 3}},
    {"speculative", "tile_width", MatSpeculativeSetTileWidth, {1, 5, 16, 32, 64}, {0, 65}},
    {"speculative", "tile_height", MatSpeculativeSetTileHeight, {1, 7, 8, 64}, {0, 65}},
    {"speculative", "bunches", MatSpeculativeSetBunches, {1, 3, 64}, {0, 65}},
    {"speculative", "steps", MatSpeculativeSetSteps, {1, 6, 64}, {0, 65}},
    {"speculative",
     "check",
     [](Mat A, PetscInt value) { return MatSpeculativeSetCheck(A, static_cast<MatSpeculativeCheck>(value)); },
     {MAT_SPECULATIVE_CHECK_DEVICE, MAT_SPECULATIVE_CHECK_HOST},
     {-1, 2}},
    {"ipcsr", "block_size", MatIPCSRSetBlockSize, {1, 7, 128, 1024}, {0, 1025}},
    {"ipcsr", "shared_size", MatIPCSRSetSharedSize, {1, 33, 1024, 8192}, {0, 8193}},
    {"ipcsr",
     "variant",
     [](Mat A, PetscInt value) { return MatIPCSRSetVariant(A, static_cast<MatIPCSRVariant>(value)); },
     {MAT_IPCSR_VARIANT_PCSR, MAT_IPCSR_VARIANT_IPCSR},
     {-1, 2}},
    {"spmv",
     "choose",
     [](Mat A, PetscInt value) { return MatSpMVSetOption(A, "choose", value); },
     {3, 1, 5, 2, 4, 6, 0},
     {-1, 100}},
    {"spmv", "least", [](Mat A, PetscInt value) { return MatSpMVSetOption(A, "least", value); }, {0, 4096}, {-1}},
    {"spmv", "regret", [](Mat A, PetscInt value) { return MatSpMVSetOption(A, "regret", value); }, {0, 1000000}, {-1, 1000001}},
    {"csrcopy", "order", [](Mat A, PetscInt value) { return MatSpMVSetOption(A, "order", value); }, {1, 0}, {-1, 2}},
    {"csrcopy", "number", [](Mat A, PetscInt value) { return MatSpMVSetOption(A, "number", value); }, {1, 50, 100}, {0, 101}},
  };
  return cases;
}

} // namespace petscspmv::test
