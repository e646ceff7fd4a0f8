#!/usr/bin/env python3
"""The interface that CHANGELOG.md promises to keep, against its list: stable.txt.

A line that the build does not have is an incompatible change. A line that the list does not have is new, and stays from the next
release on. PETSCSPMV_STABLE=write ctest -R '^stable$' writes the list anew.
"""
import glob
import os
import re
import subprocess
import sys
import unittest

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "support"))
from programs import BUILD, LIBRARY, MINIMAL, SOURCE, TYPES, main, of_type, run  # noqa: E402

LIST = f"{SOURCE}/tests/programs/stable.txt"


def headers():
    """The text of all headers, without comments, lines in one piece."""
    paths = sorted(glob.glob(f"{BUILD}/petscspmv/include/*.h"))
    text = "".join(open(path).read() for path in paths)
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S).replace("\\\n", " ")


def one_line(text):
    return " ".join(text.split())


def constants():
    """Macros, but for the version's numbers, and enumerators, by their order."""
    macros = re.findall(r"^#define (\w+(?:\([\w, ]*\))?) *(.*?) *$", headers(), re.M)
    yield from (one_line(f"{name} {'' if 'VERSION' in name else value}") for name, value in macros
                if not re.match("PETSCSPMV_(VISIBLE|EXTERN|TYPES)", name))
    for body, name in re.findall(r"typedef enum *{(.*?)} *(\w+);", headers(), re.S):
        yield from (f"{name} {k} {enumerator}" for k, enumerator in enumerate(re.findall(r"\w+", body)))


def structures():
    for body, name in re.findall(r"typedef struct *{(.*?)} *(\w+);", headers(), re.S):
        yield from (f"{name} {k} {one_line(member)}" for k, member in enumerate(re.findall(r"[^;]*\w[^;]*", body)))


def functions():
    return [one_line(text) for text in re.findall(r"^PETSCSPMV_EXTERN ([^;]*);", headers(), re.M)]


def options():
    """As -help shows them, with the words among which one is chosen."""
    for name in TYPES:
        text = run(MINIMAL, f"{of_type(name)} -help")[1]
        for option, rest in re.findall(r"^ *(-(?:mat_%s|spmv)_\w+):?(.*)" % name, text, re.M):
            words = re.search(r"\(choose one of\) *((?:\w[\w-]* )+)", rest)
            yield one_line(f"{option} {words[1] if words else ''}")


def types():
    """Those that a matrix takes, among the names in the header."""
    for name in sorted(set(re.findall(r'^#define MAT\w+ +"(\w+)"', headers(), re.M))):
        found = re.search(r"Mat type (\w+)", run(MINIMAL, of_type(name))[1])
        yield f"{name} {found[1] if found else ''}"


SECTIONS = {"types, with what they are on one process": types, "options": options, "functions": functions, "constants": constants,
            "structures": structures}


def interface():
    return "\n".join("\n  ".join([title, *sorted(set(lines()))]) for title, lines in SECTIONS.items()) + "\n"


class Stable(unittest.TestCase):
    maxDiff = None

    def test_list(self):
        if os.environ.get("PETSCSPMV_STABLE") == "write":
            with open(LIST, "w") as file:
                file.write(interface())
        with open(LIST) as file:
            self.assertEqual(file.read(), interface())

    def test_functions_are_exported(self):
        """Each that a header declares, and no other of our names."""
        symbols = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
        exported = re.findall(r" T (\w+)$", symbols, re.M)
        declared = [re.search(r"(\w+)\(", text)[1] for text in functions()]
        self.assertEqual(sorted(declared), sorted(name for name in exported if not name.startswith("PetscDLLibraryRegister")))


if __name__ == "__main__":
    main()
