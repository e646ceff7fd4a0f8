#!/usr/bin/env python3
"""Lines of source end at 132 columns."""
import os
import re
import unittest

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FOLDERS = [".ci", "config", "debian/tests", "docs", "examples", "include", "packaging", "python", "src", "tests"]
COLUMNS = 132


def is_source(path):
    """By its name; scripts without a suffix by their first line, or by their folder, since config/setup has no such line."""
    folder, name = os.path.split(path)
    if re.search(r"\.(cpp|hpp|h|c|in|py|cmake)$|^CMakeLists\.txt$", name):
        return True
    if "." in name:
        return False
    with open(path, "rb") as f:
        return os.path.basename(folder) == "config" or f.read(2) == b"#!"


def sources():
    """Paths, relative to SOURCE; none in build folders and caches."""
    yield "CMakeLists.txt"
    for top in FOLDERS:
        for folder, folders, names in os.walk(f"{SOURCE}/{top}"):
            folders[:] = [name for name in folders if not re.match(r"build(-|$)|__pycache__$", name)]
            yield from (os.path.relpath(f"{folder}/{name}", SOURCE) for name in names if is_source(f"{folder}/{name}"))


class Lines(unittest.TestCase):
    def test_columns(self):
        paths = sorted(sources())
        self.assertLessEqual({".ci/run", "config/setup", "debian/tests/solve", "docs/build.py", "examples/minimal.c",
                              "include/petscspmv.h.in", "packaging/petsc/petscspmv.py", "python/_build.py.in",
                              "src/benchmarks/tables.py", "tests/CMakeLists.txt"}, set(paths))
        self.assertGreater(len(paths), 250)
        beyond = []
        for path in paths:
            with open(f"{SOURCE}/{path}", encoding="utf-8") as f:
                beyond += [f"{path}:{number}" for number, line in enumerate(f, 1) if len(line.rstrip("\n")) > COLUMNS]
        self.assertEqual(beyond, [])


if __name__ == "__main__":
    unittest.main()
