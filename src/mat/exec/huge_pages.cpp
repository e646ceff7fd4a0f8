// The first use of a page costs as much as several products with the values in it: the system has to find the page and clear it.
// Huge pages cost a quarter of that per byte if the system has some ready, and many times as much if it has to make room first. So
// the first megabytes come in ordinary pages, unless many more are known to come. After them, huge pages are tried and timed: with
// one thread all that are needed, with several threads a few, since a page should be near the thread that uses it first. Ordinary
// pages cost half if the system is asked for many at once.
#include "mat/exec/huge_pages.hpp"

#include "mat/exec/clock.hpp"
#include "mat/exec/kokkos_start.hpp"

#include <algorithm>
#include <cmath>
#include <sys/mman.h>
#include <unistd.h>

namespace petscspmv {

namespace {

/// The first bytes of a process come in ordinary pages, unless a larger layout begins with them: so small programs run no risk. A
/// slow huge page may cost as much as ten megabytes in ordinary pages, on a virtual machine whose host reclaims free memory.
constexpr std::size_t kOrdinary = 2 * kHugePage;

/// With several threads, one in this many huge pages is tried.
constexpr std::size_t kTried = 16;

/// So many tries in a row that took no longer than an ordinary page: the system has huge pages switched off, or none left.
constexpr int kMissed = 3;

/// A huge page takes many times as long to clear as one of the 512 ordinary pages in its place.
constexpr double kMoment = 1. / 64;

/// The seconds that it takes to use pages for the first time.
double SecondsToTouch(char *begin, std::size_t bytes, std::size_t step)
{
  const double start = ThreadSeconds();
  for (std::size_t k = 0; k < bytes; k += step) *const_cast<volatile char *>(begin + k) = 0;
  return ThreadSecondsSince(start);
}

} // namespace

std::size_t PageSize()
{
  static const std::size_t size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

char *MapPages(std::size_t bytes)
{
  void *const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return data == MAP_FAILED ? nullptr : static_cast<char *>(data);
}

void HugePages::AskFor([[maybe_unused]] char *begin, [[maybe_unused]] Region &region, [[maybe_unused]] std::size_t before,
                       [[maybe_unused]] std::size_t expected)
{
#ifdef MADV_HUGEPAGE
  region.tried    = expected > kOrdinary ? 0 : std::min(region.bytes, kOrdinary - std::min(kOrdinary, before));
  region.ordinary = region.tried;
  if (!given_up_ && region.tried < region.bytes) madvise(begin + region.tried, region.bytes - region.tried, MADV_HUGEPAGE);
#endif
}

void HugePages::Prepare(char *begin, Region &region, [[maybe_unused]] std::size_t first, std::size_t last)
{
  Try(begin, region, last);
#ifdef MADV_POPULATE_WRITE
  const std::size_t end = given_up_ ? last : std::min(last, region.ordinary);
  if (first < end && !KokkosHasThreads()) madvise(begin + first, end - first, MADV_POPULATE_WRITE); // no effect on older systems
#endif
}

/// Tries the huge pages of the first `used` bytes of a region. Once one is slow, or several are none, the others become ordinary.
void HugePages::Try([[maybe_unused]] char *begin, [[maybe_unused]] Region &region, [[maybe_unused]] std::size_t used)
{
#ifdef MADV_HUGEPAGE
  const std::size_t step = KokkosHasThreads() ? kTried * kHugePage : kHugePage;
  for (; region.tried < used && !given_up_; region.tried += step) {
    const double seconds = SecondsToTouch(begin + region.tried, 1, 1), ordinary = OfOrdinaryPages();
    missed_                = std::isfinite(ordinary) && seconds < kMoment * ordinary ? missed_ + 1 : 0;
    given_up_              = missed_ == kMissed || seconds > ordinary;
    const std::size_t next = std::min(region.tried + kHugePage, region.bytes);
    if (given_up_) madvise(begin + next, region.bytes - next, MADV_NOHUGEPAGE);
  }
#endif
}

double HugePages::SecondsFor(std::size_t bytes, std::size_t before, std::size_t expected)
{
  const bool huge = !given_up_ && std::max(before, expected) > kOrdinary;
  if (huge || bytes == 0 || std::isinf(OfOrdinaryPages())) return 0;
  return static_cast<double>(bytes) / static_cast<double>(kHugePage) * OfOrdinaryPages();
}

/// The seconds that the first use of a huge page's bytes would take in ordinary pages.
double HugePages::OfOrdinaryPages()
{
  const std::size_t bytes = 16 * PageSize();
  if (of_ordinary_pages_ < std::numeric_limits<double>::infinity()) return of_ordinary_pages_;
  if (char *const pages = MapPages(bytes)) {
    of_ordinary_pages_ = SecondsToTouch(pages, bytes, PageSize()) * static_cast<double>(kHugePage) / static_cast<double>(bytes);
    munmap(pages, bytes);
  }
  return of_ordinary_pages_;
}

} // namespace petscspmv
