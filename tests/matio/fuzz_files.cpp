// The entry point of a fuzzer: for both file readers, any bytes are either a valid matrix or an error that names the file. Without
// a fuzzer's library, the program reads the files of a folder and mutations of them for some seconds, and prints its seeds.
#include "matio/fileerror.hpp"
#include "matio/matrixmarket.hpp"
#include "matio/petscbinary.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace petscspmv::matio;

/// A file in memory, for readers that need a path.
class MemoryFile {
public:
  MemoryFile() : file_(memfd_create("fuzz", 0)), path_("/proc/self/fd/" + std::to_string(file_))
  {
    if (file_ < 0) std::abort();
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile &)            = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  const std::string &Fill(const std::uint8_t *data, std::size_t size)
  {
    if (ftruncate(file_, 0) || pwrite(file_, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
    return path_;
  }

private:
  int         file_;
  std::string path_;
};

void Require(bool right, const char *what)
{
  if (right) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

/// f() succeeds or reports what is wrong with the file.
template <class F>
void Attempt(const std::string &path, const F &f)
{
  try {
    f();
  } catch (const FileError &e) {
    Require(std::string(e.what()).starts_with(path), "an error that does not begin with the file's name");
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
  constexpr std::int64_t kMost = 100000;
  static MemoryFile      file;
  const std::string     &path = file.Fill(data, size);
  Attempt(path, [&] {
    const Coordinates matrix = ReadMatrixMarket(path, kMost);
    Require(matrix.row.size() == matrix.col.size() && matrix.row.size() == matrix.value.size() && matrix.row.size() <= 2 * kMost,
            "entries have no row, column and value each");
    for (std::size_t k = 0; k < matrix.row.size(); ++k)
      Require(matrix.row[k] >= 0 && matrix.row[k] < matrix.rows && matrix.col[k] >= 0 && matrix.col[k] < matrix.cols,
              "an entry outside of the matrix");
  });
  for (const int scalar : {8, 16}) Attempt(path, [&] { CheckPetscBinary(path, scalar); });
  return 0;
}

#if !defined(PETSCSPMV_WITH_FUZZER)

namespace {

using Bytes = std::vector<std::uint8_t>;

/// Changes bytes, makes numbers extreme, and removes, doubles, or inserts parts from another file.
Bytes Mutated(const std::vector<Bytes> &files, std::mt19937_64 &random)
{
  const auto  below   = [&](std::size_t n) { return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1)); };
  Bytes       bytes   = files[below(files.size())];
  const char *words[] = {"-1", "0", "2147483648", "9223372036854775808", "1e999", "nan", "\n", " ", "%", "+"};
  for (std::size_t n = 1 + below(4); n > 0; --n) {
    const std::size_t at = below(bytes.size()), length = below(bytes.size() - at) % 64;
    const auto        here = bytes.begin() + static_cast<std::ptrdiff_t>(at), end = here + static_cast<std::ptrdiff_t>(length);
    const Bytes      &other = files[below(files.size())];
    const std::string word  = words[below(std::size(words))];
    switch (random() % 6) {
    case 0:
      if (!bytes.empty()) bytes[at] ^= static_cast<std::uint8_t>(1u << random() % 8);
      break;
    case 1:
      for (std::size_t k = at; k < std::min(at + 4, bytes.size()); ++k) bytes[k] = random() % 2 ? 0xff : 0x7f;
      break;
    case 2:
      bytes.erase(here, end);
      break;
    case 3:
      bytes.insert(here, word.begin(), word.end());
      break;
    case 4:
      bytes.insert(here, other.begin(), other.begin() + static_cast<std::ptrdiff_t>(below(other.size())));
      break;
    case 5:
      bytes.resize(at);
      break;
    }
  }
  return bytes;
}

} // namespace

int main(int argc, char **argv)
{
  if (argc < 3) return EXIT_FAILURE;
  std::vector<Bytes> files;
  for (const auto &entry : std::filesystem::directory_iterator(argv[1])) {
    std::ifstream file(entry.path(), std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  Require(files.size() > 4, "there is no corpus");
  for (const Bytes &file : files) LLVMFuzzerTestOneInput(file.data(), file.size());
  const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : std::random_device()();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  std::mt19937_64 random(seed);
  const auto      end   = std::chrono::steady_clock::now() + std::chrono::duration<double>(std::atof(argv[2]));
  long            tried = 0;
  for (; std::chrono::steady_clock::now() < end; ++tried) {
    const Bytes bytes = Mutated(files, random);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::printf("%ld mutations\n", tried);
}

#endif
