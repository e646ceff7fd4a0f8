#!/usr/bin/env python3
"""The end of a program: products in an exit handler or a destructor, which may run after the library's own, and in finalizers."""
import os
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from programs import LIBRARY, TYPES, ProgramTest, compile_c, main, run

PROGRAM = """
    #include <petscmat.h>
    #include <stdlib.h>
    #include <string.h>
    static Mat A; static Vec x, y; static const char *how; static int running, first;
    static int product(const char *where) {
      PetscReal norm, transposed;
      if (MatMult(A, x, y) || VecNorm(y, NORM_INFINITY, &norm)) return 1;
      if (MatMultTranspose(A, x, y) || VecNorm(y, NORM_INFINITY, &transposed)) return 1;
      return PetscPrintf(PETSC_COMM_WORLD, "%s %.1f %.1f\\n", where, (double)norm, (double)transposed);
    }
    static PetscErrorCode products_at_the_end(void) {
      PetscCall(MatScale(A, 2.0));
      for (int k = 0; k < 200; k++) PetscCall(MatMult(A, x, y));
      if (product("at the end") || MatDestroy(&A) || VecDestroy(&x) || VecDestroy(&y)) return PETSC_ERR_LIB;
      return 0;
    }
    static int after_the_end(void) { /* PetscFinalize() has ended MPI, too */
      const PetscScalar *values;
      PetscCall(PetscFinalize());
      PetscCall(MatScale(A, 2.0));
      for (int k = 0; k < 200; k++) PetscCall(MatMult(A, x, y));
      PetscCall(VecGetArrayRead(y, &values));
      printf("at the end %.1f ", (double)PetscRealPart(values[0]));
      PetscCall(VecRestoreArrayRead(y, &values));
      PetscCall(MatMultTranspose(A, x, y));
      PetscCall(VecGetArrayRead(y, &values));
      printf("%.1f\\n", (double)PetscRealPart(values[0]));
      return 0;
    }
    static int end(void) {
      if (!running) return 0;
      running = 0;
      if (!strcmp(how, "after")) return after_the_end();
      if (!strcmp(how, "finalizer")) PetscCall(PetscRegisterFinalize(products_at_the_end));
      else PetscCall(products_at_the_end());
      return PetscFinalize();
    }
    static int ends_mpi;
    static void handler(void) {
      if ((!strcmp(how, "handler") || !strcmp(how, "twice")) && end()) abort();
      if (ends_mpi) MPI_Finalize();
    }
    __attribute__((destructor)) static void destructor(void) { if (!strcmp(how, "destructor") && end()) abort(); }
    static int begin(int argc, char **argv) {
      PetscInt n = 20000, begin, end;
      PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
      running = 1;
      PetscCall(MatCreate(PETSC_COMM_WORLD, &A)); PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n, n));
      PetscCall(MatSetType(A, MATAIJ)); PetscCall(MatSetFromOptions(A)); PetscCall(MatSetUp(A));
      PetscCall(MatGetOwnershipRange(A, &begin, &end));
      for (PetscInt i = begin; i < end; i++) PetscCall(MatSetValue(A, i, (i + 1) % n, 2.0, INSERT_VALUES));
      PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY)); PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
      PetscCall(MatCreateVecs(A, &x, &y)); PetscCall(VecSet(x, 1.0));
      if (first) return 0;
      for (int k = 0; k < 200; k++) PetscCall(MatMult(A, x, y));
      return product("in main");
    }
    int main(int argc, char **argv) {
      how = argv[1]; first = !strcmp(argv[2], "first");
      atexit(handler);
      if (!strcmp(how, "twice")) { MPI_Init(&argc, &argv); ends_mpi = 1; }
      PetscCall(begin(argc, argv));
      if (!strcmp(how, "twice")) { PetscCall(end()); PetscCall(begin(argc, argv)); }
      if (!strcmp(how, "main") || !strcmp(how, "finalizer") || !strcmp(how, "after")) PetscCall(end());
      return 0;
    }"""


class Exit(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.program = compile_c(PROGRAM)

    def exits(self, how, options, first=False, before=(), **more):
        """The numbers of products in the table at the end. With first, there were none before."""
        patterns = ([] if first else ["in main 2.0 2.0\n"]) + ([] if how == "never" else ["at the end 4.0 4.0\n"])
        command = [*before, self.program, how, "first" if first else "later"]
        out = self.expect(command, f"-dll_append {LIBRARY} -spmv_view {options}", *patterns, **more)
        self.assertNotIn("ERROR", out)
        self.assertEqual("PetscSpMV" in out, how != "never", out)
        return re.findall(r"^PetscSpMV +[a-z]\w* +(\d+) ", out, re.M)

    def test_after_main(self):
        for name in TYPES:
            for first in False, True:
                in_main = self.exits("main", f"-mat_type {name}", first)
                self.assertEqual(len(in_main), 1)
                for how, options in (("handler", f"-mat_type {name}"), ("destructor", f"-mat_seqaij_type {name}"),
                                     ("twice", f"-mat_type {name} -spmv_launch_work 1")):  # by all threads, if Kokkos has any
                    with self.subTest(how=how, options=options, first=first):
                        products = self.exits(how, options, first, OMP_NUM_THREADS="2")
                        self.assertEqual(products, in_main * (2 if how == "twice" else 1))

    def test_after_what_it_shows(self):
        """In finalizers that the program registers, which come after the library's, and after PetscFinalize()."""
        ways = ["finalizer"]
        if run([self.program, "after", "first"], "-mat_type aij")[0] == 0:  # PETSc for debugging asks MPI in every product
            ways.append("after")
        for name in TYPES:
            for how in ways:
                for first in False, True:
                    with self.subTest(type=name, how=how, first=first):
                        self.exits(how, f"-mat_type {name}", first)

    def test_on_several_processes(self):
        for name in TYPES:
            with self.subTest(type=name):
                self.exits("handler", f"-mat_seqaij_type {name}", ranks=2)

    def test_never_finalized(self):
        for name in TYPES:
            with self.subTest(type=name):
                self.exits("never", f"-mat_type {name}")

    @unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
    def test_memory_at_the_end(self):
        for name in "csr5", "spmv":
            for how in "destructor", "twice", "finalizer":
                with self.subTest(type=name, how=how):
                    self.exits(how, f"-mat_type {name}", timeout=300, before=["valgrind", "-q", "--error-exitcode=99"])


if __name__ == "__main__":
    main()
