#include "benchmarks/solvers.hpp"

#include <array>
#include <sstream>

namespace petscspmv::benchmarks {

namespace {

constexpr SystemKind kDiagonal{.diagonal = true}, kSymmetric{.symmetric = true, .diagonal = true},
  kSaddle{.diagonal = true, .saddle = true}, kGrid{.symmetric = true, .diagonal = true, .grid = true};

// bjacobi and asm have four blocks, so that on one process they are not ilu by another name.
constexpr std::array kSolvers{
  Solver{.name = "cg+jacobi", .asks = kSymmetric, .options = "-ksp_type cg -pc_type jacobi"},
  Solver{.name        = "cg+icc",
         .asks        = kSymmetric,
         .options     = "-ksp_type cg -pc_type icc",
         .in_parallel = "-ksp_type cg -pc_type bjacobi -sub_pc_type icc"},
  Solver{.name = "cg+sor", .asks = kSymmetric, .options = "-ksp_type cg -pc_type sor"},
  Solver{
    .name = "cg+bjacobi", .asks = kSymmetric, .options = "-ksp_type cg -pc_type bjacobi -pc_bjacobi_blocks 4 -sub_pc_type icc"},
  Solver{.name = "cg+gamg-sor", .asks = kSymmetric, .options = "-ksp_type cg -pc_type gamg -mg_levels_pc_type sor"},
  Solver{.name = "cg+gamg-jacobi", .asks = kSymmetric, .options = "-ksp_type cg -pc_type gamg -mg_levels_pc_type jacobi"},
  Solver{.name        = "gmres+ilu",
         .asks        = kDiagonal,
         .options     = "-ksp_type gmres -pc_type ilu",
         .in_parallel = "-ksp_type gmres -pc_type bjacobi -sub_pc_type ilu"},
  Solver{.name = "gmres+sor", .asks = kDiagonal, .options = "-ksp_type gmres -pc_type sor"},
  Solver{.name = "gmres+asm", .asks = kDiagonal, .options = "-ksp_type gmres -pc_type asm -pc_asm_blocks 4"},
  Solver{.name = "bcgs+jacobi", .asks = kDiagonal, .options = "-ksp_type bcgs -pc_type jacobi"},
  Solver{.name        = "bcgs+ilu",
         .asks        = kDiagonal,
         .options     = "-ksp_type bcgs -pc_type ilu",
         .in_parallel = "-ksp_type bcgs -pc_type bjacobi -sub_pc_type ilu"},
  Solver{.name = "gmres+fieldsplit",
         .asks = kSaddle,
         .options =
           "-ksp_type gmres -pc_type fieldsplit -pc_fieldsplit_0_fields 0,1,2 -pc_fieldsplit_1_fields 3 "
           "-pc_fieldsplit_type schur -pc_fieldsplit_schur_fact_type upper -pc_fieldsplit_schur_precondition selfp "
           "-fieldsplit_0_ksp_type preonly -fieldsplit_0_pc_type sor -fieldsplit_1_ksp_type preonly -fieldsplit_1_pc_type jacobi"},
  Solver{.name = "cg+mg-sor", .asks = kGrid, .options = "-ksp_type cg -pc_type mg -pc_mg_galerkin both -mg_levels_pc_type sor"},
  Solver{
    .name = "cg+mg-jacobi", .asks = kGrid, .options = "-ksp_type cg -pc_type mg -pc_mg_galerkin both -mg_levels_pc_type jacobi"},
};

} // namespace

std::span<const Solver> Solvers()
{
  return kSolvers;
}

bool Fits(const Solver &solver, const SystemKind &system)
{
  const SystemKind &asks = solver.asks;
  return asks.symmetric <= system.symmetric && asks.diagonal <= system.diagonal && asks.saddle <= system.saddle &&
         asks.grid <= system.grid;
}

std::vector<std::string> OptionsOf(const Solver &solver, int processes)
{
  std::istringstream       text(processes > 1 && solver.in_parallel ? solver.in_parallel : solver.options);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

} // namespace petscspmv::benchmarks
