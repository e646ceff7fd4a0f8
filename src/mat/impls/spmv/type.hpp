// The type spmv: its registration and options.
#pragma once

#include "mat/format/options.hpp"
#include "mat/impls/shadow/compat.hpp"
#include "mat/impls/spmv/choice.hpp"

#include <span>

namespace petscspmv::spmv {

/// Registers the type, once the formats are.
PetscErrorCode RegisterSpmv();
PetscErrorCode FinalizeSpmv();

/// What decides (option choose): these, and after them AIJ and each format by name.
enum class Mode { Measured, Structure, Named };

inline constexpr double kMillionth = 1e-6; // the unit of regret

enum Option { kChoose, kRegret, kLeast, kOwn }; // and after its own those of each format, with its name before

std::span<const char *const> Choices(); // the values of the first
Mode                         ModeOf(const OptionValues &options);
std::size_t                  NamedIn(const OptionValues &options); // whom -mat_spmv_choose names; AIJ if none
double                       RegretOf(const OptionValues &options);
std::int64_t                 LeastOf(const OptionValues &options); // nonzeros of a matrix for which anything is tried

} // namespace petscspmv::spmv
