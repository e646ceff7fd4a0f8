#!/usr/bin/env python3
"""What the library reports to users: -spmv_view, and names of types, as they are guessed and misspelled."""
import os
import re
import sys
import unittest

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "support"))
from programs import DETAIL, FORMATS, LIBRARY, MINIMAL, TYPES, WORK, View, compile_c, main, of_type, run  # noqa: E402

# Multiplies as often as its options say, with a band matrix of nine entries a row.
MULTIPLY = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <petscmat.h>
    int main(int argc, char **argv) {
      Mat A, B, C; Vec x, y, z;
      PetscInt n = 5000, mult = 0, add = 0, transpose = 0, dense = 0, begin, end; PetscBool self = PETSC_FALSE;
      long (*clock_reads)(void) = (long (*)(void))dlsym(RTLD_DEFAULT, "clock_reads"), before = 0;
      PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
      PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
      PetscCall(PetscOptionsGetInt(NULL, NULL, "-mult", &mult, NULL));
      PetscCall(PetscOptionsGetInt(NULL, NULL, "-add", &add, NULL));
      PetscCall(PetscOptionsGetInt(NULL, NULL, "-transpose", &transpose, NULL));
      PetscCall(PetscOptionsGetInt(NULL, NULL, "-dense", &dense, NULL));
      PetscCall(PetscOptionsGetBool(NULL, NULL, "-self", &self, NULL));
      PetscCall(MatCreate(self ? PETSC_COMM_SELF : PETSC_COMM_WORLD, &A));
      PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n, n));
      PetscCall(MatSetFromOptions(A));
      PetscCall(MatSetUp(A));
      PetscCall(MatGetOwnershipRange(A, &begin, &end));
      for (PetscInt i = begin; i < end; i++)
        for (PetscInt k = i - 4; k <= i + 4; k++)
          if (k >= 0 && k < n) PetscCall(MatSetValue(A, i, k, 1. / (2 + i % 7), INSERT_VALUES));
      PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
      PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
      PetscCall(MatCreateVecs(A, &x, &y));
      PetscCall(VecDuplicate(y, &z));
      PetscCall(VecSet(x, 1.0));
      for (PetscInt k = 0; k < mult; k++) {
        PetscCall(MatMult(A, x, y));
        if (k == 0 && clock_reads) before = clock_reads();
      }
      if (clock_reads) printf("clock reads %ld\\n", clock_reads() - before);
      while (add-- > 0) PetscCall(MatMultAdd(A, x, x, z));
      while (transpose-- > 0) PetscCall(MatMultTranspose(A, x, y));
      if (dense > 0) {
        PetscCall(MatCreateDense(PetscObjectComm((PetscObject)A), end - begin, PETSC_DECIDE, n, 5, NULL, &B));
        PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
        PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
        PetscCall(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
        while (--dense > 0) PetscCall(MatMatMult(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
        PetscCall(MatDestroy(&B)); PetscCall(MatDestroy(&C));
      }
      PetscCall(MatDestroy(&A)); PetscCall(VecDestroy(&x)); PetscCall(VecDestroy(&y)); PetscCall(VecDestroy(&z));
      return PetscFinalize();
    }"""

# Counts what reads the clock; programs that have it loaded before show what products after the first one did.
CLOCK = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <stdio.h>
    #include <time.h>
    static long reads;
    int clock_gettime(clockid_t id, struct timespec *t) {
      static int (*real)(clockid_t, struct timespec *);
      if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
      __atomic_add_fetch(&reads, 1, __ATOMIC_RELAXED);
      return real(id, t);
    }
    long clock_reads(void) { return reads; }"""

CONVERT = """
    #include <petscmat.h>
    int main(int argc, char **argv) {
      Mat A, B; MatType type; PetscMPIInt size; char name[64];
      PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
      PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
      PetscCall(PetscOptionsGetString(NULL, NULL, "-to", name, sizeof(name), NULL));
      PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, 4, 4, PETSC_DECIDE, PETSC_DECIDE, 1, NULL, 0, NULL, &A));
      PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY)); PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
      PetscCall(MatShift(A, 1.0));
      PetscCall(MatConvert(A, name, MAT_INITIAL_MATRIX, &B));
      PetscCall(MatSetType(A, name));
      for (int k = 0; k < 2; k++) {
        PetscCall(MatGetType(k ? B : A, &type));
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, assembled %d\\n", type, (int)(k ? B : A)->assembled));
      }
      PetscCall(MatDestroy(&A)); PetscCall(MatDestroy(&B));
      return PetscFinalize();
    }""".replace("<petscmat.h>", "<petsc/private/matimpl.h>")


TECHNICAL = "target|choosing|gathers|loads|prefetch|layout"  # words that are for who asks for details


def catch_all(seq):
    return f"-dll_append {LIBRARY} -mat_seqaij_type {seq}"


def real_name(name):
    """As csr5 is seqaijcsr5, without the seq."""
    return re.search(r"Mat type seq(\w+)", run(MINIMAL, of_type(name))[1])[1]


class Program(unittest.TestCase):
    def succeeds(self, command, options, ranks=1, **more):
        code, out = run(command, options, ranks=ranks, **more)
        self.assertEqual(code, 0, out)
        return out


class Viewed(Program):
    @classmethod
    def setUpClass(cls):
        cls.program = compile_c(MULTIPLY)

    def view(self, options, ranks=1, **more):
        return View(self.succeeds(self.program, f"{options} {DETAIL}", ranks, **more))

    def test_products_of_whole_matrices(self):
        """By each type, and in blocks of a matrix that has PETSc's own: a parallel product counts once."""
        done = "-mult 12 -add 5 -transpose 3"
        for name in FORMATS:
            for ranks in 1, 2:
                for options in of_type(name), catch_all(name):
                    with self.subTest(options=options, ranks=ranks):
                        view = self.view(f"{options} {done}", ranks)
                        self.assertEqual({key: row[0] for key, row in view.rows.items()}, {name: 20})
                        self.assertEqual(len(view.rows[name]), 2)  # what AIJ takes is not known
                        self.assertGreater(view.rows[name][1], 0)
                        blocks = 0 if ranks == 1 else ranks  # off-diagonal, each with an addition for each product but A^T
                        by_layout = ranks * 17 + blocks * 17
                        by_aij = 3 * (ranks + blocks)
                        counts = {"mult": ranks * 12, "multadd": ranks * 5 + blocks * 17, name: by_layout,
                                  "build": ranks + blocks, "aij": by_aij}
                        if counts != view.counts:  # formats may have kernels of their own for A^T
                            self.assertEqual(counts | {"multT": by_aij, name: by_layout + by_aij} | {"aij": 0},
                                             view.counts | {"aij": 0})

    def test_parallel_type_on_one_process(self):
        view = self.view(of_type(f"mpi{real_name(FORMATS[0])}") + " -mult 7 -add 2")
        self.assertEqual(view.rows[FORMATS[0]][0], 9)

    def test_sequential_matrices_of_processes(self):
        """Each process multiplies with one of its own."""
        self.assertEqual(self.view(of_type(FORMATS[0]) + " -self -mult 7", 2).rows[FORMATS[0]][0], 14)

    def test_dense(self):
        for ranks in 1, 2:
            self.assertIn("PetscSpMV products with dense matrices: 3", self.view(of_type("csr5") + " -dense 3", ranks).lines)

    def test_gain(self):
        """Of spmv alone, and only where all is measured; its products by AIJ are known to take what AIJ takes."""
        for ranks in 1, 2:
            for options, shown in (("-mat_spmv_regret 1 -n 20000 -mult 400", True), ("-mat_spmv_choose csr5 -mult 40", False),
                                   ("-mat_spmv_choose aij -mult 40", True)):
                with self.subTest(options=options, ranks=ranks):
                    view = self.view(f"{of_type('spmv')} {options}", ranks)
                    self.assertTrue(any(re.search("overhead +with aij +speed-up", line) for line in view.lines), view.lines)
                    products, seconds, *against = view.rows["spmv"]
                    self.assertEqual((products, len(against)), (int(options.split()[-1]), 3 * shown))
                    self.assertGreater(seconds, 0)
                    if shown:
                        overhead, aij, gain = against
                        self.assertAlmostEqual(gain, aij / (seconds + overhead), delta=0.01)
                    if options.startswith("-mat_spmv_choose aij"):
                        self.assertEqual((overhead, aij, gain), (0, seconds, 1))
        self.assertNotIn("overhead", "".join(self.view(of_type("csr5") + " -mult 1").lines))

    def test_table(self):
        """A value ends where the name of its column does."""
        out = self.succeeds(self.program, f"{of_type('spmv')} -mult 10 -spmv_view", 2)
        head = next(line for line in View(out).lines if " type " in line)
        row = next(line for line in View(out).lines if " spmv " in line and ":" not in line)
        self.assertIn("(mean of 2 processes, without communication)", head)
        for column in "type", "products", "seconds", "overhead", "with aij", "speed-up":
            end = head.index(column) + len(column)
            self.assertRegex(row[:end], r"\S$")
            self.assertRegex(row[end:], r"^( |$)")
        self.assertEqual(len(out.splitlines()), len(View(out).lines))  # nothing without the prefix

    def test_layouts(self):
        view = self.view(of_type("csr5") + " -mult 1")
        line = next(line for line in view.lines if "layouts" in line)
        self.assertRegex(line, r"^PetscSpMV layouts: build 1; seconds [\d.e-]+$")
        self.assertGreater(float(line.split()[-1]), 0)

    def test_nothing_multiplied(self):
        """Why, and what to try unless that was tried."""
        hint = r"; try -mat_seqaij_type seqaijspmv, .* AIJ .*-PREFIX_mat_seqaij_type\)$"
        for ranks in 1, 2:
            for options, pattern in ((of_type("aij") + " -mult 3", "no matrix had one of its types" + hint),
                                     (f"{catch_all('csr5')} -mat_type baij -mult 3",
                                      "no matrix had one of its types; none is AIJ .*, or -mat_seqaij_type has the wrong prefix"),
                                     (of_type("csr5"), r"matrices had its types \(csr5\), but no products .*MUMPS.*" + hint),
                                     (catch_all("csr5"), r"matrices had its types \(csr5\), but no products .*shows it\)$")):
                with self.subTest(options=options, ranks=ranks):
                    lines = self.view(options, ranks).lines
                    self.assertEqual(len(lines), 1, lines)
                    self.assertRegex(lines[0], r"^PetscSpMV \d+\.\d+\.\d+\S*: " + pattern)
        self.assertEqual(self.succeeds(self.program, of_type("aij")), "")

    def most_by_aij(self, options, ranks):
        line = self.view(f"{of_type('spmv')} {options}", ranks).lines[3]
        self.assertNotRegex(line, TECHNICAL)
        return line

    def test_why_nothing_was_gained(self):
        for options, why in (("-n 300 -mult 40", "so small"), ("-n 20000 -mult 2", "too few"),
                             ("-n 20000 -mult 40 -mat_spmv_choose aij", "aij was asked for"),
                             ("-n 20000 -transpose 40 -mat_spmv_transpose aij", "aij was asked for"),
                             ("-n 20000 -mult 2 -mat_spmv_choose structure", "too few")):
            for ranks in 1, 2:
                with self.subTest(options=options, ranks=ranks):
                    for _ in range(5):
                        said = self.most_by_aij(options, ranks)
                        if why in said or "so small" not in said:
                            break  # or else the machine paused in a product of a small block, which then took most of the time
                    self.assertRegex(said, rf"^PetscSpMV: aij did most products \(100 % of their time\): .*{why}")

    def test_sweeps(self):
        """What did relaxations and solves with factors, what they took, and why AIJ did them, is shown without details, too."""
        for pc, row in ("sor", "sor"), ("ilu", "solve"):
            for sweeps, why in ("layout", ""), ("plain", ""), ("auto", "they were too few"), ("aij", "aij was asked for"):
                if (pc, sweeps) == ("ilu", "aij"):
                    continue  # the factor is PETSc's own
                with self.subTest(pc=pc, sweeps=sweeps):
                    options = f"{of_type('csr5')} -ksp_type gmres -ksp_max_it 3 -pc_type {pc} -mat_csr5_sweeps {sweeps} -spmv_view"
                    view = View(self.succeeds(MINIMAL, options))
                    by_layouts, plain, by_aij, seconds, *against = view.sweeps[row]
                    self.assertEqual((by_layouts > 0, plain > 0, by_aij > 0), (sweeps == "layout", sweeps == "plain", bool(why)))
                    self.assertEqual(len(against), 3 if why else 0)
                    self.assertGreater(seconds, 0)
                    said = [line for line in view.lines if "most sweeps" in line]
                    self.assertEqual(len(said), bool(why), view.lines)
                    self.assertRegex("".join(said), rf"\(100 % of their time\): {why}" if why else "^$")

    def test_sum(self):
        """What was gained and spent, of products and sweeps together, is in one line if it is known."""
        line = (r"(?m)^PetscSpMV: gained ([\d.e-]+) s and spent ([\d.e-]+) s in ([\d.e-]+) s of processor time"
                r"(?:; not compared with aij: [\d.e-]+ s)?$")
        grid = f"{of_type('spmv')} -mat_spmv_regret 1 -n 20000 -mult 400 -spmv_view"
        for ranks in 1, 2:
            out = self.succeeds(self.program, grid, ranks)
            self.assertRegex(out, line)
            gained, spent, program = map(float, re.search(line, out).groups())
            _, seconds, overhead, aij, _ = View(out).rows["spmv"]
            self.assertAlmostEqual(gained, aij - seconds, delta=1e-3 * aij)
            self.assertEqual(spent, overhead)
            self.assertGreater(program, 0)
        self.assertNotRegex(self.succeeds(self.program, f"{of_type('csr5')} -mult 400 -spmv_view"), line)

    def test_plain_words(self):
        """What everybody sees is three lines and one for each type; the rest is for those who ask."""
        for name in TYPES:
            choice = "-mat_spmv_choose csr5" if name == "spmv" else ""
            out = self.succeeds(self.program, f"{of_type(name)} -n 20000 -mult 200 {choice} -spmv_view")
            self.assertEqual(len(out.splitlines()), 4, out)
            self.assertNotRegex(out, TECHNICAL)

    def test_on_a_viewer(self):
        path = f"{WORK.name}/viewed"
        for viewer in "", "::ascii_info_detail", "::":
            out = self.succeeds(self.program, f"{of_type('csr5')} -mult 5 -spmv_view {viewer} -malloc_dump")
            self.assertNotRegex(out, r"(?m)^\[ ?\d+\] *\d+ bytes")
        self.assertEqual(self.succeeds(self.program, f"{of_type('csr5')} -mult 5 -spmv_view :{path}", 2), "")
        with open(path) as file:
            self.assertEqual(View(file.read()).rows["csr5"][0], 5)
        self.assertEqual(self.succeeds(self.program, f"{of_type('csr5')} -mult 5 -spmv_view false"), "")
        for wrong in "x", f"binary:{path}":
            code, out = run(self.program, f"{of_type('csr5')} -spmv_view {wrong}")
            self.assertNotEqual(code, 0)
            self.assertRegex(out, f"-spmv_view is {wrong}, must be true or false, or an ascii viewer such as ::ascii_info_detail")

    def test_transposes_by_aij_are_products(self):
        """The first 32 by a format without kernels for A^T are AIJ's."""
        view = self.view(of_type("csr5") + " -transpose 40")
        self.assertEqual(view.rows["csr5"][0], 40)
        self.assertEqual((view.counts["multT"], view.counts["csr5"], view.counts["aij"]), (8, 8, 32))

    def test_reads_no_clock_unasked(self):
        shim = compile_c(CLOCK, ["-shared", "-fPIC", "-ldl"])

        def reads(options):
            return int(re.search(r"clock reads (\d+)", self.succeeds(self.program, options, LD_PRELOAD=shim))[1])

        aij, unasked, asked = (reads(options + " -n 50 -mult 1001")
                               for options in (of_type("aij"), of_type("csr5"), of_type("csr5") + " -spmv_view"))
        self.assertLess(unasked, aij + 500)  # newer versions of PETSc read it themselves
        self.assertGreater(asked, unasked + 1500)


class Names(Program):
    def test_guessed(self):
        """The short name behind PETSc's prefixes, where the real name is another (sellcs: seqaijscs), and short names for
        blocks."""
        convert = compile_c(CONVERT)
        for name in TYPES:
            real = real_name(name)
            for ranks, prefix in (1, "seq"), (2, "mpi"):
                for guess in f"aij{name}", f"{prefix}aij{name}":
                    with self.subTest(guess=guess, ranks=ranks):
                        self.assertIn(f"Mat type {prefix}{real}:", self.succeeds(MINIMAL, of_type(guess), ranks))
                        self.assertRegex(self.succeeds(MINIMAL, of_type(guess) + " -mat_view ::ascii_info", ranks),
                                         rf"type: {prefix}{real}\n")
                        out = self.succeeds(convert, f"-dll_append {LIBRARY} -to {guess}", ranks)
                        self.assertEqual(out, f"{prefix}{real}, assembled 1\n" * 2)
            for guess in f"seqaij{name}", name:
                self.assertIn(f"Mat type seq{real}:", self.succeeds(MINIMAL, catch_all(guess)))
                self.assertEqual(list(View(self.succeeds(MINIMAL, catch_all(guess) + " -spmv_view", 2)).rows), [name])

    def test_petscs_own_sell(self):
        for name, real in ("seqaijsell", "seqaijsell"), ("aijsell", "seqaijsell"), ("sell", "seqsell"):
            self.assertIn(f"Mat type {real}:", self.succeeds(MINIMAL, of_type(name)))

    def test_misspelled(self):
        for wrong, meant in (("scr5", "csr5"), ("csr5_", "csr5"), ("CSR5", "csr5"), ("sell-c-sigma", "sellcs"),
                             ("seqaijsellc", "seqaijscs"), ("speculativ", "speculative"), ("aijipscr", "ipcsr"), ("smpv", "spmv")):
            for option in "mat_type", "mat_seqaij_type":
                with self.subTest(wrong=wrong, option=option):
                    code, out = run(MINIMAL, f"-dll_append {LIBRARY} -{option} {wrong}")
                    self.assertNotEqual(code, 0)
                    self.assertRegex(out, rf"Unknown Mat type given: {wrong} \({meant}\?\). "
                                     rf"The types of PetscSpMV are {', '.join(TYPES)}\n")
        self.assertRegex(run(MINIMAL, f"{of_type('scr5')} -inner_dm_mat_type sellsc", ranks=2)[1],
                         r"given: (scr5 \(csr5\?\), sellsc \(sellcs\?\)|sellsc \(sellcs\?\), scr5 \(csr5\?\))\.")

    def test_not_ours(self):
        """PETSc's own error for what is not close; none for a type that no matrix asks for."""
        for other in "bogus", "sor", "aijcrl2", "", "x" * 100:
            code, out = run(MINIMAL, of_type(other))
            self.assertIn(f"Unknown Mat type given: {other}\n", out)
            self.assertNotEqual(code, 0)
        self.assertEqual(self.succeeds(MINIMAL, f"{of_type('csr5')} -inner_mat_type scr5 -options_left no"),
                         self.succeeds(MINIMAL, of_type("csr5")))


if __name__ == "__main__":
    main()
