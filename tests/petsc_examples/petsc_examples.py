#!/usr/bin/env python3
"""Runs PETSc's own examples with AIJ and with each of our types, and compares what they print.

petsc_examples.py --short: the selection of short.tsv; without it, all. Environment as in build.py, or --build BUILD
takes it from that directory's CTest. Each example test runs in three modes, in the first two with AIJ and with each type:
  mat     -mat_type TYPE -dm_mat_type ROOT: a program that takes its matrix types from options
  seqaij  -mat_seqaij_type seqROOT: the catch-all for sequential AIJ matrices and the blocks of parallel ones
  loaded  the library is loaded, and no type is chosen
A run is the same as AIJ's, or fails where AIJ fails with the same message, or its difference is in differences.tsv.
Anything else, and an entry there that is not true any more, is an error. So is a layout found stale (-spmv_audit).
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import os
import sys

import build
import differences
from comparison import STATUSES, Comparison
from examples import DIRECTORIES, Examples
from runs import Programs

MODES = ["mat", "seqaij", "loaded"]
SKIP = 77  # CTest's exit code for a test that cannot run here


def short_selection():
    """The tests of short.tsv: names and reasons."""
    with open(f"{os.path.dirname(os.path.abspath(__file__))}/short.tsv") as f:
        return dict(line.rstrip("\n").split("\t") for line in f if not line.startswith("#"))


def selected(arguments, examples, programs, jobs):
    """Builds the examples of a selection; returns its tests, and how many examples did not compile."""
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
    """Runs one test in every mode with every type; writes a line of the report for each run."""
    results = []
    for mode in arguments.modes:
        comparison = Comparison(programs, test, mode, listed, arguments.sweeps)
        results += [comparison.result(name) for name in (["aij"] if mode == "loaded" else arguments.types)]
    for result in results:
        print("\t".join(map(str, result)), file=report, flush=True)
        if result.status == "UNEXPLAINED":
            print("  ".join(map(str, result)), flush=True)
    return results


def summary(results):
    """A table: types and modes, how many runs had each status, and how many used our kernels."""
    columns = [*STATUSES, "our kernels", "in sweeps"]
    print(f"{'type':12}{'mode':8}{'runs':>6}" + "".join(f"{column:>13}" for column in columns))
    for name, mode in sorted({(r.type, r.mode) for r in results}):
        runs = [r for r in results if (r.type, r.mode) == (name, mode)]
        count = collections.Counter(r.status for r in runs)
        numbers = [count[status] for status in STATUSES] + [sum(r.products > 0 for r in runs), sum(r.sweeps > 0 for r in runs)]
        print(f"{name:12}{mode:8}{len(runs):6}" + "".join(f"{number:13}" for number in numbers))


def complaints(arguments, results, broken, listed, petsc):
    """Problems beyond single runs."""
    if not results:
        yield "no test ran"
    users = collections.defaultdict(set)
    yield from (f"{r.test} used kernels of ours, though no type was chosen" for r in results
                if r.mode == "loaded" and (r.products or r.sweeps))
    for r in results:
        if r.mode == "loaded":
            continue
        users[r.test, r.mode].update([r.type] if r.products else [])
    for (test, mode), types in users.items():
        if types and types != set(arguments.types):
            yield f"{test}, mode {mode}, used the kernels of {', '.join(sorted(types))} only"
    if arguments.sweeps == "layout" and not any(r.sweeps for r in results):
        yield "no sweep was by a layout"
    if arguments.short:
        yield from (f"{test}, mode {mode}, used no kernels of ours" for (test, mode), types in users.items() if not types)
        yield from (f"no test of {area} ran" for area in ("mat", "ksp", "snes", "ts")
                    if not any(r.test.startswith(f"{area}/") for r in results))
        if broken:
            yield "an example does not compile"
    elif arguments.whole:
        yield from (f"differences.tsv: {e.test} names no test" for e in listed if not e.used
                    and fnmatch.fnmatchcase(petsc.name, e.petsc))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", metavar="BUILD", help="build directory, for the environment of its CTest")
    parser.add_argument("--short", action="store_true", help="only the tests of short.tsv")
    parser.add_argument("--types", type=lambda text: text.split(","), help="types, between commas (default: all)")
    parser.add_argument("--modes", nargs="+", choices=MODES, default=MODES, help="some, or all (default)")
    parser.add_argument("--sweeps", choices=["aij", "layout", "plain"],
                        help="what does relaxation and solves with factors (default: the types' choice)")
    parser.add_argument("--dirs", default=",".join(DIRECTORIES), help="folders of examples, between commas (default: %(default)s)")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="tests whose name, like mat/tests/ex1:suffix, matches")
    parser.add_argument("--most", type=int, metavar="N", help="at most N tests of each example")
    parser.add_argument("--ranks", type=int, default=4, help="tests on more processes are left out (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)),
                        help="tests at a time (default: %(default)s, the cores)")
    parser.add_argument("--out",
                        help="folder for programs, kept for the next time, and results.tsv (default: BUILD/petsc_examples)")
    arguments = parser.parse_args()
    if arguments.build:
        if not os.path.exists(f"{arguments.build}/CTestTestfile.cmake"):
            parser.error(f"{arguments.build} is no build directory with tests")
        os.environ.update(build.environment_of_test(os.path.abspath(arguments.build)))
    if "FORMATS" not in os.environ:
        parser.error("--build is missing")
    types = os.environ["FORMATS"].split(",") + ["spmv"]
    arguments.types = arguments.types or types
    if set(arguments.types) - set(types):
        parser.error(f"the types are {', '.join(types)}")
    return arguments


def main():
    arguments = parse()
    arguments.whole = sys.argv[1:] == ["--build", arguments.build]  # nothing left out
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
        print(f"PETSc {petsc.name}: {len(tests)} tests of {len({test.example for test in tests})} examples; "
              f"{broken} examples did not compile", flush=True)
        results = [result for each in jobs.map(lambda test: compare(test, programs, listed, arguments, report), tests)
                   for result in each]
    summary(results)
    wrong = list(complaints(arguments, results, broken, listed, petsc))
    for line in wrong:
        print(line)
    return int(bool(wrong) or any(result.status == "UNEXPLAINED" for result in results))


if __name__ == "__main__":
    sys.exit(main())
