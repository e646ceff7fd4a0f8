// PETSc matrices whose products are another library's.
#pragma once

#include <map>
#include <petscmat.h>
#include <string>
#include <vector>

namespace petscspmv::benchmarks {

/// The names of all libraries that can be compared with, whether they are there or not.
std::vector<std::string> PeerNames();

bool IsPeer(const std::string &name);

/// Opens the library; `error` says why it cannot be had, and how it can.
PetscErrorCode OpenPeer(const std::string &name, std::string &error);

/// What the libraries that have been opened say they are, by name.
std::map<std::string, std::string> PeerVersions();

/// Gives the products of an assembled AIJ matrix to the library: with a parallel matrix those of both blocks, as the types of
/// this project do. New values reach it at the next product. All else stays AIJ's.
PetscErrorCode UsePeer(const std::string &name, Mat A);

/// C = A X by that library, with a dense X on one process; C, which is made if it is null, stays null where that is not measured.
PetscErrorCode MultiplyByPeer(Mat A, Mat X, Mat *C);

} // namespace petscspmv::benchmarks
