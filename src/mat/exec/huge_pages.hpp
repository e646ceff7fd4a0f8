// Whether regions of memory get huge pages.
#pragma once

#include <cstddef>
#include <limits>

namespace petscspmv {

/// Transparent huge pages of x86-64, and of AArch64 with pages of 4 KiB. Others are only cut differently.
inline constexpr std::size_t kHugePage = 2 * 1024 * 1024;

std::size_t PageSize();

/// Null if there is none.
char *MapPages(std::size_t bytes);

struct Region {
  std::size_t bytes;
  std::size_t tried    = 0; // bytes from its beginning whose pages were tried, or need not be
  std::size_t ordinary = 0; // bytes from its beginning that have ordinary pages
};

/// Decides whether regions get huge pages, and has the system find pages before they are used.
class HugePages {
public:
  /// For a region that has just been mapped, after `before` bytes in others.
  void AskFor(char *begin, Region &region, std::size_t before);

  /// For a region of which the bytes first .. last - 1 are about to be used for the first time.
  void Prepare(char *begin, Region &region, std::size_t first, std::size_t last);

private:
  void   Try(char *begin, Region &region, std::size_t used);
  double OfOrdinaryPages();

  bool   slow_              = false; // a page was: the process asks for no more
  double of_ordinary_pages_ = std::numeric_limits<double>::infinity();
};

} // namespace petscspmv
