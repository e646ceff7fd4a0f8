"""The result of an example test with a type: the same as with AIJ, a known difference, or an unexplained one."""
import dataclasses
import functools
import os
import re
from typing import NamedTuple

import build
from runs import same_message

STEADY_RUNS = 5  # of AIJ, before its output counts as reproducible
FAILING_RUNS = 12  # of AIJ, looking for one that fails as another type does
STATUSES = ["same", "both fail", "aijperm", "listed", "unsteady", "UNEXPLAINED"]


class Result(NamedTuple):
    """A run with a type: the number of products and of sweeps by our kernels, its status and a remark."""
    test: str
    ranks: int
    type: str
    mode: str
    status: str
    products: int
    sweeps: int
    remark: str


class Comparison:
    """The runs of one example test in one mode."""

    def __init__(self, programs, test, mode, listed, sweeps):
        self.programs, self.test, self.mode, self.listed, self.sweeps = programs, test, mode, listed, sweeps

    def run(self, name, root, more=""):
        """Runs the test with a type: AIJ, ours, or another that is derived from AIJ."""
        if self.mode == "loaded":
            return self.programs.run(self.test, more, root)
        if self.mode == "seqaij":
            return self.programs.run(self.test, f"{more} -mat_seqaij_type seq{root}", root)
        args = re.sub(r"(-\w*mat_type) +(seq|mpi|)aij\b", rf"\1 \2{root}", self.test.args)
        return self.programs.run(dataclasses.replace(self.test, args=args), f"{more} -mat_type {name} -dm_mat_type {root}", root)

    @functools.cached_property
    def aij(self):
        return self.run("aij", "aij")

    @functools.cached_property
    def aijperm(self):
        return self.run("aijperm", "aijperm")

    @functools.cached_property
    def steady(self):
        """Whether AIJ's output is the same each time."""
        return not any(self.run("aij", "aij").differs_from(self.aij) for _ in range(1, STEADY_RUNS))

    @functools.cached_property
    def failures(self):
        """How AIJ fails: with several processes, the first error reported and the program's exit code depend on chance."""
        runs = 1 if self.test.ranks == 1 else FAILING_RUNS
        return {self.aij.failure, *(self.run("aij", "aij").failure for _ in range(1, runs))}

    def fails_like_aij(self, run):
        if not (run.failure and self.aij.failure):
            return False
        codes, messages = zip(*(failure.partition("; ")[::2] for failure in self.failures))
        code, _, message = run.failure.partition("; ")
        return code in codes and any(same_message(message, known) for known in messages if known)  # an empty one would be like all

    def aijperm_too(self, run):
        """Whether PETSc's AIJPERM also fails where a run does, or also differs from AIJ's output."""
        return bool(self.aijperm.failure) == bool(run.failure) and bool(self.aijperm.differs_from(self.aij))

    def result(self, name):
        """Runs the test with one of our types, or with AIJ while the library is loaded."""
        ours = f"-dll_append {os.environ['BUILD']}/lib/libpetscspmv.so -spmv_audit"
        if self.mode == "loaded":
            run = self.run(name, name, ours)
        else:
            run = self.run(name, build.root_of(name), ours + (f" -mat_{name}_sweeps {self.sweeps}" if self.sweeps else ""))
        difference = run.differs_from(self.aij)
        if self.mode == "loaded" and not run.failure and not run.loaded:
            difference = "the library was not loaded"
        if difference and self.fails_like_aij(run):
            difference = ""
        entry = next((e for e in self.listed if e.names(self.test.name, name, self.mode, self.programs.petsc.name)), None)
        if entry:
            entry.used = True
        status, remark = self.judge_difference(run, entry) if difference else self.judge_agreement(entry)
        return Result(self.test.name, self.test.ranks, name, self.mode, status, run.products, run.sweeps,
                      f"{remark}: {difference}" if difference else remark)

    def judge_agreement(self, entry):
        if entry and entry.kind not in ("unsteady", "rounding"):
            return "UNEXPLAINED", f"listed, but does not differ: {entry.reason}"
        return ("both fail" if self.aij.failure else "same"), self.aij.failure

    def judge_difference(self, run, entry):
        if not entry:
            steady = "AIJ repeats itself" if self.steady else "AIJ's own output changes"
            hint = "AIJPERM differs too" if self.aijperm_too(run) else steady
            return "UNEXPLAINED", f"not listed; {hint}"
        if entry.kind == "aijperm" and not self.aijperm_too(run):
            return "UNEXPLAINED", "listed, but AIJPERM does not differ"
        if entry.kind != "aijperm" and bool(run.failure) != bool(self.aij.failure):
            return "UNEXPLAINED", f"listed as {entry.kind}, which explains no failure"
        if entry.kind == "unsteady" and self.steady:
            return "UNEXPLAINED", f"listed as unsteady, but AIJ repeated itself {STEADY_RUNS} times"
        return (entry.kind if entry.kind in STATUSES else "listed"), entry.reason
