#!/usr/bin/env python3
"""No exception escapes: functions passed to PETSc or declared in public headers go through src/mat/impls/shadow/guard.hpp."""
import glob
import os
import re
import unittest

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def read(path):
    """The text of a source without comments and strings."""
    with open(path) as f:
        return re.sub(r'//[^\n]*|/\*.*?\*/|"(\\.|[^"\\])*"', "", f.read(), flags=re.S)


def sources():
    """The texts of the sources between formats and PETSc, by path, without enumerators, which may have the names of functions."""
    paths = glob.glob(f"{SOURCE}/src/mat/impls/**/*.?pp", recursive=True) + glob.glob(f"{SOURCE}/src/plugin/*.*")
    return {path: re.sub(r"\benum\b[^{;]*\{[^}]*\}", "", read(path)) for path in paths}


class Guard(unittest.TestCase):
    def test_functions_given_to_petsc_are_entries(self):
        """A function that returns an error code is only called, declared, or passed on as an Entry."""
        texts = sources()
        names = {name for text in texts.values() for name in re.findall(r"\bPetscErrorCode\s+(?:\w+::)?(\w+)\s*\(", text)}
        names -= {name for text in texts.values() for name in re.findall(r"\bclass (\w+)", text)}  # template parameters
        name = rf"(?<![\w.>:])(?<!Entry<)({'|'.join(sorted(names))})\b(?!\s*[(<>])"
        given = {(os.path.basename(path), use) for path, text in texts.items() for use in re.findall(name, text)}
        self.assertGreater(len(names), 150)
        self.assertEqual(given, set())

    def test_no_lambda_is_given_to_petsc(self):
        """A lambda without captures is a function that could be passed to PETSc without a guard."""
        given = {(os.path.basename(path), use) for path, text in sources().items()
                 for use in re.findall(r"\[\]\s*\((?:Mat|Vec|Petsc\w+|MPI_Comm) [^)]*\)[^{]*\{\s*return \w+", text)}
        self.assertEqual(given, set())

    def test_methods_are_entries(self):
        """An entry of a method table is an Entry, or PETSc's."""
        entries = 0
        for path, text in sources().items():
            for method, value in re.findall(r"\bops(?:\.|->)(\w+)\s*=\s*([^=;][^;]*);", text):
                entries += value.startswith("Entry<")
                self.assertRegex(value, r"^(Entry<\w+>|nullptr)$", f"{path}: {method}")
        self.assertGreater(entries, 25)

    def test_public_functions_catch(self):
        """They end in PETSCSPMV_CATCH, or only call one that does."""
        headers = "".join(read(path)
                          for path in [f"{SOURCE}/include/petscspmv.h.in", *glob.glob(f"{SOURCE}/src/mat/impls/*/petscspmv*.h")])
        public = re.findall(r"^PETSCSPMV_EXTERN PetscErrorCode (\w+)\(", headers, re.M)
        texts = "\n".join(sources().values())
        self.assertGreater(len(public), 25)
        for name in public:
            body = re.search(r"^PetscErrorCode %s\([^)]*\)\n(.*?)^}\n(PETSCSPMV_CATCH)?" % name, texts, re.M | re.S)
            self.assertTrue(body, f"{name} is not defined")
            if not (body.group(1).startswith("try {") and body.group(2)):
                self.assertRegex(body.group(1),
                                 r"^\{\s+PetscFunctionBegin;\n(\s+Petsc(Valid|Check)[^;]*;\n)*"
                                 r"\s+PetscCall\(\s*petscspmv::SetOptionOfType\([^;]*;\n"
                                 r"\s+PetscFunctionReturn\(PETSC_SUCCESS\);\n$", name)


if __name__ == "__main__":
    unittest.main()
