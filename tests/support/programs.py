"""Shared by the tests of programs: a build's files, options that choose a type, running and compiling.

Environment, set by CTest: BUILD and SOURCE (directories), FORMATS (short names), TARGETS (name:register:gathers), MPIEXEC, CC,
MPICC, INDEX_BITS (of PETSc), PETSC_PREFIX (where it is installed), PETSC_FLAGS and MPI_FLAGS (to compile with them).
"""
import collections
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

BUILD, SOURCE, MPIEXEC, PETSC_PREFIX = (os.environ[name] for name in ("BUILD", "SOURCE", "MPIEXEC", "PETSC_PREFIX"))
LIBRARY = f"{BUILD}/lib/libpetscspmv.so"
MINIMAL = f"{BUILD}/examples/minimal"
FORMATS = os.environ["FORMATS"].split(",")
TYPES = FORMATS + ["spmv"]
DETAIL = "-spmv_view ::ascii_info_detail"
TARGETS = {}  # of the library: bytes of a register, and whether x is gathered
for row in os.environ["TARGETS"].split(","):
    name, register, gathers = row.split(":")
    TARGETS[name] = int(register), gathers == "1"
WORK = tempfile.TemporaryDirectory()  # of this run, removed at its end
SKIPPED = 77  # exit code for CTest


def of_type(name):
    return f"-dll_append {LIBRARY} -mat_type {name}"


def run(command, options="", ranks=1, timeout=60, cwd=None, **environment):
    """Runs a command with PETSC_OPTIONS; returns exit code and stdout with stderr."""
    words = shlex.split(command) if isinstance(command, str) else command
    if ranks > 1:
        words = [MPIEXEC, "-n", str(ranks)] + words
    env = dict(os.environ, PETSC_OPTIONS=options, **environment)
    result = subprocess.run(words, env=env, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            errors="backslashreplace", timeout=timeout)
    return result.returncode, result.stdout


def compile_c(source, flags=None, wrapper=None):
    """Compiles a C program, by default with PETSc, and returns its path; wrapper: of another MPI than this PETSc's."""
    folder = tempfile.mkdtemp(dir=WORK.name)
    with open(f"{folder}/program.c", "w") as f:
        f.write(source)
    flags = os.environ["PETSC_FLAGS"].split() if flags is None else flags
    rpaths = [f"-Wl,-rpath,{flag[2:]}" for flag in flags if flag.startswith("-L")]
    mpi = [] if wrapper else os.environ["MPI_FLAGS"].split()
    subprocess.run([wrapper or os.environ["CC"], "-std=gnu11", f"{folder}/program.c", "-o", f"{folder}/program", *mpi, *flags,
                    *rpaths, "-lm"], check=True)
    return f"{folder}/program"


class View:
    """What -spmv_view has printed: its lines; the rows of its table by type, (products, seconds) or with overhead, with aij and
    speed-up; those of its table of sweeps, by sor and solve, (layouts, plain, aij, seconds) and so on; the counts of
    products, of what did them and of layouts by name, 0 where there is none."""

    def __init__(self, out):
        self.lines = re.findall(r"^PetscSpMV\b.*", out, re.M)
        self.rows, self.sweeps, self.counts = {}, {}, collections.Counter()
        for line in self.lines:
            if row := re.fullmatch(r"PetscSpMV +(\w+) +(\d+)((?: +[\d.e+-]+)+)", line):
                (self.sweeps if row[1] in ("sor", "solve") else self.rows)[row[1]] = int(row[2]), *map(float, row[3].split())
            elif counts := re.match(r"PetscSpMV (?:local products|layouts):(( \w+ \d+)*)(; by(( \w+ \d+)*))?", line):
                self.counts.update({name: int(n) for name, n in re.findall(r"(\w+) (\d+)", counts[1] + (counts[4] or ""))})


class ProgramTest(unittest.TestCase):
    def expect(self, command, options, *patterns, **more):
        """Runs a program that must succeed and print what matches the patterns; returns its output."""
        code, out = run(command, options, **more)
        self.assertEqual(code, 0, out)
        for pattern in patterns:
            self.assertRegex(out, pattern)
        return out


def main():
    """Runs the tests named on the command line, or all; reports if none could run."""
    result = unittest.main(exit=False, argv=sys.argv[:1] + (sys.argv[1:] or ["-b"])).result
    for _, reason in result.skipped:
        print("skipped:", reason)
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(SKIPPED if result.skipped and result.testsRun <= len(result.skipped) else 0)
