// The options of the type spmv.
#pragma once

#include "mat/format/options.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace petscspmv::spmv {

/// Makes and returns the options of the type: its own, then those of the registered formats.
std::span<const OptionSpec> MakeOptions();

/// How formats are chosen (option choose): by measurement, by structure, or AIJ or a format by its name.
enum class Mode { Measured, Structure, Named };

inline constexpr double kMillionth = 1e-6; // the unit of the option regret

enum Option { kChoose, kRegret, kLeast, kOwn }; // then the options of each format, prefixed with its name

const char                  *NameOf(std::size_t candidate);
std::span<const char *const> Choices(); // the values of kChoose
Mode                         ModeOf(const OptionValues &options);
std::size_t                  NamedIn(const OptionValues &options); // the candidate named by -mat_spmv_choose; AIJ if none
double                       RegretOf(const OptionValues &options);
std::int64_t                 LeastOf(const OptionValues &options); // with fewer nonzeros AIJ does all products

} // namespace petscspmv::spmv
