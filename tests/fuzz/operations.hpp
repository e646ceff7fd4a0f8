// The operations of the fuzz test, each on one matrix, by numbers that every process draws alike.
#pragma once

#include "lifecycle/swept.hpp"
#include "support/options.hpp"
#include "support/petsc_test.hpp"

#include <cstdlib>
#include <set>

namespace petscspmv::test {

/// The own rows' nonzeros by a digest, and by PETSc's state of them.
struct Pattern {
  std::uint64_t    digest;
  PetscObjectState state;
};

/// A matrix and the type to keep it in, "aij" for the twin.
struct Subject {
  OwnedMat    M;
  std::string type   = "aij";
  std::size_t number = 0;     // among the types that sequences begin with: drawn types are counted from it, so that all differ
  bool        coo    = false; // made by COO: then the blocks of an MPIAIJ matrix do not accept new nonzeros without memory errors
  OwnedPC     pc;             // of what the matrix was at some time
  int         pc_kind = 0;
  Pattern     pc_pattern{};
};

/// The random numbers of one step. Operations get a copy, so that all matrices see the same ones.
struct Draw {
  std::mt19937_64 random;

  int operator()(int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); }
  int Seed() { return (*this)(1000000); }
};

/// A product in the middle of an operation, so that existing layouts are those of the old values.
inline PetscErrorCode Touch(Mat M)
{
  OwnedVec x, y;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(M, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(M, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode Replace(Subject &s, Mat B)
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&s.M));
  s.M.A = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether the matrix is square with the same distribution of rows and columns.
inline bool Square(Mat M)
{
  PetscBool congruent = PETSC_FALSE;
  MatHasCongruentLayouts(M, &congruent);
  return congruent;
}

inline PetscErrorCode Blocks(Mat M, std::vector<Mat> &blocks)
{
  PetscBool mpi;
  Mat       diagonal, off;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)M, MATMPIAIJ, &mpi));
  blocks = {M};
  if (!mpi) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatMPIAIJGetSeqAIJ(M, &diagonal, &off, NULL));
  blocks = {diagonal, off};
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode Randomize(Mat M)
{
  PetscRandom random;

  PetscFunctionBegin;
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetFromOptions(random));
  PetscCall(MatSetRandom(M, random));
  PetscCall(PetscRandomDestroy(&random));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Up to five entries in each row, in random columns. Every process draws all rows, and sets its own.
inline PetscErrorCode Fill(Mat M, int seed)
{
  PetscInt begin, end, rows, cols;
  Draw     draw{std::mt19937_64(static_cast<std::uint64_t>(seed))};

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(M, &begin, &end));
  PetscCall(MatGetSize(M, &rows, &cols));
  for (PetscInt row = 0; row < rows && cols; ++row) {
    for (int n = draw(6); n; --n) {
      const PetscInt col = draw(static_cast<int>(cols));
      if (begin <= row && row < end) PetscCall(MatSetValue(M, row, col, Entry(row, seed), INSERT_VALUES));
    }
  }
  PetscCall(Assemble(M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode Loosen(Mat M)
{
  PetscFunctionBegin;
  PetscCall(MatSetOption(M, MAT_NO_OFF_PROC_ENTRIES, PETSC_FALSE)); // COO and others leave it set
  PetscCall(MatSetOption(M, MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE));
  PetscCall(MatSetOption(M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A matrix of M's sizes with another pattern.
inline PetscErrorCode RandomLike(Mat M, const std::string &type, int seed, Mat *B)
{
  PetscInt m, n, rows, cols;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(M, &m, &n));
  PetscCall(MatGetSize(M, &rows, &cols));
  PetscCall(MatCreate(PETSC_COMM_WORLD, B));
  PetscCall(MatSetSizes(*B, m, n, rows, cols));
  PetscCall(MatSetType(*B, type.c_str()));
  PetscCall(MatSetUp(*B));
  PetscCall(Loosen(*B));
  PetscCall(Fill(*B, seed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// One of the types under test, or plain AIJ; the twin always gets plain AIJ.
std::string AnyType(const Subject &s, Draw &draw)
{
  const std::vector<std::string> types = Types();
  const std::size_t              k     = static_cast<std::size_t>(draw(static_cast<int>(types.size()) + 1));
  return s.type == "aij" || k == types.size() ? "aij" : types[(k + s.number) % types.size()];
}

inline PetscErrorCode Recreate(Subject &s, Draw draw)
{
  const std::uint64_t seed = static_cast<std::uint64_t>(draw.Seed());
  const int           n = 100 + draw(1200), kind = draw(6), most = 1 + draw(20);
  const Distribution  distributions[] = {Distribution::Even, Distribution::AllOnLast, Distribution::OddOnly},
                     distribution     = distributions[Processes() > 1 ? draw(3) : 0];

  PetscFunctionBegin;
  TestMatrix a = Random(seed);
  if (kind > 1)
    a = FromRowLengths(
      "square", n, n, [=](int i) { return kind == 2                  ? most
                                          : kind == 3 && i % 97 == 5 ? n / 2
                                                                     : (i * 7919 + i / 7) % most; }, seed);
  PetscCall(MatDestroy(&s.M));
  PetscCall(CreateMat(a, s.type.c_str(), distribution, &s.M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode SetExisting(Subject &s, Draw draw)
{
  PetscInt                           begin, end, n;
  const PetscInt                    *found;
  std::vector<std::vector<PetscInt>> columns; // collected first: after MatSetValues() there is no MatGetRow()
  const InsertMode                   mode = draw(2) ? INSERT_VALUES : ADD_VALUES;
  const int                          seed = draw.Seed(), every = 1 + draw(4);

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(s.M, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    PetscCall(MatGetRow(s.M, row, &n, &found, NULL));
    columns.emplace_back(found, found + n);
    PetscCall(MatRestoreRow(s.M, row, &n, &found, NULL));
  }
  for (PetscInt row = begin; row < end; row += every) {
    for (PetscInt col : columns[static_cast<std::size_t>(row - begin)])
      PetscCall(MatSetValue(s.M, row, col, Entry(row + 1000 * col, seed), mode));
  }
  PetscCall(Assemble(s.M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Anywhere, from any process, but each entry once: the order of messages must not matter.
inline PetscErrorCode SetAnywhere(Subject &s, Draw draw)
{
  PetscInt                                rows, cols;
  const InsertMode                        first = draw(2) ? INSERT_VALUES : ADD_VALUES;
  const int                               seed = draw.Seed(), n = 1 + draw(80);
  std::set<std::pair<PetscInt, PetscInt>> seen;

  PetscFunctionBegin;
  PetscCall(MatGetSize(s.M, &rows, &cols));
  for (int k = 0; k < n && rows && cols; ++k) {
    const PetscInt row = draw(static_cast<int>(rows)), col = draw(static_cast<int>(cols));
    if (k == n / 2) PetscCall(Assemble(s.M, MAT_FLUSH_ASSEMBLY));
    if (seen.emplace(row, col).second && k % Processes() == Rank())
      PetscCall(MatSetValue(s.M, row, col, Entry(k, seed), k < n / 2 ? first : ADD_VALUES));
  }
  PetscCall(Assemble(s.M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode Scale(Subject &s, Draw draw)
{
  const PetscScalar factors[] = {0, 1, -1, 0.5, 1.5};

  PetscFunctionBegin;
  PetscCall(MatScale(s.M, factors[draw(20) ? 1 + draw(4) : 0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode Shift(Subject &s, Draw draw)
{
  PetscFunctionBegin;
  if (Square(s.M)) PetscCall(MatShift(s.M, Entry(0, draw.Seed())));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode DiagonalScale(Subject &s, Draw draw)
{
  OwnedVec  left, right;
  const int which = draw(3), seed = draw.Seed();

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(s.M, &right, &left));
  PetscCall(FillVec(left, seed));
  PetscCall(FillVec(right, seed + 1));
  PetscCall(MatDiagonalScale(s.M, which == 0 ? NULL : left.v, which == 1 ? NULL : right.v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode DiagonalSet(Subject &s, Draw draw)
{
  OwnedVec d;

  PetscFunctionBegin;
  if (!Square(s.M)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreateVecs(s.M, &d, NULL));
  PetscCall(FillVec(d, draw.Seed()));
  PetscCall(MatShift(s.M, 0.5)); // creates the diagonal: without it MatDiagonalSet_MPIAIJ() writes past its block's rows
  PetscCall(Touch(s.M));
  PetscCall(MatDiagonalSet(s.M, d, draw(2) ? INSERT_VALUES : ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode ZeroEntries(Subject &s, Draw draw)
{
  PetscFunctionBegin;
  PetscCall(MatZeroEntries(s.M));
  if (draw(3)) PetscCall(SetExisting(s, draw));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode ZeroRows(Subject &s, Draw draw)
{
  PetscInt              rows;
  OwnedVec              x, b;
  std::vector<PetscInt> mine;
  const bool            square = Square(s.M), columns = square && draw(2), vectors = square && draw(2);
  const PetscScalar     diagonal = square ? draw(3) : 0;

  PetscFunctionBegin;
  PetscCall(MatGetSize(s.M, &rows, NULL));
  for (int k = 0, n = draw(12); k < n && rows; ++k) {
    const PetscInt row = draw(static_cast<int>(rows));
    if (k % Processes() == Rank()) mine.push_back(row);
  }
  PetscCall(MatCreateVecs(s.M, &x, &b));
  PetscCall(FillVec(x, 3));
  PetscCall(FillVec(b, 4));
  PetscCall(MatSetOption(s.M, MAT_KEEP_NONZERO_PATTERN, draw(2) ? PETSC_TRUE : PETSC_FALSE));
  if (square) PetscCall(MatShift(s.M, 0.5)); // creates the diagonal, whose absence is an error on some processes only
  PetscCall(Touch(s.M));
  PetscCall((columns ? MatZeroRowsColumns : MatZeroRows)(s.M, static_cast<PetscInt>(mine.size()), mine.data(), diagonal,
                                                         vectors ? x.v : NULL, vectors ? b.v : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode Axpy(Subject &s, Draw draw)
{
  OwnedMat          X;
  const bool        same = draw(2);
  const PetscScalar a    = (draw(5) - 2) * 0.5;
  const std::string type = AnyType(s, draw);

  PetscFunctionBegin;
  if (same) PetscCall(MatConvert(s.M, type.c_str(), MAT_INITIAL_MATRIX, &X));
  else PetscCall(RandomLike(s.M, type, draw.Seed(), &X));
  PetscCall(Touch(X));
  PetscCall(Randomize(X));
  PetscCall(MatAXPY(s.M, a, X,
                    same ? (draw(2) ? SAME_NONZERO_PATTERN : SUBSET_NONZERO_PATTERN)
                         : (draw(2) ? DIFFERENT_NONZERO_PATTERN : UNKNOWN_NONZERO_PATTERN)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode CopyFrom(Subject &s, Draw draw)
{
  OwnedMat          X;
  const bool        same = draw(2);
  const std::string type = AnyType(s, draw);

  PetscFunctionBegin;
  if (same) PetscCall(MatConvert(s.M, type.c_str(), MAT_INITIAL_MATRIX, &X));
  else PetscCall(RandomLike(s.M, type, draw.Seed(), &X));
  PetscCall(Randomize(X));
  PetscCall(MatCopy(X, s.M, same ? SAME_NONZERO_PATTERN : DIFFERENT_NONZERO_PATTERN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode Duplicate(Subject &s, Draw draw)
{
  Mat                      B;
  const MatDuplicateOption options[] = {MAT_COPY_VALUES, MAT_DO_NOT_COPY_VALUES, MAT_SHARE_NONZERO_PATTERN};
  const int                k         = draw(3);

  PetscFunctionBegin;
  PetscCall(MatDuplicate(s.M, options[k], &B));
  PetscCall(Touch(B));
  if (k) PetscCall(MatCopy(s.M, B, SAME_NONZERO_PATTERN));
  PetscCall(Scale(s, draw)); // must not affect the duplicate
  PetscCall(Replace(s, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// To another type and back, in place or by copies.
inline PetscErrorCode ThereAndBack(Subject &s, Draw draw)
{
  Mat           B;
  PetscInt      rows, cols;
  const MatType types[] = {MATAIJ, MATBAIJ, MATDENSE};
  const int     k       = draw(3);

  PetscFunctionBegin;
  PetscCall(MatGetSize(s.M, &rows, &cols));
  if (k == 2 && rows * cols > 400000) PetscFunctionReturn(PETSC_SUCCESS);
  if (draw(2)) {
    PetscCall(MatConvert(s.M, types[k], MAT_INPLACE_MATRIX, &s.M));
    PetscCall(MatScale(s.M, 0.5));
    PetscCall(MatConvert(s.M, s.type.c_str(), MAT_INPLACE_MATRIX, &s.M));
  } else {
    OwnedMat T;
    PetscCall(MatConvert(s.M, types[k], MAT_INITIAL_MATRIX, &T));
    PetscCall(MatConvert(T, s.type.c_str(), MAT_INITIAL_MATRIX, &B));
    PetscCall(Replace(s, B));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A second conversion to the same matrix, which has a layout by then.
inline PetscErrorCode ConvertAgain(Subject &s, Draw draw)
{
  OwnedMat T;
  Mat      B;

  PetscFunctionBegin;
  PetscCall(MatConvert(s.M, AnyType(s, draw).c_str(), MAT_INITIAL_MATRIX, &T));
  PetscCall(MatConvert(T, s.type.c_str(), MAT_INITIAL_MATRIX, &B));
  PetscCall(Touch(B));
  PetscCall(Randomize(T));
  PetscCall(MatConvert(T, s.type.c_str(), MAT_REUSE_MATRIX, &B));
  PetscCall(Replace(s, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode OtherType(Subject &s, Draw draw)
{
  const std::string type = AnyType(s, draw);

  PetscFunctionBegin;
  if (type != "aij") s.type = type;
  PetscCall(MatConvert(s.M, s.type.c_str(), MAT_INPLACE_MATRIX, &s.M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MatSetType() of an assembled AIJ matrix keeps its entries if the new name begins with the old one.
inline PetscErrorCode SetTypeByName(Subject &s, Draw)
{
  MatType type;

  PetscFunctionBegin;
  PetscCall(MatGetType(s.M, &type));
  const std::string name = type;
  PetscCall(MatConvert(s.M, MATAIJ, MAT_INPLACE_MATRIX, &s.M));
  PetscCall(MatSetType(s.M, name.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode Transpose(Subject &s, Draw draw)
{
  Mat B;

  PetscFunctionBegin;
  if (Square(s.M) && draw(2)) {
    PetscCall(MatTranspose(s.M, MAT_INPLACE_MATRIX, &s.M));
  } else {
    PetscCall(MatTranspose(s.M, MAT_INITIAL_MATRIX, &B));
    PetscCall(Touch(B));
    PetscCall(Randomize(s.M));
    PetscCall(MatTranspose(s.M, MAT_REUSE_MATRIX, &B));
    PetscCall(Replace(s, B));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode Chosen(PetscInt begin, PetscInt end, int seed, IS *is)
{
  std::vector<PetscInt> indices;

  PetscFunctionBegin;
  for (PetscInt i = begin; i < end; ++i) {
    if ((i * 7919 + seed) % 11) indices.push_back(i);
  }
  PetscCall(ISCreateGeneral(PETSC_COMM_WORLD, static_cast<PetscInt>(indices.size()), indices.data(), PETSC_COPY_VALUES, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode SubMatrix(Subject &s, Draw draw)
{
  Mat       B;
  IS        rows, cols;
  PetscInt  begin, end;
  const int seed = draw.Seed();

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(s.M, &begin, &end));
  PetscCall(Chosen(begin, end, seed, &rows));
  PetscCall(MatGetOwnershipRangeColumn(s.M, &begin, &end));
  PetscCall(Chosen(begin, end, seed, &cols));
  PetscCall(MatCreateSubMatrix(s.M, rows, cols, MAT_INITIAL_MATRIX, &B));
  PetscCall(Touch(B));
  PetscCall(Randomize(s.M));
  PetscCall(MatCreateSubMatrix(s.M, rows, cols, MAT_REUSE_MATRIX, &B));
  PetscCall(ISDestroy(&rows));
  PetscCall(ISDestroy(&cols));
  PetscCall(Replace(s, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode RawWrite(Subject &s, Draw draw)
{
  std::vector<Mat> blocks;
  PetscScalar     *a;
  MatInfo          info;
  const bool       all  = draw(2);
  const int        seed = draw.Seed();

  PetscFunctionBegin;
  PetscCall(Blocks(s.M, blocks));
  for (Mat block : blocks) {
    PetscCall(MatGetInfo(block, MAT_LOCAL, &info));
    PetscCall((all ? MatSeqAIJGetArrayWrite : MatSeqAIJGetArray)(block, &a));
    for (PetscInt k = 0; k < static_cast<PetscInt>(info.nz_used); k += all ? 1 : 3) a[k] = Entry(k, seed);
    PetscCall((all ? MatSeqAIJRestoreArrayWrite : MatSeqAIJRestoreArray)(block, &a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// In a duplicate: PETSc allocates the memory for stored values only once.
inline PetscErrorCode StoreAndRetrieve(Subject &s, Draw draw)
{
  Mat B;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(s.M, MAT_COPY_VALUES, &B));
  PetscCall(Replace(s, B));
  PetscCall(MatSetOption(s.M, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  PetscCall(MatStoreValues(s.M));
  PetscCall(SetExisting(s, draw));
  PetscCall(Touch(s.M));
  PetscCall(MatRetrieveValues(s.M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode SetOption(Subject &s, Draw draw)
{
  PetscFunctionBegin;
  for (const OptionCase &option : OptionCases()) {
    const int k = draw(2 * static_cast<int>(option.values.size())), n = static_cast<int>(option.values.size());
    if (s.type == option.type && !option.mixes_rows && k < n)
      PetscCall(MatSpMVSetOption(s.M, option.key, option.values[static_cast<std::size_t>(k)]));
  }
  PetscCall(MatSetFromOptions(s.M)); // none is set
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode Coo(Subject &s, Draw draw)
{
  PetscInt                 rows, cols;
  std::vector<PetscInt>    i, j;
  std::vector<PetscScalar> values;

  PetscFunctionBegin;
  PetscCall(MatGetSize(s.M, &rows, &cols));
  for (int k = 0, n = draw(2000), seed = draw.Seed(); k < n && rows && cols; ++k) {
    const PetscInt row = draw(static_cast<int>(rows)), col = draw(static_cast<int>(cols));
    if (k % Processes() != Rank()) continue;
    i.push_back(row);
    j.push_back(col);
    values.push_back(Entry(k, seed));
  }
  PetscCall(MatSetPreallocationCOO(s.M, static_cast<PetscCount>(i.size()), i.data(), j.data()));
  for (int k = draw(3); k >= 0; --k) {
    PetscCall(MatSetValuesCOO(s.M, values.data(), draw(2) ? INSERT_VALUES : ADD_VALUES));
    PetscCall(Touch(s.M));
    for (PetscScalar &value : values) value *= -0.75;
  }
  PetscCall(MatSetValuesCOO(s.M, values.data(), ADD_VALUES));
  s.coo = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode Preallocate(Subject &s, Draw draw)
{
  PetscFunctionBegin;
  PetscCall(MatSeqAIJSetPreallocation(s.M, 5, NULL));
  PetscCall(MatMPIAIJSetPreallocation(s.M, 5, NULL, 5, NULL));
  PetscCall(Fill(s.M, draw.Seed()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode Reassemble(Subject &s, Draw)
{
  PetscFunctionBegin;
  PetscCall(Assemble(s.M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode Header(Subject &s, Draw draw)
{
  Mat B;

  PetscFunctionBegin;
  if (draw(2)) PetscCall(MatDuplicate(s.M, MAT_COPY_VALUES, &B));
  else PetscCall(RandomLike(s.M, s.type, draw.Seed(), &B));
  PetscCall(Touch(B));
  if (draw(2)) PetscCall(Randomize(B));
  PetscCall(MatHeaderReplace(s.M, &B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Becomes its product with a random matrix; the second, numeric phase finds a layout.
inline PetscErrorCode Multiplied(Subject &s, Draw draw)
{
  OwnedMat B;
  Mat      C;
  PetscInt rows;

  PetscFunctionBegin;
  PetscCall(MatGetSize(s.M, &rows, NULL));
  if (!Square(s.M) || rows > 300) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RandomLike(s.M, AnyType(s, draw), draw.Seed(), &B));
  PetscCall(MatMatMult(s.M, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
  PetscCall(Touch(C));
  PetscCall(Randomize(B));
  PetscCall(MatMatMult(s.M, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
  PetscCall(Replace(s, C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode RandomValues(Subject &s, Draw)
{
  PetscFunctionBegin;
  PetscCall(Randomize(s.M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gets a diagonal that exceeds all other entries: then sweeps are compared as well, until it does so no more.
inline PetscErrorCode Dominate(Subject &s, Draw)
{
  PetscReal rows, columns;

  PetscFunctionBegin;
  if (!Square(s.M)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatNorm(s.M, NORM_INFINITY, &rows));
  PetscCall(MatNorm(s.M, NORM_1, &columns));
  PetscCall(MatShift(s.M, 2 * (rows + columns) + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

struct Operation {
  const char *name;
  PetscErrorCode (*apply)(Subject &, Draw);
};

constexpr Operation kOperations[] = {
  {"recreate", Recreate},
  {"set existing", SetExisting},
  {"set existing", SetExisting},
  {"set anywhere", SetAnywhere},
  {"set anywhere", SetAnywhere},
  {"scale", Scale},
  {"shift", Shift},
  {"diagonal scale", DiagonalScale},
  {"diagonal set", DiagonalSet},
  {"zero entries", ZeroEntries},
  {"zero rows", ZeroRows},
  {"axpy", Axpy},
  {"axpy", Axpy},
  {"copy", CopyFrom},
  {"duplicate", Duplicate},
  {"there and back", ThereAndBack},
  {"convert again", ConvertAgain},
  {"other type", OtherType},
  {"set type by name", SetTypeByName},
  {"transpose", Transpose},
  {"submatrix", SubMatrix},
  {"raw write", RawWrite},
  {"store and retrieve", StoreAndRetrieve},
  {"set option", SetOption},
  {"set option", SetOption},
  {"coo", Coo},
  {"preallocate", Preallocate},
  {"reassemble", Reassemble},
  {"header replace", Header},
  {"multiply", Multiplied},
  {"random values", RandomValues},
  {"dominate", Dominate},
  {"dominate", Dominate},
  {"dominate", Dominate},
  {"dominate", Dominate},
};

} // namespace petscspmv::test
