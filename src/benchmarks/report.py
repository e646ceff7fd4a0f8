#!/usr/bin/env python3
"""Charts and tables of what spmvbench wrote.

  report.py RUN.json FOLDER                  draws FOLDER/speedup.svg and FOLDER/roofline.svg
  report.py RUN.json FOLDER --readme FILE    and puts a table into FILE, between the lines that name RUN.json there
"""
import argparse
import json
import math
import os
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "petscspmv", "font.family": "sans-serif", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
from matplotlib import pyplot  # noqa: E402: after the choice of what draws

SIZES = [(0, 20001, "to 20,000"), (20001, 100001, "to 100,000"), (100001, 1000001, "to 1,000,000"), (1000001, float("inf"), "more")]

# Of Okabe and Ito, told apart by everybody; PETSc's own types in greys.
STYLES = {
    "csr5": ("#0072B2", "o"), "sellcs": ("#D55E00", "s"), "speculative": ("#CC79A7", "^"), "ipcsr": ("#009E73", "D"),
    "mkl": ("#E69F00", "P"), "librsb": ("#56B4E9", "*"), "aij": ("#000000", "|"), "aijsell": ("#777777", "x"), "aijperm": ("#aaaaaa", "+"),
}


def style(name, place):
    return STYLES.get(name, (f"C{place}", "v"))


def measured(matrix):
    """The types that could be measured on a matrix, by name."""
    return {entry["type"]: entry for entry in matrix["types"] if "failure" not in entry}


def names(run):
    """The types of a run, the first first."""
    return [entry["type"] for entry in run["matrices"][0]["types"]]


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def speedups(matrices, name):
    return [measured(matrix)[name]["speedup"]["median"] for matrix in matrices if name in measured(matrix)]


def subtitle(run):
    about = run["run"]
    processes = "1 process" if about["processes"] == 1 else f"{about['processes']} processes"
    threads = f" of {about['threads']} threads" if about["threads"] > 1 else ""
    return f"{about['processor']}, {processes}{threads}, {8 * about['index_bytes']}-bit indices, {about['petsc'].split(',')[0]}"


def provenance(run):
    """On what and with what a run was made: three lines. Early runs do not have all of it."""
    about = run["run"]
    machine = about.get("machine", {})
    known = [f"{name} {machine[name]}" for name in ("vendor", "family", "model", "stepping", "microcode") if name in machine]
    gathers = machine.get("mitigations", {}).get("gather_data_sampling", "not recorded")
    caches = ", ".join(f"{name} {size}" for name, size in machine.get("caches", {}).items())
    build = [f"petscspmv {about.get('petscspmv', '')}".strip(), f"commit {about['commit']}" if about.get("commit") else "",
             f"target {about['target']}" if "target" in about else "", about.get("compiler", ""), about["petsc"].split(",")[0], *about.get("peers", {}).values(),
             about.get("date", "")]
    return [f"{about['processor']}: {', '.join(known) or 'family, model and stepping not recorded'}",
            f"caches {caches or 'not recorded'}; mitigation of gather data sampling: {gathers}", "; ".join(filter(None, build))]


def footer(figure, run):
    figure.supxlabel("\n".join(provenance(run)), fontsize=7, color="#444444")


def legend_below(axes, columns):
    """Below the axes and their label, whatever their height."""
    axes.figure.canvas.draw()
    height = axes.get_window_extent().height / axes.figure.dpi  # inches
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.5 / height), ncols=columns, frameon=False)


def draw_speedups(run, path):
    """Every matrix a line, every type a mark at its speed-up, with the quarters of its rounds beside it."""
    first, *others = names(run)
    matrices = sorted(run["matrices"], key=lambda m: max((t["speedup"]["median"] for t in measured(m).values()), default=0))
    figure, axes = pyplot.subplots(figsize=(8, 2.2 + 0.2 * len(matrices)), layout="constrained")
    for place, name in enumerate(others):
        colour, marker = style(name, place)
        points = [(measured(m)[name]["speedup"], line) for line, m in enumerate(matrices) if name in measured(m)]
        x = [p["median"] for p, _ in points]
        spread = [[p["median"] - p["lower"] for p, _ in points], [p["upper"] - p["median"] for p, _ in points]]
        axes.errorbar(x, [line for _, line in points], xerr=spread, fmt=marker, color=colour, markersize=5, linewidth=0.8, alpha=0.9,
                      label=f"{name} ({geometric_mean(x):.2f})")
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_yticks(range(len(matrices)), [f"{m['name']}  ({m['nonzeros'] / 1e6:.2g}M)" for m in matrices])
    axes.set_ylim(-0.7, len(matrices) - 0.3)
    axes.grid(axis="both", linewidth=0.3)
    axes.set_xlabel(f"speed-up of y = A x over {first}; below, geometric means")
    figure.suptitle(f"Speed-up over {first}\n{subtitle(run)}", fontsize=10)
    footer(figure, run)
    legend_below(axes, 3)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def draw_roofline(run, path):
    """Speed over the intensity of ideal CSR; the roofs are the slowest and the fastest that was read beside products."""
    figure, axes = pyplot.subplots(figsize=(8, 5.5), layout="constrained")
    matrices = run["matrices"]
    intensity = [2 * m["nonzeros"] / m["ideal_bytes"] for m in matrices]
    bandwidths = [sorted(m["bandwidth"])[len(m["bandwidth"]) // 2] for m in matrices]
    ends = [0.9 * min(intensity), 1.1 * max(intensity)]
    for bandwidth, what in [(min(bandwidths), "slowest"), (max(bandwidths), "fastest")]:
        axes.plot(ends, [1e-9 * bandwidth * x for x in ends], color="black", linewidth=1, linestyle="-" if what == "slowest" else ":",
                  label=f"{what} read, {1e-9 * bandwidth:.0f} GB/s")
    for place, name in enumerate(names(run)):
        colour, marker = style(name, place)
        points = [(x, measured(m)[name]["gflops"]) for x, m in zip(intensity, matrices) if name in measured(m)]
        axes.scatter(*zip(*points), color=colour, marker=marker, s=22, label=name, alpha=0.85, linewidths=1)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_minor_formatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else "")
    axes.grid(which="both", linewidth=0.3)
    axes.set_xlabel("flop a byte of the CSR arrays and vectors, each moved once")
    axes.set_ylabel("GFlop/s")
    figure.suptitle(f"Roofline\n{subtitle(run)}", fontsize=10)
    footer(figure, run)
    legend_below(axes, 5)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def table(run):
    """Markdown: the types, and what they do on all matrices and on the irregular ones."""
    matrices = run["matrices"]
    irregular = [m for m in matrices if m["irregular"]]
    lines = [f"{subtitle(run)}; {len(matrices)} matrices, {len(irregular)} of them irregular:", "",
             "| type | speed-up, geometric mean | least | most | on irregular ones | transpose | first product | fresh memory | after new values | copy |",
             "| --- " * 10 + "|"]
    for name in names(run):
        entries = [measured(m)[name] for m in matrices if name in measured(m)]
        if not entries:
            continue
        x = [e["speedup"]["median"] for e in entries]
        transposes = [e["transpose_speedup"]["median"] for e in entries if e["transpose_speedup"]["median"]]

        def middle(key):
            value = sorted(e[key] for e in entries)[len(entries) // 2]
            return f"{value:.1f}" if value else "-"
        means = [f"{geometric_mean(values):.2f}" if values else "-" for values in (speedups(irregular, name), transposes)]
        lines.append(f"| `{name}` | {geometric_mean(x):.2f} | {min(x):.2f} | {max(x):.2f} | {' | '.join(means)} | {' | '.join(middle(key) for key in ('first', 'fresh', 'refresh', 'copy'))} |")
    return "\n".join(lines) + "\n"


def table_by_size(run):
    """Markdown: classes of matrices by their nonzeros, and how the best type that is not PETSc's does in each."""
    first, *others = names(run)
    ours = [name for name in others if not name.startswith("aij")]
    theirs = [name for name in others if name.startswith("aij")]
    lines = ["| nonzeros | matrices | " + " | ".join(["fastest of ours over " + f"`{first}`", "least", "of the limit", *(f"{name}, least" for name in ours), f"faster are {' or '.join(theirs) or 'others'} on"]) + " |",
             "| --- " * (6 + len(ours)) + "|"]
    for least, below, title in SIZES:
        matrices = [m for m in run["matrices"] if least <= m["nonzeros"] < below and any(name in measured(m) for name in ours)]
        if not matrices:
            continue
        best = [max((measured(m)[name] for name in ours if name in measured(m)), key=lambda entry: entry["speedup"]["median"]) for m in matrices]
        x = [entry["speedup"]["median"] for entry in best]
        slower = [m["name"] for m, ours_best in zip(matrices, x) if max((speed for name in theirs for speed in speedups([m], name)), default=0) > ours_best]
        limits = sorted(entry["limit"]["median"] for entry in best)
        lines.append(f"| {title} | {len(matrices)} | {geometric_mean(x):.2f} | {min(x):.2f} | {limits[len(limits) // 2]:.0%} | "
                     + " | ".join(f"{min(speedups(matrices, name)):.2f}" for name in ours) + f" | {', '.join(slower) or 'none'} |")
    return "\n".join(lines) + "\n"


def put_table(run, name, path):
    begin, end = f"<!-- made from {name} -->\n", "<!-- end -->\n"
    with open(path) as f:
        text = f.read()
    if begin not in text:
        sys.exit(f"{path} has no line '{begin.strip()}'")
    before, after = text.split(begin, 1)
    text = before + begin + table(run) + "\n" + table_by_size(run) + end + after.split(end, 1)[1]
    with open(path, "w") as f:
        f.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", metavar="RUN.json", help="what spmvbench --json wrote")
    parser.add_argument("folder", metavar="FOLDER", help="for the charts; made if need be")
    parser.add_argument("--readme", metavar="FILE", help="Markdown to put the table into")
    arguments = parser.parse_args()
    try:
        with open(arguments.run) as f:
            run = json.load(f)
        if not run["matrices"]:
            raise ValueError("it has no matrices")
    except (OSError, ValueError, KeyError, TypeError) as e:
        sys.exit(f"{arguments.run}: {e}")
    os.makedirs(arguments.folder, exist_ok=True)
    draw_speedups(run, f"{arguments.folder}/speedup.svg")
    draw_roofline(run, f"{arguments.folder}/roofline.svg")
    if arguments.readme:
        put_table(run, os.path.basename(arguments.run), arguments.readme)


if __name__ == "__main__":
    main()
