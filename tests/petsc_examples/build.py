"""The PETSc and the library under test: their folders, configuration and types, from the environment that CTest sets.

BUILD and SOURCE (directories), FORMATS (short names), MPIEXEC, CC, CXX, PETSC_FLAGS (to compile with PETSc), MPI_FLAGS.
"""
import json
import os
import re
import subprocess


def environment_of_test(build):
    """The variables that CTest sets for this test in a build directory."""
    command = ["ctest", "--test-dir", build, "--show-only=json-v1", "-R", "^petsc_examples$"]
    tests = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)["tests"]
    properties = {p["name"]: p["value"] for p in tests[0]["properties"]}
    return dict(entry.split("=", 1) for entry in properties["ENVIRONMENT"])


def definitions(path):
    """The macros that a header defines without arguments, or the variables of a makefile."""
    with open(path) as f:
        return dict(re.findall(r"^(?:#define +)?(\w+)[ \t=]*(.*?) *$", f.read(), re.M))


class Petsc:
    """The PETSc of PETSC_FLAGS."""

    def __init__(self, flags):
        self.flags = flags.split()
        folders = [flag[2:] for flag in self.flags if flag.startswith("-I")]
        include = next(folder for folder in folders if os.path.exists(f"{folder}/petscconf.h"))
        self.folder = os.path.dirname(include)
        self.macros = definitions(f"{include}/petscconf.h")
        version = definitions(self.find("include/petscversion.h"))
        self.version = f"{version['PETSC_VERSION_MAJOR']}.{version['PETSC_VERSION_MINOR']}"
        scalar = "complex" if "PETSC_USE_COMPLEX" in self.macros else "real"
        self.name = f"{self.version}-{scalar}" + ("-64" if "PETSC_USE_64BIT_INDICES" in self.macros else "")

    def find(self, path):
        """A file of PETSC_DIR/PETSC_ARCH, or of PETSC_DIR, its parent; None if it is in neither."""
        return next((p for p in (f"{self.folder}/{path}", f"{self.folder}/../{path}") if os.path.exists(p)), None)

    def examples(self):
        """The folder of the installed examples, in PETSC_DIR or where Debian's packages have it; None without it."""
        folders = self.find("share/petsc/examples"), f"/usr/share/petsc/{self.version}/share/petsc/examples"
        return next((folder for folder in folders if folder and os.path.exists(f"{folder}/config/testparse.py")), None)

    def external_flags(self):
        """All includes and libraries that PETSc itself was built with, for examples that call those."""
        path = self.find("lib/petsc/conf/petscvariables")
        variables = definitions(path) if path else {}
        return (variables.get("PETSC_CC_INCLUDES", "") + " " + variables.get("PETSC_WITH_EXTERNAL_LIB", "")).split()


def root_of(name):
    """The root of a type's names (prefixed by seq and mpi), from the type's public header."""
    for folder, _, files in os.walk(f"{os.environ['SOURCE']}/src/mat/impls"):
        if f"petscspmv{name}.h" in files:
            with open(f"{folder}/petscspmv{name}.h") as f:
                return re.search(r'#define MATSEQ\w+ +"seq(\w+)"', f.read()).group(1)
    raise ValueError(f"no type {name}")
