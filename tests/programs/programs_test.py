#!/usr/bin/env python3
"""Programs as users run them: unchanged ones that load the library by -dll_append, options, viewers, bad input."""
import glob
import gzip
import itertools
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "support"))
from programs import (BUILD, DETAIL, FORMATS, LIBRARY, MINIMAL, ProgramTest, SOURCE, TARGETS, TYPES, View, WORK,  # noqa: E402
                      compile_c, main, of_type, run)

SOLVE = f"{BUILD}/examples/solve"
CSR5 = of_type("csr5")

# Products of each kind and norms in turn, where the second half of the processes has no entries or, with -rows 0, no rows.
NO_ENTRIES = """
    #include <petscmat.h>
    int main(int argc, char **argv) {
      Mat A; Vec x, y, z; PetscMPIInt rank, size; PetscInt begin, end; PetscReal norm;
      PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
      PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
      PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
      PetscInt rows = 500; PetscBool first = 2 * rank < size;
      if (!first) PetscCall(PetscOptionsGetInt(NULL, NULL, "-rows", &rows, NULL));
      PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
      PetscCall(MatSetSizes(A, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE));
      PetscCall(MatSetFromOptions(A));
      PetscCall(MatSetUp(A));
      PetscCall(MatGetOwnershipRange(A, &begin, &end));
      for (PetscInt i = begin; i < end && first; i++) PetscCall(MatSetValue(A, i, i, 2, INSERT_VALUES));
      PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
      PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
      PetscCall(MatCreateVecs(A, &x, &y));
      PetscCall(VecDuplicate(y, &z));
      PetscCall(VecSet(x, 1));
      for (int k = 0; k < 20; k++) {
        PetscCall(MatMult(A, x, y));
        PetscCall(VecNorm(y, NORM_2, &norm));
        PetscCall(MatMultAdd(A, x, y, z));
        PetscCall(VecNorm(z, NORM_2, &norm));
        PetscCall(MatResidual(A, y, x, z));
        PetscCall(VecNorm(z, NORM_2, &norm));
        PetscCall(MatMultTranspose(A, y, x));
        PetscCall(VecNorm(x, NORM_2, &norm));
        PetscCall(MatMultTransposeAdd(A, y, x, z));
        PetscCall(VecNorm(z, NORM_2, &norm));
        PetscCall(VecSet(x, 1));
      }
      PetscCall(VecDestroy(&z));
      PetscCall(VecDestroy(&x));
      PetscCall(VecDestroy(&y));
      PetscCall(MatDestroy(&A));
      PetscCall(PetscFinalize());
      return 0;
    }
"""


def disassembly(path):
    code, listing = run(f"objdump -d -C --no-show-raw-insn {path}")
    if code:
        raise RuntimeError(listing)
    return listing


class Objects(unittest.TestCase):
    """The contents of the library's object files: a target's instructions are in its own objects and nowhere else."""

    # A register that baseline x86-64 lacks, or an instruction of such an encoding.
    BEYOND = re.compile(r"%[yz]mm\d|%[xyz]mm(1[6-9]|[23]\d)|%k[0-7]|\tv(?!err|erw)\w+ ")

    def setUp(self):
        self.kernels = {(name, target): f"{BUILD}/kernels/{name}_{re.sub(r'[^0-9A-Za-z]', '_', target)}.o" for name in FORMATS
                        for target in TARGETS}
        if not all(os.path.exists(path) for path in self.kernels.values()):
            self.assertEqual(list(TARGETS), ["baseline"])
            self.skipTest("one target alone: no tools that hide symbols")

    def x86_64(self):
        if os.uname().machine != "x86_64":
            self.skipTest("not x86-64")

    def test_nothing_but_the_entry_is_seen(self):
        for (name, target), path in self.kernels.items():
            with self.subTest(format=name, target=target):
                code, symbols = run(f"nm --extern-only --defined-only --format=posix {path}")
                self.assertEqual(code, 0, symbols)
                entry = f"petscspmv_kernels_{name}_" + re.sub(r"[^0-9A-Za-z]", "_", target)
                self.assertEqual([line.split()[:2] for line in symbols.splitlines()], [[entry, "D"]])

    def test_instructions_of_targets(self):
        self.x86_64()
        for (name, target), path in self.kernels.items():
            with self.subTest(format=name, target=target):
                listing = disassembly(path)
                register, gathers = TARGETS[target]
                self.assertEqual("gather" in listing, gathers)
                self.assertNotIn("scatter", listing)
                self.assertEqual("%ymm" in listing, register >= 32)
                self.assertEqual("%zmm" in listing, register >= 64)
                if target == "baseline":
                    self.assertIsNone(self.BEYOND.search(listing))
                else:
                    self.assertIn("vfmadd", listing)

    def test_instructions_of_all_else(self):
        self.x86_64()
        objects = [path for path in glob.glob(f"{BUILD}/CMakeFiles/petscspmv*.dir/**/*.o", recursive=True)
                   if "/petscspmv_kernels_" not in path]
        for part in ["petscspmv.dir", "petscspmv_core.dir"] + [f"petscspmv_{name}.dir" for name in FORMATS]:
            self.assertTrue(any(f"/{part}/" in path for path in objects), part)
        for path in objects:
            for function in disassembly(path).split("\n\n"):
                if re.match(r"[0-9a-f]+ <[^>\n]*WithAvx2\(", function):  # called where the processor has it
                    continue
                found = self.BEYOND.search(function)
                self.assertIsNone(found, f"{path}: {found and found[0]}")

    def test_prefetch(self):
        """The kernels of products prefetch exactly if `ahead`; which products do: kernels/prefetch_test.cpp."""
        self.x86_64()
        # of `ahead` among the arguments
        place = {"MultBlock": 6, "MultChunk": 3, "MultPiece": 0, "MultRowBlock": 1, "ChunkProducts": 1, "PcsrProducts": 0,
                 "Speculate": 1}
        for target in TARGETS:
            prefetches = {}  # by kernel: its parts may be separate functions
            for name in FORMATS:
                for function in disassembly(self.kernels[name, target]).split("\n\n"):
                    head = re.match(r"[0-9a-f]+ <.*?petscspmv::\w+::(\w+)<(.*?)>"
                                    r"( ?>\(void const\*, long, long\)|::(operator\(\)|MultRows)\(long\) const)", function)
                    if head and head[1] in place and not head[2].startswith("0, "):  # any height: calls MultRows()
                        kernel = head[1], head[2]
                        prefetches[kernel] = prefetches.get(kernel, False) or "prefetcht0" in function
            self.assertEqual({kernel for kernel, _ in prefetches}, set(place), target)
            for (kernel, arguments), does in prefetches.items():
                self.assertEqual(does, arguments.split(", ")[place[kernel]] == "true", f"{kernel}<{arguments}>, {target}")


class UnchangedPrograms(ProgramTest):
    def test_type_by_option(self):
        reference = self.expect(MINIMAL, "-mat_type aij")
        self.expect(MINIMAL, CSR5, "Mat type seqaijcsr5")
        for name in TYPES:
            with self.subTest(type=name):
                out = self.expect(MINIMAL, of_type(name), "Mat type seqaij.")
                root = re.search(r"Mat type seq(\w+)", out).group(1)
                self.assertEqual(reference.replace("seqaij", f"seq{root}"), out)  # the same iterations, and no other output
                self.expect(MINIMAL, of_type(name), f"Mat type mpi{root}:", ranks=2)
                self.assertEqual(out, self.expect(MINIMAL, of_type(root)))
                self.assertEqual(out, self.expect(MINIMAL, f"-dll_append {LIBRARY} -mat_type aij -mat_seqaij_type seq{root}"))

    def test_loaded_but_not_used(self):
        self.assertEqual(self.expect(MINIMAL, "-mat_type aij"), self.expect(MINIMAL, f"-dll_append {LIBRARY} -mat_type aij"))

    def test_catch_all(self):
        self.expect(MINIMAL, f"-dll_append {LIBRARY} -mat_seqaij_type seqaijcsr5 -mat_type aij {DETAIL}", "Mat type seqaijcsr5",
                    r"mult [1-9]")
        self.expect(MINIMAL, f"-dll_append {LIBRARY} -mat_seqaij_type seqaijcsr5 -mat_type aij {DETAIL}", "Mat type mpiaij:",
                    r"mult [1-9]", ranks=2)

    def test_solve_compares_with_aij(self):
        """Also where the options that the README exports would have given AIJ's blocks another type."""
        for ranks in 1, 2:
            self.expect(f"{SOLVE} -types aij -n 8 -nodes 200 -rounds 1",
                        f"-dll_append {LIBRARY} -mat_seqaij_type seqaijspmv -spmv_view", "no matrix had one of its types",
                        ranks=ranks)

    def test_targets(self):
        """The library uses the requested target, or fails and names the available ones."""
        by = r"PetscSpMV target [\w-]+, x by (loads|gathers)"
        self.expect(MINIMAL, f"{CSR5} {DETAIL}", by + ", (until products are worth a measurement|the only one)")
        out = self.expect(MINIMAL, f"{CSR5} {DETAIL} -n 100000 -ksp_norm_type none -pc_type jacobi -ksp_max_it 10",
                          by + r"(: [\d.]+ ns per nonzero against |, the only one)")
        chosen = re.search(r" target ([\w-]+), ", out)[1]
        self.assertIn(chosen, TARGETS)
        here = []
        for name in TARGETS:
            code, out = run(MINIMAL, f"{CSR5} {DETAIL} -spmv_simd {name}")
            if code:
                self.assertIn(f"-spmv_simd is {name}, which this processor does not have", out)
            else:
                here.append(name)
                self.assertIn(f" target {name}, ", out)
                self.assertIn("by -spmv_simd", out)
        self.assertIn("baseline", here)
        self.assertIn(chosen, here)
        for unknown in "sse9", "avx2-narrow":  # the latter is a row of the tests' library only
            code, out = run(MINIMAL, f"{CSR5} -spmv_simd {unknown}")
            self.assertNotEqual(code, 0)
            self.assertIn(f"-spmv_simd is {unknown}, which is not one of the library's targets; "
                          f"this processor runs {', '.join(here)}", out)

    def test_products_try_other_ways(self):
        """Products with a matrix larger than caches, with nothing forced."""
        tried = r"trials of other targets and prefetching: 1, another way was faster: [01] "
        many = "-n 400000 -ksp_norm_type none -pc_type jacobi -ksp_max_it"
        self.expect(MINIMAL, f"{CSR5} {DETAIL} -info {many} 20", tried, "CSR5 products found the fastest way: target [a-z]")
        self.expect(MINIMAL, f"{CSR5} {DETAIL} {many} 20", tried.replace(": 1,", ": 2,").replace("01", "012"), ranks=2)
        for options in ("-n 1000", f"{many} 5", f"{many} 20 -spmv_simd baseline"):
            self.assertNotIn("trials of", self.expect(MINIMAL, f"{CSR5} {DETAIL} {options}"))

    def test_prefetch(self):
        for choice in ("auto", "off", "on"):
            self.expect(MINIMAL, f"{CSR5} {DETAIL} -spmv_prefetch {choice}", f" prefetch {choice}\\b")
        self.expect(MINIMAL, f"{CSR5} {DETAIL}", r" prefetch auto\b")
        self.assertNotEqual(run(MINIMAL, f"{CSR5} -spmv_prefetch sideways")[0], 0)

    def test_counts(self):
        for name in FORMATS:
            with self.subTest(type=name):
                out = self.expect(MINIMAL, f"{of_type(name)} {DETAIL}")
                mult = View(out).counts["mult"]
                self.assertEqual(View(out).counts, {"mult": mult, name: mult, "build": 1})
                iterations = int(re.search(r"(\d+) iterations", out).group(1))
                self.assertGreaterEqual(mult, iterations)
                counts = View(self.expect(MINIMAL, f"{of_type(name)} {DETAIL}", ranks=2)).counts
                self.assertEqual(set(counts), {"mult", "multadd", name, "build"})
                self.assertEqual(counts["build"], 4)

    def test_spmv(self):
        program = compile_c("""
            #include <petscmat.h>
            int main(int argc, char **argv) {
              Mat A; Vec x, y, swap; PetscReal norm; PetscInt n = 20000, begin, end;
              PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
              PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
              PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
              PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n, n));
              PetscCall(MatSetFromOptions(A));
              PetscCall(MatSetUp(A));
              PetscCall(MatGetOwnershipRange(A, &begin, &end));
              for (PetscInt i = begin; i < end; i++)
                for (PetscInt k = -4; k <= 4; k++)
                  if (i + k >= 0 && i + k < n) PetscCall(MatSetValue(A, i, i + k, 1. / (3 + i % 7 + k * k), INSERT_VALUES));
              PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
              PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
              PetscCall(MatCreateVecs(A, &x, &y));
              PetscCall(VecSet(x, 1));
              for (int k = 0; k < 300; k++) {
                PetscCall(MatMult(A, x, y));
                PetscCall(VecNormalize(y, &norm));
                swap = x; x = y; y = swap;
                PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%a\\n", (double)norm));
              }
              PetscCall(MatViewFromOptions(A, NULL, "-view_in_the_end"));
              PetscCall(MatDestroy(&A)); PetscCall(VecDestroy(&x)); PetscCall(VecDestroy(&y));
              return PetscFinalize();
            }""")
        spmv = f"{of_type('spmv')} -mat_spmv_regret 1"
        shown = r"aij: \S+ s a product", r"csr5: expected \S+ of aij's time, (found|not tried|trial not finished)"
        out = self.expect(program, f"{spmv} -view_in_the_end ::ascii_info_detail", *shown)
        self.assertNotIn("speculative: ", out)  # is used by name only
        self.expect(program, f"{spmv} -view_in_the_end ::ascii_info_detail", *shown, r"  \[0\] aij: ", r"  \[1\] aij: ", ranks=2)
        for ranks in 1, 2:
            first = self.expect(program, f"{spmv} -mat_spmv_choose structure", "0x", ranks=ranks)
            self.assertEqual(self.expect(program, f"{spmv} -mat_spmv_choose structure", ranks=ranks), first)
        for options in ("choose sideways", "regret 2", "regret nan", "regret x", "least -1"):
            code, out = run(program, f"{spmv} -mat_spmv_{options}")
            self.assertNotEqual(code, 0, options)

    def test_help(self):
        self.expect(MINIMAL, f"{CSR5} -help", "-mat_csr5_omega", "-mat_csr5_sigma", "-mat_csr5_segmented_sum", "-spmv_view",
                    "-spmv_simd", "-spmv_prefetch", "-spmv_num_threads", r"columns of a tile.*1 to 64; -1: chosen automatically")
        for name in FORMATS:
            self.expect(MINIMAL, f"{of_type(name)} -help", f"-mat_{name}_eager", f"-mat_{name}_")
            self.expect(MINIMAL, f"{of_type('spmv')} -help", f"-mat_spmv_{name}_", "-mat_spmv_choose.*measured structure aij csr5",
                        "-mat_spmv_regret.*0 to 1")

    def test_view(self):
        for ranks in 1, 2:
            self.expect(MINIMAL, f"{CSR5} -mat_csr5_sigma 4 -mat_csr5_omega 8 -mat_view ::ascii_info", "omega=8", "sigma=4",
                        r"tiles=\d", r"tiles with empty rows=\d", r"tail entries=\d", r"bytes=\d", ranks=ranks)
        self.assertNotIn("tiles=", self.expect(MINIMAL, f"{CSR5} -ksp_view", "type: seqaijcsr5"))

    def test_log_view(self):
        flops = {}
        for name in ["aij"] + TYPES:
            out = self.expect(MINIMAL, f"{of_type(name)} -log_view", r"MatMult ")
            # count, ratio, time, ratio, flops of the event
            flops[name] = re.search(r"^MatMult +(\d+) [\d.]+ [\d.e+-]+ [\d.]+ ([\d.e+-]+)", out, re.M).groups()
            self.assertEqual(flops[name], flops["aij"])
            if name in FORMATS:
                self.assertRegex(out, rf"(?i)Mat{name}Build +1 ")

    def test_log_sync_where_a_process_has_no_entries(self):
        """What is logged must not differ between processes: PETSc 3.25 makes barriers of it."""
        program = compile_c(NO_ENTRIES)
        for name in ["aij"] + TYPES:
            for rows in 500, 0:
                with self.subTest(name=name, rows=rows):
                    self.expect(program, f"{of_type(name)} -log_view -log_sync -rows {rows}", r"VecNorm +100 ", ranks=2)

    def test_info(self):
        self.expect(MINIMAL, f"{CSR5} -info", "CSR5 layout built: 1000 rows, 2998 nonzeros")

    def test_initialize_again(self):
        program = compile_c("""
            #include <petscmat.h>
            int main(int argc, char **argv) {
              MPI_Init(&argc, &argv);
              for (int k = 0; k < 3; k++) {
                Mat A; Vec x, y;
                PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
                PetscCall(MatCreate(PETSC_COMM_WORLD, &A)); PetscCall(MatSetSizes(A, 9, 9, 9, 9)); PetscCall(MatSetFromOptions(A));
                PetscCall(MatSetUp(A));
                PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY)); PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
                PetscCall(MatShift(A, 2.0));
                PetscCall(MatCreateVecs(A, &x, &y)); PetscCall(VecSet(x, 1.0)); PetscCall(MatMult(A, x, y));
                PetscCall(VecDestroy(&x)); PetscCall(VecDestroy(&y)); PetscCall(MatDestroy(&A)); PetscCall(PetscFinalize());
              }
              return MPI_Finalize();
            }""")
        out = self.expect(program, f"{CSR5} {DETAIL} -malloc_dump")
        self.assertNotRegex(out, r"(?m)^\[ ?\d+\] *\d+ bytes")
        self.assertEqual((out.count("PetscSpMV local products: mult 1; by csr5 1\n"), out.count("PetscSpMV layouts: build 1;")),
                         (3, 3), out)

    def test_targets_when_initialized_again(self):
        """A program's choice holds until it is revoked, that of the option until PetscFinalize()."""
        program = compile_c("""
            #include <petscsys.h>
            #include <stdio.h>
            PetscErrorCode PetscSpMVRegisterAll(void), PetscSpMVSetTarget(const char[]);
            PetscErrorCode PetscSpMVGetTarget(const char *[], const char *[]);
            static void Session(const char *options, const char *set) {
              const char *name;
              PetscInitializeNoArguments();
              PetscOptionsInsertString(NULL, options);
              PetscSpMVRegisterAll();
              PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
              if (set) PetscSpMVSetTarget(*set ? set : NULL);
              PetscPopErrorHandler();
              PetscSpMVGetTarget(&name, NULL);
              printf("%s ", name);
              PetscFinalize();
            }
            int main(int argc, char **argv) {
              MPI_Init(&argc, &argv);
              Session("", "baseline");
              Session("", "bogus");
              Session(argc > 1 ? argv[1] : "", NULL);
              Session("", NULL);
              Session("-spmv_simd baseline", "");
              Session("", NULL);
              return MPI_Finalize();
            }""", [*os.environ["PETSC_FLAGS"].split(), f"-L{BUILD}/lib", "-lpetscspmv"])
        own = re.search(r" target ([\w-]+), ", self.expect(MINIMAL, f"{CSR5} {DETAIL}"))[1]
        names = self.expect(f"{program} '-spmv_simd {own}'", "").split()[:6]
        self.assertEqual(names[:5], ["baseline", "baseline", own, "baseline", "baseline"])
        self.assertIn(names[5], TARGETS)

    def test_a_new_format_is_a_folder_and_a_line(self):
        """The tests' library has one more format, csrcopy: its folder, and its name in the list."""
        options = (f"-dll_append {BUILD}/lib/libpetscspmvtest.so -mat_type csrcopy -mat_csrcopy_order backward "
                   f"-mat_view ::ascii_info {DETAIL}")
        for ranks in 1, 2:
            self.expect(MINIMAL, options, "aijcsrcopy", "CSRCopy.*order=backward, number=7", r"mult [1-9]", ranks=ranks)
        self.expect(MINIMAL, options + " -help", "-mat_csrcopy_number", "-mat_csr5_sigma|CSRCopy options")
        objects = glob.glob(f"{BUILD}/CMakeFiles/petscspmv_core.dir/**/*.o", recursive=True)
        self.assertGreater(len(objects), 10)
        for path in objects:  # what is compiled for all formats names none of them
            with open(path, "rb") as f:
                self.assertNotRegex(f.read().lower(), "|".join(FORMATS + ["aijscs", "csrcopy"]).encode(), path)

    def test_figures_of_sellcs_have_units(self):
        """Of the matrix of examples/minimal, 3 n - 2 nonzeros: nnzr, alpha where x is read once, and the paper's code balance of
        both."""
        for ranks in 1, 2:
            out = self.expect(MINIMAL, f"{of_type('sellcs')} -n 1000 -mat_view ::ascii_info -mat_sellcs_values full "
                              "-mat_sellcs_offsets 0", ranks=ranks)
            figures = re.findall(r"beta=([0-9.]+).*?nnzr=([0-9.]+) nonzeros/row,\s+alpha=([0-9.]+),\s+"
                                 r"code balance=([0-9.]+) bytes/flop", out, re.S)
            self.assertEqual(len(figures), ranks, out)  # of a parallel matrix those of its off-diagonal blocks too
            if ranks == 1:
                self.assertEqual(figures[0][:3], ("0.9993", "2.998", "0.3336"))

    def test_many_ranks_without_rows(self):
        self.expect(f"{MINIMAL} -n 2", CSR5, "mpiaijcsr5", ranks=4)


def binary_matrix(columns):
    """A PETSc binary file of a square matrix with a nonzero a row, as PETSc writes it."""
    n = len(columns)
    index = "q" if os.environ["INDEX_BITS"] == "64" else "i"
    values = [1.0] * (2 * n if os.environ["SCALARS"] == "complex" else n)
    return struct.pack(f">4{index}{n}{index}{n}{index}{len(values)}d", 1211216, n, n, n, *[1] * n, *columns, *values)


class BadInput(unittest.TestCase):
    def fails(self, command, options="", *patterns, **more):
        code, out = run(command, options, **more)
        self.assertNotEqual(code, 0, out)
        for pattern in patterns:
            self.assertRegex(out, pattern)
        self.assertNotIn("SEGV", out)

    def test_options(self):
        for option, pattern in [("sigma 0", "must be 1 to 32"), ("sigma 33", "must be 1 to 32"), ("sigma -7", "must be 1 to 32"),
                                ("omega 65", "must be 1 to 64"), ("segmented_sum sideways", "sideways")]:
            with self.subTest(option=option):
                self.fails(MINIMAL, f"{CSR5} -mat_csr5_{option}", pattern)
        for name, option, pattern in [("sellcs", "chunk 0", "must be 1 to"), ("sellcs", "sigma -2", "must be 1 to"),
                                      ("speculative", "steps 65", "must be 1 to 64"), ("speculative", "check nobody", "nobody"),
                                      ("ipcsr", "shared_size 0", "must be 1 to 8192"), ("ipcsr", "variant csr", "csr")]:
            with self.subTest(type=name, option=option):
                self.fails(MINIMAL, f"{of_type(name)} -mat_{name}_{option}", pattern)
        self.fails(MINIMAL, f"{CSR5} -mat_csr5_sigma 99", "must be 1 to 32", ranks=2)
        self.fails(MINIMAL, f"{CSR5} -spmv_num_threads -1", "must be 0 to 512")

    def test_nonsense(self):
        """For every option of every type (the list is from -help) an error names the option, and its range where it has one; so do
        the next numbers outside of the range. Without a value, the default."""
        nonsense = ["x", "1x", "9" * 25, "-" + "9" * 25, "nan", "inf", "1e99", "%s%n", os.fsdecode(b"\xff\xfe"), "x" * 300]
        program = compile_c("""
            #include <petscmat.h>
            static PetscErrorCode Show(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                                       PetscErrorType type, const char *text, void *context) {
              if (type == PETSC_ERROR_INITIAL) printf("%s\\n", text);
              return code;
            }
            static PetscErrorCode Make(const char *type) {
              Mat A;
              PetscFunctionBegin;
              PetscCall(MatCreate(PETSC_COMM_SELF, &A)); PetscCall(MatSetSizes(A, 3, 3, 3, 3)); PetscCall(MatSetType(A, type));
              PetscCall(MatSetFromOptions(A)); PetscCall(MatSetUp(A)); PetscCall(MatDestroy(&A)); PetscFunctionReturn(0);
            }
            int main(int argc, char **argv) { /* type, then options and their texts */
              char name[128]; int none = 0;
              PetscCall(PetscInitialize(&none, NULL, NULL, NULL));
              PetscCall(PetscPushErrorHandler(Show, NULL));
              for (int k = 2; k + 1 < argc; k += 2) {
                snprintf(name, sizeof(name), "-%s", argv[k]);
                printf("-- "); fflush(stdout);
                PetscCall(PetscOptionsSetValue(NULL, name, *argv[k + 1] ? argv[k + 1] : NULL));
                printf("%s\\n", Make(argv[1]) ? "failed" : "went well");
                PetscCall(PetscOptionsClearValue(NULL, name));
              }
              PetscCall(PetscPopErrorHandler());
              return PetscFinalize();
            }""")
        library = set()
        for name in TYPES:
            texts = run(MINIMAL, f"{of_type(name)} -help")[1]
            found = set(re.findall(rf"-(mat_{name}_\w+|spmv_\w+)", texts))
            ranges, decided = {}, set()
            for option, lower, upper, decides in re.findall(rf"-(mat_{name}_\w+)[ :].*\((-?\d+) to (\d+)(; -1)?[^)]*\)", texts):
                ranges[option] = int(lower), int(upper)
                decided |= {option} if decides else set()
            options = sorted(option for option in found if option.startswith("mat_"))
            library |= {option for option in found if option.startswith("spmv_")}
            self.assertGreater(len(options), 2, name)
            if name in FORMATS + ["spmv"]:
                self.assertGreater(len(ranges), 1, name)
            cases = [(option, text) for option in options for text in [*nonsense, ""]]
            cases += [(option, str(beyond)) for option, (lower, upper) in ranges.items() for beyond in (lower - 1, upper + 1)
                      if beyond != -1 or option not in decided]  # -1 is PETSC_DECIDE
            bounds = [(option, str(bound)) for option in ranges for bound in ranges[option]]
            cases += bounds
            code, out = run([program, name, *itertools.chain(*cases)], f"-dll_append {LIBRARY}")
            self.assertEqual(code, 0, out)
            results = re.findall(r"^-- ((?:.|\n)*?)(failed|went well)$", out, re.M)
            self.assertEqual(len(results), len(cases), out)
            for (option, text), (errors, result) in zip(cases, results):
                allowed = "must be {} to {}".format(*ranges[option]) if option in ranges else ""
                with self.subTest(option=option, text=text):
                    if not text or (option, text) in bounds:
                        self.assertEqual(result, "went well", errors)
                    else:
                        self.assertTrue(result == "failed" and option in errors and allowed in errors, errors + result)
        self.assertGreaterEqual(library, {"spmv_audit", "spmv_launch_work", "spmv_num_threads", "spmv_prefetch", "spmv_simd",
                                          "spmv_view"})
        for option in library:  # read when the library is loaded
            for text in nonsense:
                with self.subTest(option=option, text=text):
                    self.fails(MINIMAL, f"{CSR5} -{option} {text}", rf"ERROR: .*-?{option}\b")

    def test_bounds_of_library_options(self):
        """As above, of the options that are read when the library is loaded; -spmv_simd has no default that could be named."""
        most = int(re.search(r"must be 0 to (\d+)\n", run(MINIMAL, f"{CSR5} -spmv_launch_work -1")[1])[1])
        self.assertIn(most, (2**31 - 1, 2**63 - 1))  # of PetscInt
        for option, texts, beyond, allowed in [("num_threads", (0, 1), (-1, 513, most), "0 to 512"),
                                               ("launch_work", (0, 1, most), (-1, most + 1), f"0 to {most}")]:
            for text in texts:
                self.assertEqual(run(MINIMAL, f"{CSR5} -spmv_{option} {text}")[0], 0, f"{option} {text}")
            for text in beyond:
                self.fails(MINIMAL, f"{CSR5} -spmv_{option} {text}", rf"ERROR: -spmv_{option} is {text}, must be {allowed}\n")
        for value in [], [""]:  # none, and an empty one
            for option in "audit", "launch_work", "num_threads", "prefetch", "view":
                with self.subTest(option=option, value=value):
                    code, out = run([MINIMAL, f"-spmv_{option}", *value], f"{CSR5} -spmv_view :{WORK.name}/view:ascii_info_detail")
                    self.assertEqual(code, 0, out)
                    if option == "view":  # the command line counts
                        self.assertRegex(out, r"PetscSpMV \S+: processes: 1, threads of each: 1\n")
                        continue
                    with open(f"{WORK.name}/view") as file:
                        self.assertRegex(file.read(), r"; prefetch auto\n")
            self.fails([MINIMAL, "-spmv_simd", *value], CSR5, "ERROR: -spmv_simd is empty, which is not one of the library's")

    def test_prefix(self):
        """An error names the option with the matrix's prefix."""
        program = compile_c("""
            #include <petscmat.h>
            int main(int argc, char **argv) {
              Mat A;
              PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
              PetscCall(MatCreate(PETSC_COMM_SELF, &A)); PetscCall(MatSetSizes(A, 3, 3, 3, 3));
              PetscCall(MatSetOptionsPrefix(A, "inner_"));
              PetscCall(MatSetFromOptions(A)); PetscCall(MatSetUp(A)); PetscCall(MatDestroy(&A));
              return PetscFinalize();
            }""")
        for option in "csr5_sigma 0", "csr5_sigma x", "csr5_offsets x", "csr5_eager x", "spmv_regret 2":
            kind = option.partition("_")[0]
            self.fails(program, f"-dll_append {LIBRARY} -inner_mat_type {kind} -inner_mat_{option}",
                       rf" -inner_mat_{option.split()[0]} is {option.split()[1]}\.?, must be ")

    def test_redirected_conversion(self):
        program = compile_c("""
            #include <petscmat.h>
            int main(int argc, char **argv) {
              Mat A; MatType type;
              PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
              PetscCall(MatCreate(PETSC_COMM_SELF, &A));
              PetscCall(MatSetSizes(A, 9, 9, 9, 9));
              PetscCall(MatSetType(A, argv[1]));
              PetscCall(MatSetUp(A));
              PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY)); PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
              PetscCall(MatConvert(A, MATAIJ, MAT_INPLACE_MATRIX, &A));
              PetscCall(MatGetType(A, &type));
              PetscCall(PetscPrintf(PETSC_COMM_SELF, "now %s\\n", type));
              PetscCall(MatDestroy(&A));
              return PetscFinalize();
            }""")
        redirected = f"-dll_append {LIBRARY} -matconvert_type csr5"
        self.fails(f"{program} seqbaij", redirected, "-matconvert_type redirects")  # no endless loop
        for name in TYPES:
            code, out = run(f"{program} {name}", redirected)
            self.assertEqual((code, out), (0, "now seqaijcsr5\n"))

    def test_matrices_larger_than_memory(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/large.mtx", "w") as f:
                f.write("%%MatrixMarket matrix coordinate real general\n200000000 200000000 1\n1 1 1\n")
            limited = ["bash", "-c", 'ulimit -v 3000000; exec "$@"', "bash"]
            # 2.9 GiB, of which libraries have mapped some.
            self.fails([*limited, SOLVE, "-f", f"{folder}/large.mtx"], "", r"the machines and their limits allow 2\.[0-7] GiB")
        # Where the limit does not stop it at once, memory runs out anywhere. Open MPI may crash by itself before PETSc starts.
        for kilobytes in range(250000, 700000, 60000):
            with self.subTest(kilobytes=kilobytes):
                _, out = run(["bash", "-c", f'ulimit -v {kilobytes}; exec "$@"', "bash", SOLVE, "-n", "60", "-rounds", "1"], "")
                self.assertNotRegex(out, "terminate called|Caught signal")

    def test_files(self):
        head = "%%MatrixMarket matrix coordinate real general\n"
        files = {"empty.mtx": (b"", "line 1: the file is empty"), "text.mtx": (b"no matrix\n", "line 1"),
                 "short.mtx": (head.encode() + b"2 2 2\n1 1 1\n", "line 4: the file ends after 1 of 2"),
                 "range.mtx": (head.encode() + b"2 2 1\n1 5 1\n", "line 3: column 5"),
                 "value.mtx": (head.encode() + b"2 2 1\n1 1 abc\n", "line 3: the value"),
                 "cut.mtx.gz": (gzip.compress((head + "2 2 1\n1 1 1\n" * 50).encode())[:-9], "ends too early|line"),
                 "wide.mtx": (head.encode() + b"2 3 1\n1 1 1\n", "needs a square matrix"),
                 "cut.bin": (bytes.fromhex("00127b50000000050000000500000009"), "(?i)read past end of file|error"),
                 **{f"column{column}.bin": (binary_matrix([0, 1, column]), f"a column is {column}, must be 0 to 2")
                    for column in (-1, 3, 2**31 - 1)}}
        with tempfile.TemporaryDirectory() as folder:
            for name, (content, pattern) in files.items():
                with open(f"{folder}/{name}", "wb") as f:
                    f.write(content)
                for ranks in 1, 2:
                    with self.subTest(name=name, ranks=ranks):
                        self.fails(f"{SOLVE} -f {folder}/{name} -rounds 1", "", pattern,
                                   *([f"{name}"] if name != "wide.mtx" and name != "cut.bin" else []), ranks=ranks)
            self.fails(f"{SOLVE} -f {folder}/none.mtx", "", "none.mtx: cannot be opened")
            self.fails(f"{SOLVE} {folder}/none.mtx", "", "A matrix is given by -f .*none.mtx")


class OtherBuilds(unittest.TestCase):
    """The library must stop in a PETSc that it was not built for."""

    def test_other_petsc(self):
        """Debian's builds of PETSc, as far as they are installed. A library for debugging, or for no MPI, lacks a symbol in
        others."""
        others = 0
        for folder in sorted(glob.glob("/usr/lib/petscdir/petsc*/*-linux-gnu-*")):
            def ask(*words):
                environment = dict(os.environ, PKG_CONFIG_PATH=f"{folder}/lib/pkgconfig")
                return subprocess.run(["pkg-config", *words, "petsc"], env=environment, stdout=subprocess.PIPE,
                                      text=True).stdout.split()

            flags = ask("--cflags", "--libs")
            if not flags or f"-I{folder}/include" in os.environ["PETSC_FLAGS"].split():
                continue
            with self.subTest(petsc=folder):
                program = compile_c(open(f"{SOURCE}/examples/minimal.c").read(), flags, ask("--variable=ccompiler")[0])
                code, out = run(program, CSR5)
                self.assertNotEqual(code, 0)
                self.assertRegex(out, "PetscSpMV was built for (a )?PETSc |undefined symbol: (petscstack|MPIUNI_TMP)")
                self.assertNotIn("SEGV", out)
                self.assertGreater(code, 0)  # no signal
            others += 1
        if not others:
            self.skipTest("no other PETSc is installed")

    def test_other_version(self):
        shim = compile_c("""
            #include <petscsys.h>
            PetscErrorCode PetscGetVersionNumber(PetscInt *major, PetscInt *minor, PetscInt *subminor, PetscInt *release) {
              *major = 3; *minor = 99; *subminor = 0; *release = 1; return 0;
            }""", os.environ["PETSC_FLAGS"].split() + ["-shared", "-fPIC"])
        code, out = run(MINIMAL, CSR5, LD_PRELOAD=shim)
        self.assertNotEqual(code, 0)
        self.assertIn("this program's PETSc is 3.99", out)


if __name__ == "__main__":
    main()
