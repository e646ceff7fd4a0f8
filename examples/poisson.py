#!/usr/bin/env python3
"""Solves a 2-D Poisson problem with petsc4py. It contains nothing of PetscSpMV; run it with

  PETSC_OPTIONS="-dll_append <path>/libpetscspmv.so -mat_seqaij_type seqaijspmv" /usr/bin/python3 poisson.py
"""
import sys

import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc

n = PETSc.Options().getInt("n", 100)
A = PETSc.Mat().create()
A.setSizes((n * n, n * n))
A.setFromOptions()
A.setPreallocationNNZ(5)
for row in range(*A.getOwnershipRange()):
    x, y = row % n, row // n
    A[row, row] = 4.0
    for column, inside in ((row - 1, x > 0), (row + 1, x < n - 1), (row - n, y > 0), (row + n, y < n - 1)):
        if inside:
            A[row, column] = -1.0
A.assemble()

x, b = A.createVecs()
b.set(1.0)
ksp = PETSc.KSP().create()
ksp.setOperators(A)
ksp.setType("cg")
ksp.setFromOptions()
ksp.solve(b, x)
PETSc.Sys.Print(f"Mat type {A.getType()}: {ksp.getIterationNumber()} iterations, solution norm {x.norm():.9e}")
