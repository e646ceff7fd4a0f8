// PETSc's binary files: what is rejected before PETSc reads it, and where the error is.
#include "matio/fileerror.hpp"
#include "matio/petscbinary.hpp"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>

namespace petscspmv::test {

namespace {

constexpr std::int64_t kClassId = 1211216;

/// Integers as PETSc writes them.
std::string Integers(int width, std::initializer_list<std::int64_t> integers)
{
  std::string bytes;
  for (const std::int64_t i : integers) {
    for (int byte = width - 1; byte >= 0; --byte) bytes += static_cast<char>(static_cast<std::uint64_t>(i) >> (8 * byte) & 0xff);
  }
  return bytes;
}

std::string Write(const std::string &bytes)
{
  const std::string path = "petscbinary-test.dat";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

TEST(PetscBinary, RightOnes)
{
  for (const int width : {4, 8}) {
    for (const int scalar : {8, 16}) {
      const std::string values(static_cast<std::size_t>(3 * scalar), '\1');
      const std::string matrix = Integers(width, {kClassId, 2, 4, 3, 1, 2, 3, 0, 2}) + values;
      EXPECT_EQ(matio::IndexBytesOfPetscBinary(Write(matrix)), width);
      EXPECT_EQ(matio::CountPetscBinary(Write(matrix)), 3);
      EXPECT_NO_THROW(matio::CheckPetscBinary(Write(matrix), scalar));
      EXPECT_NO_THROW(matio::CheckPetscBinary(Write(matrix + "a vector"), scalar));
      EXPECT_THROW(matio::CheckPetscBinary(Write(matrix.substr(0, matrix.size() - 1)), scalar), matio::FileError);
      EXPECT_NO_THROW(matio::CheckPetscBinary(Write(Integers(width, {kClassId, 0, 0, 0})), scalar));
      EXPECT_NO_THROW(matio::CheckPetscBinary(Write(Integers(width, {kClassId, 2, 0, 0, 0, 0})), scalar));
    }
  }
  EXPECT_EQ(matio::IndexBytesOfPetscBinary(Write("%%MatrixMarket")), 0);
  EXPECT_EQ(matio::IndexBytesOfPetscBinary(Write("")), 0);
  EXPECT_THROW(matio::CountPetscBinary(Write("%%MatrixMarket")), matio::FileError);
  EXPECT_THROW(matio::IndexBytesOfPetscBinary("no-such-file.dat"), matio::FileError);
}

TEST(PetscBinary, WhatIsWrongAndWhere)
{
  const std::string values(24, '\1');
  const struct {
    std::initializer_list<std::int64_t> integers;
    std::string                         at, what;
  } cases[] = {
    {{kClassId + 1, 2, 4, 3, 1, 2, 3, 0, 2}, "byte 0", "not a PETSc matrix"},
    {{kClassId, -2, 4, 3, 1, 2, 3, 0, 2}, "byte 4", "negative"},
    {{kClassId, 2, -4, 3, 1, 2, 3, 0, 2}, "byte 8", "negative"},
    {{kClassId, 2, 4, -3, 1, 2, 3, 0, 2}, "byte 12", "negative"},
    {{kClassId, 2, 4, -1, 1, 2, 3, 0, 2}, "byte 12", "dense"},
    {{kClassId, 2000000000, 4, 3, 1, 2, 3, 0, 2}, "byte 4", "too short for 2000000000 rows"},
    {{kClassId, 2, 4, 2147483647, 1, 2, 3, 0, 2}, "byte 12", "too short for 2147483647 nonzeros"},
    {{kClassId, 2, 4, 3, -1, 4, 3, 0, 2}, "byte 16", "length of a row is -1"},
    {{kClassId, 2, 4, 3, 1, 5, 3, 0, 2}, "byte 20", "length of a row is 5"},
    {{kClassId, 2, 4, 3, 1, 1, 3, 0, 2}, "byte 16", "2 nonzeros, the header counts 3"},
    {{kClassId, 2, 4, 3, 1, 2, 3, -1, 2}, "byte 28", "column is -1"},
    {{kClassId, 2, 4, 3, 1, 2, 3, 0, 4}, "byte 32", "column is 4, must be 0 to 3"},
  };
  for (const auto &c : cases) {
    try {
      matio::CheckPetscBinary(Write(Integers(4, c.integers) + values), 8);
      ADD_FAILURE() << "no error: " << c.what;
    } catch (const matio::FileError &e) {
      const std::string message = e.what();
      EXPECT_NE(message.find(c.at + ":"), std::string::npos) << message;
      EXPECT_NE(message.find(c.what), std::string::npos) << message;
    }
  }
}

} // namespace

} // namespace petscspmv::test
