#!/usr/bin/env python3
"""Implicit steps of a nonlinear diffusion with DOLFINx, u_t = div grad u - u^3 + 1, by PETSc's Newton method."""
import sys

import petsc4py

petsc4py.init(sys.argv)
import ufl
from dolfinx import fem, mesh
from dolfinx.fem.petsc import assemble_matrix, assemble_vector
from mpi4py import MPI
from petsc4py import PETSc

domain = mesh.create_unit_square(MPI.COMM_WORLD, 16, 16)
V = getattr(fem, "functionspace", fem.FunctionSpace)(domain, ("Lagrange", 2))  # the name before and since DOLFINx 0.7
u, old, v = fem.Function(V), fem.Function(V), ufl.TestFunction(V)
vector, old_vector = (f.x.petsc_vec if hasattr(f.x, "petsc_vec") else f.vector for f in (u, old))
equation = ufl.inner(20 * (u - old) + u**3 - 1, v) * ufl.dx + ufl.inner(ufl.grad(u), ufl.grad(v)) * ufl.dx
F, J = fem.form(equation), fem.form(ufl.derivative(equation, u))


def evaluate_at(x):
    x.copy(vector)
    vector.ghostUpdate(PETSc.InsertMode.INSERT, PETSc.ScatterMode.FORWARD)


def residual(snes, x, f):
    evaluate_at(x)
    with f.localForm() as local:
        local.set(0)
    assemble_vector(f, F)
    f.ghostUpdate(PETSc.InsertMode.ADD, PETSc.ScatterMode.REVERSE)


def jacobian(snes, x, A, P):
    evaluate_at(x)
    A.zeroEntries()
    assemble_matrix(A, J)
    A.assemble()


old.interpolate(lambda x: 4 * x[0] * (1 - x[1]))
A = assemble_matrix(J)
A.assemble()
snes = PETSc.SNES().create(domain.comm)
snes.setFunction(residual, assemble_vector(F))
snes.setJacobian(jacobian, A)
snes.setFromOptions()
x = old_vector.duplicate()
old_vector.copy(x)
for step in range(4):
    snes.solve(None, x)
    evaluate_at(x)
    vector.copy(old_vector)
    old_vector.ghostUpdate(PETSc.InsertMode.INSERT, PETSc.ScatterMode.FORWARD)
    PETSc.Sys.Print(f"step {step}: {snes.getIterationNumber()} Newton steps, solution norm {x.norm():.9e}")
