#include "faults/subject.hpp"

#include <algorithm>
#include <array>

namespace petscspmv::test {

namespace {

/// Nine entries in each row, at the same distances from the diagonal around the end of a row: processes with as many rows have the
/// same pattern, and allocate the same.
TestMatrix Circulant()
{
  TestMatrix a = FromRowLengths("circulant", kRows, kRows, [](int) { return 9; });
  for (int row = 0; row < kRows; ++row) {
    const auto begin = a.col_idx.begin() + a.row_ptr[static_cast<std::size_t>(row)], end = begin + 9;
    std::transform(a.col_idx.begin(), a.col_idx.begin() + 9, begin,
                   [row, first = a.col_idx[0]](int col) { return (col - first + row) % kRows; });
    std::sort(begin, end);
  }
  return a;
}

/// The values of `a`, which A has the pattern of.
PetscErrorCode Fill(Mat A, const TestMatrix &a)
{
  PetscInt begin, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  PetscCall(Insert(A, a, begin, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// An option of each type that has sizes.
const char *OptionOf(const std::string &type)
{
  constexpr std::array<std::array<const char *, 2>, 5> kOptions{{
    {MATSEQAIJCSR5, "sigma"},
    {MATSEQAIJSCS, "chunk"},
    {MATSEQAIJSPECULATIVE, "tile_width"},
    {MATSEQAIJIPCSR, "block_size"},
    {MATSEQAIJSPMV, "csr5_sigma"},
  }};
  for (const auto &[of, key] : kOptions) {
    if (type.substr(3) == std::string(of).substr(3)) return key;
  }
  return nullptr;
}

} // namespace

PetscErrorCode CreateBoth(const TestMatrix &a, Subject &s)
{
  PetscFunctionBegin;
  PetscCall(CreateMat(a, s.type.c_str(), Distribution::Even, &s.A));
  PetscCall(CreateMat(a, MATAIJ, Distribution::Even, &s.plain));
  PetscCall(MatSpMVSetTranspose(s.A, MAT_SPMV_TRANSPOSE_LAYOUT));
  if (s.choose) {
    PetscCall(MatSpMVSetChoice(s.A, s.choose));
    PetscCall(MatSpMVSetOption(s.A, "least", 0));
    PetscCall(MatSpMVSetOption(s.A, "regret", 1000000)); // try everything at once
  }
  PetscCall(MatCreateVecs(s.A, &s.x, &s.y));
  PetscCall(VecDuplicate(s.y, &s.z));
  PetscCall(FillVec(s.x, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Create(const Tried &tried, Subject &s)
{
  const std::string &type = tried.type;
  const TestMatrix   a    = Circulant();

  PetscFunctionBegin;
  s.type   = type;
  s.choose = tried.choose;
  s.option = OptionOf(type);
  s.others = a;
  for (double &v : s.others.real) v = 1 - v;
  PetscCall(CreateBoth(a, s));
  PetscCall(MatMult(s.A, s.x, s.y));
  PetscCall(MatMultTranspose(s.A, s.x, s.y));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &s.dense));
  PetscCall(MatSetSizes(s.dense, PETSC_DECIDE, PETSC_DECIDE, kRows, 3));
  PetscCall(MatSetType(s.dense, type.starts_with("mpi") ? MATMPIDENSE : MATSEQDENSE));
  PetscCall(MatSetUp(s.dense));
  PetscCall(Assemble(s.dense));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool IsUsable(Subject &s)
{
  const auto same = [&s](bool transposed) {
    OwnedVec   expected;
    const auto multiply = transposed ? MatMultTranspose : MatMult;
    PetscReal  norm, of_difference;
    return !VecDuplicate(s.y, &expected) && !multiply(s.plain, s.x, expected) && !multiply(s.A, s.x, s.y) &&
           !VecNorm(expected, NORM_2, &norm) && !VecAXPY(expected, -1, s.y) && !VecNorm(expected, NORM_2, &of_difference) &&
           of_difference <= kTolerance * norm;
  };
  return same(false) && same(true);
}

PetscErrorCode NewValues(Subject &s)
{
  PetscFunctionBegin;
  PetscCall(Fill(s.A, s.others));
  PetscCall(Fill(s.plain, s.others));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NewEntries(Subject &s)
{
  PetscInt begin;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(s.plain, &begin, NULL));
  for (Mat A : {s.A.A, s.plain.A}) {
    PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    for (PetscInt col = 0; col < kRows; ++col) PetscCall(MatSetValue(A, begin + 3, col, 1, INSERT_VALUES));
    PetscCall(Assemble(A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::test
