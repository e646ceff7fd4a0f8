#!/usr/bin/env python3
"""spmvbench, report.py and their answers to wrong arguments. Environment: see support/programs.py."""
import glob
import json
import math
import os
import re
import statistics
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, f"{os.environ['SOURCE']}/tests/support")
from programs import BUILD, FORMATS, MPIEXEC, SOURCE, TYPES, WORK, compile_c, main, run  # noqa: E402: after the path

SPMVBENCH = f"{BUILD}/benchmarks/spmvbench"
QUICK = "--builds 2 --rounds 3 --seconds 0.001"


# Plain loops under MKL's names. Values are copied, so that changes have to be reported; there must be one thread.
FAKE_MKL = """
#include <petscsys.h>
#include <stdlib.h>
#include <string.h>
#if defined(PETSC_USE_COMPLEX)
  #define SPARSE(name) mkl_sparse_z_##name
#else
  #define SPARSE(name) mkl_sparse_d_##name
#endif
typedef struct { PetscInt rows, cols, *begin, *end, *columns; PetscScalar *values; } Matrix;
typedef struct { int type, fill, diagonal; } Description;
static int threading, interface;
int MKL_Set_Interface_Layer(int layer) { return interface = layer; }
int MKL_Set_Threading_Layer(int layer) { return threading = layer; }
void MKL_Get_Version_String(char *text, int size) { strncpy(text, "a fake   ", size); }
int SPARSE(update_values)(Matrix *A, PetscInt n, PetscInt *rows, PetscInt *columns, PetscScalar *values)
{
  memcpy(A->values, values, n * sizeof(PetscScalar));
  return 0;
}
int SPARSE(create_csr)(Matrix **A, int base, PetscInt rows, PetscInt cols, PetscInt *begin, PetscInt *end, PetscInt *columns,
                       PetscScalar *values)
{
  Matrix made = {rows, cols, begin, end, columns, malloc(end[rows - 1] * sizeof(PetscScalar))};
  *A = memcpy(malloc(sizeof(made)), &made, sizeof(made));
  return SPARSE(update_values)(*A, end[rows - 1], 0, 0, values);
}
int SPARSE(mv)(int operation, PetscScalar alpha, Matrix *A, Description what, PetscScalar *x, PetscScalar beta, PetscScalar *y)
{
  PetscInt i, k;
  if (threading != 1 || interface != (sizeof(PetscInt) == 8) || what.type != 20) return 3;
  for (i = 0; i < (operation == 10 ? A->rows : A->cols); i++) y[i] = beta == 0.0 ? 0 : beta * y[i];
  for (i = 0; i < A->rows; i++) {
    for (k = A->begin[i]; k < A->end[i]; k++) {
      if (operation == 10) y[i] += alpha * A->values[k] * x[A->columns[k]];
      else y[A->columns[k]] += alpha * A->values[k] * x[i];
    }
  }
  return 0;
}
int SPARSE(mm)(int operation, PetscScalar alpha, Matrix *A, Description what, int layout, PetscScalar *x, PetscInt columns,
               PetscInt ldx, PetscScalar beta, PetscScalar *y, PetscInt ldy)
{
  PetscInt k;
  if (layout != 102) return 3;
  for (k = 0; k < columns; k++) {
    if (SPARSE(mv)(operation, alpha, A, what, x + k * ldx, beta, y + k * ldy)) return 3;
  }
  return 0;
}
int mkl_sparse_set_mm_hint(Matrix *A, int operation, Description what, int layout, PetscInt columns, PetscInt n) { return 6; }
int mkl_sparse_set_mv_hint(Matrix *A, int operation, Description what, PetscInt n) { return 6; }
int mkl_sparse_optimize(Matrix *A) { return 0; }
int mkl_sparse_destroy(Matrix *A)
{
  free(A->values);
  free(A);
  return 0;
}
"""


def read(path):
    with open(path) as f:
        return f.read()


def measure(arguments, ranks=1, quick=QUICK, **environment):
    """What a run wrote, and what it printed."""
    path = f"{WORK.name}/run-{ranks}.json"
    code, text = run(f"{SPMVBENCH} {quick} --json {path} {arguments}", ranks=ranks, timeout=300, **environment)
    if code:
        raise AssertionError(f"exit code {code}: {text}")
    with open(path) as f:
        return json.load(f), text


def mapped(arguments, ranks):
    """Kilobytes that a process of such a run maps at most."""
    folder = tempfile.mkdtemp(dir=WORK.name)
    # A process that has ended has no VmPeak.
    watch = '"$@" & while grep VmPeak /proc/$!/status >>"$0/$$"; do sleep 0.01; done; wait $!'
    code, text = run(["bash", "-c", watch, folder, SPMVBENCH, *arguments.split()], ranks=ranks)
    if code:
        raise AssertionError(f"exit code {code}: {text}")
    return max(int(peak) for name in os.listdir(folder) for peak in re.findall(r"\d+", read(f"{folder}/{name}")))


class SpMVBench(unittest.TestCase):
    def test_all_types_on_generated_matrices(self):
        names = ["stencil27:12", "dense-row:5000", "rmat:9,8", "twin:epidemiology"]
        runs = {ranks: measure(" ".join(names), ranks) for ranks in (1, 2)}
        for ranks, (result, text) in runs.items():
            self.assertEqual(result["run"]["processes"], ranks)
            self.assertRegex(result["run"]["machine"]["key"], "^[-A-Za-z0-9._]+$")
            self.assertRegex(result["run"]["date"], r"^\d{4}-\d\d-\d\d$")
            self.assertTrue(result["run"]["compiler"])
            self.assertEqual(result["run"]["commit"], "")
            self.assertEqual([m["name"] for m in result["matrices"]], names)
            for matrix in result["matrices"]:
                types = {entry["type"]: entry for entry in matrix["types"]}
                self.assertEqual(list(types), ["aij", "aijsell", "aijperm", *TYPES])
                for name in ["aij", *TYPES]:
                    entry = types[name]
                    self.assertLessEqual(entry["error"], 1, (matrix["name"], name))
                    self.assertLessEqual(entry["transpose_error"], 1, (matrix["name"], name))
                    self.assertGreater(entry["ns_per_nonzero"], 0)
                    self.assertEqual({what: len(entry["seconds"][what]) for what in entry["seconds"]}, {
                        "product": 6, "transpose": 6, "first": 2, "refresh": 4,
                        "fresh": 0 if name == "aij" else len(entry["seconds"]["fresh"]) if name == "spmv" else 2})
                    self.assertIn(f"  {name} ", text)
                self.assertEqual(types["aij"]["speedup"], {"median": 1, "lower": 1, "upper": 1})
                self.assertGreater(types["csr5"]["layout_bytes"], 8 * matrix["nonzeros"])
                self.assertEqual(len(matrix["copy"]), 4)
                for name in ["aij", *FORMATS]:  # speculative and ipcsr have layouts without values
                    has = {"fresh": name in FORMATS, "copy": name in ("csr5", "sellcs")}
                    self.assertEqual({what: types[name][what] > 0 for what in has}, has, (matrix["name"], name))
                self.assertEqual(types["aij"]["layout_bytes"], 0)
        sizes = [[(m["rows"], m["nonzeros"], m["row_min"], m["row_max"]) for m in result["matrices"]]
                 for result, _ in runs.values()]
        self.assertEqual(*sizes)  # processes do not change what is generated
        self.assertEqual(sizes[0][0], (12**3, 34**3, 8, 27))

    def test_totals(self):
        for ranks in 1, 2:
            result, text = measure("totals -t aij,spmv,csr5 --longest 0.01 stencil5:40", ranks=ranks)
            matrix = result["matrices"][0]
            self.assertEqual([entry["type"] for entry in matrix["types"]], ["aij", "spmv", "csr5"])
            for entry in matrix["types"]:
                self.assertLessEqual({"1", "10", "50"}, set(entry["seconds"]))
                for seconds in zip(*(entry["seconds"][n] for n in sorted(entry["seconds"], key=int))):
                    self.assertEqual(list(seconds), sorted(seconds))
            self.assertIn("fastest with each matrix", text)

    def test_chosen(self):
        once = "--builds 1 --rounds 1 --seconds 0"
        for choice, first, after, last in [("csr5", "csr5", 0, "csr5"), ("structure", None, 32, None), ("aij", "aij", 0, "aij")]:
            result, text = measure(f"chosen --longest 0 stencil5:40 -- -mat_spmv_choose {choice}", quick=once)
            matrix = result["matrices"][0]
            types = {entry["type"]: entry for entry in matrix["types"]}
            self.assertEqual(list(types), ["aij", *FORMATS])
            fastest = min(types, key=lambda name: statistics.median(types[name]["seconds"]))
            self.assertEqual(matrix["products"], 50)
            found, = matrix["rounds"]
            seconds = found.pop("last_seconds")
            self.assertEqual(found, {"first": first or found["last"], "after": after, "last": last or found["first"]})
            self.assertIn(found["first"], ["aij"] if choice == "aij" else FORMATS)
            of_best = statistics.median(types[fastest]["seconds"]) / seconds
            self.assertRegex(text, rf"after 50: {found['last']} in 1 of 1 rounds, {of_best:.2f} of the best, ")
            self.assertRegex(text, r"first +[.\d]+ \([.\d]+\) of the best")
        result, _ = measure("chosen --longest 0 stencil5:5", quick=once)  # fewer nonzeros than are looked at
        found, = result["matrices"][0]["rounds"]
        self.assertGreater(found.pop("last_seconds"), 0)
        self.assertEqual(found, {"first": "aij", "after": 0, "last": "aij"})

    def test_solves(self):
        names = ["stencil5:12=diffusion", "mg:9", "bratu:5", "heat:5"]
        independent = []  # iterations of what does not depend on the number of processes
        of_systems = {"cg+jacobi", "cg+icc", "cg+gamg-sor", "cg+mg-jacobi", "gmres+ilu"}
        for processes, rounds, solvers in (1, 1, ""), (2, 2, f"--solvers {','.join(of_systems)}"):
            arguments = f"solves -t aij,spmv --processes {processes} --mpiexec {MPIEXEC} --steps 2 {solvers} {' '.join(names)}"
            result, text = measure(arguments, quick=f"--rounds {rounds}")
            self.assertEqual((result["run"]["processes"], result["run"]["steps"]), (processes, 2))
            self.assertEqual(list(dict.fromkeys(m["name"] for m in result["matrices"])), names)
            for matrix in result["matrices"]:
                first, *_ = entries = matrix["types"]
                self.assertEqual([entry["type"] for entry in entries], ["aij", "aij again", "spmv"])
                self.assertGreater(first["iterations"], 1, matrix)
                for entry in entries:
                    seconds = entry["seconds"]
                    self.assertEqual({part: len(of) for part, of in seconds.items()}, {"whole": rounds, "solve": rounds})
                    for whole, solve in zip(seconds["whole"], seconds["solve"]):
                        self.assertGreater(whole, solve)
                        self.assertGreater(solve, 0)
                    self.assertAlmostEqual(entry["iterations"], first["iterations"], delta=2)
            independent.append([m["types"][0]["iterations"] for m in result["matrices"] if m["solver"] == "cg+jacobi"])
            self.assertLessEqual(of_systems, {m["solver"] for m in result["matrices"]})
            self.assertRegex(text, r"\n\d+ whole runs: time with aij .*\n  aij again +whole run [\d.]+ \([\d.]+\), KSPSolve ")

        self.assertEqual(len(independent[0]), 2)
        for one, two in zip(*independent):
            self.assertAlmostEqual(one, two, delta=2)

    def test_solves_as_programs_are_run(self):
        view = "solves --solvers cg+jacobi -t aij,spmv,csr5 --rounds 1 stencil5:20=diffusion -- -ksp_view"
        _, text = run(f"{SPMVBENCH} {view}")
        self.assertEqual(re.findall(r"(?m)^    type: (seqaij\w*)$", text), ["seqaij"] * 3 + ["seqaijspmv", "seqaijcsr5"])
        _, text = run(f"{SPMVBENCH} solves --solvers cg+jacobi -t aij,csr5 --rounds 1 stencil5:20=diffusion -- -spmv_view")
        self.assertEqual(len(re.findall(r"(?m)^PetscSpMV +csr5 ", text)), 1)

    def test_solves_that_are_short(self):
        result, _ = measure("solves --solvers cg+jacobi -t aij,spmv stencil5:9=diffusion", quick="")
        [matrix] = result["matrices"]
        rounds = int(max(5, min(25, 0.5 / matrix["first"])))  # 25 unless the machine is slow
        self.assertEqual([len(entry["seconds"]["whole"]) for entry in matrix["types"]], [rounds] * 3)

    def test_solves_that_fail(self):
        with open(f"{WORK.name}/singular.mtx", "w") as f:
            f.write("%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 1\n2 1 1\n2 2 1\n")
        code, text = run(f"{SPMVBENCH} solves --rounds 1 {WORK.name}/singular.mtx")
        self.assertIn("does not converge", text)
        self.assertEqual(code, 1)
        code, text = run(f"{SPMVBENCH} solves --rounds 1 --processes 2 --mpiexec no-launcher --solvers cg+icc heat:5")
        self.assertEqual(code, 1)
        self.assertIn("no-launcher cannot be started", text)
        for task in "solves", "sweeps":
            code, text = run(f"{SPMVBENCH} {task} --rounds 1 rmat:5,3")
            self.assertEqual(code, 1)
            self.assertIn("nothing was measured: systems are square", text)
        code, text = run(f"{SPMVBENCH} solves --rounds 1 --longest 0 --solvers gmres+ilu stencil5:9=diffusion")
        self.assertRegex(text, r"gmres\+ilu +left out: takes 0\.0 s")

    def test_sweeps(self):
        for ranks in 1, 2:
            result, text = measure("sweeps stencil7:12=diffusion flow:5 dense-row:300=laplacian", ranks)
            kinds = [(m["name"], m["operation"]) for m in result["matrices"]]
            self.assertEqual(kinds[:5], [("stencil7:12=diffusion", "ILU(0)"), ("stencil7:12=diffusion", "ICC(0)"),
                                         ("stencil7:12=diffusion", "SOR"), ("flow:5", "ILU(0)"), ("flow:5", "SOR")])
            for matrix in result["matrices"]:
                entries = {entry["type"]: entry for entry in matrix["types"]}
                self.assertEqual(list(entries), ["aij", "aij again", "spmv", "spmv plain", "spmv layout", "spmv single"])
                for name, entry in entries.items():
                    self.assertEqual(len(entry["seconds"]), 3)
                    self.assertLessEqual(entry["error"], 1e-3 if name == "spmv single" else 1e-12)
                self.assertEqual({name for name in entries if "iterations" in entries[name]}, {"aij", "spmv", "spmv single"})
            layers = 12 if ranks == 1 else 6  # of which a process has so many
            self.assertAlmostEqual(result["matrices"][0]["side_by_side"], 12 * 12 * layers / (12 + 12 + layers - 2))
            self.assertRegex(text, r"(?m)^  spmv layout +[\d.]+ \([\d.]+\) of \d+ .* [\d.]+$")

    def test_first(self):
        names = ["stencil5:40", "dense-row:500"]
        result, text = measure(f"first -t aij,csr5,sellcs {' '.join(names)} -- -spmv_prefetch off")
        self.assertEqual([m["name"] for m in result["matrices"]], names)
        for matrix in result["matrices"]:
            self.assertEqual([entry["type"] for entry in matrix["types"]], ["aij", "csr5", "sellcs"])
            for entry in matrix["types"]:
                samples = entry["samples"]
                self.assertEqual({what: len(values) for what, values in samples.items()}, dict.fromkeys([
                    "product", "fresh", "fresh_faults", "used", "used_faults", "refresh", "start", "start_faults",
                    "fault", "targets", "transposed", "transposed_by_type"], 3))
                self.assertAlmostEqual(entry["fresh"], entry["start"] + entry["pages"] + entry["passes"])
                over = [a / b for a, b in zip(samples["fresh"], samples["product"])]
                self.assertAlmostEqual(entry["fresh"], statistics.median(over))
                self.assertGreater(min(samples["fault"]), 0)
                if entry["type"] != "aij":  # which has no layout
                    # Of three processes: the system may take pages from one in between, which then has them twice.
                    self.assertGreater(sum(samples["fresh_faults"]), sum(samples["used_faults"]))
                over = [a / b for a, b in zip(samples["transposed"], samples["product"])]
                self.assertAlmostEqual(entry["transposed"], statistics.median(over))
                self.assertEqual(set(samples["transposed_by_type"]), {0 if entry["type"] == "aij" else 1})
        starts = [[entry["samples"]["start"] for entry in matrix["types"]] for matrix in result["matrices"]]
        self.assertEqual(*starts)  # measured once
        columns = " +".join(["type", "fresh", "used", "refresh", "start", "pages", "passes", "transposed"])
        self.assertRegex(text, rf"2 matrices: first products .*\n  {columns}\n  aij ")
        self.assertIn("    greatest ", text)
        code, text = run(f"{SPMVBENCH} first -t aij --rounds 1 stencil5:5", ranks=2)
        self.assertNotEqual(code, 0)
        self.assertIn("first measures one process", text)
        folder = f"{WORK.name}/no-files"
        os.makedirs(folder)
        code, text = run(f"{SPMVBENCH} first -t aij,csr5 --rounds 1 stencil5:5", TMPDIR=folder)
        left = [name for name in os.listdir(folder) if not name.startswith("ompi.")]  # the folder of Open MPI's sessions stays
        self.assertEqual((code, left), (0, []), text)

    def test_folders_and_files(self):
        folder = f"{WORK.name}/folder"
        os.makedirs(folder)
        with open(f"{folder}/b.mtx", "w") as f:
            f.write("%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1\n1 3 2\n2 2 3\n")
        with open(f"{folder}/a.mtx", "w") as f:
            f.write("this is no matrix\n")
        result, text = measure(f"{folder} -t aij,csr5")
        self.assertEqual([(m["name"], m["rows"], m["cols"], m["nonzeros"]) for m in result["matrices"]], [("b", 2, 3, 3)])
        self.assertIn("left out: " + f"{folder}/a.mtx, line 1", text)
        code, text = run(f"{SPMVBENCH} {QUICK} {folder}/a.mtx {folder}/b.mtx -t aij,csr5")
        self.assertEqual(code, 1)
        self.assertIn("a.mtx, line 1", text)
        self.assertIn("\nb: 2 x 3, 3 nonzeros", text)

    def test_comparison_of_a_run_with_itself(self):
        measure("stencil5:20 -t aij,csr5")
        code, text = run(f"{SPMVBENCH} compare {WORK.name}/run-1.json {WORK.name}/run-1.json")
        self.assertEqual(code, 0)
        self.assertIn("faster:\n  nothing\nslower:\n  nothing\nthe same, within the noise: 8\n", text)

    def test_matrices_to_take_otherwise(self):
        for named, other in (("", "stencil5:9"), ("stencil5:7", "stencil5:7")):
            code, text = run(f"{SPMVBENCH} --otherwise stencil5:9 --rounds 1 --builds 1 --seconds 0 -t aij {named}")
            self.assertEqual(code, 0, text)
            self.assertEqual(re.findall(r"stencil5:\d", text)[0], other)

    def test_wrong_arguments(self):
        os.symlink("loop", f"{WORK.name}/loop")
        with open(f"{WORK.name}/shape.json", "w") as f:
            f.write('{"run": 1, "matrices": 2}')
        for arguments, answer in [("", "MATRIX is required"),
                                  ("nowhere.mtx", "nowhere.mtx: cannot be opened"),
                                  ("stencil7:x", "the grid's side is 'x'"),
                                  ("stencil5:3 -t aij,nothing", "nothing"),
                                  ("stencil5:3 --rounds 0", "--rounds"),
                                  ("stencil5:3 --json /nowhere/run.json -t aij", "/nowhere/run.json cannot be written"),
                                  ("stencil5:3 --least 1000", "none of the inputs"),
                                  ("compare nowhere.json nowhere.json", "nowhere.json"),
                                  (f"compare {SOURCE}/README.md {SOURCE}/README.md", "README.md: it is not JSON"),
                                  (f"compare {WORK.name}/shape.json {WORK.name}/shape.json", "is not of spmvbench"),
                                  ("n" * 300, "cannot be opened"),
                                  (f"{WORK.name}/loop", "cannot be opened"),
                                  ("stencil5:3 --seconds nan", "must be a number"),
                                  ("totals solves stencil5:3", "solves"),
                                  ("stencil5:3 -t ,", "type"),
                                  ("stencil5:3 -t csr5,csr5", "csr5 is there twice"),
                                  ("stencil5:3 -t aij --rounds 1 --targets", "--targets: none of the types"),
                                  ("stencil5:3 --peers=nothing", "no library is called 'nothing'"),
                                  ("stencil5:3 --vec-type nothing", "nothing"),
                                  ("solves bratu:x", "bratu:x: points a side must be 3 to 1000"),
                                  ("solves mg:16", "mg:16: points a side must be 3 to 1000, one more than a multiple of 8"),
                                  ("solves --solvers cg+nothing heat:5", "--solvers: none is called 'cg+nothing'"),
                                  ("solves heat:5 --peers", "solves measures no peers"),
                                  ("chosen stencil5:3 -t aij,csr5", "leave out --types"),
                                  ("chosen stencil5:3 --targets", "chosen does not measure all targets"),
                                  ("stencil5:3 -- -mat_seqaij_type seqaijcsr5", "-mat_seqaij_type")]:
            for ranks in (1, 2):
                code, text = run(f"{SPMVBENCH} {arguments}", ranks=ranks)
                self.assertNotEqual(code, 0, arguments)
                self.assertIn(answer, text)
                self.assertNotIn("PETSC ERROR", text)

    def test_options_for_petsc(self):
        code, text = run(f"{SPMVBENCH} {QUICK} stencil5:30 -t aij,csr5 -- -spmv_view -no_such_option 3")
        self.assertEqual(code, 0)
        self.assertIn("nothing has used the option -no_such_option\n", text)
        self.assertRegex(text, r"csr5.*\d")
        self.assertRegex(text, r"PetscSpMV +csr5 +\d")

    def test_less_memory_than_a_run_needs(self):
        arguments = "-t aij,csr5 --builds 1 --rounds 1 --no-transpose"
        least = mapped(f"{arguments} --seconds 0.1 stencil5:3", ranks=2)
        large = f"{arguments} --seconds 0 stencil27:50"
        most = mapped(large, ranks=2)
        of_second = '[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:?}}" = 0 ] || '
        for part in range(1, 8):  # each meets another allocation
            limit = least + (most - least) * part // 8
            for condition in "", of_second:
                with self.subTest(part=part, condition=condition):
                    limited = ["bash", "-c", f'{condition}ulimit -v {limit}; exec "$@"', "bash", SPMVBENCH, *large.split()]
                    code, text = run(limited, ranks=2)
                    self.assertRegex(text, "memory|PETSC ERROR: " if code else "\n  csr5 ")
                    self.assertNotRegex(text, "terminate called|Caught signal")

    def test_files_left_out_keep_no_memory(self):
        folder = f"{WORK.name}/wide"
        os.makedirs(folder)
        for integers, name in ("i", "32"), ("q", "64"):  # this PETSc reads one of them, and its vectors do not fit
            with open(f"{folder}/{name}.bin", "wb") as f:
                f.write(struct.pack(f">5{integers}", 1211216, 1, 2000000000, 0, 0))
        program = f"{SPMVBENCH} {QUICK} -t aij {folder} stencil5:3 -- -malloc_debug -malloc_dump"
        code, text = run(["bash", "-c", 'ulimit -v 3000000; exec "$@"', "bash", *program.split()])
        self.assertEqual(code, 0, text)
        self.assertRegex(text, r"left out: .*\.bin: the matrix and its vectors take .* their limits allow")
        self.assertNotIn("MatCreate()", text)  # among what has not been freed

    def test_another_library(self):
        fake = compile_c(FAKE_MKL, [*os.environ["PETSC_FLAGS"].split(), "-shared", "-fPIC"])
        os.rename(fake, f"{os.path.dirname(fake)}/libmkl_rt.so.3")
        for ranks in (1, 2):
            result, text = measure("stencil7:10 dense-row:200 -t aij,csr5 --peers=mkl", ranks,
                                   LD_LIBRARY_PATH=os.path.dirname(fake))
            self.assertEqual(result["run"]["peers"], {"mkl": "a fake"})
            for matrix in result["matrices"]:
                entry = matrix["types"][2]
                self.assertEqual(entry["type"], "mkl")
                self.assertLessEqual(max(entry["error"], entry["transpose_error"]), 1, text)
                lengths = {what: len(entry["seconds"][what]) for what in entry["seconds"]}
                self.assertEqual(lengths, {"product": 6, "transpose": 6, "first": 2, "refresh": 4, "fresh": 0})

    def test_several_vectors(self):
        fake = compile_c(FAKE_MKL, [*os.environ["PETSC_FLAGS"].split(), "-shared", "-fPIC"])
        os.rename(fake, f"{os.path.dirname(fake)}/libmkl_rt.so.3")
        for ranks in (1, 2):
            for vectors in (1, 9):
                result, text = measure(f"stencil27:8 dense-row:200 -t aij,csr5,sellcs,ipcsr --peers=mkl --vectors {vectors}",
                                       ranks, LD_LIBRARY_PATH=os.path.dirname(fake))
                self.assertRegex(text, r"\n  several vectors, speed-up a vector \(time of a product\): aij 1\.00 \([\d.]+\), csr5 ")
                self.assertIn("with several vectors at once, a vector, geo. mean: aij 1.00, csr5 ", text)
                for matrix in result["matrices"]:
                    for entry in matrix["types"]:
                        if entry["type"] == "mkl" and ranks == 2:
                            self.assertNotIn("many", entry["seconds"])  # not measured
                            continue
                        self.assertEqual(len(entry["seconds"]["many"]), 6)
                        self.assertLessEqual(entry["error"], 1, (matrix["name"], entry["type"]))
                        ratios = [a / b for a, b in zip(entry["seconds"]["many"], entry["seconds"]["product"])]
                        self.assertAlmostEqual(entry["many_time"], statistics.median(ratios))

    def test_a_library_that_is_not_there(self):
        code, text = run(f"{SPMVBENCH} {QUICK} stencil5:3 -t aij --peers=mkl")
        if code == 0:
            self.skipTest("MKL is there")
        self.assertRegex(text, "mkl: .*config/run-benchmark --peers gets MKL")

    def test_targets(self):
        for ranks in (1, 2):
            result, text = measure("stencil7:10 -t aij,csr5,ipcsr --targets", ranks)
            names, chosen = result["run"]["targets"], result["run"]["target"]
            self.assertIn(chosen, names)
            self.assertNotIn("targets", result["matrices"][0]["types"][0])
            for entry in result["matrices"][0]["types"][1:]:
                samples = {name: len(target["seconds"]) for name, target in entry["targets"].items()}
                self.assertEqual(samples, dict.fromkeys(names, 6))
                own = entry["seconds"]["product"]
                over = [statistics.median(a / b for a, b in zip(own, target["seconds"])) for target in entry["targets"].values()]
                self.assertAlmostEqual(entry["chosen_over_best"], max(over))
                self.assertLessEqual(entry["error"], 1)
            self.assertRegex(text, rf"the process' target: {chosen} .*\n  chosen within 3 % of the best target for \d of 2 pairs")
        result, text = measure("stencil7:10 -t aij,csr5 -- -spmv_simd baseline")
        self.assertEqual(result["run"]["target"], "baseline")
        self.assertNotIn("targets", result["matrices"][0]["types"][1])

    def test_names_that_are_not_utf8(self):
        folder = os.fsencode(WORK.name) + b"/names"
        os.mkdir(folder)
        with open(folder + b"/\xff.mtx", "w") as f:
            f.write("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n")
        code, text = run(f"{SPMVBENCH} -t aij --rounds 1 --builds 1 --seconds 0 --json {WORK.name}/names.json {WORK.name}/names")
        self.assertEqual(code, 0, text)
        with open(f"{WORK.name}/names.json") as f:
            self.assertEqual(len(json.load(f)["matrices"]), 1)

    def test_version(self):
        code, out = run(f"{SPMVBENCH} --version")
        self.assertEqual(code, 0)
        self.assertRegex(out, r"\Aspmvbench of petsc-spmv \d+\.\d+\.\d+\S*\n\Z")

    def test_legend_of_all_columns(self):
        code, text = run(f"{SPMVBENCH} --legend")
        self.assertEqual(code, 0)
        explained = [line[2:12].strip() for line in text.splitlines() if line.startswith("  ")]
        _, table = measure("stencil5:20 -t aij,csr5")
        heading, summary = (next(line for line in table.splitlines() if line.split()[:1] == ["type"] and of in line)
                            for of in ("error", "geo. mean"))
        columns = set(re.findall(r"at \d+|\S+", heading)) - {"type"}
        self.assertEqual(columns - set(explained), set())
        self.assertIn("pays", heading)
        self.assertIn("irregular", summary)
        for name in ("geo. mean", "irregular", "read at"):
            self.assertIn(name, explained)
        self.assertIn("--legend", run(f"{SPMVBENCH} --help")[1])
        self.assertNotIn("GB/s at which", table)  # nothing that was not asked for
        self.assertNotIn("about", table)

    def test_estimate(self):
        path = f"{WORK.name}/symmetric.mtx"
        with open(path, "w") as f:
            f.write("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n2 1 2\n2 2 3\n")
        for ranks in (1, 2):
            code, text = run(f"{SPMVBENCH} --estimate {path} stencil5:20 twin:nothing no-file -t aij,csr5 --least 4 --builds 1 "
                             "--rounds 2", ranks=ranks)
            self.assertEqual((code, text), (0, "about 1 second: 2 matrices, 2 types, 1 build, 2 rounds\n"))
        code, text = run(f"{SPMVBENCH} --estimate {path} -t aij --least 5 --builds 1")
        self.assertEqual(text, "about 1 second: 0 matrices, 1 type, 1 build, 7 rounds\n")
        estimates = []  # in proportion to samples; how good they are shows on a machine that has nothing else to do
        for rounds in 20, 40:
            code, text = run(f"{SPMVBENCH} --estimate stencil5:20 stencil5:30 -t aij,csr5,ipcsr --builds 2 --rounds {rounds} "
                             "--seconds 0.05")
            estimates.append(float(re.match(r"about (\d+) seconds: 2 matrices, 3 types", text).group(1)))
        self.assertGreater(estimates[0], 2 * 3 * 2 * 20 * 0.05)  # of samples alone
        self.assertAlmostEqual(estimates[1] / estimates[0], 2, delta=0.3)

    def test_front_chart(self):
        """Of the processors on which whole solves were measured, by preconditioner."""
        if run("/usr/bin/python3 -c 'import matplotlib'")[0]:
            self.skipTest("no matplotlib")
        folder = f"{WORK.name}/front/benchmarks"
        draw = (f"/usr/bin/python3 -B -c 'import sys; sys.path.insert(0, \"{SOURCE}/src/benchmarks\"); import front_chart; "
                f"front_chart.draw(\"{folder}\")'")
        os.makedirs(f"{folder}/Without-1-1")
        self.assertEqual(run(draw), (0, ""))
        self.assertEqual(glob.glob(f"{folder}/*.svg"), [])
        for key, solvers in ("Vendor-7-8", ("cg+icc", "cg+gamg-sor", "cg+gamg-jacobi")), ("Other-1-1", ("cg+icc", "gmres+ilu")):
            matrices = [{"name": "a", "nonzeros": 9, "solver": solver, "types": [
                {"type": name, "seconds": {"whole": [seconds], "solve": [seconds / 2]}}
                for name, seconds in (("aij", 1.2 * 2 ** k), ("aij again", 1.2), ("spmv", 1))]} for k, solver in enumerate(solvers)]
            os.makedirs(f"{folder}/{key}")
            with open(f"{folder}/{key}/solves-one.json", "w") as f:
                json.dump({"run": {"machine": {"key": key}, "commit": "abc1234", "date": "2026-01-02", "task": "solves"},
                           "matrices": matrices}, f)
        self.assertEqual(run(draw), (0, ""))
        with open(f"{folder}/solves.svg") as f:
            text = f.read()
        for words in ("Other-1-1", "Vendor-7-8", "abc1234, 2026-01-02", ">icc (1)<", ">gamg (2)<",
                      ">ilu (1)<", ">all (3)<"):
            self.assertIn(words, text)
        self.assertNotIn("Without", text)
        means = f"front_chart.means(front_chart.runs_of(\"{folder}\")[\"Vendor-7-8\"], \"spmv\", \"whole\")"
        found = json.loads(run(draw.replace(f"front_chart.draw(\"{folder}\")", f"import json; print(json.dumps({means}))"))[1])
        wanted = {"all": (1.2 * 2.4 * 4.8) ** (1 / 3), "icc": 1.2, "gamg": (2.4 * 4.8) ** 0.5}
        self.assertEqual(found.keys(), wanted.keys())
        for key, value in wanted.items():
            self.assertAlmostEqual(found[key], value)

    def test_charts(self):
        code, text = run("/usr/bin/python3 -c 'import matplotlib'")
        if code:
            self.skipTest("no matplotlib")
        measure("stencil5:20 dense-row:100 stencil7:30 --commit 1234567")
        pages = [f"{WORK.name}/README.md", f"{WORK.name}/docs/benchmarks.md"]
        os.makedirs(os.path.dirname(pages[1]))
        for page in pages:
            with open(page, "w") as f:
                f.write("before\n<!-- made by config/run-benchmark --readme -->\nold\n<!-- end -->\nafter\n")
        report = f"/usr/bin/python3 -B {SOURCE}/src/benchmarks/report.py"
        path = f"{WORK.name}/run-1.json"
        with open(path) as f:
            result = json.load(f)
        for key in "Vendor-1-2", "Vendor-1-3", "Vendor-1-3":  # the second time in place of the first
            result["run"]["machine"]["key"] = key
            with open(path, "w") as f:
                json.dump(result, f)
            code, text = run(f"{report} {path} {WORK.name}/charts --keep {WORK.name} --name one", timeout=300)
            self.assertEqual((code, text), (0, ""))
        kept = f"{WORK.name}/benchmarks/Vendor-1-3"
        for path in f"{WORK.name}/charts/speedup.svg", f"{WORK.name}/charts/roofline.svg":
            self.assertIn("</svg>", read(path))
            self.assertIn("commit 1234567", read(path))
        self.assertEqual(sorted(os.listdir(kept)), ["README.md", "one.json"])
        self.assertRegex(read(f"{kept}/README.md"), r"(?s)^# .*commit 1234567.*\| `sellcs` \| [0-9.]+ ")
        self.assertNotIn("svg", read(f"{kept}/README.md"))
        before = [read(page) for page in pages]
        figure = r"[0-9.]+ \([0-9.]+\) \| "
        for text, folder in zip(before, ("benchmarks", "../benchmarks")):
            self.assertRegex(text, rf"(?s)^before\n<!-- made by .*\({folder}/Vendor-1-2/README.md\).*<!-- end -->\nafter\n$")
            self.assertNotIn("old", text)
        self.assertRegex(before[0], rf"(?m)^\| \[.*Vendor-1-3\]\(.*\) \| {figure}{figure}{figure}- \|$")
        self.assertRegex(before[1], rf"\| `sellcs` \| {figure}[0-9.]+ ")
        with open(f"{WORK.name}/benchmarks/README.md") as f:
            self.assertRegex(f.read(), r"(?s)\[Vendor-1-3\]\(Vendor-1-3/README.md\) .* 1234567 .*\| first product \|")
        self.assertEqual(run(f"{report} --pages {WORK.name}", timeout=300), (0, ""))
        self.assertEqual([read(page) for page in pages], before)
        with open(pages[1], "a") as f:
            f.write("<!-- made by config/run-benchmark --solves --readme -->\nold\n<!-- end -->\nend\n")
        solves = "--solvers cg+icc,gmres+ilu stencil5:20=diffusion"
        for name, arguments in [("totals", "totals -t aij,spmv --longest 0.01 stencil5:40"), ("solves", f"solves {solves}"),
                                ("steps", f"solves --steps 10 {solves}")]:
            measured, _ = measure(arguments)
            self.assertEqual(run(f"{report} {WORK.name}/run-1.json {WORK.name}/charts --keep {WORK.name} --name {name}-one",
                                 timeout=300), (0, ""))
            self.assertIn("</svg>", read(f"{WORK.name}/charts/{measured['run']['task']}.svg"))
        text = read(pages[1])
        gain = r"[0-9.]+ \([0-9.]+\)"
        table = (r"(?s)--solves --readme -->\n\| processor .* one solve: whole run .*\n\| \[" + measured["run"]["machine"]["key"]
                 + rf"\]\S+ \| one process (\| {gain} of 2 \| {gain} of 2 \| {gain} ){{2}}\|\n\n\| processor .* 10 products .*"
                 + rf"\| one process \| {gain} of 1 \| .*")
        place = f"{WORK.name}/benchmarks/{measured['run']['machine']['key']}"
        whole = [[entry["seconds"]["whole"] for entry in matrix["types"]]
                 for matrix in json.loads(read(f"{place}/steps-one.json"))["matrices"]]
        ratios = [statistics.median(a / b for a, b in zip(aij, spmv)) for aij, _, spmv in whole]
        for page in text, read(pages[0]):
            self.assertIn(f" {math.sqrt(math.prod(ratios)):.2f} ({min(ratios):.2f}) of 2 ", page)
        self.assertRegex(read(f"{place}/README.md"), rf"(?s)Whole runs of 10 time steps: one.*\| cg\+icc \| \d+ .*\| {gain} ")
        self.assertRegex(text, table + r"end\n$")
        self.assertNotIn("old", text)
        self.assertNotIn("svg", text)
        with open(pages[1], "a") as f:
            f.write("<!-- made by config/run-benchmark --sweeps --readme -->\nold\n<!-- end -->\n")
        measure("sweeps stencil7:9=diffusion flow:4")
        self.assertEqual(run(f"{report} {WORK.name}/run-1.json {WORK.name}/charts --keep {WORK.name} --name sweeps-one",
                             timeout=300), (0, ""))
        self.assertRegex(read(pages[1]), rf"(?s)--sweeps --readme -->\n\| processor .*\| `spmv layout` \| {gain} of 5 \| .*")
        self.assertRegex(read(f"{place}/README.md"), rf"\| SOR \| `spmv single` \| {gain} of 2 \| ")
        measure("chosen --longest 0 stencil5:40 -- -mat_spmv_choose csr5")
        self.assertEqual(run(f"{report} {WORK.name}/run-1.json {WORK.name}/charts --keep {WORK.name} --name chosen-one",
                             timeout=300), (0, ""))
        matrix = json.loads(read(f"{place}/chosen-one.json"))["matrices"][0]
        products = {entry["type"]: statistics.median(entry["seconds"]) for entry in matrix["types"]}
        seconds = [found["last_seconds"] for found in matrix["rounds"]]
        of_best, of_aij = (f"{product / statistics.geometric_mean(seconds):.2f} \\({product / max(seconds):.2f}\\)"
                           for product in (min(products.values()), products["aij"]))
        row = rf"\| in the end \| {of_best} \| {of_aij} \|\n"
        self.assertRegex(read(f"{place}/README.md"), row)
        with open(pages[1], "a") as f:
            f.write("<!-- made by config/run-benchmark --first --readme -->\nold\n<!-- end -->\nlast\n")
        runs, _ = measure("first -t aij,csr5 stencil5:40")
        runs["run"]["machine"]["key"] = "Vendor-1-3"
        with open(f"{WORK.name}/run-1.json", "w") as f:
            json.dump(runs, f)
        self.assertEqual(run(f"{report} {WORK.name}/run-1.json {WORK.name}/charts --keep {WORK.name} --name first-one",
                             timeout=300), (0, ""))
        entry, shown = (of["matrices"][0]["types"][1] for of in (runs, json.loads(read(f"{kept}/first-one.json"))))
        for name in "fresh", "used", "refresh":
            self.assertAlmostEqual(shown[name], entry[name], delta=0.001 * entry[name])  # four digits are kept
        figures = [f"{shown[name]:.1f}" for name in ("fresh", "used", "refresh")]
        self.assertRegex(read(pages[1]), rf"(?s)--first --readme -->\n\| processor .*\| `csr5` \| {' . '.join(figures)} .*last\n$")
        self.assertIn(", ".join(figures), read(pages[0]))
        self.assertNotIn("samples", read(f"{kept}/first-one.json"))
        self.assertEqual(run(f"{report} --pages {WORK.name} --charts", timeout=300), (0, ""))
        self.assertEqual(sorted(os.listdir(f"{kept}/one")), ["roofline.svg", "speedup.svg"])
        self.assertRegex(read(f"{kept}/README.md"), r"\(one/speedup.svg\)")
        self.assertRegex(read(pages[1]), table + r"solves-one/solves.svg.*steps-one/solves.svg.*totals.svg.*end\n<!-- ")
        code, text = run(f"/usr/bin/python3 -B {SOURCE}/src/benchmarks/report.py {SOURCE}/README.md {WORK.name}/charts")
        self.assertEqual(code, 1)
        self.assertNotIn("Traceback", text)


if __name__ == "__main__":
    main()
