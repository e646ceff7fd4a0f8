// What this process knows: the patterns seen so far, and how formats compared with predictions.
#pragma once

#include "mat/format/csr.hpp"
#include "mat/registry/registry.hpp"
#include "mat/tuning/choice.hpp"
#include "mat/tuning/sweep_choice.hpp"

#include <memory>

namespace petscspmv {

/// What the first product by any format takes beside its layout, in seconds: threads start, targets are measured, and, most of it,
/// code comes into the caches for the first time.
inline constexpr double kStartSeconds = 2e-3;

/// The budget of this session, a share of the program's time since the clock was started.
void                    StartProgramClock();
std::shared_ptr<Budget> BudgetOfProgram();

std::shared_ptr<Family> FamilyOf(PetscInt rows, PetscInt cols, PetscInt nnz);

/// Findings recorded for a pattern with these options, or null; and recording them.
std::shared_ptr<Pattern> FindPattern(const Csr<PetscScalar, PetscInt> &csr, const OptionValues &options);
void RecordPattern(const Csr<PetscScalar, PetscInt> &csr, const OptionValues &options, std::shared_ptr<Pattern> pattern);

/// A new pattern, with predictions for a matrix for which AIJ takes `aij` seconds, and whose layouts may be made in parts.
std::shared_ptr<Pattern> NewPattern(const Csr<PetscScalar, PetscInt> &csr, double aij, bool in_parts);

/// Learns from measurements, in units of a product by AIJ, for better predictions.
void LearnProduct(std::size_t candidate, double predicted, double measured);
void LearnPreparation(std::size_t candidate, bool built, double measured);

/// What is known of such triangles with about so many rows.
std::shared_ptr<SweepFindings> SweepFindingsOf(TrianglesOf of, PetscInt rows);

void ForgetExperience();

} // namespace petscspmv
