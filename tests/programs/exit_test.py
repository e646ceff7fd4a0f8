#!/usr/bin/env python3
"""The end of a program: PetscFinalize() in an exit handler or a destructor, which may run after the library's own; twice; never."""
import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from programs import LIBRARY, TYPES, ProgramTest, compile_c, main

PROGRAM = """
    #include <petscmat.h>
    #include <stdlib.h>
    #include <string.h>
    static Mat A; static Vec x, y; static const char *how; static int running;
    static int product(const char *where) {
      PetscReal norm;
      if (MatMult(A, x, y) || VecNorm(y, NORM_INFINITY, &norm)) return 1;
      return PetscPrintf(PETSC_COMM_WORLD, "%s %.1f\\n", where, (double)norm);
    }
    static int end(void) {
      if (!running) return 0;
      running = 0;
      if (product("at the end") || MatDestroy(&A) || VecDestroy(&x) || VecDestroy(&y)) return 1;
      return PetscFinalize();
    }
    static int ends_mpi;
    static void handler(void) {
      if ((!strcmp(how, "handler") || !strcmp(how, "twice")) && end()) abort();
      if (ends_mpi) MPI_Finalize();
    }
    __attribute__((destructor)) static void destructor(void) { if (!strcmp(how, "destructor") && end()) abort(); }
    static int begin(int argc, char **argv) {
      PetscInt n = 20000, first, last;
      PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
      running = 1;
      PetscCall(MatCreate(PETSC_COMM_WORLD, &A)); PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n, n));
      PetscCall(MatSetType(A, MATAIJ)); PetscCall(MatSetFromOptions(A)); PetscCall(MatSetUp(A));
      PetscCall(MatGetOwnershipRange(A, &first, &last));
      for (PetscInt i = first; i < last; i++) PetscCall(MatSetValue(A, i, (i + 1) % n, 2.0, INSERT_VALUES));
      PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY)); PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
      PetscCall(MatCreateVecs(A, &x, &y)); PetscCall(VecSet(x, 1.0));
      for (int k = 0; k < 200; k++) PetscCall(MatMult(A, x, y));
      return product("in main");
    }
    int main(int argc, char **argv) {
      how = argv[1];
      atexit(handler);
      if (!strcmp(how, "twice")) { MPI_Init(&argc, &argv); ends_mpi = 1; }
      PetscCall(begin(argc, argv));
      if (!strcmp(how, "twice")) { PetscCall(end()); PetscCall(begin(argc, argv)); }
      return 0;
    }"""


class Exit(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.program = compile_c(PROGRAM)

    def exits(self, how, options, *patterns, before=(), **more):
        command = [*before, self.program, how]
        out = self.expect(command, f"-dll_append {LIBRARY} -spmv_view {options}", "in main 2.0\n", *patterns, **more)
        self.assertNotIn("ERROR", out)
        self.assertEqual("PetscSpMV" in out, how != "never", out)

    def test_finalize_after_main(self):
        for name in TYPES:
            for how, options in (("handler", f"-mat_type {name}"), ("destructor", f"-mat_seqaij_type {name}"),
                                 ("twice", f"-mat_type {name} -spmv_launch_work 1")):  # by all threads, if Kokkos has any
                with self.subTest(how=how, options=options):
                    self.exits(how, options, "at the end 2.0\n", OMP_NUM_THREADS="2")

    def test_on_several_processes(self):
        for name in TYPES:
            with self.subTest(type=name):
                self.exits("handler", f"-mat_seqaij_type {name}", "at the end 2.0\n", ranks=2)

    def test_never_finalized(self):
        for name in TYPES:
            with self.subTest(type=name):
                self.exits("never", f"-mat_type {name}")

    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
    def test_memory_at_the_end(self):
        for name in "csr5", "spmv":
            for how in "destructor", "twice":
                with self.subTest(type=name, how=how):
                    self.exits(how, f"-mat_type {name}", "at the end 2.0\n", timeout=300,
                               before=["valgrind", "-q", "--error-exitcode=99"])


if __name__ == "__main__":
    main()
