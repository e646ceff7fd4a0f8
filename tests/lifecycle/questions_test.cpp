// Queries: norms, diagonals, comparisons, orderings, colourings, and what viewers print.
#include "lifecycle/changed.hpp"

#include <fstream>
#include <sstream>

namespace petscspmv::test {

namespace {

/// About rows and columns, compared entry by entry.
struct Question {
  const char *name;
  PetscErrorCode (*ask)(Mat A, std::vector<PetscReal> *answers);
};

PetscErrorCode Entries(Vec v, std::vector<PetscReal> *answers)
{
  PetscInt           n;
  const PetscScalar *array;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArrayRead(v, &array));
  for (PetscInt i = 0; i < n; ++i) {
    answers->push_back(PetscRealPart(array[i]));
    answers->push_back(PetscImaginaryPart(array[i]));
  }
  PetscCall(VecRestoreArrayRead(v, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <PetscErrorCode (*f)(Mat, Vec)>
PetscErrorCode AskVector(Mat A, std::vector<PetscReal> *answers)
{
  OwnedVec v;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, NULL, &v));
  PetscCall(f(A, v));
  PetscCall(Entries(v, answers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <NormType norm>
PetscErrorCode AskNorm(Mat A, std::vector<PetscReal> *answers)
{
  PetscFunctionBegin;
  answers->resize(1);
  PetscCall(MatNorm(A, norm, answers->data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <NormType norm>
PetscErrorCode AskColumnNorms(Mat A, std::vector<PetscReal> *answers)
{
  PetscFunctionBegin;
  answers->resize(kSize);
  PetscCall(MatGetColumnNorms(A, norm, answers->data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RowMax(Mat A, Vec v)
{
  return MatGetRowMax(A, v, NULL);
}

PetscErrorCode RowMaxAbs(Mat A, Vec v)
{
  return MatGetRowMaxAbs(A, v, NULL);
}

const Question kQuestions[] = {
  {"MatGetDiagonal", AskVector<MatGetDiagonal>},
  {"MatGetRowSum", AskVector<MatGetRowSum>},
  {"MatGetRowMax", AskVector<RowMax>},
  {"MatGetRowMaxAbs", AskVector<RowMaxAbs>},
  {"MatNorm, 1", AskNorm<NORM_1>},
  {"MatNorm, Frobenius", AskNorm<NORM_FROBENIUS>},
  {"MatNorm, infinity", AskNorm<NORM_INFINITY>},
  {"MatGetColumnNorms, 1", AskColumnNorms<NORM_1>},
  {"MatGetColumnNorms, 2", AskColumnNorms<NORM_2>},
  {"MatGetTrace",
   [](Mat A, std::vector<PetscReal> *answers) -> PetscErrorCode {
     PetscScalar trace;
     PetscFunctionBegin;
     PetscCall(MatGetTrace(A, &trace));
     *answers = {PetscRealPart(trace), PetscImaginaryPart(trace)};
     PetscFunctionReturn(PETSC_SUCCESS);
   }},
  {"MatGetInfo",
   [](Mat A, std::vector<PetscReal> *answers) -> PetscErrorCode {
     MatInfo info;
     PetscFunctionBegin;
     PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
     *answers = {info.block_size, info.nz_used};
     PetscFunctionReturn(PETSC_SUCCESS);
   }},
  {"MatGetRow",
   [](Mat A, std::vector<PetscReal> *answers) -> PetscErrorCode {
     PetscFunctionBegin;
     const auto [begin, end] = OwnRows(kSize);
     for (PetscInt row = begin; row < end; ++row) {
       PetscInt           n;
       const PetscInt    *columns;
       const PetscScalar *values;
       PetscCall(MatGetRow(A, row, &n, &columns, &values));
       for (PetscInt k = 0; k < n; ++k)
         answers->insert(answers->end(), {static_cast<PetscReal>(columns[k]), PetscRealPart(values[k])});
       PetscCall(MatRestoreRow(A, row, &n, &columns, &values));
     }
     PetscFunctionReturn(PETSC_SUCCESS);
   }},
};

TEST(LifecycleQuestions, Numbers)
{
  for (const std::string &type : Types()) {
    for (const Question &question : kQuestions) {
      SCOPED_TRACE(type + ", " + question.name);
      Pair                   p;
      std::vector<PetscReal> a, r;
      OK(CreateChanged(type, &p));
      OK(question.ask(p.R, &r));
      OK(question.ask(p.A, &a));
      EXPECT_EQ(a.size(), r.size());
      for (std::size_t k = 0; k < std::min(a.size(), r.size()); ++k)
        EXPECT_NEAR(a[k], r[k], 20 * PETSC_MACHINE_EPSILON * std::abs(r[k])); // row sums may be products
      EXPECT_SAME_BOTH_WAYS(p.A, p.R);
    }
  }
}

TEST(LifecycleQuestions, Comparisons)
{
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    Pair      p, t;
    PetscBool answer;
    OK(CreateChanged(type, &p));
    OK(MatTranspose(p.A, MAT_INITIAL_MATRIX, &t.A));
    OK(MatTranspose(p.R, MAT_INITIAL_MATRIX, &t.R));
    for (Mat M : {p.A.A, p.R.A}) {
      OK(MatMultEqual(p.A, M, 3, &answer));
      EXPECT_TRUE(answer);
      OK(MatMultTransposeEqual(p.A, M, 3, &answer));
      EXPECT_TRUE(answer);
      OK(MatEqual(p.A, M, &answer));
      EXPECT_TRUE(answer);
      OK(MatEqual(M, p.A, &answer));
      EXPECT_TRUE(answer);
      OK(MatMultEqual(t.A, M, 3, &answer));
      EXPECT_FALSE(answer);
    }
    for (Mat M : {t.A.A, t.R.A}) {
      OK(MatIsTranspose(p.A, M, 0, &answer));
      EXPECT_TRUE(answer);
    }
    OK(MatIsSymmetric(p.A, 0, &answer));
    EXPECT_FALSE(answer);
    OK(MatAXPY(p.A, 1, t.A, DIFFERENT_NONZERO_PATTERN));
    OK(MatIsSymmetric(p.A, 1e-12, &answer));
    EXPECT_TRUE(answer);
    OK(MatScale(t.A, 2));
    OK(MatEqual(t.A, t.R, &answer));
    EXPECT_FALSE(answer);
  }
}

/// MatGetOrdering() of parallel matrices fails for all types derived from AIJ, including aijperm.
TEST(LifecycleQuestions, Orderings)
{
  if (Processes() > 1) return;
  for (const std::string &type : Types()) {
    for (MatOrderingType ordering :
         {MATORDERINGNATURAL, MATORDERINGND, MATORDERING1WD, MATORDERINGRCM, MATORDERINGQMD, MATORDERINGROWLENGTH}) {
      SCOPED_TRACE(type + ", " + ordering);
      Pair      p;
      OwnedIS   rows[2], cols[2];
      PetscBool same;
      OK(CreateChanged(type, &p, true));
      OK(MatGetOrdering(p.A, ordering, &rows[0], &cols[0]));
      OK(MatGetOrdering(p.R, ordering, &rows[1], &cols[1]));
      OK(ISEqual(rows[0], rows[1], &same));
      EXPECT_TRUE(same);
      OK(ISEqual(cols[0], cols[1], &same));
      EXPECT_TRUE(same);
    }
  }
}

PetscErrorCode Colour(Mat A, MatColoringType kind, PetscInt *colours)
{
  MatColoring coloring;
  ISColoring  is;

  PetscFunctionBegin;
  PetscCall(MatColoringCreate(A, &coloring));
  PetscCall(MatColoringSetType(coloring, kind));
  PetscCall(MatColoringApply(coloring, &is));
  PetscCall(ISColoringGetColors(is, NULL, colours, NULL));
  PetscCall(ISColoringDestroy(&is));
  PetscCall(MatColoringDestroy(&coloring));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(LifecycleQuestions, Colourings)
{
  std::vector<MatColoringType> kinds = {MATCOLORINGGREEDY};
  if (Processes() == 1)
    kinds.insert(kinds.end(),
                 {MATCOLORINGJP, MATCOLORINGSL, MATCOLORINGLF, MATCOLORINGID}); // in parallel they require MATMPIAIJ itself
  for (const std::string &type : Types()) {
    for (MatColoringType kind : kinds) {
      SCOPED_TRACE(type + ", " + kind);
      Pair     p;
      PetscInt a = -1, r = -2;
      OK(CreateChanged(type, &p, true));
      OK(Colour(p.R, kind, &r));
      OK(Colour(p.A, kind, &a));
      EXPECT_EQ(a, r);
    }
  }
}

PetscErrorCode Product(void *, Vec x, Vec y, void *R)
{
  return MatMult(static_cast<Mat>(R), x, y);
}

/// PETSc 3.25 takes a typed function, earlier versions any function.
template <class Function>
PetscErrorCode SetProduct(PetscErrorCode (*set)(MatFDColoring, Function, void *), MatFDColoring fd, Mat R)
{
  return set(fd, reinterpret_cast<Function>(reinterpret_cast<void *>(Product)), R);
}

/// The Jacobian of x -> R x by differences, into A.
PetscErrorCode Jacobian(Mat A, Mat R)
{
  MatColoring   coloring;
  ISColoring    is;
  MatFDColoring fd;
  OwnedVec      x;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, NULL));
  PetscCall(FillVec(x, 4));
  PetscCall(MatColoringCreate(A, &coloring));
  PetscCall(MatColoringSetType(coloring, MATCOLORINGGREEDY));
  PetscCall(MatColoringApply(coloring, &is));
  PetscCall(MatFDColoringCreate(A, is, &fd));
  PetscCall(SetProduct(MatFDColoringSetFunction, fd, R));
  PetscCall(MatFDColoringSetUp(A, is, fd));
  PetscCall(MatFDColoringApply(A, fd, x, NULL));
  PetscCall(MatFDColoringDestroy(&fd));
  PetscCall(ISColoringDestroy(&is));
  PetscCall(MatColoringDestroy(&coloring));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(LifecycleQuestions, FiniteDifferences)
{
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    Pair     p;
    OwnedMat J;
    OK(CreateChanged(type, &p));
    OK(MatDuplicate(p.R, MAT_COPY_VALUES, &J));
    OK(Jacobian(J, p.R));
    OK(Jacobian(p.A, p.R));
    CheckAndGoOn(p.A, J, FullName(type));
  }
}

/// What a viewer prints, without lines that name a type.
std::string Text(Mat A, PetscViewerFormat format)
{
  ScratchFile file;
  PetscViewer viewer;
  const auto  view = [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, file.name.c_str(), &viewer));
    PetscCall(PetscViewerPushFormat(viewer, format));
    PetscCall(MatView(A, viewer));
    PetscCall(PetscViewerPopFormat(viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  if (view()) return "error";
  MPI_Barrier(PETSC_COMM_WORLD);
  std::ifstream     in(file.name);
  std::string       line;
  std::stringstream text;
  while (std::getline(in, line)) {
    if (line.find("type") == std::string::npos && line.find("Mat Object") == std::string::npos &&
        line.find("Mat_0x") == std::string::npos && line.find("MPI process") == std::string::npos)
      text << line << '\n';
  }
  MPI_Barrier(PETSC_COMM_WORLD);
  return text.str();
}

TEST(LifecycleQuestions, Viewers)
{
  for (const std::string &type : Types()) {
    Pair p;
    OK(CreateChanged(type, &p));
    for (Mat M : {p.A.A, p.R.A}) OK(PetscObjectSetName((PetscObject)M, "A"));
    for (PetscViewerFormat format : {PETSC_VIEWER_DEFAULT, PETSC_VIEWER_ASCII_MATLAB, PETSC_VIEWER_ASCII_DENSE,
                                     PETSC_VIEWER_ASCII_COMMON, PETSC_VIEWER_ASCII_INDEX, PETSC_VIEWER_ASCII_MATRIXMARKET}) {
      SCOPED_TRACE(type + ", " + PetscViewerFormats[format]);
      EXPECT_EQ(Text(p.A, format), Text(p.R, format));
    }
    for (PetscViewerFormat format : {PETSC_VIEWER_ASCII_INFO, PETSC_VIEWER_ASCII_INFO_DETAIL}) {
      SCOPED_TRACE(type + ", " + PetscViewerFormats[format]);
      EXPECT_EQ(Text(p.A, format).find("error"), std::string::npos);
    }
    EXPECT_SAME_BOTH_WAYS(p.A, p.R);
  }
}

} // namespace

} // namespace petscspmv::test
