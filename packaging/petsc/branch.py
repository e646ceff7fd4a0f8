#!/usr/bin/env python3
"""Makes of PETSc's sources what a merge request for petsc-spmv would have; README.md beside this file says what that is.

  branch.py PETSC      in a checkout of PETSc's main branch, which git then shows as changed (git -C PETSC diff)

Each text is inserted after every match of its pattern, whatever PETSc has around it. If a pattern has no match, no file is changed.
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
    PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, \
"Unable to locate petscspmv dynamic library. You cannot move the dynamic libraries!");
  }
#endif
"""
SOFTWARE = """- petsc-spmv Storage formats for matrix-vector products, `MatSOR()` and triangular solves with `MATAIJ` (`MATSPMV`).
"""
TABLE = """   * -
     - ``MATSPMV``, ``MATCSR5``, ``MATSELLCS``, ``MATSPECULATIVE``, ``MATIPCSR``
     - ``MatSetType()``
     - petsc-spmv
     - CSR5, SELL-C-sigma and other formats beside CSR; SIMD and GPU acceleration
"""
INTERFACE = """- Add `--download-petscspmv`
"""
CHANGE = """- Add `MatType` `MATSPMV`, `MATCSR5`, `MATSELLCS`, `MATSPECULATIVE` and `MATIPCSR` of petsc-spmv
"""
TEST = """   testset:
      requires: petscspmv
      args: -ksp_monitor -m 5 -n 5 -ksp_gmres_cgs_refinement_type refine_always \
-mat_spmv_choose sellcs
      test:
         suffix: spmv
         output_file: output/ex2_1.out
         args: -mat_type spmv
      test:
         suffix: spmv_2
         nsize: 2
         output_file: output/ex2_2.out
         args: -mat_seqaij_type seqaijspmv

   testset:
      requires: petscspmv
      args: -ksp_monitor -m 5 -n 5 -ksp_gmres_cgs_refinement_type refine_always \
-mat_type {{csr5 sellcs speculative ipcsr}}
      test:
         suffix: spmv_format
         output_file: output/ex2_1.out
      test:
         suffix: spmv_format_2
         nsize: 2
         output_file: output/ex2_2.out

"""

# Tests of what -info prints leave out the lines about libraries that PETSc loads itself.
FILTERED = " -ve libpetscspmv"

# File, what is looked for (a regular expression), and the text that goes behind each place where it is found.
CHANGES = [
    ("src/sys/dll/reg.c", r'PetscLoadDynamicLibrary\("pflare"[\s\S]*?^#endif\n', LOAD),
    ("doc/install/external_software.md", r"^- \[PaStiX\].*\n", SOFTWARE),
    ("doc/overview/matrix_table.md", r"^     - ``MATAIJKOKKOS``\n(?:     -.*\n)*", TABLE),
    ("doc/changes/dev.md", r"^## Mat\n\n(?:.+\n)*", CHANGE),
    ("doc/changes/dev.md", r"^## Configure/Build\n\n(?:.+\n)*", INTERFACE),
    ("src/ksp/ksp/tutorials/ex2.c", r"(?=^ *TEST\*/)", TEST),
    ("src/ksp/ksp/tutorials/ex2.c", r"suffix: help\n *requires:.* !hpddm", " !petscspmv"), # its output has the options of all
    ("src/mat/tests/ex182.c", r" -ve libpetscpflare", FILTERED),
    ("src/mat/tutorials/ex7.c", r" -ve libpetscpflare", FILTERED),
]


def changed(path, before, line, text):
    """The file's text with ours behind what matches."""
    if text in before:
        sys.exit(f"{path} has it already")
    after, found = re.subn(line, lambda place: place.group() + text, before, flags=re.M)
    if not found:
        sys.exit(f"{path} has no line {line}: PETSc has changed there; nothing was written")
    return after


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("petsc", help="folder of PETSc's sources")
    top = parser.parse_args().petsc
    packages = f"{top}/config/BuildSystem/config/packages"
    if not os.path.isdir(packages):
        sys.exit(f"{top} has no sources of PETSc")
    texts = {}
    for path, line, text in CHANGES:
        if path not in texts:
            with open(f"{top}/{path}") as file:
                texts[path] = file.read()
        texts[path] = changed(path, texts[path], line, text)
    shutil.copy(f"{HERE}/petscspmv.py", packages)
    for path, text in texts.items():
        with open(f"{top}/{path}", "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
