"""Runs of spmvbench: reading and keeping them, and what their tables and charts are made from."""
import json
import math
import os
import statistics

# Figures of a type that tables and charts show. Samples are not kept.
KEPT = ["error", "ns_per_nonzero", "gflops", "limit", "speedup", "transpose_speedup", "first", "fresh", "refresh", "copy"]


def read(path):
    with open(path) as f:
        run = json.load(f)
    if not run["matrices"] and "tables" not in run:
        raise ValueError("it has no matrices")
    return run


def task(run):
    """What was measured: products, totals, chosen, solves, first or sweeps."""
    return run["run"].get("task", "products")


def totals(matrix):
    """Median times of the first type over those of each, by type and number of products."""
    first, *_ = entries = matrix["types"]
    return {e["type"]: {int(n): statistics.median(first["seconds"][n]) / statistics.median(e["seconds"][n])
                        for n in e["seconds"]} for e in entries}


def solves(matrix, part="whole"):
    """Median of the first type's time over that of each type, by type: of whole runs, or of KSPSolve ("solve")."""
    first = matrix["types"][0]["seconds"][part]
    return {name: statistics.median(a / b for a, b in zip(first, entry["seconds"][part]))
            for name, entry in measured(matrix).items()}


def measured(matrix):
    """The types that could be measured on a matrix, by name."""
    return {entry["type"]: entry for entry in matrix["types"] if "failure" not in entry and not entry.get("failed")}


def names(run):
    """The types of a run, the first first."""
    return [entry["type"] for entry in run["matrices"][0]["types"]] if run["matrices"] else []


def ours(run):
    """The types of this library, in the run's order."""
    return [name for name in names(run) if name in run["run"]["ours"].split(",")]


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def speedups(matrices, name):
    return [measured(matrix)[name]["speedup"]["median"] for matrix in matrices if name in measured(matrix)]


def best(matrix, types):
    """The fastest of these types on a matrix, or None."""
    entries = [measured(matrix)[name] for name in types if name in measured(matrix)]
    return max(entries, key=lambda entry: entry["speedup"]["median"], default=None)


def key(run):
    """The processor's, which names its folder."""
    return run["run"]["machine"]["key"]


def rounded(value):
    """Four digits of all numbers that are no integers."""
    if isinstance(value, dict):
        return {name: rounded(item) for name, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def condensed(run):
    """What is kept of a run: no samples, and four digits."""
    if task(run) == "first":
        return {**run, "matrices": [{**matrix, "types": [{name: value for name, value in entry.items() if name != "samples"}
                                                         for entry in rounded(matrix["types"])]} for matrix in run["matrices"]]}
    if task(run) != "products":  # of which there are few samples
        return {**run, "matrices": rounded(run["matrices"])}
    matrices = []
    for matrix in run["matrices"]:
        types = [{name: entry[name] for name in ("type", "failure", *KEPT) if name in entry} for entry in matrix["types"]]
        medians = {name: [statistics.median(matrix[name])] for name in ("bandwidth",) if matrix.get(name)}
        about = {name: value for name, value in matrix.items() if name not in ("types", "copy", "bandwidth")}
        matrices.append(rounded(about) | medians | {"types": [rounded(entry) for entry in types]})
    return {**run, "matrices": matrices}


def text_of(run):
    """JSON with a line for every type on every matrix, so that changes can be read."""
    def line(value):
        return json.dumps(value, separators=(",", ":"))
    matrices = []
    for matrix in run["matrices"]:
        about = line({name: value for name, value in matrix.items() if name != "types"})
        matrices.append(about[:-1] + ',"types":[\n' + ",\n".join("  " + line(entry) for entry in matrix["types"]) + "]}")
    others = "".join(f"{json.dumps(name)}: {json.dumps(run[name])},\n" for name in run if name not in ("run", "matrices"))
    return f'{{"run": {json.dumps(run["run"], indent=1)},\n{others}"matrices": [\n' + ",\n".join(matrices) + "\n]}\n"


def keep(run, name, folder):
    """Writes FOLDER/KEY/NAME.json; returns FOLDER/KEY."""
    place = f"{folder}/{key(run)}"
    os.makedirs(place, exist_ok=True)
    with open(f"{place}/{name}.json", "w") as f:
        f.write(text_of(condensed(run)))
    return place


def kept(place):
    """The runs that are kept in a folder, by name: of one process and of all cores first."""
    found = [name.removesuffix(".json") for name in os.listdir(place) if name.endswith(".json")]
    order = lambda name: (name != "one", name != "all", not name.startswith(("solves", "steps")), name)  # noqa: E731
    return {name: read(f"{place}/{name}.json") for name in sorted(found, key=order)}
