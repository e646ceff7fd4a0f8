// A job's memory limit: too little address space for a layout.
#include "support/petsc_test.hpp"

#include <cstdio>
#include <malloc.h>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

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
    malloc_trim(0);
    getrlimit(RLIMIT_AS, &before_);
    const rlimit now{AddressSpace() + 1024 * 1024, before_.rlim_max};
    setrlimit(RLIMIT_AS, &now);
  }
  ~NoMoreMemory() { setrlimit(RLIMIT_AS, &before_); }
  NoMoreMemory(const NoMoreMemory &)            = delete;
  NoMoreMemory &operator=(const NoMoreMemory &) = delete;

private:
  rlimit before_;
};

/// A layout without memory is an error that names the bytes, or falls back to AIJ if the type promises it.
TEST(Faults, LimitedAddressSpace)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need the address space";
#endif
  const TestMatrix a = FromRowLengths("large", 40000, 40000, [](int) { return 30; });
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    OwnedMat A, plain;
    OwnedVec x, y, expected;
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
      EXPECT_LE(of_difference, 1e-12 * norm);
    };
    OK(MatSpMVSetChoice(A, "structure")); // for the type spmv
    {
      const NoMoreMemory limit;
      if (type == MATSPECULATIVE || type == MATIPCSR || type == MATSPMV) { // little more than AIJ needs, or AIJ
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
