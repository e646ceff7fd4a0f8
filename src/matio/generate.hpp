// Matrices without a file.
#pragma once

#include <petscmat.h>

namespace petscspmv::matio {

/// The 7-point finite-volume matrix of -div(k grad u) on an n x n x n grid, u = 0 on the boundary,
/// where k is 1 and 1000 in turn in cubes of a quarter of the side. Symmetric, positive definite.
PetscErrorCode CreatePoisson3D(MPI_Comm comm, PetscInt n, Mat *A);

/// The Laplacian of a network of n nodes that grew by preferential attachment (Barabasi and Albert):
/// every new node draws `links` others with chances proportional to their degrees, so that
/// degrees follow a power law and the oldest nodes are hubs. Symmetric, with the constants as null space.
PetscErrorCode CreateNetworkLaplacian(MPI_Comm comm, PetscInt n, PetscInt links, Mat *A);

/// A matrix of one of the families of families.hpp, by its name, as stencil7:100; twins and all. Values are random but
/// always the same.
PetscErrorCode CreateMatFromFamily(MPI_Comm comm, const char name[], Mat *A);

} // namespace petscspmv::matio
