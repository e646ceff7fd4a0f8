// Reading Matrix Market files: their contents, and where exactly something is wrong with them.
#include "matio/matrixmarket.hpp"
#include "matio/memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <zlib.h>

namespace petscspmv::test {

namespace {

std::string Write(const std::string &text)
{
  const std::string path = "matrixmarket-test.mtx";
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

TEST(MatrixMarket, Kinds)
{
  const auto general =
    matio::ReadMatrixMarket(Write("%%MatrixMarket matrix coordinate real general\n% a comment\n\n3 4 2\n1 4 -2.5e0\n3 1 +7\n"));
  EXPECT_EQ(general.rows, 3);
  EXPECT_EQ(general.cols, 4);
  EXPECT_FALSE(general.symmetric);
  EXPECT_EQ(general.row, (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(general.col, (std::vector<std::int64_t>{3, 0}));
  EXPECT_EQ(general.value[0], -2.5);
  EXPECT_EQ(general.value[1], 7.0);

  EXPECT_EQ(matio::ReadMatrixMarket(Write("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e-400\n")).value[0], 0.0);

  const auto symmetric =
    matio::ReadMatrixMarket(Write("%%MatrixMarket MATRIX Coordinate Pattern Symmetric\r\n2 2 2\r\n1 1\r\n2 1\r\n"));
  EXPECT_TRUE(symmetric.symmetric);
  EXPECT_EQ(symmetric.row, (std::vector<std::int64_t>{0, 1, 0}));
  EXPECT_EQ(symmetric.value[2], 1.0);

  const auto skew = matio::ReadMatrixMarket(Write("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 5"));
  EXPECT_EQ(skew.value[1], -5.0);

  const auto hermitian = matio::ReadMatrixMarket(Write("%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 1 2\n"));
  EXPECT_TRUE(hermitian.complex);
  EXPECT_EQ(hermitian.value[1], std::complex<double>(1, -2));

  const auto empty = matio::ReadMatrixMarket(Write("%%MatrixMarket matrix coordinate real general\n0 0 0\n"));
  EXPECT_EQ(empty.rows, 0);
}

TEST(MatrixMarket, CountsByHeader)
{
  EXPECT_EQ(matio::CountMatrixMarket(Write("%%MatrixMarket matrix coordinate real general\n% a comment\n3 4 7\n")), 7);
  EXPECT_EQ(matio::CountMatrixMarket(Write("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 5\n")), 7);
  EXPECT_EQ(matio::CountMatrixMarket(Write("%%MatrixMarket matrix coordinate real skew-symmetric\n9 9 1\n")), 1);
  EXPECT_THROW(matio::CountMatrixMarket(Write("%%MatrixMarket matrix coordinate real general\n")), matio::FileError);
}

TEST(MatrixMarket, WhatIsWrongAndWhere)
{
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  const struct {
    std::string text, line, what;
  } cases[] = {
    {"", "line 1", "empty"},
    {"hello\n", "line 1", "%%MatrixMarket"},
    {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", "line 1", "not supported"},
    {"%%MatrixMarket matrix coordinate real\n", "line 1", "symmetry"},
    {"%%MatrixMarket matrix coordinate quaternion general\n", "line 1", "quaternion"},
    {head, "line 2", "before the line with the sizes"},
    {head + "3 3\n", "line 2", "number of entries"},
    {head + "3 -3 1\n", "line 2", "negative"},
    {head + "3 3 99999999999999999999\n", "line 2", "too large"},
    {head + "2 2 2\n1 1 1\n", "line 4", "after 1 of 2 entries"},
    {head + "2 2 1\n1 1 1\n2 2 2\n", "line 4", "goes on"},
    {head + "2 2 1\n% c\n3 1 1\n", "line 4", "row 3"},
    {head + "2 2 1\n0 1 1\n", "line 3", "row 0"},
    {head + "2 2 1\n1 3 1\n", "line 3", "column 3"},
    {head + "2 2 1\n1 1 x\n", "line 3", "value"},
    {head + "2 2 1\n1 1 +-1\n", "line 3", "value"},
    {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n", "line 3", "diagonal"},
    {head + "2 2 1\n1 1\n", "line 3", "value"},
    {head + "2 2 1\n1.5 1 1\n", "line 3", "row"},
    {head + "2 2 1\n1 1 nan\n", "line 3", "finite"},
    {head + "2 2 1\n1 1 -inf\n", "line 3", "finite"},
    {head + "2 2 1\n1 1 1e999\n", "line 3", "too large"},
    {head + "2 2 1\n1 1 1 1\n", "line 3", "goes on"},
    {head + std::string("\0", 1) + "2 2 1\n1 1 1\n", "line 1", "zero byte"},
    {"%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n", "line 2", "square"},
  };
  for (const auto &c : cases) {
    try {
      matio::ReadMatrixMarket(Write(c.text));
      ADD_FAILURE() << "no error for " << c.text;
    } catch (const matio::FileError &e) {
      const std::string message = e.what();
      EXPECT_NE(message.find(c.line + ":"), std::string::npos) << message;
      EXPECT_NE(message.find(c.what), std::string::npos) << message;
    }
  }
  EXPECT_THROW(matio::ReadMatrixMarket("no-such-file.mtx"), matio::FileError);
}

TEST(MatrixMarket, TruncatedCompressedFiles)
{
  std::string text = "%%MatrixMarket matrix coordinate real general\n1000 1000 1000\n";
  for (int k = 1; k <= 1000; ++k)
    text += std::to_string(k) + " " + std::to_string((k * 7919) % 1000 + 1) + " " + std::to_string(k * 0.37) + "\n";
  const char *path = "matrixmarket-test.mtx.gz";
  gzFile      file = gzopen(path, "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  EXPECT_EQ(matio::ReadMatrixMarket(path).row.size(), 1000u);
  std::string bytes;
  {
    std::ifstream in(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  for (std::size_t size : {bytes.size() - 1, bytes.size() - 9, bytes.size() / 2, std::size_t{20}, std::size_t{11}}) {
    std::ofstream(path, std::ios::binary) << bytes.substr(0, size);
    EXPECT_THROW(matio::ReadMatrixMarket(path), matio::FileError) << size << " of " << bytes.size() << " bytes";
  }
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_THROW(matio::ReadMatrixMarket(path), matio::FileError);
}

/// The entries that are read are limited by memory, and that by control groups.
TEST(Memory, LimitOfGroup)
{
  const std::string root = "memory-test";
  std::filesystem::create_directories(root + "/job/step");
  const auto limit = [&](const std::string &group, const char *text) { std::ofstream(root + group + "/limit") << text; };
  limit("", "max\n");
  limit("/job", "3000\n");
  limit("/job/step", "5000\n");
  EXPECT_EQ(matio::LimitOfGroup("/job/step", root, "/limit"), 3000);
  EXPECT_EQ(matio::LimitOfGroup("/", root, "/limit"), HUGE_VAL);
  limit("", "2000\n");
  for (const char *group : {"/job/step", "/docker/of-the-host", "/", "", "no-slash"})
    EXPECT_EQ(matio::LimitOfGroup(group, root, "/limit"), 2000) << group;
  std::filesystem::remove_all(root);
}

} // namespace

} // namespace petscspmv::test
