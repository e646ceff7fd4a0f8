#!/usr/bin/env python3
"""The library in odd surroundings: loaded twice, loaded and linked, copies of it, forks, signals, traps, many processes."""
import glob
import os
import re
import shutil
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "support"))
from programs import (BUILD, LIBRARY, MINIMAL, PETSC_PREFIX, ProgramTest, TYPES, View, WORK, compile_c, main, of_type,  # noqa: E402
                      run)

# Products with a matrix that is large enough to be shared among threads; prints their bits.
PRODUCTS = """
    #include <petscmat.h>
    #include <dirent.h>
    #include <signal.h>
    #include <sys/time.h>
    #include <sys/wait.h>
    #include <unistd.h>
    #if defined(LINKED)
    PetscErrorCode PetscSpMVRegisterAll(void);
    #endif
    static Mat A; static Vec x, y;
    static volatile int ticks;
    static void Tick(int number) { ticks++; }
    #if defined(FORKS)
    static int Threads(void) { /* of this process */
      int n = 0; DIR *tasks = opendir("/proc/self/task");
      for (struct dirent *task; (task = readdir(tasks));) n += task->d_name[0] != '.';
      closedir(tasks); return n;
    }
    #endif
    static PetscErrorCode Products(int n, unsigned long *bits) {
      const PetscScalar *array; const unsigned char *bytes; PetscInt rows;
      PetscFunctionBegin;
      for (int k = 0; k < n; k++) { PetscCall(VecSet(y, 0)); PetscCall(MatMult(A, x, y)); PetscCall(MatMultAdd(A, x, y, y)); }
      PetscCall(VecGetLocalSize(y, &rows)); PetscCall(VecGetArrayRead(y, &array));
      bytes = (const unsigned char *)array; *bits = 17;
      for (size_t i = 0; i < rows * sizeof(PetscScalar); i++) *bits = *bits * 31 + bytes[i];
      PetscCall(VecRestoreArrayRead(y, &array)); PetscFunctionReturn(0);
    }
    int main(int argc, char **argv) {
      PetscInt n = 20000, begin, end; unsigned long before, after;
      PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    #if defined(LINKED)
      PetscCall(PetscSpMVRegisterAll()); PetscCall(PetscSpMVRegisterAll());
    #endif
      PetscCall(MatCreate(PETSC_COMM_WORLD, &A)); PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n, n));
      PetscCall(MatSetFromOptions(A)); PetscCall(MatSeqAIJSetPreallocation(A, 7, NULL));
      PetscCall(MatMPIAIJSetPreallocation(A, 7, NULL, 7, NULL)); PetscCall(MatGetOwnershipRange(A, &begin, &end));
      for (PetscInt i = begin; i < end; i++) for (PetscInt k = -3; k <= 3; k++)
        if (i + k >= 0 && i + k < n) PetscCall(MatSetValue(A, i, i + k, 1. / (3 + i % 7 + k * k), INSERT_VALUES));
      PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY)); PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
      PetscCall(MatCreateVecs(A, &x, &y)); PetscCall(VecSet(x, 1. / 3));
      PetscCall(Products(1, &before));
    #if defined(FORKS)
      const pid_t child = fork();
      if (!child) {
        alarm(30);
        _exit(Products(3, &after) || after != before ? 0 : Threads());
      }
      int status; waitpid(child, &status, 0);
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "threads: %d\\n", Threads()));
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "threads of a child that agrees: %d\\n",
                            WIFEXITED(status) ? WEXITSTATUS(status) : 0));
    #endif
    #if defined(SIGNALS)
      struct sigaction action = {.sa_handler = Tick}; struct itimerval every = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
      sigaction(SIGALRM, &action, NULL); setitimer(ITIMER_REAL, &every, NULL);
    #endif
      PetscCall(Products(200, &after));
    #if defined(SIGNALS)
      setitimer(ITIMER_REAL, &never, NULL);
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "ticks %s\\n", ticks > 3 ? "many" : "none"));
    #endif
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "bits %s\\n", after == before ? "stay" : "differ"));
      PetscCall(VecDestroy(&x)); PetscCall(VecDestroy(&y)); PetscCall(MatDestroy(&A)); return PetscFinalize();
    }"""
FLAGS = os.environ["PETSC_FLAGS"].split()
LINK = [f"-L{BUILD}/lib", "-lpetscspmv", f"-Wl,-rpath,{BUILD}/lib"]


def type_options(name):
    """Chooses a type that multiplies in the same way every time."""
    return f"-mat_type {name}" + (" -mat_spmv_choose csr5" if name == "spmv" else "")


def symbols(file, which):
    """The names of a library's dynamic symbols: --defined-only or --undefined-only."""
    out = subprocess.run(["nm", "-D", "--format=posix", which, file], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {line.split()[0].partition("@")[0] for line in out.splitlines()}


class Loading(ProgramTest):
    def copy(self):
        os.makedirs(f"{WORK.name}/copy", exist_ok=True)
        return shutil.copy(LIBRARY, f"{WORK.name}/copy/libpetscspmv.so")

    def test_twice(self):
        once = self.expect(MINIMAL, of_type("csr5"))
        products = View(self.expect(MINIMAL, f"{of_type('csr5')} -spmv_view")).rows["csr5"][0]
        libraries = f"{LIBRARY},{LIBRARY}"
        self.assertEqual(self.expect(MINIMAL, f"-dll_append {libraries} -mat_type csr5"), once)
        out = self.expect(MINIMAL, f"-dll_append {libraries} -mat_type csr5 -spmv_view -malloc_dump")
        self.assertEqual(View(out).rows["csr5"][0], products)
        self.assertNotRegex(out, r"(?m)^\[ ?\d+\] *\d+ bytes")  # of -malloc_dump, where something is left

    def test_two_copies(self):
        """Each would take the other's types for AIJ."""
        copy = self.copy()
        for options in "-mat_type csr5", "-mat_seqaij_type seqaijspmv":
            code, out = run(MINIMAL, f"-dll_append {LIBRARY},{copy} {options}")
            self.assertNotEqual(code, 0, out)
            self.assertIn(f"PetscSpMV is loaded twice, from {LIBRARY} and from {copy}", out)

    def registering(self, *libraries):
        """A program without PETSc that loads these, registers the last one, and prints the code."""
        loads = "".join(f'library = dlopen("{name}", RTLD_LAZY | RTLD_GLOBAL); if (!library) {{ puts(dlerror()); return 1; }}\n'
                        for name in libraries)
        return compile_c(f"""
            #include <dlfcn.h>
            #include <stdio.h>
            int main(void) {{
              void *library;
              {loads}
              printf("code %d\\n", ((int (*)(void))dlsym(library, "PetscDLLibraryRegister_petscspmv"))());
              return 0;
            }}""", ["-ldl"], "cc")

    def test_petsc_that_is_not_initialized(self):
        """As where Python loads another PETSc than the library was built for."""
        self.expect(self.registering(LIBRARY), "",
                    r"PetscSpMV was built for PETSc 3\.\d+ with .* numbers and .*-bit indices, .*libpetsc", "code 76")

    def test_another_mpi(self):
        """A program whose PETSc has another MPI: the error comes without PETSc and its communicators. Here every function of PETSc
        aborts."""
        built, other, version = "Open MPI", "MPICH", "MPICH Version: 4.0.2"
        with open(f"{PETSC_PREFIX}/include/petscconf.h") as f:
            if "HAVE_MPICH" in f.read():
                built, other, version = other, built, "Open MPI v4.1.4, package: Debian"
        dynamic = subprocess.run(["readelf", "-d", LIBRARY], stdout=subprocess.PIPE, text=True, check=True).stdout
        needed = re.search(r"\[(libpetsc[^]]*)\]", dynamic)[1]
        petsc = glob.glob(f"{PETSC_PREFIX}/lib/{needed}")[0]
        names = symbols(LIBRARY, "--undefined-only") & symbols(petsc, "--defined-only")
        self.assertGreater(len(names), 100)
        stubs = "".join(f"void {name}(void) {{ abort(); }}\n" for name in sorted(names))
        stub = compile_c(f"""
            #include <stdlib.h>
            #include <string.h>
            int MPI_Get_library_version(char *version, int *length) {{
              strcpy(version, "{version}"); *length = strlen(version); return 0;
            }}
            {stubs}""", ["-shared", "-fPIC", "-fno-builtin", f"-Wl,-soname,{needed}"], "cc")
        self.expect(self.registering(stub, LIBRARY), "",
                    f"PetscSpMV was built for a PETSc with {built}.*, this program's PETSc has {other}", "code 76")

    def test_loaded_and_linked(self):
        program = compile_c("#define LINKED\n" + PRODUCTS, FLAGS + LINK)
        for name in TYPES:
            for load in "", f"-dll_append {LIBRARY}":
                with self.subTest(type=name, load=load):
                    self.assertEqual(self.expect(program, f"{load} {type_options(name)}").splitlines()[-1:],
                                     ["bits stay"])
        code, out = run(program, f"-dll_append {self.copy()}")
        self.assertNotEqual(code, 0, out)
        self.assertIn("PetscSpMV is loaded twice", out)

    def test_forked_while_a_thread_multiplies(self):
        program = compile_c("""
            #include <petscmat.h>
            #include <pthread.h>
            #include <sys/wait.h>
            #include <unistd.h>
            static Mat A; static Vec x, y, z; static volatile int ends;
            static void *multiply(void *unused) { while (!ends) if (MatMult(A, x, y)) break; return unused; }
            int main(int argc, char **argv) {
              PetscInt n = 50; PetscReal norm; pthread_t thread; int right = 0, status; const int forks = 200;
              PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
              PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 1, NULL, &A)); PetscCall(MatSetFromOptions(A));
              for (PetscInt i = 0; i < n; i++) PetscCall(MatSetValue(A, i, (i + 1) % n, 2.0, INSERT_VALUES));
              PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY)); PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
              PetscCall(MatCreateVecs(A, &x, &y)); PetscCall(VecDuplicate(y, &z)); PetscCall(VecSet(x, 1.0));
              pthread_create(&thread, NULL, multiply, NULL);
              for (int k = 0; k < forks; k++) {
                const pid_t child = fork();
                if (!child) {
                  alarm(10);
                  _exit(MatMult(A, x, z) || VecNorm(z, NORM_INFINITY, &norm) || norm != 2.0);
                }
                right += waitpid(child, &status, 0) == child && status == 0;
              }
              ends = 1; pthread_join(thread, NULL);
              printf("right %d of %d\\n", right, forks);
              PetscCall(MatDestroy(&A)); PetscCall(VecDestroy(&x)); PetscCall(VecDestroy(&y)); PetscCall(VecDestroy(&z));
              return PetscFinalize();
            }""")
        for name in TYPES:
            with self.subTest(type=name):
                self.expect(program, f"-dll_append {LIBRARY} -mat_seqaij_type {name} -mat_spmv_least 0", "right 200 of 200\n",
                            timeout=300)

    def test_forked(self):
        """A child multiplies in the one thread that it has, where its parent had two for kernels."""
        program = compile_c("#define FORKS\n" + PRODUCTS)
        without = self.expect(program, "-mat_type aij", timeout=120, OMP_NUM_THREADS="2")
        others = int(re.match(r"threads: (\d+)\n", without)[1]) - 1  # of MPI
        kernels = 2 if os.environ["KOKKOS_HAS_THREADS"] == "ON" else 1
        for name in TYPES:
            with self.subTest(type=name):
                out = self.expect(program, f"-dll_append {LIBRARY} {type_options(name)}", timeout=120, OMP_NUM_THREADS="2")
                self.assertEqual(out, f"threads: {kernels + others}\nthreads of a child that agrees: 1\nbits stay\n")

    def test_signals(self):
        program = compile_c("#define SIGNALS\n" + PRODUCTS)
        for name in TYPES:
            with self.subTest(type=name):
                self.assertEqual(self.expect(program, f"-dll_append {LIBRARY} {type_options(name)}"), "ticks many\nbits stay\n")

    def test_traps(self):
        """Neither padding nor what a format does with values raises a floating-point exception that AIJ does not."""
        if "Cannot activate floating point exceptions" in run(MINIMAL, "-mat_type aij -fp_trap")[1]:
            self.skipTest("this processor traps no exceptions")
        program = compile_c(PRODUCTS)
        for name in ["aij"] + TYPES:
            with self.subTest(type=name):
                self.expect(program, f"-dll_append {LIBRARY} {type_options(name)} -fp_trap", "bits stay")
                self.expect(MINIMAL, f"{of_type(name)} -fp_trap", "iterations")

    def test_many_processes(self):
        iterations = re.compile(r"\d+ iterations")
        aij = iterations.search(self.expect(f"{MINIMAL} -n 500", "-mat_type aij", ranks=16, timeout=300))[0]
        for name in TYPES:
            with self.subTest(type=name):
                out = self.expect(f"{MINIMAL} -n 500", of_type(name), "Mat type mpiaij", ranks=16, timeout=300)
                self.assertEqual(iterations.search(out)[0], aij)


if __name__ == "__main__":
    main()
