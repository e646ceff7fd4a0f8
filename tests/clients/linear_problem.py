#!/usr/bin/env python3
"""DOLFINx's LinearProblem, with the matrix type of -problem_mat_type among its `petsc_options`."""
import sys

import petsc4py

petsc4py.init(sys.argv)
import ufl
from dolfinx import fem, mesh
from dolfinx.fem.petsc import LinearProblem
from mpi4py import MPI
from petsc4py import PETSc

domain = mesh.create_unit_square(MPI.COMM_WORLD, 16, 16)
V = getattr(fem, "functionspace", fem.FunctionSpace)(domain, ("Lagrange", 2))  # the name before and since DOLFINx 0.7
u, v = ufl.TrialFunction(V), ufl.TestFunction(V)
a = (ufl.inner(ufl.grad(u), ufl.grad(v)) + ufl.inner(u, v)) * ufl.dx
L = ufl.inner(ufl.SpatialCoordinate(domain)[0], v) * ufl.dx
options = {"ksp_type": "cg", "pc_type": "jacobi", "ksp_rtol": 1e-10}
if mat_type := PETSc.Options().getString("problem_mat_type", ""):
    options["mat_type"] = mat_type
problem = LinearProblem(a, L, petsc_options=options)
solution = problem.solve()
vector = solution.x.petsc_vec if hasattr(solution.x, "petsc_vec") else solution.vector
PETSc.Sys.Print(f"{problem.solver.getIterationNumber()} iterations, norm {vector.norm():.9e}")
