// What this process knows: patterns that it has met, and what formats have taken against what was predicted.
#pragma once

#include "mat/format/features.hpp"
#include "mat/impls/shadow/made.hpp"
#include "mat/impls/spmv/choice.hpp"

#include <memory>

namespace petscspmv::spmv {

/// Seconds that the first product by any format takes besides: Kokkos starts and targets are measured.
inline constexpr double kStartSeconds = 3e-3;

std::shared_ptr<Family> FamilyOf(PetscInt rows, PetscInt cols, PetscInt nnz);

/// What others have recorded of a pattern with these options, or null; and a record of it.
std::shared_ptr<Pattern> FindPattern(const Csr<PetscScalar, PetscInt> &csr, const OptionValues &options);
void RecordPattern(const Csr<PetscScalar, PetscInt> &csr, const OptionValues &options, std::shared_ptr<Pattern> pattern);

/// A new one, with predictions for a matrix with which AIJ takes so many seconds.
std::shared_ptr<Pattern> NewPattern(const Features &features, double aij);

/// What has been measured, in products of AIJ: the next predictions are better by that.
void LearnProduct(std::size_t who, double predicted, double measured);
void LearnPreparation(std::size_t who, bool built, double measured);

void ForgetExperience();

} // namespace petscspmv::spmv
