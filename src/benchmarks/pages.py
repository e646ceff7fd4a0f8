"""The pages of benchmarks: one for each processor, and the one that leads to them."""
import os

import tables
from runs import kept, names

HEAD = """# Benchmarks

The runs that are kept, made by [spmvbench](../src/benchmarks/README.md), as JSON files without samples. This makes all pages here
anew from them:

```
src/benchmarks/report.py --pages .
```

Their charts are in the guide that `config/run-docs` makes.

"""

LEGEND = """## What the columns mean

A speed-up is the time of the first type, which is `aij` in all these runs, over that of another type. \
It is measured round by round,
so that whatever else the machine does affects both; the speed-up with a matrix is the median of the rounds.

| column | meaning |
| --- | --- |
| speed-up | of y = A x: geometric mean over all matrices, the least and the most |
| irregular matrices | geometric mean over matrices with a row 20 times as long as the average |
| transpose | geometric mean of the speed-ups of products with the transpose, where their results are right |
| first product | conversion and first product, in products of the first type; median of all matrices |
| fresh memory | to compare with that: writing as many bytes as the layout has for the first time, and a product; likewise |
| after new values | the product after all values have changed; likewise |
| copy | to compare with that: copying the values, and a product; likewise |
| nonzeros | a class of matrices, by their number of nonzeros |
| fastest of ours | speed-up of the fastest of this library's types with each matrix: geometric mean and least |
| share of the limit | speed of that type, over the speed at which the CSR arrays and vectors are read, each once; median |
| csr5, least; ... | least speed-up of this type in the class |
| faster with ... | matrices with which one of PETSc's own types or another library is faster than the fastest of ours |
| first | in processes that have just started: conversion and the first product, in products of `aij` |
| later | the same once more, in memory that a layout has had before |
| with the transpose | as *later*, for a product with the transpose by a layout of it; with `aij` and `spmv` by AIJ |
| start, pages, passes | parts of *first*: what a process needs once, page faults, and all else |
| products, conversion included | time of the first type over that of each type, from making the matrix to the end of so many \
products: geometric mean (least) |
| of the fastest type | the same over the fastest type with each matrix and number of products: 1 if none is faster |
| whole run | time with the first type over that with each type of a program, from the first entry of the matrix to the solution |
| `KSPSolve` | the same without assembly and set-up |
| chosen | what a matrix of type `spmv` multiplied with first besides AIJ, and in the end: geometric mean (least) \
over all rounds |
| making | what making layouts of triangles takes, in applications of the first type; median |
| again | the first type once more: what differs from 1 is noise |

Charts: *speedup*: the speed-up of each type on each matrix, with its quartiles; \
*roofline*: speed in GFlop/s over arithmetic intensity
in flop/byte; *totals* and *solves*: as in the tables.
"""

def command(name, run):
    """What made a run, as far as the run says."""
    about = run["run"]
    if name not in tables.TITLES or "builds" not in about:
        return "command: see [Runs](../../src/benchmarks/README.md#runs)"
    peers = "--peers " if about.get("peers") else ""
    return f"command: `config/run-benchmark --readme {peers}--builds {about['builds']} --rounds {about['rounds']}`"


def processor_page(place):
    """The page of one processor, whose runs are kept in that folder."""
    runs = kept(place)
    key = os.path.basename(place)
    parts = [f"# {next(iter(runs.values()))['run']['processor']} ({key})\n",
             "Made by `src/benchmarks/report.py`; [what the columns mean](../README.md#what-the-columns-mean); "
             "[how it is measured](../../src/benchmarks/README.md).\n"]
    for name, run in runs.items():
        about = tables.provenance(run) + ([run["run"]["note"]] if "note" in run["run"] else [])
        parts += [f"## {tables.title(name, run)}\n", "\n".join(f"- {line}" for line in [*about, command(name, run)]) + "\n",
                  tables.tables(run)]
        charts = "".join(tables.picture(f"{chart}, {name}", f"{place}/{name}/{chart}.svg", f"{name}/{chart}.svg")
                         for chart in ("speedup", "roofline", "totals", "solves"))
        parts += [charts] if charts else []
    return "\n".join(parts)


def front_page(folder):
    """All processors, their runs, and what the columns of their pages mean."""
    rows = []
    for place in sorted(entry.path for entry in os.scandir(folder) if entry.is_dir()):
        key = os.path.basename(place)
        for name, run in kept(place).items():
            about = run["run"]
            rows.append([f"[{key}]({key}/README.md)", about["processor"], tables.title(name, run), str(len(run["matrices"]) or "-"),
                         ", ".join(f"`{name}`" for name in names(run)) or "-", about.get("commit") or "-", about.get("date", "-")])
    return HEAD + tables.lines_of(["folder", "processor", "run", "matrices", "types", "commit", "date"], rows) + "\n" + LEGEND
