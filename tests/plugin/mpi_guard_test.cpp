// A library that was built for another MPI than the program has: found out without a communicator, reported without PETSc.
#include "plugin/mpi_guard.hpp"

#include "support/petsc_test.hpp"

namespace petscspmv::test {

namespace {

TEST(MpiGuard, Families)
{
  EXPECT_EQ(FamilyOf("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"), Mpi::OpenMpi);
  EXPECT_EQ(FamilyOf("MPICH Version:      4.0.2\nMPICH Release date: ..."), Mpi::Mpich);
  EXPECT_EQ(FamilyOf("MPI VERSION    : CRAY MPICH version 8.1.25"), Mpi::Mpich);
  EXPECT_EQ(FamilyOf("MVAPICH2 Version      :\t2.3.7"), Mpi::Mpich);
  EXPECT_EQ(FamilyOf("Intel(R) MPI Library 2021.10 for Linux* OS"), Mpi::Mpich);
  EXPECT_EQ(FamilyOf("another"), Mpi::Unknown);
}

TEST(MpiGuard, TheMpiOfThisProgram)
{
  EXPECT_NE(BuiltWithMpi(), Mpi::Unknown);
  EXPECT_EQ(RunningMpi(), BuiltWithMpi());
  EXPECT_TRUE(IsRunningMpi(BuiltWithMpi()));
  EXPECT_TRUE(IsRunningMpi(Mpi::Unknown));
}

TEST(MpiGuard, AnotherMpi)
{
  for (const Mpi mpi : {Mpi::None, Mpi::Mpich, Mpi::OpenMpi}) {
    if (mpi == BuiltWithMpi()) continue;
    ::testing::internal::CaptureStderr();
    const bool        passes = IsRunningMpi(mpi);
    const std::string said   = ::testing::internal::GetCapturedStderr();
    EXPECT_FALSE(passes);
    EXPECT_NE(said.find("PetscSpMV was built for a PETSc with "), said.npos) << said;
    EXPECT_NE(said.find("build the library against the PETSc of this program"), said.npos) << said;
  }
}

} // namespace

} // namespace petscspmv::test
