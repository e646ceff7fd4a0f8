// Whether regions of memory get huge pages.
#pragma once

#include <cstddef>
#include <limits>

namespace petscspmv {

/// The size of transparent huge pages on x86-64, and on AArch64 with 4 KiB pages. Elsewhere it is only the unit of regions.
inline constexpr std::size_t kHugePage = 2 * 1024 * 1024;

std::size_t PageSize();

/// Null if there is no memory.
char *MapPages(std::size_t bytes);

struct Region {
  std::size_t bytes;
  std::size_t tried    = 0; // bytes from the beginning where huge pages were tried or are not wanted
  std::size_t ordinary = 0; // bytes from the beginning that have ordinary pages
};

/// Decides whether regions get huge pages, and makes the system provide ordinary pages before they are used.
class HugePages {
public:
  /// Call for a region that has just been mapped, when other regions had `before` bytes, for arrays of `expected` bytes in all.
  void AskFor(char *begin, Region &region, std::size_t before, std::size_t expected);

  /// Call when the bytes first .. last - 1 of a region are about to be used for the first time.
  void Prepare(char *begin, Region &region, std::size_t first, std::size_t last);

  /// The seconds that the first use of so many bytes takes at most in ordinary pages; 0 if they would have huge pages, by the same
  /// numbers as in AskFor().
  double SecondsFor(std::size_t bytes, std::size_t before, std::size_t expected);

private:
  void   Try(char *begin, Region &region, std::size_t used);
  double OfOrdinaryPages();

  bool   given_up_          = false; // a huge page was slow, or there were none: the process asks for no more
  int    missed_            = 0;     // ordinary pages in a row in place of huge ones
  double of_ordinary_pages_ = std::numeric_limits<double>::infinity();
};

} // namespace petscspmv
