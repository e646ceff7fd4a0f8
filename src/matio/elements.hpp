// Matrices of finite elements on grids of hexahedra, and of grids with an irregular boundary.
#pragma once

#include "matio/row_source.hpp"

#include <cstdint>

namespace petscspmv::matio {

/// Linear elasticity on n^3 nodes with three displacements each, clamped on one side, of a stiffness that differs from element to
/// element. Symmetric, positive definite.
RowSource Elasticity(std::int64_t n);

/// Flow through a cube of n^3 nodes with three velocities and a pressure each: Newton's linearization of the Navier-Stokes
/// equations in stabilized linear elements, a saddle point. Viscosity and velocity differ from element to element.
RowSource Flow(std::int64_t n);

/// The 7-point stencil on the points of an n x n x n grid that lie in a ball.
RowSource Ball(std::int64_t n);

} // namespace petscspmv::matio
