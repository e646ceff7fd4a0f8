// When processes that wait for each other may take their time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace petscspmv {

/// Whether a process may do something that takes longer after n products (or applications) since the values changed: 0 to 8, 10,
/// 12, 14, 16, 20, 24, 28, 32, 40 and so on. In a product processes wait for the slowest one. All of them count the same products
/// of a parallel matrix, and so what they do in the same round costs as if one had done it, and what they do in all rounds as many
/// times more as there are rounds, however many processes there are.
inline bool IsRound(std::int64_t n)
{
  constexpr std::uint64_t kRounds = 4; // from each power of two to the next
  const auto number = static_cast<std::uint64_t>(n), step = std::max<std::uint64_t>(1, std::bit_floor(number) / kRounds);
  return number % step == 0;
}

} // namespace petscspmv
