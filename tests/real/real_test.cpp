// Real matrices, if the folder PETSCSPMV_MATRICES exists. Large ones on one process only.
#include "matio/load.hpp"
#include "support/petsc_test.hpp"

#include <filesystem>

namespace petscspmv::test {

namespace {

std::vector<std::filesystem::path> Files()
{
  const char                        *named  = std::getenv("PETSCSPMV_MATRICES");
  const std::filesystem::path        folder = named ? named : PETSCSPMV_MATRICES;
  std::vector<std::filesystem::path> files;
  std::error_code                    none;
  const std::uintmax_t               most = Processes() == 1 ? 4'000'000 : 400'000;
  for (const auto &entry : std::filesystem::directory_iterator(folder, none)) {
    if (entry.path().string().ends_with(".mtx.gz") && entry.file_size() <= most) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool Complex(const std::filesystem::path &file)
{
  const std::string name = file.filename().string();
  return name == "maxwell_M1_complex.mtx.gz" || name == "mhd1280a.mtx.gz" || name == "qc324.mtx.gz" || name == "young1c.mtx.gz";
}

TEST(RealMatrices, ProductsAreRight)
{
  if (Files().empty())
    GTEST_SKIP() << "no matrices in " << PETSCSPMV_MATRICES << "; PETSCSPMV_MATRICES names a folder of .mtx.gz files";
  for (const auto &file : Files()) {
    if (PetscDefined(USE_COMPLEX) || !Complex(file)) {
      OwnedMat R;
      OK(matio::CreateMatFromFile(PETSC_COMM_WORLD, file.c_str(), &R));
      for (const std::string &type : Types()) {
        SCOPED_TRACE(type + ", " + file.filename().string());
        OwnedMat A;
        OK(MatConvert(R, type.c_str(), MAT_INITIAL_MATRIX, &A));
        EXPECT_SAME(A, R);
        OK(MatScale(A, -3.0));
        OwnedMat S;
        OK(MatDuplicate(R, MAT_COPY_VALUES, &S));
        OK(MatScale(S, -3.0));
        EXPECT_SAME(A, S);
      }
    } else {
      Mat A;
      FAILS_WITH("the matrix is complex", matio::CreateMatFromFile(PETSC_COMM_WORLD, file.c_str(), &A));
    }
  }
}

} // namespace

} // namespace petscspmv::test
