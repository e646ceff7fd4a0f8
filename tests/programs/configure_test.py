#!/usr/bin/env python3
"""Configuring: which PETSc is found by PETSC_DIR and PETSC_ARCH, what is said where there is none, which one the scripts
take, targets of one's own, the project as a part of another, and its options."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from programs import BUILD, MPIEXEC, PETSC_PREFIX as PETSC, SOURCE, main  # noqa: E402

PROJECT = f"""cmake_minimum_required(VERSION 3.21)
project(configure_test LANGUAGES C)
list(APPEND CMAKE_MODULE_PATH {SOURCE}/config/cmake)
find_package(PETSc REQUIRED)
message(STATUS "uses ${{PETSC_PC_LINK_LIBRARIES}}")
"""

MPI = f"""{PROJECT}include(MPIOfPETSc)
message(STATUS "compiles with ${{MPI_C_COMPILER}}, runs with ${{MPIEXEC_EXECUTABLE}}")
"""

TARGETS = f"""cmake_minimum_required(VERSION 3.21)
project(targets_test LANGUAGES CXX)
include({SOURCE}/config/cmake/PetscSpMVTargets.cmake)
"""

PARENT = f"""cmake_minimum_required(VERSION 3.21)
project(parent LANGUAGES C CXX)
add_subdirectory({SOURCE} petscspmv)
file(WRITE ${{CMAKE_BINARY_DIR}}/program.c "int main(void) {{ return 0; }}")
add_executable(program ${{CMAKE_BINARY_DIR}}/program.c)
target_link_libraries(program PRIVATE petscspmv)
foreach(target petscspmv solve spmvbench choice_test)
  if(TARGET ${{target}})
    list(APPEND targets ${{target}})
  endif()
endforeach()
message(STATUS "targets '${{targets}}', build type '${{CMAKE_BUILD_TYPE}}'")
"""


def entries(cache):
    """The entries of a CMakeCache.txt: name, type, value and help text."""
    with open(cache) as f:
        found = re.findall(r"((?:^//.*\n)*)^([^#/\n][^:\n]*):(\w+)=(.*)$", f.read(), re.M)
    return {name: (kind, value, text.replace("//", "").replace("\n", "")) for text, name, kind, value in found}


class Project(unittest.TestCase):
    def test_as_part_of_another(self):
        """It brings its library, no more, and leaves alone how the other is built."""
        given = []
        for name, (kind, value, _) in entries(f"{BUILD}/CMakeCache.txt").items():
            if (re.fullmatch("CMAKE_C(XX)?_COMPILER|(?i:kokkos)_(ROOT|DIR|INCLUDE_DIR|CORE_LIBRARY)", name)
                    and value and "NOTFOUND" not in value):
                given.append(f"-D{name}:{kind}={value}")
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/CMakeLists.txt", "w") as f:
                f.write(PARENT)
            command = ["cmake", "-S", folder, "-B", f"{folder}/build", f"-DPETSC_DIR={PETSC}", "-DPETSC_ARCH=", *given]
            result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(result.returncode, 0, result.stdout)
            self.assertIn("targets 'petscspmv', build type ''", result.stdout)
            with open(f"{folder}/build/petscspmv/cmake_install.cmake") as f:
                self.assertNotIn("README.md", f.read())

    def test_options_have_help_texts(self):
        options = {name: text for name, (kind, _, text) in entries(f"{BUILD}/CMakeCache.txt").items()
                   if name.startswith("PETSCSPMV_") and kind != "INTERNAL"}
        self.assertLessEqual({f"PETSCSPMV_{name}" for name in ("TESTS", "EXAMPLES", "BENCHMARKS", "DOCS", "EXTRA_FORMATS",
                                                               "EXTRA_TARGETS")}, set(options))
        for name, text in options.items():
            self.assertRegex(text, r"^[A-Z].{10,}", name)
            self.assertNotIn("No help", text, name)


class ExtraTargets(unittest.TestCase):
    """One more row, in PETSCSPMV_EXTRA_TARGETS."""

    def configure(self, row):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/CMakeLists.txt", "w") as f:
                f.write(TARGETS)
            command = ["cmake", "-S", folder, "-B", f"{folder}/build", f"-DPETSCSPMV_EXTRA_TARGETS={row}"]
            result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return result.returncode, " ".join(result.stdout.split())

    def test_row(self):
        code, out = self.configure("plain | any | | 16 | loads | yes")
        self.assertEqual(code, 0, out)
        self.assertRegex(out, r"Targets of kernels: baseline,.* plain ")
        for row in "other | sparc64 | | 16 | loads | yes", "missing | any | no-such-feature | 16 | loads | yes":
            code, out = self.configure(row)
            self.assertEqual(code, 0, out)
            self.assertNotRegex(out, rf"Targets of kernels: .*{row.split()[0]}")

    def test_wrong_row(self):
        for row, said in (
            ("plain | any | 16 | loads | yes", "A target has 6 fields"),
            ("plain | any | | 16 | load | yes", "Target plain: x is 'load', must be one of gathers;loads"),
            ("plain | any | | 16 | loads | 1", "Target plain: fused is '1', must be one of yes;no"),
        ):
            code, out = self.configure(row)
            self.assertNotEqual(code, 0, out)
            self.assertIn(said, out)


class PETScDir(unittest.TestCase):
    """All in the same build folder, like a user who tries again."""

    @classmethod
    def setUpClass(cls):
        cls.folder = os.path.realpath(tempfile.mkdtemp())
        os.mkdir(f"{cls.folder}/empty")
        with open(f"{cls.folder}/CMakeLists.txt", "w") as f:
            f.write(PROJECT)
        # A PETSc in its source folder: arch/include and arch/lib, and a pkg-config file that names them.
        shutil.copytree(f"{PETSC}/lib/pkgconfig", f"{cls.folder}/tree/arch/lib/pkgconfig")
        for name in os.listdir(f"{PETSC}/lib"):
            if name.startswith("libpetsc"):
                os.symlink(f"{PETSC}/lib/{name}", f"{cls.folder}/tree/arch/lib/{name}")
        # Another is configured, and not built.
        shutil.copytree(f"{PETSC}/lib/pkgconfig", f"{cls.folder}/unbuilt/lib/pkgconfig")
        for prefix in f"{cls.folder}/tree/arch", f"{cls.folder}/unbuilt":
            for name in os.listdir(f"{prefix}/lib/pkgconfig"):
                path = f"{prefix}/lib/pkgconfig/{name}"
                with open(path) as f:
                    text = f.read()
                with open(path, "w") as f:
                    f.write(text.replace(f"prefix={PETSC}\n", f"prefix={prefix}\n"))
            os.symlink(f"{PETSC}/include", f"{prefix}/include")
        os.symlink(PETSC, f"{cls.folder}/link")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def configure(self, *arguments, source="", **variables):
        environment = {name: value for name, value in os.environ.items() if name not in ("PETSC_DIR", "PETSC_ARCH")}
        command = ["cmake", "-S", source or self.folder, "-B", f"{self.folder}/build{source}", "-UPETSC_*", *arguments]
        result = subprocess.run(command, env=dict(environment, **variables), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True)
        return result.returncode, " ".join(result.stdout.split())

    def fails(self, *words, arguments=(), **variables):
        code, out = self.configure(*arguments, **variables)
        self.assertNotEqual(code, 0, out)
        for word in words:
            self.assertIn(word, out)
        self.assertNotIn(" uses ", out)

    def finds(self, folder, arguments=(), **variables):
        code, out = self.configure(*arguments, **variables)
        self.assertEqual(code, 0, out)
        self.assertRegex(out, rf" uses (\S*;)?{folder}/lib/libpetsc")
        self.assertRegex(out, r"PETSc 3[.\d]+: \S+, (real|complex) (double|single|float128|fp16) scalars, (32|64)-bit indices")

    def test_no_such_folder(self):
        said = ("PETSC_DIR is '/nonexistent' and PETSC_ARCH is ''", "there is no such folder")
        self.fails(*said, arguments=["-DPETSC_DIR=/nonexistent"])
        self.fails(*said, PETSC_DIR="/nonexistent")
        self.fails("PETSC_ARCH is 'arch'", "no such folder", arguments=["-DPETSC_DIR=/nonexistent"], PETSC_ARCH="arch")

    def test_of_this_project(self):
        code, out = self.configure(source=SOURCE, PETSC_DIR="/nonexistent")
        self.assertNotEqual(code, 0, out)
        self.assertIn("PETSC_DIR is '/nonexistent' and PETSC_ARCH is '', but there is no such folder", out)

    def test_folder_without_petsc(self):
        self.fails(f"there is no {self.folder}/empty/lib/pkgconfig/petsc.pc", PETSC_DIR=f"{self.folder}/empty")
        self.fails(f"there is no {self.folder}/empty/arch/lib/pkgconfig/petsc.pc", PETSC_DIR=f"{self.folder}/empty",
                   PETSC_ARCH="arch")

    def test_other_arch(self):
        self.fails("PETSC_ARCH is 'other'", "Set PETSC_ARCH to what is there: arch.", PETSC_DIR=f"{self.folder}/tree",
                   PETSC_ARCH="other")
        self.fails("PETSC_ARCH is ''", "Set PETSC_ARCH to what is there: arch.", PETSC_DIR=f"{self.folder}/tree")

    def test_arch_of_an_installed_petsc(self):
        self.fails(f"there is no {PETSC}/arch/lib/pkgconfig/petsc.pc", "unset PETSC_ARCH", PETSC_DIR=PETSC, PETSC_ARCH="arch")

    def test_arch_alone(self):
        self.fails("PETSC_ARCH is 'arch' without a PETSC_DIR", PETSC_ARCH="arch")

    def test_unusable_file(self):
        os.makedirs(f"{self.folder}/broken/lib/pkgconfig")
        with open(f"{self.folder}/broken/lib/pkgconfig/petsc.pc", "w") as f:
            f.write("Name: PETSc\nDescription: broken\nVersion: 3.20.0\nRequires: no-such-package\n")
        self.fails("pkg-config cannot use", "no-such-package", PETSC_DIR=f"{self.folder}/broken")

    def test_installed(self):
        self.finds(PETSC, PETSC_DIR=PETSC)
        self.finds(PETSC, PETSC_DIR=PETSC, PETSC_ARCH="")
        self.finds(PETSC, PETSC_DIR=f"{self.folder}/link")
        self.finds(PETSC, PETSC_DIR=os.path.dirname(PETSC), PETSC_ARCH=os.path.basename(PETSC))
        self.finds(PETSC, arguments=[f"-DPETSC_DIR={PETSC}"], PETSC_DIR="/nonexistent")

    def test_not_built(self):
        """Not the system's library with this one's headers."""
        self.fails(f"PETSc in {self.folder}/unbuilt is configured, but not built", "make all", PETSC_DIR=f"{self.folder}/unbuilt")

    def test_in_its_source_folder(self):
        self.finds(f"{self.folder}/tree/arch", PETSC_DIR=f"{self.folder}/tree", PETSC_ARCH="arch")
        self.finds(f"{self.folder}/tree/arch", PETSC_DIR=f"{self.folder}/tree/arch")
        self.finds(PETSC, PETSC_DIR=PETSC)  # not what the build folder had before

    def test_configured_again(self):
        """By make, in a shell that names no PETSc: the folder keeps its own, until another one is named."""
        again = ["cmake", f"{self.folder}/build"]
        environment = {name: value for name, value in os.environ.items() if name not in ("PETSC_DIR", "PETSC_ARCH")}
        self.finds(f"{self.folder}/tree/arch", PETSC_DIR=f"{self.folder}/tree", PETSC_ARCH="arch")
        for variables, folder in (({}, f"{self.folder}/tree/arch"), ({"PETSC_DIR": PETSC}, PETSC), ({}, PETSC)):
            out = subprocess.run(again, env=dict(environment, **variables), stdout=subprocess.PIPE, text=True, check=True).stdout
            self.assertRegex(out, rf" uses (\S*;)?{folder}/lib/libpetsc")


class Scripts(unittest.TestCase):
    """Which PETSc config/setup takes: that of the environment, else that of the build folder, else Debian's."""

    def taken(self, remembered=None, **variables):
        """PETSC_DIR, PETSC_ARCH and the build of Debian's, where the build folder was configured with these two."""
        with tempfile.TemporaryDirectory() as build:
            if remembered:
                with open(f"{build}/CMakeCache.txt", "w") as f:
                    f.write("PETSC_DIR_OF_ENVIRONMENT:INTERNAL={}\nPETSC_ARCH_OF_ENVIRONMENT:INTERNAL={}\n".format(*remembered))
            named = {"PETSC_DIR", "PETSC_ARCH", "PETSCSPMV_PETSC", "CMAKE_TOOLCHAIN_FILE"}
            environment = {name: value for name, value in os.environ.items() if name not in named}
            environment.update(variables, PETSCSPMV_BUILD=build)
            script = f". {SOURCE}/config/setup >&2; echo \"${{PETSC_DIR-}} ${{PETSC_ARCH-}} $petsc\""
            result = subprocess.run(["bash", "-euo", "pipefail", "-c", script], env=environment, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True)
            self.assertEqual(result.returncode, 0, result.stderr)
            return result.stdout.strip("\n"), "staying with" in result.stderr

    def test_nothing_known(self):
        self.assertEqual(self.taken(), ("  -real", False))

    def test_folder_of_another_petsc(self):
        self.assertEqual(self.taken(("/opt/petsc", "arch")), ("/opt/petsc arch ", True))
        self.assertEqual(self.taken(("/opt/petsc", "")), ("/opt/petsc  ", True))

    def test_folder_of_another_build_of_debians(self):
        for name, words in (("petsc64-complex", "64-complex"), ("petsc-complex", "-complex")):
            folder = f"/usr/lib/petscdir/{name}"
            self.assertEqual(self.taken((folder, "")), (f"{folder}  {words}", True))
        self.assertEqual(self.taken(("/usr/lib/petscdir/petsc-real", "")), ("/usr/lib/petscdir/petsc-real  -real", False))

    def test_environments_name_theirs(self):
        with tempfile.TemporaryDirectory() as build:
            with open(f"{build}/CMakeCache.txt", "w") as f:
                f.write("PETSC_DIR_OF_ENVIRONMENT:INTERNAL=/opt/petsc\n")
            out = subprocess.check_output([f"{SOURCE}/config/environment", "--list"], env=dict(os.environ, PETSCSPMV_BUILD=build),
                                          stderr=subprocess.STDOUT, text=True)
        self.assertEqual(out.split()[:2], ["real", "complex"])

    def test_named(self):
        remembered = ("/opt/petsc", "arch")
        self.assertEqual(self.taken(remembered, PETSC_DIR="/opt/other", PETSC_ARCH="a"), ("/opt/other a ", False))
        self.assertEqual(self.taken(remembered, PETSCSPMV_PETSC="real"), ("/usr/lib/petscdir/petsc-real  -real", False))


class MpiOfPetsc(unittest.TestCase):
    """The compilers and mpiexec that PETSc names, unless the user names others; an error where they are of another MPI."""

    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for name in "petsc/lib/pkgconfig", "petsc/lib/petsc/conf", "bin", "include":
            os.makedirs(f"{self.folder}/{name}")
        for name in os.listdir(f"{PETSC}/lib"):
            if name.startswith("libpetsc"):
                os.symlink(f"{PETSC}/lib/{name}", f"{self.folder}/petsc/lib/{name}")
        os.symlink(f"{PETSC}/include", f"{self.folder}/petsc/include")
        with open(glob.glob(f"{PETSC}/lib/pkgconfig/[Pp][Ee][Tt][Ss][Cc].pc")[0]) as f:
            text = f.read()
        self.wrapper = shutil.which(re.search(r"^ccompiler=(.*)", text, re.M)[1])
        self.of_petsc = f"{self.folder}/bin/{os.path.basename(self.wrapper)}"
        for name, path in (self.of_petsc, self.wrapper), (f"{self.folder}/bin/mpiexec", MPIEXEC):
            with open(name, "w") as f:
                f.write(f'#!/bin/sh\nexec {path} "$@"\n')
            os.chmod(name, 0o755)
        text = text.replace(f"prefix={PETSC}\n", f"prefix={self.folder}/petsc\n")
        with open(f"{self.folder}/petsc/lib/pkgconfig/petsc.pc", "w") as f:
            f.write(re.sub(r"^ccompiler=.*", f"ccompiler=ccache {self.of_petsc} -O2", text, flags=re.M))
        with open(f"{self.folder}/petsc/lib/petsc/conf/petscvariables", "w") as f:
            f.write(f"CC = cc\nMPIEXEC = {self.folder}/bin/mpiexec --oversubscribe\n")
        with open(f"{self.folder}/CMakeLists.txt", "w") as f:
            f.write(MPI)
        with open(f"{self.folder}/include/mpi.h", "w") as f:
            f.write("#include_next <mpi.h>\n#undef OMPI_MAJOR_VERSION\n#undef MPICH_NUMVERSION\n")

    def configure(self, *arguments):
        command = ["cmake", "-S", self.folder, "-B", f"{self.folder}/build", "-DPETSC_ARCH=", *arguments]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return result.returncode, " ".join(result.stdout.split())

    def expect(self, words, *arguments):
        code, out = self.configure(*arguments)
        self.assertEqual(code, 0, out)
        self.assertIn(words, out)

    def test_what_petsc_names(self):
        self.expect(f"compiles with {self.of_petsc}, runs with {self.folder}/bin/mpiexec", f"-DPETSC_DIR={self.folder}/petsc")
        self.expect(f"compiles with {self.wrapper}, ", f"-DPETSC_DIR={PETSC}")  # not what the build folder had before

    def test_what_the_user_names(self):
        self.expect(f"compiles with {self.wrapper}, runs with {MPIEXEC}", f"-DPETSC_DIR={self.folder}/petsc",
                    f"-DMPI_C_COMPILER={self.wrapper}", f"-DMPIEXEC_EXECUTABLE={MPIEXEC}")

    def test_another_mpi(self):
        code, out = self.configure(f"-DPETSC_DIR={self.folder}/petsc", f"-DCMAKE_C_FLAGS=-I{self.folder}/include")
        self.assertNotEqual(code, 0, out)
        for words in "PETSc was configured with", self.of_petsc, "-DMPI_C_COMPILER=mpicc", "-DMPIEXEC_EXECUTABLE=":
            self.assertIn(words, out)


if __name__ == "__main__":
    main()
