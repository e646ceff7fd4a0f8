"""PETSc's examples and the tests described in their /*TEST*/ blocks, read by PETSc's own testparse.py."""
import dataclasses
import itertools
import os
import re
import shlex
import sys

DIRECTORIES = [f"{part}/{kind}" for part in ("mat", "ksp/ksp", "ksp/pc", "snes", "ts") for kind in ("tests", "tutorials")]


@dataclasses.dataclass
class Test:
    """One run of an example: a test of its block, with one choice of values for its loops."""
    example: str  # mat/tests/ex1
    name: str     # mat/tests/ex1:suffix, and the loops' values
    ranks: int
    args: str
    filter: str
    files: list
    environment: list
    timeout: float


def number_order(text):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", text)]


def loop_choices(text):
    """Each choice of values for the loops `{{a b}}` in a text: the values, and the text with them."""
    parts = re.split(r"\{\{(.*?)\}[^{}]*\}", text)
    for values in itertools.product(*(loop.split() for loop in parts[1::2])):
        yield values, "".join(itertools.chain(*itertools.zip_longest(parts[::2], values, fillvalue="")))


class Examples:
    def __init__(self, petsc):
        self.petsc, self.folder = petsc, petsc.examples()
        sys.dont_write_bytecode = True
        sys.path.insert(0, f"{self.folder}/config")
        import testparse
        self.parser = testparse
        self.skipped = {}

    def met(self, requirement):
        """Whether one word of `requires:` holds, as in gmakegentest.py."""
        if requirement.startswith("!"):
            return not self.met(requirement[1:])
        if requirement == "datafilespath":  # a separate collection that nobody packages
            return False
        if requirement in ("int32", "long64", "64bitptr"):
            return True
        named = re.fullmatch(r"defined\((\w+)\)", requirement)
        special = {"double": "PETSC_USE_REAL_DOUBLE", "single": "PETSC_USE_REAL_SINGLE", "__float128": "PETSC_USE_REAL___FLOAT128",
                   "complex": "PETSC_USE_COMPLEX", "debug": "PETSC_USE_DEBUG"}
        macro = named.group(1) if named else special.get(requirement, f"PETSC_HAVE_{requirement.upper()}")
        return macro in self.petsc.macros

    def runs_here(self, block):
        """Whether a block's requirements hold; otherwise the first unmet one is counted."""
        words = block.get("requires", "").replace(",", " ").split()
        reason = next((word for word in words if not self.met(word)), None)
        reason = next((key for key in ("TODO", "SKIP", "command", "depends") if block.get(key)), reason)
        if reason:
            self.skipped[reason] = self.skipped.get(reason, 0) + 1
        return not reason

    def sources(self, directories):
        """The C and C++ examples of directories: name, path and the contents of their blocks."""
        for directory in directories:
            for file in sorted(os.listdir(f"{self.folder}/src/{directory}"), key=number_order):
                name, extension = os.path.splitext(file)
                path = f"{self.folder}/src/{directory}/{file}"
                if extension in (".c", ".cxx") and "." not in name:
                    yield f"{directory}/{name}", path, self.parser.parseTestFile(path, 0).get(file, {})

    def tests(self, example, block, most_ranks):
        """The tests of an example that this PETSc can run on at most so many processes."""
        if not self.runs_here({key: value for key, value in block.items() if isinstance(value, str)}):
            return
        for key, test in block.items():
            if not isinstance(test, dict):
                continue
            parts = [dict(test, **test[part]) for part in test.get("subtests", [])] or [test]
            suffix = key.removeprefix(f"run{os.path.basename(example)}").lstrip("_") or "1"
            for number, part in enumerate(parts):
                label = f"{example}:{suffix}" + (f"/{number + 1}" if len(parts) > 1 else "")
                if self.runs_here(part):
                    yield from self.choices(example, label, part, most_ranks)

    def choices(self, example, label, test, most_ranks):
        for (count, ranks), (values, args) in itertools.product(loop_choices(test.get("nsize", "1")),
                                                                loop_choices(test.get("args", ""))):
            if int(ranks) > most_ranks:
                self.skipped["processes"] = self.skipped.get("processes", 0) + 1
                continue
            yield Test(example, "+".join((label, *count, *values)), int(ranks), args, test.get("filter", ""),
                       test.get("localrunfiles", "").split(),
                       shlex.split(test.get("env", "")), float(test.get("timeoutfactor", 1)))
