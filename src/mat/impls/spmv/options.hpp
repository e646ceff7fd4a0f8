// The options of the type spmv.
#pragma once

#include "mat/format/options.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace petscspmv::spmv {

/// Makes them from those of the registered formats, and returns them.
std::span<const OptionSpec> MakeOptions();

/// What decides (option choose): the first two, or the name of AIJ or a format.
enum class Mode { Measured, Structure, Named };

inline constexpr double kMillionth = 1e-6; // the unit of regret

enum Option { kChoose, kRegret, kLeast, kOwn }; // then the options of each format, prefixed with its name

const char                  *NameOf(std::size_t candidate);
std::span<const char *const> Choices(); // the values of kChoose
Mode                         ModeOf(const OptionValues &options);
std::size_t                  NamedIn(const OptionValues &options); // the candidate named by -mat_spmv_choose; AIJ if none
double                       RegretOf(const OptionValues &options);
std::int64_t                 LeastOf(const OptionValues &options); // fewest nonzeros for which anything is tried

} // namespace petscspmv::spmv
