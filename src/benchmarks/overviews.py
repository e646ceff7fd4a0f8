"""Markdown tables of all processors side by side."""
import os
import statistics

from runs import best, kept, measured, names, ours, speedups, task
from tables import (FIRST, PARTS, SWEEP_HEAD, TITLES, after, first_of, gains, lines_of, mean_and_least, of_sweeps, picture, title,
                    with_number)

LARGE = 100000  # nonzeros: smaller matrices stay in a core's own caches, and what is around a product takes part of its time
WHOLE = {"solves": "one solve", "steps": "ten time steps"}  # names of runs that pages show


def folders(folder):
    """The processors that have one, and their runs, by place."""
    return {entry.path: kept(entry.path) for entry in sorted(os.scandir(folder), key=lambda entry: entry.path) if entry.is_dir()}


def of_whole_runs(runs, number):
    """Cells on whole runs on one processor, with one process or all: spmv's gain in each part, and the noise."""
    cells = []
    for name in WHOLE:
        run = runs.get(f"{name}-{number}")
        cells += [with_number(gains(run, "spmv", part)) if run and "spmv" in names(run) else "-" for part in PARTS]
        cells.append(mean_and_least(gains(run, f"{names(run)[0]} again", "whole")) if run else "-")
    return cells


def whole_head():
    return [text for title in WHOLE.values() for text in (*(f"{title}: {part}" for part in PARTS.values()), "`aij` again")]


def whole(folder, link):
    """What users gain in the whole, on the processors where that was measured: two tables, and the charts of the last."""
    numbers = (10, 50, 200, 1000, 5000)
    solved, first, parts = [], [], []
    for place, runs in folders(folder).items():
        key = os.path.basename(place)
        for number, title_of_number in TITLES.items():
            head = [f"[{key}]({link}/{key}/README.md)", title_of_number.lower()]
            if any(f"{name}-{number}" in runs for name in WHOLE):
                solved.append([*head, *of_whole_runs(runs, number)])
            if (run := runs.get(f"totals-{number}")) and "spmv" in names(run):
                first.append([*head, *(with_number(after(run, "spmv", n)) for n in numbers)])
        for name, run in runs.items():
            if name.endswith("-one") and task(run) in ("totals", "solves"):
                chart = f"{key}/{name}/{task(run)}.svg"
                parts.append(picture(f"{title(name, run)}, {key}", f"{folder}/{chart}", f"{link}/{chart}"))
    if not solved and not first:
        return ""
    text = lines_of(["processor", "processes", *whole_head()], solved) + "\n" if solved else ""
    text += lines_of(["processor", "processes", *(f"{n} products" for n in numbers)], first) + "\n" if first else ""
    return text + "".join(parts[-3:])


def first(folder, link):
    """What a first product takes, by processor and type."""
    rows = []
    for place, runs in folders(folder).items():
        key = os.path.basename(place)
        if run := runs.get("first-one"):
            rows += [[f"[{key}]({link}/{key}/README.md)", f"`{name}`",
                      *(f"{statistics.median(first_of(run, name, figure)):.1f}" for figure in FIRST)]
                     for name in names(run) if first_of(run, name, "fresh")]
    return lines_of(["processor", "type", "first", "later", "after new values"], rows) if rows else ""


def sweeps(folder, link):
    """What relaxation and solves with factors gain, by processor and way."""
    rows = []
    for place, runs in folders(folder).items():
        key = os.path.basename(place)
        for number, title_of_number in TITLES.items():
            if run := runs.get(f"sweeps-{number}"):
                rows += [[f"[{key}]({link}/{key}/README.md)", title_of_number.lower(), f"`{name}`", *of_sweeps(run, name)]
                         for name in names(run)[1:]]
    return lines_of(["processor", "processes", "type", *SWEEP_HEAD], rows) if rows else ""


def column(run):
    """What stands below a processor in the table of all: cells by the names of their rows."""
    own, first = ours(run), names(run)[0]
    large = [m for m in run["matrices"] if m["nonzeros"] >= LARGE]
    cells = {f"`{name}`": mean_and_least(speedups(large, name)) for name in names(run)[1:]}
    for title, matrices in [("", large), (", on all matrices", run["matrices"])]:
        fastest = [entry["speedup"]["median"] for m in matrices if (entry := best(m, own))]
        cells[f"fastest of ours{title}"] = mean_and_least(fastest)
    for peer in run["run"].get("peers", {}):
        pairs = [(best(m, own), measured(m).get(peer)) for m in large]
        ratios = [a["speedup"]["median"] / b["speedup"]["median"] for a, b in pairs if a and b]
        cells[f"fastest of ours over `{peer}`"] = mean_and_least(ratios)
    about = run["run"]
    cells["matrices, large ones"] = f"{len(run['matrices'])}, {len(large)}"
    cells["target"] = about.get("target") or "-"
    cells["commit, date"] = ", ".join(filter(None, (about.get("commit"), about.get("date")))) or "-"
    return cells, first


def row_order(title):
    """PETSc's types, ours, other libraries', what follows from them, and what was run; as far as they can be told apart."""
    kinds = [title.startswith("`aij"), title in ("`mkl`", "`librsb`"), title.startswith("fastest of ours over"),
             title.startswith("fastest"), title.startswith("matrices"), title == "target", title.startswith("commit")]
    return [0, 2, 4, 3, 5, 6, 7][kinds.index(True)] if True in kinds else 1


def newest_chart(places, link):
    """The speed-ups on the processor that was measured last."""
    dated = [(runs["one"]["run"].get("date", ""), place, runs["one"]) for place, runs in places.items() if "one" in runs]
    if not dated:
        return ""
    _, place, run = max(dated, key=lambda entry: entry[:2])
    key = os.path.basename(place)
    return picture(f"speed-up of each type over AIJ on each matrix, {run['run']['processor']}, {key}", f"{place}/one/speedup.svg",
                   f"{link}/{key}/one/speedup.svg")


def overview(folder, link):
    """A table with a column for each processor with a folder there, for one process and for all cores."""
    places = folders(folder)
    parts = []
    for name, title in TITLES.items():
        columns = {place: column(runs[name])[0] for place, runs in places.items() if runs.get(name, {}).get("matrices")}
        if not columns:
            continue
        titles = sorted(dict.fromkeys(row for cells in columns.values() for row in cells), key=row_order)
        processors = {os.path.basename(place): places[place][name]["run"]["processor"] for place in columns}
        heads = [f"[{processor}, {key}]({link}/{key}/README.md)" for key, processor in processors.items()]
        rows = [[row, *(cells.get(row, "-") for cells in columns.values())] for row in titles]
        parts.append(f"{title}:\n\n" + lines_of(["", *heads], rows))
    chart = newest_chart(places, link)
    return "\n".join([*parts, chart] if chart else parts)


def summary(folder, link):
    """Two tables with a row for each processor, on one process: what spmv gains in whole runs, and products by format."""
    of_runs, of_products = [], []
    for place, runs in folders(folder).items():
        key = os.path.basename(place)
        head = f"[{next(iter(runs.values()))['run']['processor']}, {key}]({link}/{key}/README.md)"
        cells = [*of_whole_runs(runs, "one"), with_number(after(runs["totals-one"], "spmv", 1000)) if "totals-one" in runs else "-"]
        if set(cells) != {"-"}:
            of_runs.append([head, *cells])
        if runs.get("one", {}).get("matrices"):
            firsts = [f"{statistics.median(values):.1f}" for figure in FIRST
                      if (values := first_of(runs["first-one"], "csr5", figure) if "first-one" in runs else [])]
            cells = column(runs["one"])[0]
            of_products.append([head, *(cells.get(name, "-") for name in ("`csr5`", "`sellcs`", "fastest of ours")),
                                ", ".join(firsts) or "-"])
    text = lines_of(["processor", *whole_head(), "1000 products"], of_runs) + "\n" if of_runs else ""
    return text + lines_of(["processor", "`csr5`", "`sellcs`", "fastest format", "`csr5`, first product, later, new values"],
                           of_products)
