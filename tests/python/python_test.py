#!/usr/bin/env python3
"""The Python package as users install it: from an sdist, into a virtual environment with the system's petsc4py.

Skipped where there is no petsc4py for this PETSc, no venv or no scikit-build-core, neither here nor from pip.
Environment: support/programs.py, and CXX.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import unittest

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "support"))
from programs import BUILD, LIBRARY, SOURCE, TYPES, WORK, compile_c, main, run  # noqa: E402
from python import PYTHON, python_environment, require_python  # noqa: E402

FOLDER = f"{BUILD}/python"
VENV_PYTHON = f"{FOLDER}/venv/bin/python"
ORDERS = {
    "before": "import petscspmv, petsc4py; petsc4py.init(); from petsc4py import PETSc",
    "before the import that initializes": "import petscspmv; from petsc4py import PETSc",
    "after": "import petsc4py; petsc4py.init(); from petsc4py import PETSc; import petscspmv",
}
DIAGONAL = """
def diagonal(mat_type=None, n=50):
    A = PETSc.Mat().create()
    A.setSizes((n, n))
    A.setType(mat_type) if mat_type else A.setFromOptions()
    A.setUp()
    for row in range(*A.getOwnershipRange()):
        A[row, row] = row + 1
    A.assemble()
    return A
"""


def setUpModule():
    """Makes the sdist by the project in python/, and installs from it; ccache knows the objects from the build that is tested."""
    require_python("petsc4py")
    shutil.rmtree(FOLDER, ignore_errors=True)
    step([PYTHON, "-m", "venv", "--system-site-packages", f"{FOLDER}/venv"], "no venv (Debian's python3-venv)")
    requires = [build_requires(folder) for folder in (SOURCE, f"{SOURCE}/python")]
    if requires[0] != requires[1]:
        raise RuntimeError(f"the two pyproject.toml require different tools: {requires}")
    step([VENV_PYTHON, "-m", "pip", "install", "--retries", "1", *requires[0]], f"no {requires[0]}, nor does pip get it")
    step([VENV_PYTHON, "-c", f"import sys; sys.path.insert(0, '.'); import folder_above; folder_above.build_sdist('{FOLDER}')"],
         cwd=f"{SOURCE}/python")
    with tarfile.open(f"{sdist_folder()}.tar.gz") as archive:
        archive.extractall(FOLDER)
    source = sdist_folder()
    ccache = {"CCACHE_BASEDIR": source, "CMAKE_C_COMPILER_LAUNCHER": "ccache",
              "CMAKE_CXX_COMPILER_LAUNCHER": "ccache"} if shutil.which("ccache") else {}
    step([VENV_PYTHON, "-m", "pip", "install", "--no-deps", "--no-build-isolation", source],
         SKBUILD_BUILD_DIR=f"{source}/build", **ccache)


def build_requires(folder):
    with open(f"{folder}/pyproject.toml", "rb") as f:
        return tomllib.load(f)["build-system"]["requires"]


def sdist_folder():
    """Where the sdist is unpacked, beside it."""
    return glob.glob(f"{FOLDER}/petscspmv-*.tar.gz")[0].removesuffix(".tar.gz")


def step(command, reason_to_skip=None, cwd=None, **environment):
    """Runs a command. Where it fails, skips all tests for the reason, or fails."""
    result = subprocess.run(command, cwd=cwd, env=dict(os.environ, **python_environment(), **environment),
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode and reason_to_skip:
        raise unittest.SkipTest(reason_to_skip)
    if result.returncode:
        raise RuntimeError(f"{command} failed:\n{result.stdout}")


class Package(unittest.TestCase):
    def python(self, code, options="", ranks=1, succeeds=True, path=None):
        """Runs lines of Python with PETSC_OPTIONS; what it prints."""
        environment = python_environment()
        if path:
            environment["PYTHONPATH"] = f"{path}:{environment['PYTHONPATH']}"
        code, out = run([VENV_PYTHON, "-c", code], options, ranks, **environment)
        self.assertEqual(code == 0, succeeds, out)
        return out

    def test_version(self):
        with open(f"{BUILD}/petscspmv/include/petscspmv.h") as f:
            version = re.search(r'define PETSCSPMV_VERSION +"(.*)"', f.read())[1]
        self.assertEqual(self.python("import petscspmv; print(petscspmv.__version__)").strip(), version.replace("-", ""))

    def test_sources(self):
        """The sdist lacks no source."""
        for folder in "config", "examples", "include", "python/petscspmv", "src", "tests":
            for path, _, files in os.walk(f"{SOURCE}/{folder}"):
                if os.path.basename(path) != "__pycache__":
                    unpacked = path.replace(SOURCE, sdist_folder(), 1)
                    self.assertLessEqual(set(files), set(os.listdir(unpacked)), path)

    def test_every_order(self):
        """Types are there whenever the package is imported, it prints nothing, and options count."""
        for order, imports in ORDERS.items():
            with self.subTest(order):
                self.assertEqual(self.python(imports), "")
                out = self.python(imports + DIAGONAL + f"for name in {['', *TYPES]}: print(diagonal(name).type)",
                                  "-mat_type sellcs")
                self.assertEqual(out.split()[0], "seqaijscs")
                self.assertEqual(len(set(out.split())), len(TYPES))
                out = self.python(imports + DIAGONAL + "print(diagonal('csr5').type)", ranks=2)
                self.assertEqual("".join(out.split()), "mpiaijcsr5" * 2)  # lines of two processes may mix

    def test_api(self):
        out = self.python(ORDERS["before"] + DIAGONAL + """
A = diagonal("csr5")
print(petscspmv.info(A))
A.mult(*A.createVecs())
print(petscspmv.info(A), petscspmv.statistic(A, "omega"), petscspmv.statistic(A, "bytes") == petscspmv.info(A).bytes)
print(petscspmv.info(A).csr_bytes - 51 * PETSc.IntType().itemsize, 50 * (PETSc.IntType().itemsize + PETSc.ScalarType().itemsize))
print(petscspmv.library(), petscspmv.TYPES)
for fails in lambda: petscspmv.statistic(A, "nonsense"), lambda: petscspmv.info(diagonal("aij")):
    try:
        fails()
    except PETSc.Error as error:
        print(error)
""", "-mat_csr5_omega 4").splitlines()
        self.assertRegex(out[0], r"Info\(mult=0, .* builds=0, refreshes=0, bytes=0.0, csr_bytes=0.0\)")
        self.assertRegex(out[1], r"Info\(mult=1, .* builds=1, refreshes=0, bytes=[1-9].*, csr_bytes=[1-9].*\) 4.0 True")
        self.assertEqual(*map(float, out[2].split()))
        self.assertRegex(out[3], r"/petscspmv/libpetscspmv.so " + re.escape(str(tuple(TYPES))))
        # petsc4py of PETSc 3.25 shows the codes alone: PETSC_ERR_ARG_OUTOFRANGE and PETSC_ERR_ARG_WRONG.
        self.assertRegex("\n".join(out), "no figure nonsense|error code 63")
        self.assertRegex("\n".join(out), "not one of PetscSpMV's|error code 62")

    def test_not_initialized(self):
        out = self.python("import petscspmv; petscspmv.info(type('', (), {'handle': 0}))", succeeds=False)
        self.assertIn("PETSc is not initialized", out)

    def test_view(self):
        """petsc4py's view() shows the layout as the option -mat_view ::ascii_info does."""
        view = "PETSc.Viewer.STDOUT().pushFormat(PETSc.Viewer.Format.ASCII_INFO); A.view(PETSc.Viewer.STDOUT())"
        by_view = self.python(f"{ORDERS['after']}{DIAGONAL}A = diagonal('csr5'); {view}")
        self.assertIn("of CSR)", by_view)
        self.assertEqual(self.python(f"{ORDERS['after']}{DIAGONAL}A = diagonal('csr5')", "-mat_view ::ascii_info"), by_view)

    def test_users_dll_append(self):
        own = self.python("import petscspmv; print(petscspmv.library())").strip()
        for imports in ORDERS.values():
            self.python(imports, f"-dll_append {own}")
            self.assertIn(f"ImportError: {os.path.realpath(LIBRARY)} is loaded already",
                          self.python(imports, f"-dll_append {LIBRARY}", succeeds=False))

    def test_wrong_option(self):
        out = self.python(ORDERS["before"], "-spmv_simd nonsense", succeeds=False)
        self.assertRegex(out, "-spmv_simd is nonsense|error code 63")

    def test_another_petsc(self):
        """Stubs in place of the library: one that calls another PETSc, one that finds its PETSc to be another build, one that does
        not load."""
        package = os.path.dirname(self.python("import petscspmv; print(petscspmv.library())").strip())
        flags = ["-shared", "-fPIC", "-Wl,--no-as-needed"]
        libraries = {
            "other": compile_c("int PetscInitialize(void) { return 0; }", flags),
            "refuses": compile_c("int PetscSpMVRegisterAll(void) { return 76; /* PETSC_ERR_LIB */ }",
                                 flags + os.environ["PETSC_FLAGS"].split()),
            "unloadable": compile_c("int missing(void); int PetscSpMVRegisterAll(void) { return missing(); }",
                                    flags + ["-Wl,-z,now"]),
        }
        for name, library in libraries.items():
            shutil.copytree(package, f"{WORK.name}/{name}/petscspmv")
            shutil.copy(library, f"{WORK.name}/{name}/petscspmv/libpetscspmv.so")
            for imports in ORDERS.values():
                with self.subTest(library=name, imports=imports):
                    out = self.python(imports, succeeds=False, path=f"{WORK.name}/{name}")
                    self.assertRegex(out.splitlines()[-1],
                                     "^ImportError: .*petscspmv was built for PETSc .* install it again with PETSC_DIR=")

    def test_example(self):
        require_python("petsc4py", "scipy", "matplotlib")
        for ranks in 1, 2:
            plot = f"{WORK.name}/plot-{ranks}.png"
            code, out = run([VENV_PYTHON, f"{SOURCE}/examples/compare_types.py", "--vertices", "500", "--products", "3",
                             "--plot", plot, "-spmv_view"], "", ranks, **python_environment())
            self.assertEqual(code, 0, out)
            rows = re.findall(r"^(\w+) +[\d.]+ +[\d.]+ +(\S+) +[\d.]+  \w+$", out, re.MULTILINE)
            self.assertEqual([name for name, _ in rows], ["aij", *TYPES])
            self.assertTrue(all(float(error) < 1e-12 for _, error in rows), out)
            with open(plot, "rb") as f:
                self.assertEqual(f.read(4), b"\x89PNG")


if __name__ == "__main__":
    main()
