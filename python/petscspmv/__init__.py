"""Matrix types with fast sparse matrix-vector products for petsc4py.

Importing this package registers the types in TYPES, before or after petsc4py is initialized:

    import petscspmv
    from petsc4py import PETSc
    A = PETSc.Mat().create()
    A.setType("spmv")
"""
from __future__ import annotations

import ctypes
import dataclasses
from importlib.metadata import version
from typing import TYPE_CHECKING

from . import _load
from ._build import TYPES

if TYPE_CHECKING:
    from petsc4py import PETSc

__all__ = ["TYPES", "Info", "info", "library", "statistic"]
__version__ = version("petscspmv")


@dataclasses.dataclass(frozen=True)
class Info:
    """What a matrix has done, and the memory of its layouts, on the calling process: MatSpMVInfo."""

    mult: int  # products y = A x by the format's own kernel; of spmv by AIJ's as well
    multadd: int  # products z = v + A x, likewise
    multtranspose: int  # products with A^T or A^H by a layout; of spmv by AIJ's as well
    mpimult: int  # products y = A x of the parallel matrix
    matmult: int  # products of the matrix, or its transpose, and a dense one by layouts
    builds: int  # layouts built from the AIJ arrays
    refreshes: int  # layouts whose values alone were renewed
    bytes: float  # memory of the layouts, of A^T and of triangles too, beside the AIJ arrays
    csr_bytes: float  # memory of the AIJ arrays they were made from; 0 while there are none


class _Info(ctypes.Structure):
    _fields_ = [(field.name, ctypes.c_int64 if field.type == "int" else ctypes.c_double) for field in dataclasses.fields(Info)]


def library() -> str:
    """The path of libpetscspmv.so, for -dll_append in programs of the same PETSc."""
    return _load.LIBRARY


def info(mat: PETSc.Mat) -> Info:
    """What a matrix of one of the types has done: MatSpMVGetInfo()."""
    result = _Info()
    _load.call("MatSpMVGetInfo", ctypes.c_void_p(mat.handle), ctypes.byref(result))
    return Info(*(getattr(result, field.name) for field in dataclasses.fields(Info)))


def statistic(mat: PETSc.Mat, name: str) -> float:
    """A figure of the layout, which is made if need be, by its name in ASCII_INFO with underscores: MatSpMVGetStatistic()."""
    from petsc4py import PETSc

    number = ctypes.c_float if PETSc.RealType(0).itemsize == 4 else ctypes.c_double
    value = number()
    _load.call("MatSpMVGetStatistic", ctypes.c_void_p(mat.handle), name.encode(), ctypes.byref(value))
    return value.value


_load.register_types()
