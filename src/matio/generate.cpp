#include "matio/generate.hpp"

#include "matio/collective.hpp"
#include "matio/families.hpp"
#include "matio/memory.hpp"
#include "petsc/success.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

namespace petscspmv::matio {

namespace {

struct Entries {
  std::vector<PetscInt>    row, col;
  std::vector<PetscScalar> value;

  void Add(PetscInt i, PetscInt j, PetscReal v)
  {
    row.push_back(i);
    col.push_back(j);
    value.push_back(v);
  }
};

PetscErrorCode CreateSquare(MPI_Comm comm, PetscInt n, Mat *A, PetscInt *begin, PetscInt *end)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetType(*A, MATAIJ));

  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, begin, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Assemble(Mat A, Entries &entries)
{
  PetscFunctionBegin;
  PetscCall(MatSetPreallocationCOO(A, static_cast<PetscCount>(entries.row.size()), entries.row.data(), entries.col.data()));
  PetscCall(MatSetValuesCOO(A, entries.value.data(), ADD_VALUES));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The coefficient in cell (x, y, z).
PetscReal Coefficient(PetscInt n, const std::array<PetscInt, 3> &cell)
{
  const PetscInt cube = std::max<PetscInt>(1, n / 4);
  return (cell[0] / cube + cell[1] / cube + cell[2] / cube) % 2 ? 1000.0 : 1.0;
}

} // namespace

PetscErrorCode CreatePoisson3D(MPI_Comm comm, PetscInt n, Mat *A)
{
  PetscInt begin, end;
  Entries  entries;

  PetscFunctionBegin;
  PetscCheck(n > 0 && n <= 1290, comm, PETSC_ERR_ARG_OUTOFRANGE, "Grid side is %" PetscInt_FMT ", must be 1 to 1290", n);
  PetscCall(CreateSquare(comm, n * n * n, A, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    const std::array<PetscInt, 3> cell{row % n, row / n % n, row / n / n}, stride{1, n, n * n};
    const PetscReal               k        = Coefficient(n, cell);
    PetscReal                     diagonal = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      for (PetscInt side : {-1, 1}) {
        auto neighbour = cell;
        neighbour[d] += side;
        if (neighbour[d] < 0 || neighbour[d] >= n) {
          diagonal += 2 * k; // the boundary is half a cell away
          continue;
        }
        const PetscReal other = Coefficient(n, neighbour), flux = 2 * k * other / (k + other);
        diagonal += flux;
        entries.Add(row, row + side * stride[d], -flux);
      }
    }
    entries.Add(row, row, diagonal);
  }
  PetscCall(Assemble(*A, entries));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CreateNetworkLaplacian(MPI_Comm comm, PetscInt n, PetscInt links, Mat *A)
{
  PetscInt              begin, end;
  Entries               entries;
  std::mt19937_64       random(20150608); // the same network on every process
  std::vector<PetscInt> ends;             // every node, once for each of its links
  MatNullSpace          constants;

  PetscFunctionBegin;
  PetscCheck(links > 0 && n > links, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "A network of %" PetscInt_FMT " nodes cannot have %" PetscInt_FMT " links per node", n, links);
  PetscCall(CreateSquare(comm, n, A, &begin, &end));
  const auto link = [&](PetscInt a, PetscInt b) {
    for (const auto &[from, to] : {std::pair{a, b}, std::pair{b, a}}) {
      if (from < begin || from >= end) continue;
      entries.Add(from, to, -1);
      entries.Add(from, from, 1);
    }
  };
  for (PetscInt node = 1; node < n; ++node) {
    const std::size_t choices = ends.size();
    for (PetscInt l = 0; l < std::min(links, node); ++l) {
      const PetscInt other = node <= links ? l : ends[static_cast<std::size_t>(random() % choices)];
      link(node, other);
      ends.push_back(node);
      ends.push_back(other);
    }
  }
  PetscCall(Assemble(*A, entries));
  PetscCall(MatNullSpaceCreate(comm, PETSC_TRUE, 0, NULL, &constants));
  PetscCall(MatSetNullSpace(*A, constants));
  PetscCall(MatNullSpaceDestroy(&constants));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CreateMatFromFamily(MPI_Comm comm, const char name[], Mat *A)
{
  RowSource                            source;
  GeneratedRows<PetscScalar, PetscInt> mine;
  std::string                          error;
  constexpr double kBytes = 3 * (sizeof(PetscInt) + sizeof(PetscScalar)); // an entry in arrays that grow, and in the matrix
  double           memory;
  PetscInt         rows, cols, block, begin, end, local_rows = PETSC_DECIDE, local_cols = PETSC_DECIDE;
  const auto       explain = [&](const auto &make) {
    try {
      make();
    } catch (const FamilyError &e) {
      error = e.what();
    }
  };

  PetscFunctionBegin;
  explain([&] { source = MakeFamily(name); });
  PetscCheck(error.empty(), comm, PETSC_ERR_ARG_OUTOFRANGE, "%s", error.c_str());
  PetscCheck(std::max(source.rows, source.cols) <= PETSC_MAX_INT, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "%s is too large for 32-bit indices; use a PETSc configured with --with-64-bit-indices", name);
  rows = static_cast<PetscInt>(source.rows);
  cols = static_cast<PetscInt>(source.cols);
  PetscCall(CheckMemory(comm, name, static_cast<double>(rows), static_cast<double>(cols), 0));
  block = static_cast<PetscInt>(source.block);
  PetscCall(PetscSplitOwnershipBlock(comm, block, &local_rows, &rows));
  PetscCall(PetscSplitOwnershipBlock(comm, block, &local_cols, &cols));
  PetscCallMPI(MPI_Scan(&local_rows, &end, 1, MPIU_INT, MPI_SUM, comm));
  begin = end - local_rows;
  PetscCall(GetShareOfMemory(comm, &memory));
  explain([&] { mine = Generate<PetscScalar, PetscInt>(source, begin, end, static_cast<std::size_t>(memory / kBytes)); });
  PetscCall(CheckEverywhere(comm, PETSC_ERR_ARG_OUTOFRANGE, error));
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, local_rows, local_cols, rows, cols));
  PetscCall(MatSetBlockSize(*A, block));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSeqAIJSetPreallocationCSR(*A, mine.row_ptr.data(), mine.col_idx.data(), mine.val.data()));
  PetscCall(MatMPIAIJSetPreallocationCSR(*A, mine.row_ptr.data(), mine.col_idx.data(), mine.val.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::matio
