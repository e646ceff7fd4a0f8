// What is known in this session: the patterns seen so far, and how formats performed compared with predictions.
#pragma once

#include "mat/format/csr.hpp"
#include "mat/registry/registry.hpp"
#include "mat/tuning/choice.hpp"
#include "mat/tuning/sweep_choice.hpp"

#include <memory>
#include <string>

namespace petscspmv {

/// The findings recorded for a pattern with these options, or null; RecordPattern() records them.
std::shared_ptr<Pattern> FindPattern(const Csr<PetscScalar, PetscInt> &csr, const OptionValues &options);
void RecordPattern(const Csr<PetscScalar, PetscInt> &csr, const OptionValues &options, std::shared_ptr<Pattern> pattern);

/// Products with a matrix, or with its transpose, whose layouts are made in one part.
enum class Operation { Product, Transpose };

/// What is shared by matrices of this size, for one of these.
std::shared_ptr<Family> FamilyOf(PetscInt rows, PetscInt cols, PetscInt nnz, Operation of);

/// What is shared by matrices with about so many nonzeros and the same origin, which the caller names, for one of these.
std::shared_ptr<Role> RoleOf(const std::string &origin, PetscInt nnz, Operation of);

/// A new pattern with predictions. `aij`: seconds of a product by AIJ, not 0.
std::shared_ptr<Pattern> NewPattern(const Csr<PetscScalar, PetscInt> &csr, double aij, const Role &role, Operation of);

/// Learns from measurements for better predictions: in units of a product by AIJ; in seconds per nonzero.
void LearnProduct(std::size_t candidate, Role &role, Operation of, double predicted, double measured);
void LearnPreparation(std::size_t candidate, Operation of, bool built, double measured);

/// The findings about triangles of this family with about so many rows.
std::shared_ptr<SweepFindings> SweepFindingsOf(const SweepFamily &family, PetscInt rows);

void ForgetExperience();

} // namespace petscspmv
