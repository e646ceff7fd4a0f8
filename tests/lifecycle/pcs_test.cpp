// Where PETSc asks for the names of types. Every preconditioner that it has here shows the same in -ksp_view for AIJ and for our
// types, but for the types' names, and solves in as many iterations; colorings and orderings are the same.
#include "lifecycle/lifecycle.hpp"

#include <fstream>
#include <functional>
#include <map>
#include <petscpc.h>
#include <set>
#include <sstream>

namespace petscspmv::test {

namespace {

/// Preconditioners that need more than a matrix.
const std::map<std::string, const char *> kSkipped{
  {"bddc", "is for MATIS"},
  {"exotic", "needs a DMDA in three dimensions"},
  {"galerkin", "needs a restriction"},
  {"h2opus", "is for MATH2OPUS"},
  {"hpddm", "needs a Neumann matrix"},
  {"lmvm", "is for a MATLMVM"},
  {"lsc", "is for a Schur complement"},
  {"mpi", "hands the system to other processes"},
  {"nn", "is for MATIS"},
  {"patch", "needs a DM"},
  {"pfmg", "is for MATHYPRESTRUCT"},
  {"python", "needs a Python class"},
  {"shell", "needs a function"},
  {"smg", "is for MATHYPRESTRUCT"},
  {"syspfmg", "is for MATHYPRESSTRUCT"},
  {"ml", "prints the time"},
};

struct Case {
  std::string pc;
  std::string options; // KEY VALUE ...
};

/// Further settings, where PETSc asks for the name of AIJ or where the type alone makes no preconditioner.
const std::vector<Case> kCases
{
  {PCILU, "-pc_factor_shift_type nonzero"},
    {PCILU, "-pc_factor_shift_type nonzero -pc_factor_levels 2 -pc_factor_mat_ordering_type rcm"},
    {PCILU, "-pc_factor_shift_type inblocks"}, {PCLU, "-pc_factor_shift_type nonzero"},
    {PCBJACOBI, "-sub_pc_type ilu -sub_pc_factor_shift_type nonzero"}, {PCBJACOBI, "-sub_pc_type cp"},
    {PCASM, "-sub_pc_type ilu -sub_pc_factor_shift_type nonzero"}, {PCGASM, "-sub_pc_type ilu -sub_pc_factor_shift_type nonzero"},
    {PCKSP, "-ksp_pc_type bjacobi -ksp_sub_pc_factor_shift_type nonzero"},
    {PCREDISTRIBUTE, "-redistribute_pc_type bjacobi -redistribute_sub_pc_factor_shift_type nonzero"},
    {PCGAMG, "-pc_gamg_type classical"},
#if PETSC_VERSION_GE(3, 20, 0)
    {PCGAMG, "-pc_gamg_mat_coarsen_type hem"},
#else
    {PCGAMG, "-mat_coarsen_type hem"},
#endif
    {PCCOMPOSITE, "-pc_composite_pcs jacobi,sor"}, {PCFIELDSPLIT, "-pc_fieldsplit_block_size 2"}, {PCMG, "-pc_mg_levels 1"},
    {PCHMG, "-hmg_inner_pc_type gamg"},
};

/// The five-point stencil on a square of `side` points.
TestMatrix Laplacian(int side)
{
  TestMatrix a{"laplacian", side * side, side * side, {0}, {}, {}, {}};
  for (int i = 0; i < side * side; ++i) {
    for (const int j : {i - side, i - 1, i, i + 1, i + side}) {
      if (j < 0 || j >= side * side || (j == i - 1 && i % side == 0) || (j == i + 1 && j % side == 0)) continue;
      a.col_idx.push_back(j);
      a.real.push_back(i == j ? 4.1 : -1);
      a.imag.push_back(0);
    }
    a.row_ptr.push_back(a.nnz());
  }
  return a;
}

std::vector<Case> Cases()
{
  std::vector<Case> cases = kCases;
  const char      **names = nullptr;
  int               count = 0;
  if (PCInitializePackage() || PetscFunctionListGet(PCList, &names, &count)) return {};
  std::set<std::string> sorted; // the same order on all processes
  for (int k = 0; k < count; ++k) {
    if (names[k] && !kSkipped.contains(names[k])) sorted.insert(names[k]);
  }
  PetscFree(names);
  for (const std::string &name : sorted) {
    if (name == PCCOMPOSITE || name == PCFIELDSPLIT || name == PCMG || name == PCHMG) continue; // above
    if (name == PCCP && Processes() > 1) continue;                                              // is sequential
    if (name == PCEISENSTAT && Processes() > 1) continue; // a defect of PETSc's: there is no such method of the diagonal block
    if (name == PCTFS && Processes() != 2) continue;      // is for a power of two
    if ((name == PCILU || name == PCICC || name == PCLU || name == PCCHOLESKY || name == PCQR) && Processes() > 1) continue;
    cases.push_back({name, ""});
  }
  if (Processes() > 1) std::erase_if(cases, [](const Case &c) { return c.pc == PCILU || c.pc == PCLU; });
  return cases;
}

std::string All(std::string text, const std::string &from, const std::string &to)
{
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
  return text;
}

/// The matrices in a view with a type that ends so, without factors, which are PETSc's own.
std::ptrdiff_t CountTypes(const std::string &view, const std::string &ending)
{
  std::stringstream lines(view);
  std::ptrdiff_t    n      = 0;
  bool              factor = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("actored matrix") != std::string::npos) factor = true;
    if (line.find("type: ") == std::string::npos) continue;
    n += !std::exchange(factor, false) && line.ends_with(ending);
  }
  return n;
}

struct Solved {
  std::string view; // on the first process
  PetscInt    iterations = -1;
  PetscReal   norm       = -1;
};

PetscErrorCode Solve(Mat A, const Case &c, Solved *solved)
{
  KSP         ksp;
  OwnedVec    x, b;
  PetscViewer viewer;
  ScratchFile file;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(FillVec(b, 1));
  if (c.pc == PCVPBJACOBI) {
    PetscInt local;
    PetscCall(VecGetLocalSize(b, &local));
    const std::vector<PetscInt> blocks(static_cast<std::size_t>(local / 2), 2);
    PetscCall(MatSetVariableBlockSizes(A, local / 2, const_cast<PetscInt *>(blocks.data()))); // 3.18 takes no const
  }
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetOptionsPrefix(ksp, "it_"));
  PetscCall(KSPSetType(ksp, KSPFGMRES));
  PetscCall(KSPSetTolerances(ksp, 1e-4, PETSC_DEFAULT, PETSC_DEFAULT, 30));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &solved->iterations));
  PetscCall(KSPGetResidualNorm(ksp, &solved->norm));
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, file.name.c_str(), &viewer));
  PetscCall(KSPView(ksp, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(KSPDestroy(&ksp));
  if (Rank() == 0) {
    std::stringstream text;
    text << std::ifstream(file.name).rdbuf();
    solved->view = text.str();
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether AIJ solves in that way with the PETSc at hand, and again: for debugging a second classical gamg is an error.
bool PetscHas(Mat R, const Case &c)
{
  ExpectedError expected;
  Solved        solved;
  return !Solve(R, c, &solved) && !Solve(R, c, &solved);
}

/// Sets or clears the options of a case, with the prefix of the solver where it is the solver's.
void Set(const Case &c, bool set)
{
  std::stringstream words("-pc_type " + c.pc + " " + c.options);
  for (std::string key, value; words >> key >> value;) {
    const std::string name = key.starts_with("-mat_") ? key : "-it_" + key.substr(1);
    if (set) PetscOptionsSetValue(NULL, name.c_str(), value.c_str());
    else PetscOptionsClearValue(NULL, name.c_str());
  }
}

TEST(PCs, AreTheSameForAllTypes)
{
  const TestMatrix a    = Laplacian(12);
  int              same = 0;
  for (const Case &c : Cases()) {
    SCOPED_TRACE(c.pc + " " + c.options);
    Set(c, true);
    Solved   aij;
    OwnedMat R;
    OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
    if (!PetscHas(R, c)) { // such as a factorization of another package
      Set(c, false);
      continue;
    }
    for (int k = 0; k < 2; ++k) OK(Solve(R, c, &aij)); // PETSc shows the grid of SuperLU_DIST in the first solve only
    for (const std::string &type : Types()) {
      for (const bool by_mat_type : {true, false}) {
        SCOPED_TRACE(type + (by_mat_type ? " by -mat_type" : " by -mat_seqaij_type"));
        const std::string root = RootName(type);
        OwnedMat          A;
        Solved            ours;
        if (!by_mat_type) {
          OK(PetscOptionsSetValue(NULL, "-mat_seqaij_type", ("seq" + root).c_str()));
        }
        OK(CreateMat(a, by_mat_type ? type.c_str() : MATAIJ, Distribution::Even, &A));
        OK(Solve(A, c, &ours));
        OK(PetscOptionsClearValue(NULL, "-mat_seqaij_type"));
        EXPECT_EQ(All(ours.view, root, MATAIJ), aij.view);
        EXPECT_TRUE(TypeOf(A).ends_with(by_mat_type || Processes() == 1 ? root : MATAIJ)) << TypeOf(A);
        // Deflation makes some MATAIJ itself; later versions of gamg give coarse matrices the name that the finest has meanwhile.
        const bool gives_name = PETSC_VERSION_GE(3, 19, 0) && c.options.find("classical") != std::string::npos;
        if (by_mat_type && c.pc != PCDEFLATION && !gives_name) {
          EXPECT_EQ(CountTypes(ours.view, root), CountTypes(aij.view, MATAIJ));
        }
        EXPECT_EQ(ours.iterations, aij.iterations);
        EXPECT_NEAR(ours.norm, aij.norm, 1e-6 * aij.norm + 1000 * PETSC_MACHINE_EPSILON); // LU ends in rounding errors
        ++same;
      }
    }
    Set(c, false);
  }
  EXPECT_GT(same, 200);
}

/// A matrix of each type, both ways of switching it on, beside the same of AIJ.
void ForAllTypes(const TestMatrix &a, const std::function<void(Mat A, Mat R)> &check)
{
  OwnedMat R;
  OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
  for (const std::string &type : Types()) {
    for (const bool by_mat_type : {true, false}) {
      SCOPED_TRACE(type + (by_mat_type ? " by -mat_type" : " by -mat_seqaij_type"));
      OwnedMat A;
      if (!by_mat_type) {
        OK(PetscOptionsSetValue(NULL, "-mat_seqaij_type", ("seq" + RootName(type)).c_str()));
      }
      OK(CreateMat(a, by_mat_type ? type.c_str() : MATAIJ, Distribution::Even, &A));
      check(A, R);
      OK(PetscOptionsClearValue(NULL, "-mat_seqaij_type"));
    }
  }
}

PetscErrorCode Color(Mat A, MatColoringType type, PetscInt distance, std::vector<ISColoringValue> *colors)
{
  MatColoring            coloring;
  ISColoring             result;
  const ISColoringValue *values;
  PetscInt               n;

  PetscFunctionBegin;
  PetscCall(MatColoringCreate(A, &coloring));
  PetscCall(MatColoringSetType(coloring, type));
  PetscCall(MatColoringSetDistance(coloring, distance));
  PetscCall(MatColoringApply(coloring, &result));
  PetscCall(ISColoringGetColors(result, &n, NULL, &values));
  colors->assign(values, values + n);
  PetscCall(ISColoringDestroy(&result));
  PetscCall(MatColoringDestroy(&coloring));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Colorings, AreTheSameForAllTypes)
{
  ForAllTypes(Laplacian(12), [](Mat A, Mat R) {
    for (const char *coloring : {MATCOLORINGJP, MATCOLORINGPOWER, MATCOLORINGGREEDY}) {
      for (const PetscInt distance : {1, 2}) {
        SCOPED_TRACE(coloring + std::string(", distance ") + std::to_string(distance));
        std::vector<ISColoringValue> ours, aij;
        OK(Color(A, coloring, distance, &ours));
        OK(Color(R, coloring, distance, &aij));
        EXPECT_EQ(ours, aij);
      }
    }
  });
}

TEST(Orderings, AreTheSameForAllTypes)
{
  ForAllTypes(Laplacian(12), [](Mat A, Mat R) {
    for (const char *ordering : {MATORDERINGNATURAL, MATORDERINGRCM, MATORDERINGND, MATORDERINGQMD}) {
      SCOPED_TRACE(ordering);
      IS ours[2], aij[2];
      OK(MatGetOrdering(A, ordering, &ours[0], &ours[1]));
      OK(MatGetOrdering(R, ordering, &aij[0], &aij[1]));
      for (int k = 0; k < 2; ++k) {
        PetscBool same;
        OK(ISEqual(ours[k], aij[k], &same));
        EXPECT_TRUE(same);
        OK(ISDestroy(&ours[k]));
        OK(ISDestroy(&aij[k]));
      }
    }
  });
}

} // namespace

} // namespace petscspmv::test
