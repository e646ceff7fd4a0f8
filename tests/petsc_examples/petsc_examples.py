#!/usr/bin/env python3
"""Runs PETSc's own examples with AIJ and with each of our types, and compares what they print.

petsc_examples.py --short: the selection of short.tsv; without it, all. Environment as in build.py, or --build BUILD
takes it from that directory's CTest. Each example test runs once with AIJ, then with each type in two modes:
  mat     -mat_type TYPE -dm_mat_type ROOT: a program that takes its matrix types from options
  seqaij  -mat_seqaij_type seqROOT: the catch-all for sequential AIJ matrices and the blocks of parallel ones
A run is the same as AIJ's, or fails where AIJ fails with the same message, or its difference is in differences.tsv.
Anything else, and an entry there that is not true any more, is an error. So is a layout found stale (-spmv_audit).
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import fnmatch
import functools
import os
import re
import sys

import build
import differences
from examples import DIRECTORIES, Examples
from programs import Programs

AIJ = "-mat_type aij -dm_mat_type aij"
SKIP = 77            # CTest's exit code for a test that cannot run here
STEADY_RUNS = 5      # of AIJ, before its output is said not to change from run to run
STATUSES = ["same", "both fail", "aijperm", "listed", "unsteady", "UNEXPLAINED"]


def run_with(programs, test, mode, name, root, more=""):
    """Runs a test with a type, ours or another that is derived from AIJ."""
    if mode == "seqaij":
        return programs.run(test, f"{more} {AIJ} -mat_seqaij_type seq{root}", root)
    args = re.sub(r"(-\w*mat_type) +(seq|mpi|)aij\b", rf"\1 \2{root}", test.args)
    return programs.run(dataclasses.replace(test, args=args), f"{more} -mat_type {name} -dm_mat_type {root}", root)


class Comparison:
    """All runs of one example test."""

    def __init__(self, programs, test, listed):
        self.programs, self.test, self.listed = programs, test, listed

    @functools.cached_property
    def aij(self):
        return self.programs.run(self.test, AIJ)

    @functools.cached_property
    def steady(self):
        """Whether AIJ prints the same each time."""
        return not any(self.programs.run(self.test, AIJ).differs_from(self.aij) for _ in range(1, STEADY_RUNS))

    @functools.cache
    def aijperm_differs(self, mode):
        return bool(run_with(self.programs, self.test, mode, "aijperm", "aijperm").differs_from(self.aij))

    def of_type(self, name, mode):
        """A run with a type: its status, how many products were ours, and what differs."""
        library = f"-dll_append {os.environ['BUILD']}/lib/libpetscspmv.so -spmv_audit"
        run = run_with(self.programs, self.test, mode, name, build.root_of(name), library)
        difference = run.differs_from(self.aij)
        status, why = self.judge(difference, name, mode)
        return status, run.products, f"{why}: {difference}" if why and difference else why or difference or self.aij.failure

    def judge(self, difference, name, mode):
        """The status of a difference ('' is none), and a remark on it."""
        entry = next((e for e in self.listed if e.names(self.test.name, name, mode, self.programs.petsc.name)), None)
        if entry:
            entry.used = True
        if not difference:
            wrong = entry and entry.kind != "unsteady"
            return ("UNEXPLAINED", f"listed, but does not differ: {entry.reason}") if wrong else ("both fail" if self.aij.failure else "same", "")
        if not entry:
            also = "aijperm differs too" if self.aijperm_differs(mode) else "AIJ's own output changes" if not self.steady else "not listed"
            return "UNEXPLAINED", also
        if entry.kind == "aijperm":
            return ("aijperm", "") if self.aijperm_differs(mode) else ("UNEXPLAINED", "listed, but aijperm does not differ")
        if entry.kind == "unsteady":
            return ("unsteady", "") if not self.steady else ("UNEXPLAINED", f"listed as unsteady, but AIJ repeats itself {STEADY_RUNS} times")
        return "listed", entry.reason


def short_selection():
    """The tests of short.tsv: names and the reason of each."""
    with open(f"{os.path.dirname(os.path.abspath(__file__))}/short.tsv") as f:
        return dict(line.rstrip("\n").split("\t") for line in f if not line.startswith("#"))


def selected(arguments, examples, programs, jobs):
    """Builds the examples of a selection; its tests, and how many examples did not compile."""
    short, chosen, broken = short_selection() if arguments.short else None, [], 0
    building = []
    for example, source, block in examples.sources(arguments.dirs.split(",")):
        tests = [test for test in examples.tests(example, block, arguments.ranks)
                 if (test.name in short if short is not None else fnmatch.fnmatchcase(test.name, arguments.only))]
        if tests:
            building.append((example, jobs.submit(programs.build, example, source), tests))
    if short:
        found = {test.name for _, _, tests in building for test in tests}
        for name in short.keys() - found:
            print(f"{name} is not among this PETSc's tests")
    for example, complaint, tests in building:
        if complaint.result():
            broken += 1
            print(f"{example} does not compile: {complaint.result()}")
        else:
            chosen += tests[:arguments.most]
    return chosen, broken


def compare(test, programs, listed, arguments, report):
    """Runs one test in every way; a line of the report for each."""
    comparison = Comparison(programs, test, listed)
    rows = [(test.name, test.ranks, name, mode, *comparison.of_type(name, mode)) for name in arguments.types for mode in arguments.modes]
    for row in rows:
        print(*row, sep="\t", file=report, flush=True)
        if row[4] == "UNEXPLAINED":
            print(*row, sep="  ", flush=True)
    return rows


def summary(rows):
    """A table: types and modes, and how many runs had each status."""
    count = collections.Counter(row[2:5] for row in rows)
    ours = collections.Counter(row[2:4] for row in rows if row[5])
    print(f"{'type':12}{'mode':8}{'runs':>6}" + "".join(f"{status:>13}" for status in STATUSES) + f"{'our kernels':>13}")
    for name, mode in dict.fromkeys(row[2:4] for row in rows):
        numbers = [count[name, mode, status] for status in STATUSES]
        print(f"{name:12}{mode:8}{sum(numbers):6}" + "".join(f"{number:13}" for number in numbers) + f"{ours[name, mode]:13}")


def complaints(arguments, rows, listed, petsc):
    """What is wrong beyond single runs: too few products of ours, entries of the list that name no test."""
    for name, mode in dict.fromkeys(row[2:4] for row in rows):
        if not any(row[5] for row in rows if row[2:4] == (name, mode)):
            yield f"no run with {name}, mode {mode}, used its kernels"
    if arguments.short:
        yield from (f"{row[0]} did not use the kernels of {row[2]}, mode {row[3]}" for row in rows if not row[5])
        yield from (f"no test of {area} ran" for area in ("mat", "ksp", "snes", "ts") if not any(row[0].startswith(f"{area}/") for row in rows))
    elif arguments.whole:
        yield from (f"differences.tsv: {e.test} names no test" for e in listed if not e.used and fnmatch.fnmatchcase(petsc.name, e.petsc))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", metavar="BUILD", help="build directory, for the environment of its CTest")
    parser.add_argument("--short", action="store_true", help="only the tests of short.tsv")
    parser.add_argument("--types", type=lambda text: text.split(","), help="types, between commas (default: all)")
    parser.add_argument("--modes", type=lambda text: text.split(","), default=["mat", "seqaij"], help="mat, seqaij or both, between commas")
    parser.add_argument("--dirs", default=",".join(DIRECTORIES), help="folders of examples, between commas (default: %(default)s)")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="tests whose name, like mat/tests/ex1:suffix, matches")
    parser.add_argument("--most", type=int, metavar="N", help="at most N tests of each example")
    parser.add_argument("--ranks", type=int, default=4, help="tests on more processes are left out (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="tests at a time (default: %(default)s, the cores)")
    parser.add_argument("--out", help="folder for programs, kept for the next time, and results.tsv (default: BUILD/petsc_examples)")
    return parser.parse_args()


def main():
    arguments = parse()
    if arguments.build:
        os.environ.update(build.environment_of_test(os.path.abspath(arguments.build)))
    arguments.types = arguments.types or os.environ["TYPES"].split(",")
    arguments.whole = not arguments.most and arguments.only == "*" and arguments.dirs == ",".join(DIRECTORIES)
    petsc = build.Petsc(os.environ["PETSC_FLAGS"])
    if not petsc.examples():
        print(f"the examples of PETSc {petsc.version} are not installed (Debian: libpetsc{petsc.version}-dev-examples)")
        return SKIP
    out = os.path.abspath(arguments.out or f"{os.environ['BUILD']}/petsc_examples")
    os.makedirs(out, exist_ok=True)
    examples, listed = Examples(petsc), differences.read()
    programs = Programs(petsc, examples, out)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as jobs, open(f"{out}/results-{petsc.name}.tsv", "w") as report:
        tests, broken = selected(arguments, examples, programs, jobs)
        print(f"PETSc {petsc.name}: {len(tests)} tests of {len({test.example for test in tests})} examples; {broken} examples did not compile", flush=True)
        rows = [row for rows in jobs.map(lambda test: compare(test, programs, listed, arguments, report), tests) for row in rows]
    summary(rows)
    wrong = list(complaints(arguments, rows, listed, petsc))
    for line in wrong:
        print(line)
    return int(bool(wrong) or any(row[4] == "UNEXPLAINED" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
