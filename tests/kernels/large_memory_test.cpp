// The memory of large arrays: what it promises, and what is left after many arrays in no order.
#include "mat/exec/array.hpp"
#include "mat/exec/huge_pages.hpp"
#include "mat/exec/kokkos_start.hpp"
#include "mat/exec/large_memory.hpp"
#include "mat/exec/memory_use.hpp"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

namespace petscspmv::test {

namespace {

constexpr std::size_t kMegabyte = 1024 * 1024;

class LargeMemory : public testing::Test {
  void SetUp() override
  {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "all arrays are from the heap";
#endif
    ReleaseLargeMemory();
  }
};

/// Arrays of all sizes, filled with a number each, keep it until they are freed; in the end all is free and can be given back.
TEST_F(LargeMemory, ArraysDoNotOverlap)
{
  const LargeMemoryUse              before = UseOfLargeMemory();
  std::mt19937                      random(1);
  std::vector<Array<std::uint64_t>> arrays(60);
  std::vector<std::uint64_t>        number(arrays.size());
  for (int step = 0; step < 3000; ++step) {
    const std::size_t k = random() % arrays.size();
    for (std::size_t i = 0; i < arrays[k].size(); i += 511) ASSERT_EQ(arrays[k][i], number[k]);
    if (arrays[k].size() > 0) {
      ASSERT_EQ(arrays[k][arrays[k].size() - 1], number[k]);
    }
    arrays[k].Allocate(random() % (1u << (10 + random() % 9)));
    number[k] = random();
    for (std::uint64_t *word = arrays[k].data(); word < arrays[k].data() + arrays[k].size(); ++word) *word = number[k];
  }
  EXPECT_GT(UseOfLargeMemory().in_use, before.in_use);
  arrays.clear();
  EXPECT_EQ(UseOfLargeMemory().in_use, before.in_use);
  ReleaseLargeMemory();
  EXPECT_EQ(UseOfLargeMemory().mapped, before.mapped);
}

TEST_F(LargeMemory, FreedMemoryIsUsedAgain)
{
  const void *first;
  {
    const Array<char> all(8 * kMegabyte);
    first = all.data();
  }
  const std::size_t mapped = UseOfLargeMemory().mapped;
  {
    const Array<char> a(3 * kMegabyte), b(kMegabyte), c(2 * kMegabyte);
    EXPECT_EQ(UseOfLargeMemory().mapped, mapped);
  }
  const Array<char> all(8 * kMegabyte); // joined again
  EXPECT_EQ(all.data(), first);
  EXPECT_EQ(UseOfLargeMemory().mapped, mapped);
}

/// What was an array and is free counts as kept until it is given back, also between arrays that stay; what never was one does not.
TEST_F(LargeMemory, WhatIsKeptIsCounted)
{
  const std::size_t before = UseOfLargeMemory().kept;
  Array<char>       stays(kMegabyte);
  EXPECT_EQ(UseOfLargeMemory().kept, before);
  {
    Array<char> goes(kMegabyte);
    std::memset(goes.data(), 1, kMegabyte);
    const Array<char> last(kMegabyte);
    goes = {};
    EXPECT_EQ(UseOfLargeMemory().kept, before + kMegabyte);
    const Array<char> half(kMegabyte / 2);
    EXPECT_EQ(UseOfLargeMemory().kept, before + kMegabyte / 2);
    ReleaseLargeMemory();
    EXPECT_EQ(UseOfLargeMemory().kept, 0u);
  }
  EXPECT_LE(UseOfLargeMemory().kept, 2 * kMegabyte);
  EXPECT_GE(UseOfLargeMemory().kept, kMegabyte + kMegabyte / 2);
  stays = {};
  ReleaseLargeMemory();
  EXPECT_EQ(UseOfLargeMemory().kept, 0u);
}

/// The first megabytes come in ordinary pages, which the system finds all at once if it can.
TEST_F(LargeMemory, HasItsPagesBeforeItIsUsed)
{
#ifdef MADV_POPULATE_WRITE
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void *const       own  = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(own, MAP_FAILED);
  const bool able = madvise(own, page, MADV_POPULATE_WRITE) == 0;
  munmap(own, page);
  if (!able || KokkosHasThreads()) GTEST_SKIP() << "pages are found as they are used";
  const Array<char>          some(kMegabyte), more(kMegabyte);
  std::vector<unsigned char> resident(kMegabyte / page);
  for (const Array<char> *array : {&some, &more}) {
    ASSERT_EQ(mincore(const_cast<char *>(array->data()), kMegabyte, resident.data()), 0);
    for (const unsigned char found : resident) ASSERT_EQ(found & 1, 1);
  }
#endif
}

/// Whether the system was asked for huge pages at an address; nothing where it does not tell.
std::optional<bool> AskedForHugePages(const void *data)
{
  std::ifstream  maps("/proc/self/smaps");
  std::string    line;
  const auto     address = reinterpret_cast<std::uintptr_t>(data);
  std::uintptr_t first = 0, last = 0;
  while (std::getline(maps, line)) {
    char              dash;
    std::stringstream numbers(line);
    if (std::uintptr_t from, to; numbers >> std::hex >> from >> dash >> to && dash == '-')
      std::tie(first, last) = std::pair(from, to);
    if (line.starts_with("VmFlags:") && first <= address && address < last) return line.find(" hg") != std::string::npos;
  }
  return {};
}

/// The first arrays of a small layout come in ordinary pages, those of a large one in huge pages.
TEST_F(LargeMemory, OfLargeLayoutsIsHugeFromTheBeginning)
{
  if (UseOfLargeMemory().mapped > 0) GTEST_SKIP() << "these are not the first arrays";
  {
    const Array<char> small(kMegabyte);
    if (!AskedForHugePages(small.data())) GTEST_SKIP() << "the system does not tell";
    EXPECT_FALSE(*AskedForHugePages(small.data()));
  }
  {
    const Array<char> beyond(16 * kMegabyte);
    if (!*AskedForHugePages(beyond.data() + 15 * kMegabyte)) GTEST_SKIP() << "a huge page was slow";
  }
  ReleaseLargeMemory();
  const MakingLayout making(16 * kMegabyte);
  const Array<char>  large(kMegabyte);
  EXPECT_TRUE(AskedForHugePages(large.data()).value_or(false));
}

/// The arrays of a layout that is made in parts may be small: together they are as large as those of others.
TEST_F(LargeMemory, PartsOfALargeLayoutAreTogether)
{
  const std::size_t in_use = UseOfLargeMemory().in_use;
  {
    const Array<char> alone(kLargeArray);
    EXPECT_EQ(UseOfLargeMemory().in_use, in_use);
  }
  const MakingLayout making(kMegabyte);
  const Array<char>  part(kLargeArray);
  EXPECT_EQ(UseOfLargeMemory().in_use, in_use + kLargeArray);
}

/// What is kept costs nothing, nor do huge pages unless they are slow; ordinary pages take the longer, the more there are.
TEST_F(LargeMemory, TakesTimeInOrdinaryPages)
{
  ReleaseLargeMemory();
  const double small = SecondsForLarge(kMegabyte, kMegabyte);
  EXPECT_GT(small, 0);
  EXPECT_LT(small, 0.1);
  EXPECT_DOUBLE_EQ(SecondsForLarge(3 * kMegabyte, 3 * kMegabyte), 3 * small);
  const double large = SecondsForLarge(3 * kMegabyte, 16 * kMegabyte);
  EXPECT_TRUE(large == 0 || large == 3 * small) << large;
  {
    const Array<char> former(kMegabyte);
  }
  EXPECT_EQ(SecondsForLarge(kMegabyte, kMegabyte), 0);
  EXPECT_DOUBLE_EQ(SecondsForLarge(3 * kMegabyte, 3 * kMegabyte), 2 * small);
}

/// Where the system gives no huge pages, it is known after a few, and memory takes the time of ordinary pages.
TEST_F(LargeMemory, NoHugePages)
{
  struct WithoutHugePages {
    bool done = prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0;
    ~WithoutHugePages() { prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0); }
  } without;
  if (!without.done || PageSize() > 4096) GTEST_SKIP() << "huge pages cannot be switched off here, or are few pages";
  const std::size_t bytes = (KokkosHasThreads() ? 96 : 16) * kMegabyte; // threads try one in 16
  HugePages         pages;
  char *const       mapped = MapPages(bytes + kHugePage);
  ASSERT_TRUE(mapped);
  char *const begin = mapped + (kHugePage - reinterpret_cast<std::uintptr_t>(mapped) % kHugePage) % kHugePage;
  Region      region{bytes};
  pages.AskFor(begin, region, bytes, bytes);
  EXPECT_EQ(pages.SecondsFor(bytes, bytes, bytes), 0); // not yet
  pages.Prepare(begin, region, 0, bytes);
  EXPECT_GT(pages.SecondsFor(bytes, bytes, bytes), 0);
  munmap(mapped, bytes + kHugePage);
}

/// Small arrays leave the regions alone; arrays between go where there is room, and map nothing.
TEST_F(LargeMemory, SmallArraysMapNothing)
{
  const std::size_t mapped = UseOfLargeMemory().mapped;
  const Array<char> small(1000), between(100000);
  EXPECT_EQ(UseOfLargeMemory().mapped, mapped);
  EXPECT_FALSE(FreeLarge(nullptr));
}

TEST_F(LargeMemory, TooMuchIsNoMemory)
{
  const LargeMemoryUse before = UseOfLargeMemory();
  for (const std::size_t bytes : {std::size_t{1} << 50, static_cast<std::size_t>(-1) / 2, static_cast<std::size_t>(-1) - 100}) {
    EXPECT_THROW(Array<char>{bytes}, NoMemory) << bytes;
  }
  EXPECT_EQ(UseOfLargeMemory().mapped, before.mapped);
  EXPECT_EQ(UseOfLargeMemory().in_use, before.in_use);
}

/// All arrays are counted, on all threads. The limit is in the way only while a layout is made, and leaves what is there.
TEST(MemoryLimit, IsAShareOfTheMatrices)
{
  const std::size_t before = UseOfMemory().arrays;
  {
    OwnBytes own, other;
    own.Set(1000.);
    other.Set(500.);
    StartMemoryUse((static_cast<double>(before) + 750) / 1500);
    const MakingLayout limited(0);
    const Array<char>  first(600);
    EXPECT_EQ(UseOfMemory().arrays, before + 600);
    EXPECT_THROW(Array<char>(151), NoMemory);
    EXPECT_EQ(UseOfMemory().arrays, before + 600);
    EXPECT_EQ(UseOfMemory().refused, 1u);
    const Array<char> second(150);
    EXPECT_EQ(MemoryLeft(), 0);
    other.Set(0);
    EXPECT_THROW(Array<char>(1), NoMemory);
    EXPECT_EQ(UseOfMemory().most, before + 750);
  }
  const Array<char> unlimited(10000); // it is no layout's
  StartMemoryUse(std::numeric_limits<double>::infinity());
  EXPECT_EQ(UseOfMemory().most, before + 10000);
}

} // namespace

} // namespace petscspmv::test
