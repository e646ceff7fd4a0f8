#include "matio/matrixmarket.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <type_traits>
#include <zlib.h>

namespace petscspmv::matio {

namespace {

constexpr std::size_t kLongestLine = 1 << 20; // comments may be long

/// The lines of a file, decompressed if needed and numbered for messages.
class Lines {
public:
  explicit Lines(const std::string &path) : path_(path), file_(gzopen(path.c_str(), "rb"))
  {
    if (!file_) throw FileError(path + ": cannot be opened");
    gzbuffer(file_, 1 << 17);
  }
  ~Lines() { gzclose(file_); }
  Lines(const Lines &)            = delete;
  Lines &operator=(const Lines &) = delete;

  /// The next line without its end; false at the end of the file.
  bool Next(std::string &line)
  {
    char part[4096];
    line.clear();
    while (gzgets(file_, part, sizeof(part))) {
      if (part[0] == '\0') Fail("the file has a zero byte: it is not text");
      line += part;
      if (line.size() > kLongestLine) Fail("the line is too long");
      if (line.back() == '\n') break;
    }
    int         error = Z_OK;
    const char *text  = gzerror(file_, &error);
    if (line.empty() || (error != Z_OK && error != Z_STREAM_END)) ++number_; // report the missing line
    if (error != Z_OK && error != Z_STREAM_END)
      Fail(error == Z_BUF_ERROR ? "the compressed file ends too early" : std::string("cannot be decompressed: ") + text);
    if (line.empty()) return false;
    ++number_;
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.pop_back();
    return true;
  }

  /// The next line that is neither empty nor a comment.
  bool NextData(std::string &line)
  {
    while (Next(line)) {
      if (!line.empty() && line[0] != '%') return true;
    }
    return false;
  }

  [[noreturn]] void Fail(const std::string &what) const
  {
    throw FileError(path_ + ", line " + std::to_string(number_) + ": " + what);
  }

private:
  std::string  path_;
  gzFile       file_;
  std::int64_t number_ = 0;
};

/// The numbers of a line, one after the other.
class Numbers {
public:
  Numbers(const Lines &lines, const std::string &line) : lines_(lines), at_(line.data()), end_(line.data() + line.size()) { }

  template <class T>
  T Next(const char *what)
  {
    while (at_ < end_ && std::isspace(static_cast<unsigned char>(*at_))) ++at_;
    if (at_ + 1 < end_ && *at_ == '+' && at_[1] != '-') ++at_;
    T          value{};
    const auto result = std::from_chars(at_, end_, value);
    if constexpr (std::is_same_v<T, double>) {
      // A number too small to be normal is not too large: accept what strtod() returns.
      if (result.ec == std::errc::result_out_of_range &&
          std::abs(value = std::strtod(std::string(at_, result.ptr).c_str(), nullptr)) < 1) {
        at_ = result.ptr;
        return value;
      }
    }
    if (result.ec == std::errc::result_out_of_range) lines_.Fail(std::string(what) + " is too large");
    if (result.ec != std::errc() || (result.ptr < end_ && !std::isspace(static_cast<unsigned char>(*result.ptr))))
      lines_.Fail(std::string(what) + " is missing or not a number");
    at_ = result.ptr;
    return value;
  }

  double NextFinite(const char *what)
  {
    const double value = Next<double>(what);
    if (!std::isfinite(value)) lines_.Fail(std::string(what) + " is not finite");
    return value;
  }

  void End()
  {
    while (at_ < end_ && std::isspace(static_cast<unsigned char>(*at_))) ++at_;
    if (at_ < end_)
      lines_.Fail("the line goes on where it should end: \"" + std::string(at_, at_ + std::min<std::ptrdiff_t>(end_ - at_, 20)) +
                  "\"");
  }

private:
  const Lines &lines_;
  const char  *at_, *end_;
};

struct Header {
  std::string field, symmetry;
};

Header ReadHeader(Lines &lines)
{
  std::string line, banner, object, format;
  Header      header;
  if (!lines.Next(line)) lines.Fail("the file is empty");
  std::transform(line.begin(), line.end(), line.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::istringstream(line) >> banner >> object >> format >> header.field >> header.symmetry;
  const auto one_of = [](const std::string &word, std::initializer_list<const char *> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (banner != "%%matrixmarket") lines.Fail("not a Matrix Market file: the first line must begin with %%MatrixMarket");
  if (object != "matrix" || format != "coordinate")
    lines.Fail("\"" + object + " " + format + "\" is not supported, only \"matrix coordinate\" is");
  if (!one_of(header.field, {"real", "integer", "complex", "pattern", "double"}))
    lines.Fail("unknown kind of values \"" + header.field + "\"");
  if (!one_of(header.symmetry, {"general", "symmetric", "skew-symmetric", "hermitian"}))
    lines.Fail("unknown symmetry \"" + header.symmetry + "\"");
  return header;
}

/// Reads the line with the sizes; returns the number of entries.
std::int64_t ReadSizes(Lines &lines, const Header &header, Coordinates &matrix)
{
  std::string line;
  if (!lines.NextData(line)) lines.Fail("the file ends before the line with the sizes");
  Numbers sizes(lines, line);
  matrix.rows                = sizes.Next<std::int64_t>("the number of rows");
  matrix.cols                = sizes.Next<std::int64_t>("the number of columns");
  const std::int64_t entries = sizes.Next<std::int64_t>("the number of entries");
  sizes.End();
  if (matrix.rows < 0 || matrix.cols < 0 || entries < 0) lines.Fail("sizes must not be negative");
  if (header.symmetry != "general" && matrix.rows != matrix.cols) lines.Fail("a " + header.symmetry + " matrix must be square");
  return entries;
}

std::complex<double> ReadValue(const std::string &field, Numbers &numbers)
{
  if (field == "pattern") return 1.0;
  const double real = numbers.NextFinite("the value");
  return {real, field == "complex" ? numbers.NextFinite("the imaginary part") : 0.0};
}

std::complex<double> Mirrored(const std::string &symmetry, std::complex<double> value)
{
  if (symmetry == "skew-symmetric") return -value;
  return symmetry == "hermitian" ? std::conj(value) : value;
}

} // namespace

Coordinates ReadMatrixMarket(const std::string &path, std::int64_t most_entries)
{
  Lines              lines(path);
  const Header       header = ReadHeader(lines);
  Coordinates        matrix;
  std::string        line;
  const std::int64_t entries = ReadSizes(lines, header, matrix);
  if (entries > most_entries) lines.Fail("there is no memory for " + std::to_string(entries) + " entries");
  const bool general = header.symmetry == "general";
  matrix.symmetric   = header.symmetry == "symmetric";
  matrix.complex     = header.field == "complex";

  const auto add = [&](std::int64_t row, std::int64_t col, std::complex<double> value) {
    matrix.row.push_back(row);
    matrix.col.push_back(col);
    matrix.value.push_back(value);
  };
  for (std::int64_t k = 0; k < entries; ++k) {
    if (!lines.NextData(line))
      lines.Fail("the file ends after " + std::to_string(k) + " of " + std::to_string(entries) + " entries");
    Numbers            numbers(lines, line);
    const std::int64_t row = numbers.Next<std::int64_t>("the row"), col = numbers.Next<std::int64_t>("the column");
    if (row < 1 || row > matrix.rows)
      lines.Fail("row " + std::to_string(row) + " is not between 1 and " + std::to_string(matrix.rows));
    if (col < 1 || col > matrix.cols)
      lines.Fail("column " + std::to_string(col) + " is not between 1 and " + std::to_string(matrix.cols));
    if (header.symmetry == "skew-symmetric" && row == col) lines.Fail("a skew-symmetric matrix has no entries on its diagonal");
    const std::complex<double> value = ReadValue(header.field, numbers);
    numbers.End();
    add(row - 1, col - 1, value);
    if (!general && row != col) add(col - 1, row - 1, Mirrored(header.symmetry, value));
  }
  if (lines.NextData(line)) lines.Fail("the file goes on after its " + std::to_string(entries) + " entries");
  return matrix;
}

double CountMatrixMarket(const std::string &path)
{
  Lines        lines(path);
  const Header header = ReadHeader(lines);
  Coordinates  matrix;
  const auto   entries = static_cast<double>(ReadSizes(lines, header, matrix));
  return header.symmetry == "general" ? entries : std::max(entries, 2 * entries - static_cast<double>(matrix.rows));
}

} // namespace petscspmv::matio
