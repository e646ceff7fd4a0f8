#include "mat/impls/spmv/options.hpp"

#include "mat/exec/session.hpp"
#include "mat/registry/registry.hpp"
#include "mat/tuning/choice.hpp"

#include <limits>
#include <list>
#include <string>
#include <vector>

namespace petscspmv::spmv {

namespace {

constexpr std::int64_t kLeastNonzeros = 4096; // with fewer, AIJ takes 1 or 2 microseconds, and timing it adds a tenth

struct Options {
  std::vector<const char *> choices; // names of values of the option choose
  std::vector<OptionSpec>   options;
  std::list<std::string>    keys; // texts of the formats' options; `options` points to them
};

} // namespace

std::span<const OptionSpec> MakeOptions()
{
  auto &[choices, options, keys] = OfSession<Options>();
  choices                        = {"measured", "structure", "aij"};
  for (const PetscFormat *format : Formats()) choices.push_back(format->alias);
  options = {
    {.key     = "choose",
     .help    = "what multiplies: AIJ or the format that measures fastest, the best format by structure, or the one named",
     .upper   = static_cast<std::int64_t>(choices.size()) - 1,
     .initial = 0,
     .names   = choices},
    {.key     = "regret",
     .help    = "loss against AIJ that is allowed while finding out, as a share of the program's processor time",
     .upper   = 1000000,
     .initial = static_cast<std::int64_t>(kDefaultRegret / kMillionth + 0.5),
     .unit    = kMillionth},
    {.key     = "least",
     .help    = "matrices or blocks with fewer nonzeros use AIJ, unless a format is named or on a device",
     .upper   = std::numeric_limits<std::int32_t>::max(),
     .initial = kLeastNonzeros},
  };
  for (const PetscFormat *format : Formats()) {
    for (OptionSpec option : format->options) {
      option.key = keys.emplace_back(std::string(format->alias) + "_" + option.key).c_str();
      options.push_back(option);
    }
  }
  return options;
}

const char *NameOf(std::size_t candidate)
{
  return candidate == kAij ? "aij" : Formats()[candidate - 1]->alias;
}

std::span<const char *const> Choices()
{
  return OfSession<Options>().choices;
}

Mode ModeOf(const OptionValues &values)
{
  return values[kChoose] == 0 ? Mode::Measured : values[kChoose] == 1 ? Mode::Structure : Mode::Named;
}

std::size_t NamedIn(const OptionValues &values)
{
  return values[kChoose] < 2 ? kAij : static_cast<std::size_t>(values[kChoose]) - 2;
}

double RegretOf(const OptionValues &values)
{
  return static_cast<double>(values[kRegret]) * kMillionth;
}

std::int64_t LeastOf(const OptionValues &values)
{
  return values[kLeast];
}

} // namespace petscspmv::spmv
