#!/usr/bin/env python3
"""-spmv_memory_limit, and what views show of the library's memory."""
import os
import re
import sys
import unittest

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "support"))
from programs import FORMATS, MINIMAL, TARGETS, TYPES, ProgramTest, compile_c, main, of_type, run  # noqa: E402

# Multiplies with three matrices in turn, and compares with AIJ; prints the bytes of their AIJ arrays on all processes.
PROGRAM = """
    #include <petscmat.h>
    static PetscErrorCode BytesOf(Mat block, double *bytes) {
      MatInfo info; PetscInt rows;
      PetscFunctionBegin;
      PetscCall(MatGetInfo(block, MAT_LOCAL, &info));
      PetscCall(MatGetSize(block, &rows, NULL));
      *bytes += info.nz_used * (sizeof(PetscScalar) + sizeof(PetscInt)) + (rows + 1.) * sizeof(PetscInt);
      PetscFunctionReturn(0);
    }
    static PetscErrorCode OwnBytes(Mat A, double *bytes) {
      Mat diagonal, other; PetscBool parallel;
      PetscFunctionBegin;
      PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &parallel));
      if (!parallel) PetscCall(BytesOf(A, bytes));
      else {
        PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &other, NULL));
        PetscCall(BytesOf(diagonal, bytes)); PetscCall(BytesOf(other, bytes));
      }
      PetscFunctionReturn(0);
    }
    static PetscErrorCode Make(PetscInt width, const char *type, Mat *A) {
      PetscInt n = 4000, begin, end;
      PetscFunctionBegin;
      PetscCall(MatCreate(PETSC_COMM_WORLD, A));
      PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
      PetscCall(MatSetType(*A, MATAIJ));
      if (!type) PetscCall(MatSetFromOptions(*A));
      PetscCall(MatSeqAIJSetPreallocation(*A, 2 * width + 1, NULL));
      PetscCall(MatMPIAIJSetPreallocation(*A, 2 * width + 1, NULL, width, NULL));
      PetscCall(MatGetOwnershipRange(*A, &begin, &end));
      for (PetscInt i = begin; i < end; i++)
        for (PetscInt k = i - width; k <= i + width; k++)
          if (k >= 0 && k < n) PetscCall(MatSetValue(*A, i, k, PetscSinReal((PetscReal)(i * 7 + k)), INSERT_VALUES));
      PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY)); PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
      PetscFunctionReturn(0);
    }
    static PetscErrorCode Compare(Mat A, Mat B, PetscBool transpose) {
      Vec x, y, z; PetscReal norm, of_y;
      PetscFunctionBegin;
      PetscCall(MatCreateVecs(A, &x, &y)); PetscCall(VecDuplicate(y, &z));
      PetscCall(VecSetRandom(x, NULL));
      PetscCall(transpose ? MatMultTranspose(A, x, y) : MatMult(A, x, y));
      PetscCall(transpose ? MatMultTranspose(B, x, z) : MatMult(B, x, z));
      PetscCall(VecNorm(z, NORM_2, &of_y));
      PetscCall(VecAXPY(z, -1, y)); PetscCall(VecNorm(z, NORM_2, &norm));
      PetscCheck(norm <= 1e-5 * of_y && of_y > 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "wrong by %g", (double)(norm / of_y));
      PetscCall(VecDestroy(&x)); PetscCall(VecDestroy(&y)); PetscCall(VecDestroy(&z));
      PetscFunctionReturn(0);
    }
    int main(int argc, char **argv) {
      Mat A[3], B[3]; double own = 0, all; PetscInt products = 3;
      PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
      PetscCall(PetscOptionsGetInt(NULL, NULL, "-products", &products, NULL));
      for (int k = 0; k < 3; k++) {
        PetscCall(Make(3 + 4 * k, NULL, &A[k]));
        PetscCall(Make(3 + 4 * k, MATAIJ, &B[k]));
        PetscCall(OwnBytes(A[k], &own));
      }
      for (int step = 0; step < products; step++) {
        for (int k = 0; k < 3; k++) {
          PetscCall(Compare(A[k], B[k], PETSC_FALSE)); PetscCall(Compare(A[k], B[k], PETSC_TRUE));
          PetscCall(MatScale(A[k], 1.5)); PetscCall(MatScale(B[k], 1.5));
          PetscCall(Compare(A[k], B[k], PETSC_FALSE)); PetscCall(Compare(A[k], B[k], PETSC_TRUE));
        }
      }
      PetscCall(MatViewFromOptions(A[2], NULL, "-view_last"));
      PetscCallMPI(MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "own %.0f\\n", all));
      for (int k = 0; k < 3; k++) { PetscCall(MatDestroy(&A[k])); PetscCall(MatDestroy(&B[k])); }
      return PetscFinalize();
    }"""
LINE = (r"memory beside the matrices: (\S+) MB now, (\S+) MB at most, (\S+) MB kept for later"
        r"(?:; limit (\S+) of the matrices, in the way (\d+) times)?\n")
TARGET = f"-spmv_simd {next(iter(TARGETS))}"  # otherwise targets are measured, with layouts of a matrix for that
BY_LAYOUT = "-mat_{}_transpose layout"


class Limit(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.program = compile_c(PROGRAM)

    def memory(self, options, ranks=1):
        """What a run shows: bytes now, at most, kept, the times that the limit was in the way, and the matrices' own."""
        out = self.expect(self.program, f"{options} {TARGET} -spmv_view", f"PetscSpMV {LINE}", ranks=ranks, timeout=200)
        now, most, kept, _, refused = re.search(f"PetscSpMV {LINE}", out).groups()
        return 1e6 * float(now), 1e6 * float(most), 1e6 * float(kept), int(refused or 0), int(re.search(r"own (\d+)", out)[1])

    def test_holds(self):
        """No run takes more than its share, whatever of its layouts fits; answers are AIJ's."""
        rounding = 1.001  # four digits are shown
        for name in TYPES:
            options = f"{of_type(name)} {BY_LAYOUT.format(name)}"
            if name == "spmv":
                options += " -mat_spmv_regret 1 -mat_spmv_least 0 -products 30"
            for ranks in 1, 2:
                _, free, _, refused, own = self.memory(options, ranks)
                self.assertEqual(refused, 0)
                for share in (0, 0.02, 0.3, 0.9) if ranks == 1 else (0.3, 0.9):
                    with self.subTest(type=name, ranks=ranks, share=share):
                        _, most, kept, refused, _ = self.memory(f"{options} -spmv_memory_limit {share}", ranks)
                        self.assertLessEqual(most, share * own * rounding)
                        self.assertLessEqual(kept, share * own * rounding)
                        if name != "spmv" and free > ranks * share * own:
                            self.assertGreater(refused, 0)
                        if name != "spmv":
                            self.assertEqual(most == 0, share == 0)

    def test_generous(self):
        """A limit that nothing reaches changes nothing."""
        for name in FORMATS:
            without = self.memory(of_type(name))
            self.assertGreater(without[1], 0)
            self.assertEqual(self.memory(f"{of_type(name)} -spmv_memory_limit 50")[1], without[1])

    def test_said(self):
        """-info says which layout was not made, and only once for a matrix that stays as it is."""
        for name in FORMATS:
            code, out = run(MINIMAL, f"{of_type(name)} -spmv_memory_limit 0 -info")
            self.assertEqual(code, 0, out)
            said = re.findall(rf"-spmv_memory_limit leaves no memory for a layout in {name}, falling back to aij", out)
            self.assertEqual(len(said), 1)

    def test_relaxation(self):
        """What does not fit, layouts or what the plain loop needs, is tried again after twice as many sweeps, not each time."""
        solve = "-ksp_type richardson -ksp_max_it 200 -ksp_rtol 0 -pc_type sor -ksp_converged_reason -info"
        for sweeps, limit in ("layout", 0), ("layout", 0.5), ("plain", 0):
            out = run(MINIMAL, f"{of_type('csr5')} {solve} -mat_csr5_sweeps {sweeps} -spmv_memory_limit {limit}")[1]
            self.assertIn("ITS iterations 200", out)
            self.assertIn(out.count("no memory for layouts of the triangles"), range(1, 9), out[-2000:])

    def test_view_of_a_matrix(self):
        for ranks in 1, 2:
            for limit in "", "-spmv_memory_limit 0":
                options = f"{of_type('csr5')} {limit} -view_last ::ascii_info"
                out = self.expect(self.program, options, f"(?m)^  .*{LINE}", ranks=ranks)
                now, most = re.search(LINE, out).groups()[:2]
                self.assertEqual(float(now) == 0, bool(limit))
                self.assertLessEqual(float(now), float(most))

    def test_range(self):
        for wrong in "-1", "-0.001", "1001", "much", "nan", "inf":
            code, out = run(MINIMAL, f"{of_type('csr5')} -spmv_memory_limit {wrong}")
            self.assertNotEqual(code, 0)
            self.assertRegex(out, f"-spmv_memory_limit is {wrong}\\.?, must be 0 to 1000")


if __name__ == "__main__":
    main()
