#!/usr/bin/env python3
"""No exception escapes: functions passed to PETSc, found by it or declared in public headers go through
src/petsc/guard.hpp; those that Kokkos or the C library call cannot throw."""
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
    paths = glob.glob(f"{SOURCE}/src/mat/**/*.?pp", recursive=True) + glob.glob(f"{SOURCE}/src/p*/*.*")
    paths = [path for path in paths if not re.search("/mat/(arithmetic|exec|format)/", path)]
    return {path: re.sub(r"\benum\b[^{;]*\{[^}]*\}", "", read(path)) for path in paths}


def all_sources():
    """The texts of all sources of the library, by path."""
    paths = glob.glob(f"{SOURCE}/src/mat/**/*.?pp", recursive=True) + glob.glob(f"{SOURCE}/src/p*/*.*")
    return {path: re.sub(r"#.*", "", read(path)) for path in paths}


def enclosing_call(text, place):
    """The name of the function among whose arguments a place is; "" if there is none, or where a variable is declared."""
    depth = 0
    for k in range(place - 1, -1, -1):
        if text[k] in ")]}":
            depth += 1
        elif text[k] in "([{":
            depth -= 1
        if depth < 0:
            called = re.search(r"(\w+[>&*]*\s+|>\s+)?([\w:.]*)(<[^<>()]*>)?$", text[max(0, k - 200):k])
            declares = called[1] and called[1].strip() not in ("return", "else", "do")
            return called[2] if text[k] == "(" and not declares else ""
        if text[k] == ";" and depth == 0:
            return ""
    return ""


def body_at(text, place):
    """What is between the next { and its }."""
    begin = end = text.index("{", place)
    depth = 1
    while depth:
        end += 1
        depth += (text[end] == "{") - (text[end] == "}")
    return text[begin + 1:end]


def cannot_throw(head, body):
    """Whether nothing leaves a function: it is noexcept, or all of it is in a try block that catches everything."""
    whole = re.fullmatch(r"\s*try \{.*\}\s*catch \(\.\.\.\)\s*\{\s*\}\s*", body, re.S)
    return "noexcept" in head or bool(whole)


class Callbacks(unittest.TestCase):
    """Functions and lambdas given to others than the library and the templates of C++, which call them when they please: those of
    std::atexit(), pthread_atfork() and Kokkos' hooks. For what is given to PETSc, see Guard."""

    # Of the functions of std, those that keep what they are given or are C's.
    KEEPERS = re.compile(r"std::(\w*exit|\w*signal|qsort|bsearch|set_\w+)$")

    def is_foreign(self, callee, own):
        if not callee or re.match(r"(if|while|for|switch|return|sizeof|catch|static_cast|PetscCall\w*)$", callee):
            return False
        if callee.startswith("std::"):
            return bool(self.KEEPERS.match(callee))
        return re.split(r"::|\.", callee)[-1] not in own

    def callbacks(self):
        """Of each: who takes it, what precedes its body, and its body."""
        texts = all_sources()
        every = "\n".join(texts.values())
        # Functions that are defined, not called with a lambda, and variables.
        own = set(re.findall(r"\b(\w+)\((?:(?!\[[^\[\]]*\]\s*\()[^;{}])*\)[^;{}()]*\{", every))
        own |= set(re.findall(r"[\w>]\s+[&*]*(\w+)\s*[,;)={]", every))
        for text in texts.values():
            for found in re.finditer(r"(?<![\w\])])\[[^\[\]]*\]\s*(\([^()]*\))?[^{;]*\{", text):  # lambdas
                callee = enclosing_call(text, found.start())
                if self.is_foreign(callee, own):
                    yield callee, found[0], body_at(text, found.end() - 1)
            for found in re.finditer(r"(?<=[(,])\s*&?(?:\w+::)*([A-Z]\w*)\s*(?=[,)])", text):  # names of functions
                callee = enclosing_call(text, found.start(1))
                if found[1] not in own or not self.is_foreign(callee, own):
                    continue
                for head in re.finditer(rf"\b{found[1]}(\([^;{{}}()]*\)[^;{{}}()]*)\{{", every):
                    yield callee, head[1], body_at(every, head.end() - 1)

    def test_nothing_is_thrown(self):
        callees = set()
        for callee, head, body in self.callbacks():
            callees.add(callee)
            self.assertTrue(cannot_throw(head, body), f"{callee}: {head}{body}")
        self.assertGreaterEqual(callees, {"std::atexit", "pthread_atfork", "Kokkos::push_finalize_hook"})  # the search works


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
                self.assertRegex(value, r"^(Entry<\w+(<[\w&:]+>)?>|nullptr)$", f"{path}: {method}")
        self.assertGreater(entries, 25)

    def test_public_functions_catch(self):
        """They end in PETSCSPMV_CATCH; those that PETSc loads may only call one that does."""
        headers = "".join(read(path)
                          for path in [f"{SOURCE}/include/petscspmv.h.in", *glob.glob(f"{SOURCE}/src/mat/impls/*/petscspmv*.h")])
        declared = r"^PETSCSPMV_EXTERN PetscErrorCode (\w+)\("
        public = re.findall(declared, headers, re.M)
        texts = "\n".join(sources().values())
        loaded = re.findall(declared, texts, re.M)  # by PETSc, which looks their names up
        self.assertGreater(len(public), 10)
        self.assertGreater(len(loaded), 0)
        self.assertEqual(len(re.findall(r"\bPETSCSPMV_EXTERN\b", texts)), len(loaded), "entries of another kind")
        for name in loaded:
            body = re.search(r"^PETSCSPMV_EXTERN PetscErrorCode %s\([^)]*\)\n(.*?)^}\n(PETSCSPMV_CATCH)?" % name, texts,
                             re.M | re.S)
            if not (body[1].startswith("try {") and body[2]):
                self.assertRegex(body[1], rf"^\{{\n  return ({'|'.join(public)})\([^;{{}}()]*\);\n$", name)
        for name in public:
            body = re.search(r"^PetscErrorCode %s\([^)]*\)\n(.*?)^}\n(PETSCSPMV_CATCH)?" % name, texts, re.M | re.S)
            self.assertTrue(body, f"{name} is not defined")
            self.assertTrue(body[1].startswith("try {") and body[2], name)


if __name__ == "__main__":
    unittest.main()
