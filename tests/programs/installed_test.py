#!/usr/bin/env python3
"""What cmake --install leaves: the library under its names, its version, and programs that are built with it by CMake, make and
pkg-config."""
import glob
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "support"))
from programs import BUILD, MINIMAL, SOURCE, TYPES, WORK, compile_c, main, run  # noqa: E402

PREFIX = f"{WORK.name}/installed"
VERSION = re.search(r'PETSCSPMV_VERSION +"(.*)"', open(f"{BUILD}/petscspmv/include/petscspmv.h").read())[1]
NUMBERS = VERSION.split("-")[0].split(".")
LINE = rf"PetscSpMV {re.escape(VERSION)} for PETSc 3\.\d+ with (real|complex) scalars of \d+ bits and indices of (32|64)\n"
NAMES = ["libpetscspmv.so", f"libpetscspmv.so.{NUMBERS[0]}", f"libpetscspmv.so.{'.'.join(NUMBERS)}"]

LINKED = """
#include <petscspmv.h>
#if !PETSCSPMV_VERSION_GE(1, 0, 0) || PETSCSPMV_VERSION_LT(1, 0, 0) || \
  PETSCSPMV_VERSION_GE(PETSCSPMV_VERSION_MAJOR, PETSCSPMV_VERSION_MINOR + 1, 0)
#error "the order of versions"
#endif
#if !PETSCSPMV_VERSION_EQ(PETSCSPMV_VERSION_MAJOR, PETSCSPMV_VERSION_MINOR, PETSCSPMV_VERSION_SUBMINOR) || \
  PETSCSPMV_VERSION_GT(PETSCSPMV_VERSION_MAJOR + 1, 0, 0)
#error "the order of versions"
#endif
int main(int argc, char **argv) {
  Mat A; MatSpMVInfo info; char line[128], few[8]; PetscInt major, minor, subminor, release;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscSpMVRegisterAll());
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A)); PetscCall(MatSetSizes(A, 9, 9, 9, 9)); PetscCall(MatSetType(A, MATCSR5));
  PetscCall(MatSetUp(A));
  PetscCall(MatSpMVSetOption(A, "sigma", 4)); PetscCall(MatSpMVGetInfo(A, &info));
  PetscCall(PetscSpMVGetVersion(line, sizeof(line)));
  PetscCall(PetscSpMVGetVersion(few, sizeof(few)));
  PetscCall(PetscSpMVGetVersionNumber(&major, &minor, &subminor, &release));
  PetscCall(PetscSpMVGetVersionNumber(NULL, NULL, NULL, NULL));
  PetscCheck(major == PETSCSPMV_VERSION_MAJOR && minor == PETSCSPMV_VERSION_MINOR && subminor == PETSCSPMV_VERSION_SUBMINOR &&
             release == PETSCSPMV_VERSION_RELEASE, PETSC_COMM_SELF, PETSC_ERR_PLIB, "version");
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\\nrelease %d, %s\\n", line, (int)release, few));
  PetscCall(MatDestroy(&A)); PetscCall(PetscFinalize()); return 0;
}"""
PROJECT = """cmake_minimum_required(VERSION 3.20)
project(linked C)
find_package(petscspmv %s REQUIRED)
add_executable(linked linked.c)
target_link_libraries(linked petscspmv::petscspmv)
"""


def setUpModule():
    with open(f"{WORK.name}/install.log", "w") as log:
        subprocess.run(["cmake", "--install", BUILD, "--prefix", PREFIX], check=True, stdout=log)


def find(name):
    """The folder of an installed file."""
    return os.path.dirname(glob.glob(f"{PREFIX}/**/{name}", recursive=True)[0])


class Installed(unittest.TestCase):
    def succeeds(self, command, **more):
        code, out = run(command, timeout=600, **more)
        self.assertEqual(code, 0, out)
        return out

    def prints_version(self, out):
        self.assertRegex(out, rf"^{LINE}release {int('-' not in VERSION)}, PetscSp\n$")

    def test_files(self):
        found = {os.path.basename(path) for path in glob.glob(f"{PREFIX}/**", recursive=True)}
        self.assertLessEqual({*NAMES, "petscspmv.h", "petscspmv.pc", "petscspmvConfig.cmake"}
                             | {f"petscspmv{name}.h" for name in TYPES}, found)
        self.assertLessEqual({"LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "CITATION.cff",
                              "minimal.c", "solve.cpp", "poisson.py", "installing.md"}, found)
        self.assertEqual("spmvbench" in found, os.path.exists(f"{BUILD}/benchmarks/spmvbench"))

    def test_man_pages(self):
        """Of types and functions; or what is missing is said."""
        with open(f"{WORK.name}/install.log") as log:
            missing = re.search(r"^-- No man pages: ", log.read(), re.M)
        found = {os.path.basename(path) for path in glob.glob(f"{PREFIX}/**/man3/*.3", recursive=True)}
        self.assertEqual(missing is None, {"MatSpMVGetInfo.3", "MATCSR5.3", "MATSPMV.3"} <= found)

    def test_pages_lead_to_pages(self):
        top = find("CHANGELOG.md")
        for page in [f"{top}/README.md", *glob.glob(f"{top}/docs/*.md")]:
            with open(page) as f:
                links = re.findall(r"\]\(([^):#]+\.md)[)#]", f.read())
            missing = [link for link in links if not os.path.exists(f"{os.path.dirname(page)}/{link}")]
            self.assertEqual(missing, [], page)

    def test_pages_are_of_this_version(self):
        for name, line in (("CHANGELOG.md", rf"## {re.escape(VERSION)} - \d{{4}}-\d\d-\d\d"),
                           ("CITATION.cff", f"version: {re.escape(VERSION)}")):
            with open(f"{find(name)}/{name}") as f:
                self.assertRegex(f.read(), rf"(?m)^{line}$", name)

    def test_packages_are_of_this_version(self):
        for name, line in (("debian/changelog", rf"\Apetscspmv \({re.escape(VERSION.replace('-', '~'))}-\d+\) "),
                           ("packaging/conda/recipe.yaml", rf"^ +version: {re.escape(VERSION.replace('-', ''))}$"),
                           ("packaging/petsc/petscspmv.py", rf"self\.version += '{re.escape(VERSION)}'$")):
            with open(f"{SOURCE}/{name}") as f:
                self.assertRegex(f.read(), re.compile(line, re.M), name)

    def test_no_path_of_source_or_build(self):
        """The same sources give the same files in any folder: config/check-reproducible compares all bytes."""
        for path in glob.glob(f"{PREFIX}/**", recursive=True):
            if os.path.isfile(path):
                with open(path, "rb") as f:
                    content = f.read()
                for folder in SOURCE, BUILD:
                    self.assertFalse(folder.encode() in content, path)
                if content.startswith(b"\x7fELF"):  # __FILE__ begins with src, also where ccache makes relative paths
                    self.assertTrue(b"\0src/" in content, path)
                    self.assertIsNone(re.search(rb"/src/(benchmarks|mat|matio|plugin)/", content), path)

    def test_every_name_is_loaded(self):
        for name in NAMES:
            out = self.succeeds(MINIMAL, options=f"-dll_append {find(name)}/{name} -mat_type csr5")
            self.assertIn("Mat type seqaijcsr5", out)

    def test_libraries_are_found(self):
        """Those of PETSc and Kokkos wherever they are, and the library by spmvbench, also in another folder."""
        moved = f"{WORK.name}/moved"
        shutil.copytree(PREFIX, moved, symlinks=True)
        programs = glob.glob(f"{moved}/bin/spmvbench") + glob.glob(f"{moved}/lib*/**/{NAMES[0]}", recursive=True)
        self.assertEqual(len(programs), 1 + os.path.exists(f"{PREFIX}/bin/spmvbench"))
        for path in programs:
            out = self.succeeds(f"ldd {path}", LD_LIBRARY_PATH="")
            self.assertNotIn("not found", out)
            if path.endswith("spmvbench"):
                self.assertIn(f"{NAMES[1]} => {moved}", out.replace("/bin/../", "/"))

    def test_version_option(self):
        library = f"-dll_append {find(NAMES[0])}/{NAMES[0]}"
        for ranks in 1, 2:
            out = self.succeeds(MINIMAL, options=f"{library} -version", ranks=ranks)
            self.assertRegex(out, rf"(?m)^{LINE}")
            self.assertEqual(out.count("PetscSpMV "), 1, out)
        self.assertNotIn("PetscSpMV", self.succeeds(MINIMAL, options=library))

    def test_pkg_config(self):
        environment = dict(os.environ, PKG_CONFIG_PATH=f"{find('petscspmv.pc')}:{os.environ.get('PKG_CONFIG_PATH', '')}")

        def ask(*arguments):
            return subprocess.run(["pkg-config", *arguments, "petscspmv"], env=environment, check=True, stdout=subprocess.PIPE,
                                  text=True).stdout

        self.assertEqual(ask("--modversion").strip(), ".".join(NUMBERS))
        program = compile_c(LINKED, ask("--cflags", "--libs").split() + os.environ["PETSC_FLAGS"].split())
        self.prints_version(self.succeeds(program))
        self.prints_version(self.succeeds(program, options=f"-dll_append {find(NAMES[0])}/{NAMES[0]}"))  # the same library

    def test_cmake_package(self):
        folder = f"{WORK.name}/linked"
        os.mkdir(folder)
        with open(f"{folder}/linked.c", "w") as f:
            f.write(LINKED)
        for version, wanted in (f"{int(NUMBERS[0]) + 1}.0", False), (".".join(NUMBERS[:2]), True):
            with open(f"{folder}/CMakeLists.txt", "w") as f:
                f.write(PROJECT % version)
            code, out = run(["cmake", "-S", folder, "-B", f"{folder}/build", f"-DCMAKE_PREFIX_PATH={PREFIX}"])
            self.assertEqual(code == 0, wanted, out)
        self.succeeds(["cmake", "--build", f"{folder}/build"])
        self.prints_version(self.succeeds(f"{folder}/build/linked"))

    def test_examples(self):
        """They are built as their CMakeLists.txt and makefile say."""
        folder = f"{WORK.name}/examples"
        shutil.copytree(find("minimal.c"), folder)
        self.succeeds(["cmake", "-S", folder, "-B", f"{folder}/build", f"-DCMAKE_PREFIX_PATH={PREFIX}", "-DCMAKE_CXX_FLAGS=-O0"])
        self.succeeds(["cmake", "--build", f"{folder}/build"])
        self.assertRegex(self.succeeds(f"{folder}/build/solve -n 4 -nodes 100 -rounds 1"), r"(?s)aij .*csr5 .*sellcs .*spmv ")
        command = ["make", "-C", folder, f"CC={os.environ['MPICC']}", "minimal"]  # not twice what is slow to compile
        self.succeeds(command, PKG_CONFIG_PATH=f"{find('petscspmv.pc')}:{os.environ.get('PKG_CONFIG_PATH', '')}")
        self.assertIn("Mat type seqaij:", self.succeeds(f"{folder}/minimal"))


if __name__ == "__main__":
    main()
