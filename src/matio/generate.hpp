// Generated matrices.
#pragma once

#include <petscmat.h>

namespace petscspmv::matio {

/// The 7-point finite-volume matrix of -div(k grad u) on an n x n x n grid, u = 0 on the boundary, where k alternates between 1
/// and 1000 in cubes of a quarter of the side. Symmetric, positive definite.
PetscErrorCode CreatePoisson3D(MPI_Comm comm, PetscInt n, Mat *A);

/// The Laplacian of a network of n nodes grown by preferential attachment (Barabasi and Albert): every new node links to `links`
/// others with probabilities proportional to their degrees, so that degrees follow a power law and the oldest nodes are hubs.
/// Symmetric, with the constants as null space.
PetscErrorCode CreateNetworkLaplacian(MPI_Comm comm, PetscInt n, PetscInt links, Mat *A);

/// A matrix of one of the families in families.hpp by its name, e.g. stencil7:100, including twins. Values are random but
/// reproducible.
PetscErrorCode CreateMatFromFamily(MPI_Comm comm, const char name[], Mat *A);

} // namespace petscspmv::matio
