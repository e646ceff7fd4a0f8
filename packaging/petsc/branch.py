#!/usr/bin/env python3
"""Makes of PETSc's sources what a merge request for petsc-spmv would have; README.md beside this file says what that is.

  branch.py PETSC      in a checkout of PETSc's main branch, which git then shows as changed (git -C PETSC diff)

Each change stands behind a line that is looked for, whatever PETSc has around it. Where one is missing, nothing is changed.
"""
import argparse
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.realpath(__file__))

LOAD = """#if PetscDefined(HAVE_DYNAMIC_LIBRARIES) && PetscDefined(USE_SHARED_LIBRARIES) && PetscDefined(HAVE_PETSCSPMV)
  {
    PetscBool found;

    PetscCall(PetscLoadDynamicLibrary("spmv", &found));
    PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "libpetscspmv is no longer beside the PETSc libraries");
  }
#endif
"""
SOFTWARE = """- petsc-spmv `MATAIJ` in formats for fast products, relaxation and triangular solves (`MATSPMV`).
"""
TABLE = """   * -
     - ``MATSPMV``, ``MATCSR5``, ``MATSELLCS``, ``MATSPECULATIVE``, ``MATIPCSR``
     - ``MatSetType()``
     - petsc-spmv
     - Faster products, ``MatSOR()`` and triangular solves
"""
CHANGE = """- Add `MATSPMV`, `MATCSR5`, `MATSELLCS`, `MATSPECULATIVE` and `MATIPCSR`, with `--download-petscspmv`
"""
TEST = """
   test:
      suffix: spmv
      requires: petscspmv
      nsize: {{1 2}}
      args: -mat_type {{spmv csr5 sellcs speculative ipcsr}} -m 50 -n 50 -ksp_error_if_not_converged
      filter: grep -v "Norm of error"
      output_file: output/empty.out

"""

# File, what is looked for (a regular expression, whose first match counts), and the text that goes behind it.
CHANGES = [
    ("src/sys/dll/reg.c", r'PetscLoadDynamicLibrary\("pflare"[\s\S]*?^#endif\n', LOAD),
    ("doc/install/external_software.md", r"^- \[PaStiX\].*\n", SOFTWARE),
    ("doc/overview/matrix_table.md", r"^     - ``MATAIJKOKKOS``\n(?:     -.*\n)*", TABLE),
    ("doc/changes/dev.md", r"^## Mat\n\n(?:.+\n)*", CHANGE),
    ("config/examples/arch-ci-linux-pkgs-dbg.py", r"^ *'--download-pflare',\n", "  '--download-petscspmv',\n"),
    ("src/ksp/ksp/tutorials/ex2.c", r"(?=^ *TEST\*/)", TEST),
]


def changed(path, line, text):
    """The file's text with ours behind what matches."""
    with open(path) as file:
        before = file.read()
    if text in before:
        sys.exit(f"{path} has it already")
    found = re.search(line, before, re.M)
    if not found:
        sys.exit(f"{path} has no line {line}: PETSc has changed there; nothing was written")
    return before[:found.end()] + text + before[found.end():]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("petsc", help="folder of PETSc's sources")
    top = parser.parse_args().petsc
    packages = f"{top}/config/BuildSystem/config/packages"
    if not os.path.isdir(packages):
        sys.exit(f"{top} has no sources of PETSc")
    texts = {f"{top}/{path}": changed(f"{top}/{path}", line, text) for path, line, text in CHANGES}
    shutil.copy(f"{HERE}/petscspmv.py", packages)
    for path, text in texts.items():
        with open(path, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
