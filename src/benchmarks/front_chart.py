"""The picture of the first page: whole solves on all processors, by preconditioner."""
import os

from charts import dodge, matplotlib, pyplot, rows_of
from runs import geometric_mean, kept, solves

RUN, TYPE, NOISE = "solves-one", "spmv", "aij again"
TITLES = {"whole": "whole run", "solve": "KSPSolve alone"}
ALL = "all"
STYLES = ["o", "s", "^", "D", "v", "P"]  # of processors


def runs_of(folder):
    """The runs of whole solves on one process, by processor."""
    places = sorted(entry.path for entry in os.scandir(folder) if entry.is_dir())
    return {os.path.basename(place): run for place in places if (run := kept(place).get(RUN)) and run["matrices"]}


def preconditioner(matrix):
    """As sor of cg+sor, and gamg of cg+gamg-sor."""
    return matrix["solver"].partition("+")[2].partition("-")[0]


def means(run, name, part):
    """Geometric means of the speed-ups of a type, by preconditioner and over all runs."""
    found = {}
    for matrix in run["matrices"]:
        if name in (speedups := solves(matrix, part)):
            for key in ALL, preconditioner(matrix):
                found.setdefault(key, []).append(speedups[name])
    return {key: geometric_mean(values) for key, values in found.items()}


def most(runs, row):
    """The number of runs behind a row's means, on the processor that has most."""
    return max(sum(row in (ALL, preconditioner(matrix)) for matrix in run["matrices"]) for run in runs.values())


def draw_panel(axes, runs, rows, part):
    for place, (key, run) in enumerate(runs.items()):
        at = {row: line + dodge(place, len(runs)) for line, row in enumerate(rows)}
        about = f"{key}\n{run['run']['commit']}, {run['run']['date']}"
        for name, marker, size, label in ((NOISE, "|", 9, "AIJ again"), (TYPE, STYLES[place % len(STYLES)], 7, about)):
            found = means(run, name, part)
            axes.plot([found[row] for row in rows if row in found], [at[row] for row in rows if row in found], marker,
                      color=f"C{place}", markersize=size, markeredgewidth=1.5, label=label)
    rows_of(axes, [f"{row} ({most(runs, row)})" for row in rows])
    axes.axvline(1, color="black", linewidth=1, zorder=1)
    axes.grid(axis="x", linewidth=0.4)
    axes.set_title(f"{TITLES[part]}: speed-up over AIJ")


def draw(folder):
    """Draws FOLDER/solves.svg; nothing if no run is there to be shown."""
    runs = runs_of(folder)
    if not runs:
        return
    first = dict.fromkeys(preconditioner(matrix) for run in runs.values() for matrix in run["matrices"])
    rows = [*list(first)[::-1], ALL]
    with matplotlib.rc_context({"svg.fonttype": "none"}):  # text, in a tenth of the bytes
        figure, panels = pyplot.subplots(1, 2, figsize=(10, 1.7 + 0.32 * len(rows)), layout="constrained", sharey=True)
        for axes, part in zip(panels, TITLES):
            draw_panel(axes, runs, rows, part)
        low, high = min(axes.get_xlim()[0] for axes in panels), max(axes.get_xlim()[1] for axes in panels)
        for axes in panels:
            axes.set_xlim(min(low, 0.8), max(high, 1.25))  # so that noise does not fill the picture
        figure.legend(*panels[0].get_legend_handles_labels(), loc="lower center", bbox_to_anchor=(0.5, 0.05), ncols=len(runs),
                      frameon=False)
        figure.text(0.5, 0.01, "Geometric means by preconditioner (number of runs), one process; processor, commit and date",
                    fontsize=8, color="#444444", ha="center")
        figure.get_layout_engine().set(rect=(0, 0.2, 1, 0.8))  # above these
        figure.savefig(f"{folder}/solves.svg", metadata={"Date": None})
        pyplot.close(figure)
