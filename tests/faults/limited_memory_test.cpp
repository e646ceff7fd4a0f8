// A job's memory limit: too little address space for a layout.
#include "support/petsc_test.hpp"

#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace petscspmv::test {

namespace {

/// The bytes of this process' address space.
rlim_t AddressSpace()
{
  std::size_t pages = 0;
  std::FILE  *f     = std::fopen("/proc/self/statm", "r");
  if (f && std::fscanf(f, "%zu", &pages) != 1) pages = 0;
  if (f) std::fclose(f);
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

/// While it lives, the process gets at most a megabyte more than it has.
class NoMoreMemory {
public:
  NoMoreMemory()
  {
    mallopt(M_MMAP_THRESHOLD, 128 * 1024); // return freed memory at once
    getrlimit(RLIMIT_AS, &before_);
    const rlim_t now = AddressSpace();
    Limit(now);
    while (Hole *hole = static_cast<Hole *>(std::malloc(kHole))) holes_ = new (hole) Hole{holes_};
    Limit(now + 1024 * 1024);
  }
  ~NoMoreMemory()
  {
    setrlimit(RLIMIT_AS, &before_);
    while (holes_) std::free(std::exchange(holes_, holes_->next));
  }
  NoMoreMemory(const NoMoreMemory &)            = delete;
  NoMoreMemory &operator=(const NoMoreMemory &) = delete;

private:
  /// Freed memory that the heap has kept: a layout might fit in there.
  struct Hole {
    Hole *next;
  };
  static constexpr std::size_t kHole = 64 * 1024;

  void Limit(rlim_t bytes)
  {
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_AS, &limit);
  }

  rlimit before_;
  Hole  *holes_ = nullptr;
};

/// A layout without memory is an error that names the bytes, or falls back to AIJ if the type promises it.
TEST(Faults, LimitedAddressSpace)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need the address space";
#endif
  constexpr int kRows = 40000;
  int           rows  = 0;
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    const bool does_without = type == MATSPECULATIVE || type == MATIPCSR || type == MATSPMV; // little more than AIJ needs, or AIJ
    rows += kRows; // more than fits into the memory that the layouts before have left
    const int        n = does_without ? kRows : rows;
    const TestMatrix a = FromRowLengths("large", n, n, [](int) { return 30; });
    OwnedMat         A, plain;
    OwnedVec         x, y, expected;
    OK(CreateMat(a, type.c_str(), Distribution::Even, &A));
    OK(CreateMat(a, MATAIJ, Distribution::Even, &plain));
    OK(MatCreateVecs(A, &x, &y));
    OK(VecDuplicate(y, &expected));
    OK(FillVec(x, 1));
    OK(MatMult(plain, x, expected));
    const auto check = [&] {
      PetscReal norm, of_difference;
      OK(VecNorm(expected, NORM_2, &norm));
      OK(VecAXPY(y, -1, expected));
      OK(VecNorm(y, NORM_2, &of_difference));
      EXPECT_LE(of_difference, kTolerance * norm);
    };
    OK(MatSpMVSetChoice(A, "structure")); // for the type spmv
    {
      const NoMoreMemory limit;
      if (does_without) {
        for (int product = 0; product < 50; ++product) OK(MatMult(A, x, y));
        check();
      } else {
        FAILS_WITH(" bytes of memory, the limit of the process being ", MatMult(A, x, y));
      }
    }
    OK(MatMult(A, x, y));
    check();
  }
}

} // namespace

} // namespace petscspmv::test
