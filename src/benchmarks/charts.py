"""Charts of a run of spmvbench."""
import math
import os
import statistics

import matplotlib

from runs import geometric_mean, measured, names, ours, solves, task, totals
from tables import provenance, subtitle

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "petscspmv", "font.family": "sans-serif", "font.size": 11,
                            "axes.spines.top": False, "axes.spines.right": False})
from matplotlib import patheffects, pyplot  # noqa: E402: after the choice of what draws

# Okabe and Ito's colours, which the colour-blind can tell apart too; PETSc's own types in greys.
STYLES = {
    "spmv": ("#000000", "X"),
    "csr5": ("#0072B2", "o"), "sellcs": ("#D55E00", "s"), "speculative": ("#CC79A7", "^"), "ipcsr": ("#009E73", "D"),
    "mkl": ("#E69F00", "P"), "librsb": ("#56B4E9", "*"),
    "aij": ("#999999", "o"), "aijsell": ("#555555", "d"), "aijperm": ("#999999", "v"),
}
WIDTH = 10  # inches
PANELS = {"layout": "constrained", "sharex": True, "sharey": True, "squeeze": False}


def style(name, place):
    return STYLES.get(name, (f"C{place}", "v"))


def count(n):
    """7.7M, 240k"""
    value, unit = (n / 1e6, "M") if n >= 999500 else (n / 1e3, "k")
    return f"{value:.{1 if value < 10 else 0}f}{unit}"


def dodge(place, number, share=0.55):
    """Where in its row the mark of one of several types is, so that equal speeds do not hide one another."""
    return share * ((number - 1) / 2 - place) / max(1, number - 1)


def finish(figure, title, run, path, notes=()):
    """Title and subtitle above; notes, and what the run was made on, below."""
    figure.suptitle(f"{title}\n{subtitle(run)}", fontsize=13)
    figure.supxlabel("\n".join([*notes, *provenance(run)]), fontsize=8.5, color="#444444")
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def legend(axes, columns, where="below"):
    """A legend outside the axes; distances are in letters, so that they are the same at any height."""
    side, at, distance = ("upper center", (0.5, 0), 4) if where == "below" else ("lower center", (0.5, 1), 2)
    axes.legend(loc=side, bbox_to_anchor=at, borderaxespad=distance, ncols=columns, frameon=False, handletextpad=0.3,
                columnspacing=1)


def rows_of(axes, labels):
    """A row for each label, every second one shaded."""
    axes.set_yticks(range(len(labels)), labels)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-0.6, len(labels) - 0.4)
    for line in range(0, len(labels), 2):
        axes.axhspan(line - 0.5, line + 0.5, color="#f3f3f3", linewidth=0, zorder=0)


def speedup_axis(axes):
    """A logarithmic axis of speed-ups, with a line where both are equally fast."""
    axes.axvline(1, color="black", linewidth=1, zorder=1)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.grid(axis="x", linewidth=0.4)
    axes.tick_params(axis="x", top=True, labeltop=True)


def draw_speedups(run, path):
    """Every matrix a row, every type a mark at its speed-up, with the quartiles of its rounds; other types and libraries beside."""
    first, *others = names(run)
    own = [name for name in others if name in ours(run)]
    groups = [group for group in (own, [name for name in others if name not in own]) if group]
    matrices = sorted(run["matrices"], key=lambda m: max((t["speedup"]["median"] for t in measured(m).values()), default=0))
    figure, panels = pyplot.subplots(1, len(groups), figsize=(WIDTH, 3 + 0.22 * len(matrices)), **PANELS)
    for axes, group in zip(panels[0], groups):
        for place, name in enumerate(group):
            colour, marker = style(name, place)
            points = [(measured(m)[name]["speedup"], line) for line, m in enumerate(matrices) if name in measured(m)]
            x = [p["median"] for p, _ in points]
            spread = [[p["median"] - p["lower"] for p, _ in points], [p["upper"] - p["median"] for p, _ in points]]
            axes.errorbar(x, [line + dodge(place, len(group)) for _, line in points], xerr=spread, fmt=marker, color=colour,
                          label=f"{name} ({geometric_mean(x):.2f})", markersize=5, linewidth=0.8)
        rows_of(axes, [f"{m['name']} ({count(m['nonzeros'])})" for m in matrices])
        speedup_axis(axes)
        axes.set_xlabel(f"speed-up over {first}")
        legend(axes, 2, "above")
    notes = [f"Speed-up: time of y = A x with {first} over that with each type, median and quartiles; in the legend, geometric "
             "means. In parentheses: nonzeros."]
    finish(figure, f"Speed-up over {first}", run, path, notes)


def draw_roofs(axes, bandwidths, ends):
    """The slowest and the fastest rate at which matrices were read, as lines."""
    for bandwidth, dashes in [(min(bandwidths), "-"), (max(bandwidths), ":")]:
        axes.plot(ends, [1e-9 * bandwidth * x for x in ends], color="black", linewidth=1, linestyle=dashes)


def label_roofs(axes):
    """Each line's slope, which is a bandwidth, along it. The figure has been laid out, so that angles are known."""
    for line in axes.lines:
        (x, y), _ = points = list(zip(*line.get_data()))
        begin, end = axes.transData.transform(points)
        angle = math.degrees(math.atan2(end[1] - begin[1], end[0] - begin[0]))
        axes.text(x, 1.06 * y, f"{y / x:.3g} GB/s", fontsize=9, rotation=angle, rotation_mode="anchor",
                  path_effects=[patheffects.withStroke(linewidth=2.5, foreground="white")])


def draw_roofline(run, path):
    """Speed over the arithmetic intensity of ideal CSR, a panel for each type, with the first type in grey behind."""
    types, matrices = names(run), run["matrices"]
    rows = 1 if len(types) < 5 else 2
    columns = math.ceil(len(types) / rows)
    figure, panels = pyplot.subplots(rows, columns, figsize=(WIDTH, 2 + 2.3 * rows), **PANELS)
    intensity = [2 * m["nonzeros"] / m["ideal_bytes"] for m in matrices]
    bandwidths = [statistics.median(m["bandwidth"]) for m in matrices]

    def scatter(axes, name, **how):
        points = [(x, measured(m)[name]["gflops"]) for x, m in zip(intensity, matrices) if name in measured(m)]
        axes.scatter(*(zip(*points) if points else ([], [])), linewidths=0.3, edgecolors="white", **how)
    for place, axes in enumerate(panels.flat):
        if place >= len(types):
            axes.set_visible(False)
            continue
        colour, marker = style(types[place], place)
        draw_roofs(axes, bandwidths, [0.97 * min(intensity), 1.03 * max(intensity)])
        if place > 0:
            scatter(axes, types[0], color="#cccccc", marker="o", s=14)
        scatter(axes, types[place], color=colour, marker=marker, s=28)
        axes.set_title(types[place], color=colour, fontweight="bold", fontsize=11)
        axes.set_yscale("log")
        axes.grid(linewidth=0.3)
        lowest = place + columns >= len(types)
        axes.tick_params(labelbottom=lowest)
        axes.set(xlabel="flop/byte" if lowest else None, ylabel="GFlop/s" if place % columns == 0 else None)
    corner = panels[0, 0]
    corner.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    corner.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    corner.yaxis.set_minor_formatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else "")
    figure.canvas.draw()
    for axes in panels.flat[:len(types)]:
        label_roofs(axes)
    finish(figure, "Roofline", run, path, [
        f"A mark is a matrix: its speed, over the flop per byte of the CSR arrays and vectors, each moved once. Grey: {types[0]}.",
        "Lines: the slowest and the fastest rate at which as many bytes as a matrix has were read in the same run (memory and "
        "caches)."])


def draw_totals(run, path):
    """Over the number of products, the mean gain with each type, and the least with spmv."""
    first, *others = names(run)
    found = [totals(m) for m in run["matrices"]]
    figure, axes = pyplot.subplots(figsize=(WIDTH, 5.6), layout="constrained")
    for place, name in enumerate(others):
        colour, marker = style(name, place)
        numbers = sorted({n for of in found for n in of[name]})
        values = {n: [of[name][n] for of in found if n in of[name]] for n in numbers}
        axes.plot(numbers, [geometric_mean(values[n]) for n in numbers], label=name, color=colour, marker=marker,
                  linewidth=2.4 if name == "spmv" else 1.2, markersize=7)
        if name == "spmv":
            axes.plot(numbers, [min(values[n]) for n in numbers], label="spmv, least gain", color=colour, linewidth=1.2,
                      linestyle=":")
    axes.axhline(1, color="#777777", linewidth=1)
    axes.set_xscale("log")
    axes.set_xticks(numbers, map(str, numbers))
    axes.minorticks_off()
    axes.grid(linewidth=0.3)
    axes.set_ylabel(f"speed-up over {first}, set-up included")
    axes.set_xlabel("number of products with a new matrix")
    legend(axes, 6)
    finish(figure, f"The first products with a new matrix: geometric mean of {len(found)} matrices", run, path, [
        f"Time with {first} over that with each type, from making the matrix, its conversion included, to the end of the last "
        "product."])


def draw_solves(run, path):
    """Every whole run a row, with a mark for each type."""
    first, *others = names(run)
    lines = run["matrices"][::-1]
    figure, axes = pyplot.subplots(figsize=(WIDTH, 2.4 + 0.25 * len(lines)), layout="constrained")
    rows_of(axes, [f"{m['name']}: {m['solver']}" for m in lines])
    for place, name in enumerate(others):
        colour, marker = style(name, place)
        points = [(line + dodge(place, len(others)), found[name]) for line, m in enumerate(lines) if name in (found := solves(m))]
        at, gains = zip(*points) if points else ([], [])
        axes.hlines(at, 1, gains, color=colour, linewidth=1)
        axes.plot(gains, at, marker, color=colour, label=f"{name} ({geometric_mean(gains):.2f})", markersize=7)
    axes.axvline(1, color="black", linewidth=1)
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, 0.8), max(high, 1.25))  # so that noise does not fill the picture
    axes.grid(axis="x", linewidth=0.4)
    axes.set_xlabel(f"speed-up over {first}, from the first entry of the matrix to the solution")
    legend(axes, 5)
    finish(figure, "Whole runs", run, path, [f"Time with {first} over that with each type; in the legend, geometric means."])


def draw(run, folder):
    """Draws the charts of a run, as far as it has what they show; their names."""
    os.makedirs(folder, exist_ok=True)
    drawings = {"products": {"speedup": draw_speedups, "roofline": draw_roofline},
                "totals": {"totals": draw_totals}, "solves": {"solves": draw_solves}, "first": {}, "chosen": {}, "sweeps": {}}
    drawn = drawings[task(run)]
    if not all("bandwidth" in m for m in run["matrices"]):
        drawn.pop("roofline", None)
    for name, drawing in drawn.items():
        drawing(run, f"{folder}/{name}.svg")
    return list(drawn)
