"""Python with the packages made for the PETSc that the library was built for."""
import os
import subprocess
import unittest

from programs import PETSC_PREFIX

PYTHON = "/usr/bin/python3"  # that of the clients' packages


def python_environment():
    """The variables that make Python find the packages made for this PETSc."""
    return {"PETSC_DIR": PETSC_PREFIX, "PETSC_ARCH": "",
            "PYTHONPATH": f"{PETSC_PREFIX}/lib:{PETSC_PREFIX}/lib/python3/dist-packages"}


def require_python(*modules):
    """Skips unless /usr/bin/python3 has the modules, and its petsc4py is of this PETSc."""
    code = (f"import {', '.join(modules)}, os, petsc4py; c = petsc4py.get_config(); "
            "print(os.path.realpath(os.path.join(c['PETSC_DIR'], c['PETSC_ARCH'])))")
    result = subprocess.run([PYTHON, "-c", code], env=dict(os.environ, **python_environment()),
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if result.returncode or result.stdout.strip() != os.path.realpath(PETSC_PREFIX):
        raise unittest.SkipTest(f"{PYTHON} has no {', '.join(modules)} for the PETSc in {PETSC_PREFIX}")
