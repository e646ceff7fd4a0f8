"""Charts of a run of spmvbench."""
import os

import matplotlib

from runs import geometric_mean, measured, names, ratios, task
from tables import provenance, subtitle

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "petscspmv", "font.family": "sans-serif", "font.size": 9,
                            "axes.spines.top": False, "axes.spines.right": False})
from matplotlib import pyplot  # noqa: E402: after the choice of what draws

# Of Okabe and Ito, told apart by everybody; PETSc's own types in greys.
STYLES = {
    "spmv": ("#000000", "o"),
    "csr5": ("#0072B2", "o"), "sellcs": ("#D55E00", "s"), "speculative": ("#CC79A7", "^"), "ipcsr": ("#009E73", "D"),
    "mkl": ("#E69F00", "P"), "librsb": ("#56B4E9", "*"),
    "aij": ("#000000", "|"), "aijsell": ("#777777", "x"), "aijperm": ("#aaaaaa", "+"),
}


def style(name, place):
    return STYLES.get(name, (f"C{place}", "v"))


def finish(figure, axes, run, columns, path):
    """The legend below the axes and their label, whatever their height; below that, what the run was made on."""
    figure.supxlabel("\n".join(provenance(run)), fontsize=7, color="#444444")
    figure.canvas.draw()
    height = axes.get_window_extent().height / figure.dpi  # inches
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.5 / height), ncols=columns, frameon=False)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


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
        axes.errorbar(x, [line for _, line in points], xerr=spread, label=f"{name} ({geometric_mean(x):.2f})",
                      fmt=marker, color=colour, markersize=5, linewidth=0.8, alpha=0.9)
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_yticks(range(len(matrices)), [f"{m['name']}  ({m['nonzeros'] / 1e6:.2g}M)" for m in matrices])
    axes.set_ylim(-0.7, len(matrices) - 0.3)
    axes.grid(axis="both", linewidth=0.3)
    axes.set_xlabel(f"speed-up of y = A x over {first}; below, geometric means")
    figure.suptitle(f"Speed-up over {first}\n{subtitle(run)}", fontsize=10)
    finish(figure, axes, run, 3, path)


def draw_roofline(run, path):
    """Speed over the intensity of ideal CSR; the roofs are the slowest and the fastest that was read beside products."""
    figure, axes = pyplot.subplots(figsize=(8, 5.5), layout="constrained")
    matrices = run["matrices"]
    intensity = [2 * m["nonzeros"] / m["ideal_bytes"] for m in matrices]
    bandwidths = [sorted(m["bandwidth"])[len(m["bandwidth"]) // 2] for m in matrices]
    ends = [0.9 * min(intensity), 1.1 * max(intensity)]
    for bandwidth, what in [(min(bandwidths), "slowest"), (max(bandwidths), "fastest")]:
        axes.plot(ends, [1e-9 * bandwidth * x for x in ends], label=f"{what} read, {1e-9 * bandwidth:.0f} GB/s",
                  color="black", linewidth=1, linestyle="-" if what == "slowest" else ":")
    for place, name in enumerate(names(run)):
        colour, marker = style(name, place)
        points = [(x, measured(m)[name]["gflops"]) for x, m in zip(intensity, matrices) if name in measured(m)]
        if points:
            axes.scatter(*zip(*points), color=colour, marker=marker, s=22, label=name, alpha=0.85, linewidths=1)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_minor_formatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else "")
    axes.grid(which="both", linewidth=0.3)
    axes.set_xlabel("flop a byte of the CSR arrays and vectors, each moved once")
    axes.set_ylabel("GFlop/s")
    figure.suptitle(f"Roofline\n{subtitle(run)}", fontsize=10)
    finish(figure, axes, run, 5, path)


def draw_totals(run, path):
    """Over the number of products, the mean gain with each type, and the least with spmv."""
    first, *others = names(run)
    found = [ratios(m) for m in run["matrices"]]
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for place, name in enumerate(others):
        colour, marker = style(name, place)
        numbers = sorted({n for of in found for n in of[name]})
        values = {n: [of[name][n] for of in found if n in of[name]] for n in numbers}
        axes.plot(numbers, [geometric_mean(values[n]) for n in numbers], label=name, color=colour, marker=marker,
                  linewidth=2.2 if name == "spmv" else 1, markersize=5 if name == "spmv" else 4)
        if name == "spmv":
            axes.plot(numbers, [min(values[n]) for n in numbers], label="spmv, worst matrix", color=colour, linewidth=1, linestyle=":")
    axes.axhline(1, color="#777777", linewidth=1)
    axes.set_xscale("log")
    axes.set_yscale("log", base=2)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.grid(linewidth=0.3)
    axes.set_ylabel(f"times as fast as {first}, in the whole")
    axes.set_xlabel("products with a fresh matrix, its conversion included")
    figure.suptitle(f"How many products until it pays: mean of {len(found)} matrices\n{subtitle(run)}", fontsize=10)
    finish(figure, axes, run, 3, path)


def draw_solves(run, path):
    """A bar for every solve."""
    first, *others = names(run)
    lines = run["matrices"][::-1]
    figure, axes = pyplot.subplots(figsize=(8, 2.2 + 0.2 * len(lines)), layout="constrained")
    for place, name in enumerate(others):
        colour, marker = style(name, place)
        axes.plot([ratios(m)[name] for m in lines], range(len(lines)), marker, color=colour, label=name, markersize=6)
    axes.axvline(1, color="black", linewidth=1)
    axes.set_yticks(range(len(lines)), [f"{m['name']}: {m['solver']}" for m in lines])
    axes.grid(linewidth=0.3)
    axes.set_xlabel(f"times as fast as with {first}, set-up included")
    figure.suptitle(f"Whole solves\n{subtitle(run)}", fontsize=10)
    finish(figure, axes, run, 3, path)


def draw(run, folder):
    """Draws the charts of a run; their names."""
    os.makedirs(folder, exist_ok=True)
    drawings = {"products": {"speedup": draw_speedups, "roofline": draw_roofline}, "totals": {"totals": draw_totals}, "solves": {"solves": draw_solves}}
    for name, drawing in drawings[task(run)].items():
        drawing(run, f"{folder}/{name}.svg")
    return list(drawings[task(run)])
