"""The checked list of the differences that are not caused by this library (differences.tsv)."""
import dataclasses
import fnmatch
import os

FILE = f"{os.path.dirname(os.path.abspath(__file__))}/differences.tsv"


@dataclasses.dataclass
class Entry:
    """One line: patterns of the test, type, mode and PETSc that it applies to, and its reason."""
    test: str
    type: str
    mode: str
    petsc: str
    reason: str
    used: bool = False

    def names(self, test, type, mode, petsc):
        if mode == "loaded" and self.mode != mode:
            return False
        return all(map(fnmatch.fnmatchcase, (test, type, mode, petsc), (self.test, self.type, self.mode, self.petsc)))

    @property
    def kind(self):
        """The reason's first word: `aijperm` and `unsteady` are checked by running."""
        return self.reason.split(":")[0]


def read(path=FILE):
    with open(path) as f:
        return [Entry(*line.rstrip("\n").split("\t")) for line in f if line.strip() and not line.startswith("#")]
