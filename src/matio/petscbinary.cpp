#include "matio/petscbinary.hpp"

#include "matio/fileerror.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <vector>

namespace petscspmv::matio {

namespace {

constexpr std::int64_t kClassId = 1211216; // MAT_FILE_CLASSID
constexpr std::int64_t kDense   = -1;      // in place of the number of entries

/// The integers of a file, most significant byte first.
class Integers {
public:
  Integers(const std::string &path, int width) : path_(path), file_(path, std::ios::binary | std::ios::ate), width_(width)
  {
    if (!file_) throw FileError(path + ": cannot be opened");
    size_ = file_.tellg();
    file_.seekg(0);
    if (!file_) throw FileError(path + ": cannot be read");
  }

  /// How many more there may be.
  std::int64_t Left() const { return (size_ - next_) / width_; }

  /// The next n integers, or as many as there are; valid until the next call.
  std::span<const std::int64_t> Next(std::int64_t n)
  {
    const std::int64_t found = std::min(n, Left());
    bytes_.resize(static_cast<std::size_t>(found * width_));
    if (!file_.read(bytes_.data(), found * width_)) Fail("cannot be read");
    integers_.clear();
    for (std::size_t begin = 0; begin < bytes_.size(); begin += static_cast<std::size_t>(width_)) {
      std::uint64_t value = bytes_[begin] < 0 ? ~std::uint64_t{0} : 0;
      for (int byte = 0; byte < width_; ++byte)
        value = value << 8 | static_cast<unsigned char>(bytes_[begin + static_cast<std::size_t>(byte)]);
      integers_.push_back(static_cast<std::int64_t>(value));
    }
    at_ = next_;
    next_ += found * width_;
    return integers_;
  }

  /// Reports an error in the k-th integer returned by Next().
  [[noreturn]] void Fail(const std::string &what, std::size_t k = 0) const
  {
    throw FileError(path_ + ", byte " + std::to_string(at_ + static_cast<std::int64_t>(k) * width_) + ": " + what);
  }

private:
  std::string               path_;
  std::ifstream             file_;
  int                       width_;
  std::int64_t              size_ = 0, at_ = 0, next_ = 0;
  std::vector<char>         bytes_;
  std::vector<std::int64_t> integers_;
};

/// The sum of the next n integers, each of which must be from least to most.
std::uint64_t Sum(Integers &file, std::int64_t n, const char *what, std::int64_t least, std::int64_t most)
{
  constexpr std::int64_t kPiece = 1 << 16;
  std::uint64_t          sum    = 0;
  for (std::int64_t done = 0; done < n; done += kPiece) {
    const auto integers = file.Next(std::min(kPiece, n - done));
    for (std::size_t k = 0; k < integers.size(); ++k) {
      if (integers[k] < least || integers[k] > most)
        file.Fail(
          what + (" is " + std::to_string(integers[k])) + ", must be " + std::to_string(least) + " to " + std::to_string(most), k);
      sum += static_cast<std::uint64_t>(integers[k]);
    }
  }
  return sum;
}

} // namespace

int IndexBytesOfPetscBinary(const std::string &path)
{
  for (const int width : {4, 8}) {
    Integers   file(path, width);
    const auto first = file.Next(1);
    if (!first.empty() && first[0] == kClassId) return width;
  }
  return 0;
}

namespace {

int WidthOf(const std::string &path)
{
  const int width = IndexBytesOfPetscBinary(path);
  if (width == 0) throw FileError(path + ", byte 0: not a PETSc matrix");
  return width;
}

/// The first four integers: the class, rows, columns and nonzeros.
std::span<const std::int64_t> Header(Integers &file)
{
  const auto header = file.Next(4);
  if (header.size() < 4) file.Fail("the file ends in its header");
  return header;
}

} // namespace

double CountPetscBinary(const std::string &path)
{
  Integers file(path, WidthOf(path));
  return static_cast<double>(std::max<std::int64_t>(0, Header(file)[3]));
}

void CheckPetscBinary(const std::string &path, int scalar_bytes)
{
  const int          width = WidthOf(path);
  Integers           file(path, width);
  const auto         header = Header(file);
  const std::int64_t rows = header[1], cols = header[2], nonzeros = header[3];
  if (rows < 0) file.Fail("the number of rows is negative", 1);
  if (cols < 0) file.Fail("the number of columns is negative", 2);
  if (nonzeros == kDense) file.Fail("the matrix is stored as dense: convert it to aij before writing it", 3);
  if (nonzeros < 0) file.Fail("the number of nonzeros is negative", 3);
  if (file.Left() < rows) file.Fail("the file is too short for " + std::to_string(rows) + " rows", 1);
  const std::int64_t bytes = width + scalar_bytes, left = (file.Left() - rows) * width;
  if (left / bytes < nonzeros) file.Fail("the file is too short for " + std::to_string(nonzeros) + " nonzeros", 3);
  const std::uint64_t sum = Sum(file, rows, "the length of a row", 0, std::min(cols, nonzeros));
  if (sum != static_cast<std::uint64_t>(nonzeros))
    file.Fail("rows have " + std::to_string(sum) + " nonzeros, the header counts " + std::to_string(nonzeros));
  Sum(file, nonzeros, "a column", 0, cols - 1);
}

} // namespace petscspmv::matio
