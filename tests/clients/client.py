"""Shared by the tests of third-party programs: runs with aij and with every type, and what must agree."""
import glob
import itertools
import os
import re
import subprocess
import unittest

from programs import DETAIL, LIBRARY, MINIMAL, PETSC_PREFIX, TYPES, View, of_type, run

MATLAB_NUMBER = r"-?\d\.\d{16}e[-+]\d+"  # as PETSc's viewers print with ::ascii_matlab


def catch_all(name):
    """Options that give every sequential AIJ matrix and every block the type."""
    return f"-dll_append {LIBRARY} -mat_seqaij_type " + re.search(r"Mat type (\w+)", run(MINIMAL, of_type(name))[1]).group(1)


class Client(unittest.TestCase):
    @staticmethod
    def kernels(out):
        """What our kernels did, over all processes: products (y = A x and y += A x), layouts built, layouts refreshed."""
        counts = View(out).counts
        return counts["mult"] + counts["multadd"], counts["build"], counts["refresh"]

    def compare(self, command, options="", ranks=(1, 2), ways=(of_type,), numbers=None, tolerance=None, words=None, counts=None,
                slack=2, **more):
        """Runs with aij and with every type, chosen in these ways. `numbers` matches what agrees to the tolerance, relative to the
        largest of them, `words` what is the same, `counts` what differs by at most `slack`. Returns the types' outputs with their
        numbers of processes."""
        outputs = []
        for n in ranks:
            reference = self.solve(command, f"{of_type('aij')} {options}", n, **more)
            self.assertEqual(self.kernels(reference), (0, 0, 0))
            for way, name in itertools.product(ways, TYPES):
                with self.subTest(type=name, way=way.__name__, ranks=n, options=options):
                    out = self.solve(command, f"{way(name)} {options}", n, **more)
                    outputs.append((n, out))
                    self.assertGreater(self.kernels(out)[0], 0, out)
                    if words:
                        self.assertEqual(self.found(words, out), self.found(words, reference))
                    if counts:
                        self.close([int(c) for c in self.found(counts, out)], [int(c) for c in self.found(counts, reference)],
                                   slack)
                    if numbers:
                        expected = [float(x) for x in self.found(numbers, reference)]
                        self.close([float(x) for x in self.found(numbers, out)], expected, tolerance * max(map(abs, expected)))
        return outputs

    def solve(self, command, options, ranks, **more):
        code, out = run(command, f"{options} {DETAIL}", ranks, **more)
        self.assertEqual(code, 0, out)
        return out

    def found(self, pattern, out):
        result = re.findall(pattern, re.sub(r"(?m)^PetscSpMV\b.*$", "", out))  # not among the lines of -spmv_view
        self.assertTrue(result, f"no {pattern} in {out}")
        return result

    def close(self, values, expected, bound):
        self.assertEqual(len(values), len(expected))
        for value, right in zip(values, expected):
            self.assertTrue(abs(value - right) <= bound, f"{value}, not {right} +- {bound}")


def require_petsc(path):
    """Skips unless a program or library is linked with the PETSc that the library was built for."""
    linked = subprocess.run(["ldd", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    for found in re.findall(r"libpetsc\S* => (\S+)", linked):
        if os.path.realpath(found) in map(os.path.realpath, glob.glob(f"{PETSC_PREFIX}/lib/libpetsc*.so*")):
            return
    raise unittest.SkipTest(f"{path} is not linked with the PETSc in {PETSC_PREFIX}")


def require_file(*patterns):
    """Returns the first file that matches, or skips."""
    for pattern in patterns:
        for path in glob.glob(pattern):
            return path
    raise unittest.SkipTest(f"there is no {patterns[0]}")
