#!/usr/bin/env python3
"""Threads: never more than cores unless asked for, and the same bits with any number."""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from programs import FORMATS, LIBRARY, MINIMAL, WORK, compile_c, main, of_type, run

HAS_THREADS = os.environ["KOKKOS_HAS_THREADS"] == "ON"
CORES = len(os.sched_getaffinity(0))


class Counted(unittest.TestCase):
    """The number of threads of a program's processes after a product large enough for several threads."""

    @classmethod
    def setUpClass(cls):
        cls.program = compile_c("""
            #include <petscmat.h>
            #include <stdlib.h>
            int main(int argc, char **argv) {
              Mat A; Vec x, y; PetscInt n = 100000, begin, end; PetscMPIInt rank; int threads = 0, all; char line[256];
              PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
              PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
              PetscCall(MatCreate(PETSC_COMM_WORLD, &A)); PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n, n));
              PetscCall(MatSetFromOptions(A)); PetscCall(MatSetUp(A)); PetscCall(MatGetOwnershipRange(A, &begin, &end));
              for (PetscInt i = begin; i < end; i++)
                for (PetscInt j = i; j < PetscMin(i + 3, n); j++) PetscCall(MatSetValue(A, i, j, 1.0, INSERT_VALUES));
              PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY)); PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
              PetscCall(MatCreateVecs(A, &x, &y)); PetscCall(VecSet(x, 1.0)); PetscCall(MatMult(A, x, y));
              FILE *f = fopen("/proc/self/status", "r");
              while (fgets(line, sizeof(line), f)) if (!strncmp(line, "Threads:", 8)) threads = atoi(line + 8);
              fclose(f);
              PetscCallMPI(MPI_Reduce(&threads, &all, 1, MPI_INT, MPI_SUM, 0, PETSC_COMM_WORLD));
              PetscCall(PetscPrintf(PETSC_COMM_WORLD, "threads %d\\n", all));
              PetscCall(VecDestroy(&x)); PetscCall(VecDestroy(&y)); PetscCall(MatDestroy(&A)); PetscCall(PetscFinalize()); return 0;
            }""")

    def threads(self, options, ranks, **environment):
        """The number of threads of all processes."""
        code, out = run(self.program, options, ranks=ranks, **environment)
        self.assertEqual(code, 0, out)
        return int(re.search(r"threads (\d+)", out).group(1))

    def workers(self, name, ranks, options="", **environment):
        """Threads for kernels, including the program's own; MPI and BLAS have others, with aij too."""
        return ranks + self.threads(f"{of_type(name)} {options}", ranks, **environment) - self.threads("-mat_type aij", ranks,
                                                                                                       **environment)

    def setUp(self):
        self.asked = os.environ.pop("OMP_NUM_THREADS", None)

    def tearDown(self):
        if self.asked:
            os.environ["OMP_NUM_THREADS"] = self.asked

    def test_not_asked(self):
        for ranks in 1, 2, 3, 5:
            with self.subTest(ranks=ranks):
                expected = ranks * max(1, CORES // ranks) if HAS_THREADS else ranks
                for name in FORMATS:
                    self.assertEqual(self.workers(name, ranks), expected, name)
                self.assertEqual(self.workers("spmv", ranks, f"-mat_spmv_choose {FORMATS[0]}"), expected)
                self.assertEqual(self.workers("spmv", ranks), ranks, "AIJ's first product starts none")

    @unittest.skipUnless(HAS_THREADS, "this Kokkos has no threads")
    def test_asked(self):
        for ranks in 1, 2:
            for threads in 1, 3:
                with self.subTest(ranks=ranks, threads=threads):
                    self.assertEqual(self.workers(FORMATS[0], ranks, f"-spmv_num_threads {threads}"), ranks * threads)
                    self.assertEqual(self.workers(FORMATS[0], ranks, OMP_NUM_THREADS=str(threads)), ranks * threads)

    @unittest.skipUnless(HAS_THREADS, "this Kokkos has no threads")
    def test_too_many(self):
        """Kokkos supports at most 512; the option reports this, and the environment variable is limited to it."""
        self.assertLessEqual(self.workers(FORMATS[0], 1, OMP_NUM_THREADS="600"), 512)
        self.assertNotEqual(run(self.program, f"{of_type(FORMATS[0])} -spmv_num_threads 513")[0], 0)


    @unittest.skipIf(HAS_THREADS or os.environ["KOKKOS_HAS_DEVICE"] == "ON", "this Kokkos has threads, or a device for copies")
    def test_asked_in_vain(self):
        for threads in 0, 1:
            self.assertEqual(self.workers(FORMATS[0], 1, f"-spmv_num_threads {threads}"), 1)
        for ranks in 1, 2:
            code, out = run(self.program, f"{of_type(FORMATS[0])} -spmv_num_threads 2", ranks=ranks)
            self.assertNotEqual(code, 0, out)
            self.assertRegex(out, "-spmv_num_threads is 2, but this Kokkos has no threads: build PetscSpMV with .*, "
                             "or leave the option out")


class Bits(unittest.TestCase):
    @unittest.skipUnless(HAS_THREADS, "this Kokkos has no threads")
    def test_any_number_of_threads(self):
        for name in FORMATS:
            solutions = set()
            for threads in 1, 2, 3, 7:
                path = f"{WORK.name}/{name}.{threads}"
                code, out = run(f"{MINIMAL} -n 60000 -ksp_max_it 20 -ksp_view_solution binary:{path}",
                                f"{of_type(name)} -spmv_num_threads {threads}")
                self.assertEqual(code, 0, out)
                with open(path, "rb") as f:
                    solutions.add(f.read())
            self.assertEqual(len(solutions), 1, name)


if __name__ == "__main__":
    main()
