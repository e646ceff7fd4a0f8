// A grid of points in a cube, for programs that make their matrices themselves.
#pragma once

#include "petsc/success.hpp"

#include <algorithm>
#include <array>
#include <petscdmda.h>

namespace petscspmv::benchmarks {

/// A cube with u = 0 on its boundary, in which a conductivity varies in place and time: -div(k grad u) by finite differences,
/// times h^2, so that all entries are different.
struct Cube {
  DM        grid = nullptr;
  PetscInt  n    = 0;
  PetscReal time = 0;

  PetscReal h() const { return PetscReal(1) / static_cast<PetscReal>(n + 1); }

  PetscErrorCode Create(PetscInt side)
  {
    PetscFunctionBegin;
    n = side;
    PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n, n, n,
                           PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL, NULL, NULL, &grid));
    PetscCall(DMSetFromOptions(grid));
    PetscCall(DMSetUp(grid));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// k between a point and its neighbour: twice their middle, in points.
  PetscReal Conductivity(PetscInt i, PetscInt j, PetscInt k) const
  {
    const PetscReal half = h() / 2, x = half * static_cast<PetscReal>(i), y = half * static_cast<PetscReal>(j),
                    z = half * static_cast<PetscReal>(k);
    return 1 + (1 + time) * (x * (1 - y) + y * z * z) + x * x * z;
  }

  /// Calls each(column, k) for the neighbours of a point, also those beyond the boundary.
  template <class Each>
  void Neighbours(const MatStencil &at, const Each &each) const
  {
    for (const PetscInt side : {-1, 1}) {
      each(MatStencil{at.k + side, at.j, at.i, 0}, Conductivity(2 * at.i, 2 * at.j, 2 * at.k + side));
      each(MatStencil{at.k, at.j + side, at.i, 0}, Conductivity(2 * at.i, 2 * at.j + side, 2 * at.k));
      each(MatStencil{at.k, at.j, at.i + side, 0}, Conductivity(2 * at.i + side, 2 * at.j, 2 * at.k));
    }
  }

  bool Has(const MatStencil &at) const { return std::min({at.i, at.j, at.k}) >= 0 && std::max({at.i, at.j, at.k}) < n; }

  /// Sets A to `scale` times the operator, with more(point) added on the diagonal.
  template <class More>
  PetscErrorCode Fill(Mat A, PetscReal scale, const More &more) const
  {
    DMDALocalInfo info;

    PetscFunctionBegin;
    PetscCall(DMDAGetLocalInfo(grid, &info));
    for (PetscInt k = info.zs; k < info.zs + info.zm; ++k) {
      for (PetscInt j = info.ys; j < info.ys + info.ym; ++j) {
        for (PetscInt i = info.xs; i < info.xs + info.xm; ++i) {
          const MatStencil           row{k, j, i, 0};
          std::array<MatStencil, 7>  columns;
          std::array<PetscScalar, 7> values;
          std::size_t                count    = 1;
          PetscScalar                diagonal = more(row);
          Neighbours(row, [&](const MatStencil &column, PetscReal conductivity) {
            diagonal += scale * conductivity;
            if (!Has(column)) return;
            columns[count]  = column;
            values[count++] = -scale * conductivity;
          });
          columns[0] = row;
          values[0]  = diagonal;
          PetscCall(MatSetValuesStencil(A, 1, &row, static_cast<PetscInt>(count), columns.data(), values.data(), INSERT_VALUES));
        }
      }
    }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

} // namespace petscspmv::benchmarks
