#!/usr/bin/env python3
"""Products of all matrix types side by side, checked against SciPy's; cells for a notebook, or a program:

  python3 compare_types.py [--matrix FILE.mtx] [--products N] [--plot FILE.png] [PETSc's options]
  mpiexec -n 2 python3 compare_types.py

Needs petscspmv, petsc4py, SciPy and Matplotlib. Without --matrix it generates the Laplacian of a graph with a few large hubs.
"""
# %% Arguments; those it does not know are PETSc's.
import argparse
import sys
import time

import petsc4py

parser = argparse.ArgumentParser(description="Compares the products of all matrix types", allow_abbrev=False)
parser.add_argument("--matrix", help="a Matrix Market file")
parser.add_argument("--vertices", type=int, default=200_000, help="of the generated graph")
parser.add_argument("--products", type=int, default=200, help="timed products of each type")
parser.add_argument("--plot", help="the file for the plot, .png, .svg or .pdf")
arguments, petsc_options = parser.parse_known_args()
petsc4py.init([sys.argv[0], *petsc_options])

import numpy as np
import scipy.io
import scipy.sparse
from petsc4py import PETSc

try:
    import petscspmv
except ImportError:
    sys.exit("This needs the package petscspmv: pip install . in the project's folder, see docs/python.md")

comm = PETSc.COMM_WORLD
say = PETSc.Sys.Print


# %% The matrix in SciPy, the same on every process.
def graph_laplacian(vertices, edges_per_vertex=6, seed=1):
    """D - W of a random graph in which vertex k is an end of an edge with a probability that falls like k^-0.5."""
    random = np.random.default_rng(seed)
    ends = (vertices * random.random((2, vertices * edges_per_vertex)) ** 2).astype(int)
    ends = random.permutation(vertices)[ends]  # hubs are anywhere
    ends = ends[:, ends[0] != ends[1]]
    edges = scipy.sparse.coo_matrix((np.ones(ends.shape[1]), ends), shape=(vertices, vertices)).tocsr()
    edges = ((edges + edges.T) > 0).astype(float)
    return (scipy.sparse.diags(np.asarray(edges.sum(axis=1)).ravel()) - edges).tocsr()


matrix = scipy.io.mmread(arguments.matrix).tocsr() if arguments.matrix else graph_laplacian(arguments.vertices)
matrix = matrix.astype(PETSc.ScalarType)
matrix.sort_indices()
row_lengths = np.diff(matrix.indptr)
size = f"{matrix.shape[0]:,} rows, {matrix.nnz:,} nonzeros, {comm.size} process(es)"
say(size)

# %% The same matrix in PETSc, of each type. Each process gives its own rows.
first, last = PETSc.Vec().createMPI(matrix.shape[0]).getOwnershipRange()
begin, end = matrix.indptr[first], matrix.indptr[last]
own_rows = matrix.indptr[first : last + 1] - begin, matrix.indices[begin:end], matrix.data[begin:end]
aij = PETSc.Mat().createAIJ(matrix.shape, csr=own_rows)
matrices = {"aij": aij} | {name: aij.convert(name, PETSc.Mat()) for name in petscspmv.TYPES}

# %% Correctness: the largest difference from SciPy's y = A x, relative to |A| |x|.
x, y = aij.createVecs()
whole_x = np.random.default_rng(2).standard_normal(matrix.shape[1])
x.array = whole_x[slice(*x.getOwnershipRange())]
expected = (matrix @ whole_x)[first:last]
scale = np.maximum((abs(matrix) @ abs(whole_x))[first:last], np.finfo(float).tiny)
errors = {}
for name, A in matrices.items():
    A.mult(x, y)
    y.array = abs(y.array - expected) / scale
    errors[name] = y.norm(PETSc.NormType.INFINITY)

# %% Times, one product of each type in turn, so that whatever else the machine does meets all of them alike. The products
# before are spmv's to find its format.
times = {name: np.empty(arguments.products) for name in matrices}
for k in range(-300, arguments.products):
    for name, A in matrices.items():
        comm.barrier()
        start = time.perf_counter()
        A.mult(x, y)
        comm.barrier()  # the time of the slowest process
        if k >= 0:
            times[name][k] = time.perf_counter() - start

# %% A table.
milliseconds = {name: 1e3 * np.median(times[name]) for name in matrices}
speedup = {name: milliseconds["aij"] / milliseconds[name] for name in matrices}
memory = {"aij": 0.0}
for name in petscspmv.TYPES:
    memory[name] = petscspmv.statistic(matrices[name], "bytes") / petscspmv.statistic(matrices[name], "csr_bytes")
by = {name: name for name in matrices}
by["spmv"] = next((name for name in matrices if name != "spmv" and petscspmv.statistic(matrices["spmv"], f"by_{name}")), "aij")
say(f"{'type':12} {'ms':>8} {'over aij':>9} {'error':>9} {'layout/CSR':>11}  multiplies by")
for name in matrices:
    say(f"{name:12} {milliseconds[name]:8.3f} {speedup[name]:9.2f} {errors[name]:9.1e} {memory[name]:11.2f}  {by[name]}")


# %% A plot: the products, and the rows of the matrix, which explain much of it.
def plot():
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), width_ratios=(2, 1), layout="constrained")
    names = sorted(matrices, key=milliseconds.get, reverse=True)
    jitter = np.random.default_rng(3).uniform(-0.28, 0.28, arguments.products)
    for place, name in enumerate(names):
        color = "tab:gray" if name == "aij" else "tab:blue"
        left.scatter(1e3 * times[name], place + jitter, s=6, alpha=0.4, linewidths=0, color=color)
        left.vlines(milliseconds[name], place - 0.38, place + 0.38, color="black", linewidth=2)
    left.axvline(milliseconds["aij"], color="tab:gray", linewidth=1, linestyle=":", zorder=0)
    left.set_yticks(range(len(names)), [name if by[name] == name else f"{name} (by {by[name]})" for name in names])
    left.set_xlim(0, 2 * max(milliseconds.values()))
    labels = left.secondary_yaxis("right")
    labels.set_yticks(range(len(names)), [f"{speedup[name]:.2f}x" for name in names])
    labels.tick_params(length=0)
    labels.set_ylabel("speed over aij")
    left.set_xlabel("milliseconds a product; lines are medians, the slowest are beyond the edge")
    left.set_title(size, fontsize=11)
    lengths, counts = np.unique(row_lengths[row_lengths > 0], return_counts=True)
    right.loglog(lengths, counts, ".", markersize=4, color="tab:blue")
    right.set_xlabel("nonzeros of a row")
    right.set_ylabel("rows")
    right.set_title("Lengths of rows", fontsize=11)
    for axes in left, right:
        axes.spines[["top", "right"]].set_visible(False)
    figure.get_layout_engine().set(wspace=0.06)
    if arguments.plot:
        figure.savefig(arguments.plot, dpi=150)


if comm.rank == 0:
    plot()
