// Tables indexed by enumerators.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

namespace petscspmv {

/// The items, each at the index of its enumerator: ByEnumerator<Colour::Last, T>({{Colour::Red, ...}, ...}). Compiles only
/// with exactly one item for every enumerator up to `last`, in any order.
template <auto last, class T>
consteval auto ByEnumerator(const std::pair<decltype(last), T> (&items)[static_cast<std::size_t>(last) + 1])
{
  std::array<T, static_cast<std::size_t>(last) + 1>    table{};
  std::array<bool, static_cast<std::size_t>(last) + 1> filled{};
  for (const auto &[enumerator, item] : items) {
    const std::size_t at = static_cast<std::size_t>(enumerator);
    if (filled.at(at)) throw "an enumerator that comes twice, and another that is missing";
    filled[at] = true;
    table[at]  = item;
  }
  return table;
}

} // namespace petscspmv
