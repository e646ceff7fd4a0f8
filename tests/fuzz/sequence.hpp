// A sequence of the fuzz test: drawn from a seed, or read from text. It names its operations, so that it stays what it is when
// operations are added.
#pragma once

#include "fuzz/operations.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

namespace petscspmv::test {

/// An operation, and what all its numbers are drawn from.
struct Step {
  const Operation *operation;
  std::uint64_t    seed;
};

using Sequence = std::vector<Step>;

inline Sequence DrawSequence(std::uint64_t seed)
{
  Draw     draw{std::mt19937_64(seed)};
  Sequence steps = {{&kOperations[0], draw.random()}};
  for (int left = 5 + draw(21); left; --left) {
    const Operation *operation = &kOperations[draw(static_cast<int>(std::size(kOperations)))];
    steps.push_back({operation, draw.random()});
  }
  return steps;
}

inline std::string Text(const Step &step)
{
  return std::string(step.operation->name) + " " + std::to_string(step.seed);
}

/// "recreate 17, scale 4": false if it is something else.
inline bool Parse(std::string_view text, Sequence &steps)
{
  for (;;) {
    const std::size_t      comma = text.find(", ");
    const std::string_view step  = text.substr(0, comma);
    const std::size_t      space = step.rfind(' ');
    if (space == std::string_view::npos) return false;
    const std::string_view name = step.substr(0, space), number = step.substr(space + 1);
    const auto operation = std::ranges::find_if(kOperations, [&](const Operation &known) { return name == known.name; });
    std::uint64_t seed;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), seed);
    if (operation == std::end(kOperations) || error != std::errc() || end != number.data() + number.size()) return false;
    steps.push_back({operation, seed});
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 2);
  }
}

} // namespace petscspmv::test
