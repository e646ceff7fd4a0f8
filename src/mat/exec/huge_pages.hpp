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
  std::size_t tried = 0; // bytes from its beginning whose pages were tried
};

/// Decides whether regions get huge pages.
class HugePages {
public:
  void AskFor(char *begin, const Region &region);

  /// Tries those of the first `used` bytes of a region. After a few slow ones what follows becomes ordinary pages.
  void Try(char *begin, Region &region, std::size_t used);

private:
  double OfOrdinaryPages();

  int    slow_              = 0; // pages: after kSlowPages the process asks for no more
  double of_ordinary_pages_ = std::numeric_limits<double>::infinity();
};

} // namespace petscspmv
