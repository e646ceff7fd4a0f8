"""Loads the library into petsc4py's PETSc, which may be initialized by now or later."""
from __future__ import annotations

import ctypes
import os
import re
import sys
from typing import Any

try:
    import petsc4py
    import petsc4py.lib
except ImportError as error:
    raise ImportError("petscspmv needs petsc4py, the one of the PETSc that it was built for") from error

from ._build import PETSC

LIBRARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libpetscspmv.so")
PETSC_ERR_LIB = 76
_registered: ctypes.PyDLL | None = None  # PyDLL keeps the GIL, which petsc4py's handler of errors needs


def call(function: str, *arguments: Any) -> None:
    """Calls a function of the library; its error is a petsc4py.PETSc.Error."""
    if _registered is None:
        raise RuntimeError("PETSc is not initialized: import petsc4py.PETSc first")
    if code := getattr(_registered, function)(*arguments):
        raise sys.modules["petsc4py.PETSc"].Error(code)


def register_types() -> None:
    """Registers the matrix types now, or as soon as petsc4py has initialized PETSc."""
    petsc = sys.modules.get("petsc4py.PETSc")
    if petsc and hasattr(petsc, "Sys") and petsc.Sys.isInitialized():
        _register(petsc)
    else:
        _register_after_initialize()


def _register_after_initialize() -> None:
    """Not by the option -dll_append: it would replace a user's own, reach child processes through PETSC_OPTIONS, and leave PETSc
    half initialized where the library does not fit. Every way to initialize petsc4py calls the two functions replaced here."""
    import_petsc = petsc4py.lib.ImportPETSc

    def import_and_replace(*arguments: Any, **named: Any) -> Any:
        petsc: Any = import_petsc(*arguments, **named)
        petsc4py.lib.ImportPETSc = import_petsc
        initialize = petsc._initialize

        def initialize_and_register(*arguments: Any, **named: Any) -> None:
            petsc._initialize = initialize
            initialize(*arguments, **named)
            _register(petsc)

        petsc._initialize = initialize_and_register
        return petsc

    petsc4py.lib.ImportPETSc = import_and_replace


def _register(petsc: Any) -> None:
    global _registered
    for path in _loaded_copies():
        if not os.path.samefile(path, LIBRARY):
            raise ImportError(f"{path} is loaded already, and petscspmv has a library of its own: "
                              "remove -dll_append from PETSC_OPTIONS or from the arguments")
    folder, arch = (petsc4py.get_config()[name] for name in ("PETSC_DIR", "PETSC_ARCH"))
    mismatch = (f"petscspmv was built for {PETSC}, not for petsc4py's in {os.path.join(folder, arch)}; "
                f"install it again with PETSC_DIR={folder} PETSC_ARCH={arch}")
    try:
        library = ctypes.PyDLL(LIBRARY)
    except OSError as error:
        raise ImportError(f"{error}: {mismatch}") from error
    if _petsc_of(library) != _petsc_of(ctypes.PyDLL(petsc.__file__)):
        raise ImportError(mismatch)
    if code := library.PetscSpMVRegisterAll():
        why = petsc.Error(code)
        raise ImportError(mismatch if code == PETSC_ERR_LIB else str(why)) from why
    _registered = library


def _petsc_of(library: ctypes.PyDLL) -> int | None:
    """The address of the PETSc that a library calls: a process may have two, which know nothing of each other."""
    return ctypes.cast(library.PetscInitialize, ctypes.c_void_p).value


def _loaded_copies() -> set[str]:
    """The files that are loaded as the library, on Linux: libpetscspmv.so may be a link to libpetscspmv_real.so.1.0.0."""
    if not os.path.exists("/proc/self/maps"):
        return set()
    with open("/proc/self/maps") as maps:
        paths = {line.split(maxsplit=5)[5].rstrip("\n") for line in maps if "/" in line}
    return {path for path in paths if re.fullmatch(r"libpetscspmv\w*\.so[.\d]*", os.path.basename(path))}
