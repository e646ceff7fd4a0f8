"""Markdown tables of a run of spmvbench."""
import os
import statistics

from runs import best, geometric_mean, measured, names, ours, solves, speedups, task, totals

SIZES = [(0, 20001, "up to 20,000"), (20001, 100001, "up to 100,000"), (100001, 1000001, "up to 1,000,000"),
         (1000001, float("inf"), "more")]
IN_CACHES = 1000000  # nonzeros
TITLES = {"one": "One process", "all": "One process per core"}
BESIDES = {"totals": "The first products with new matrices", "solves": "Whole runs",  # by task
           "first": "First products of processes", "chosen": "What the type `spmv` chooses", "sweeps": "Relaxation and factors"}
SIDE_BY_SIDE = 16  # rows: where there are fewer, layouts are of little use
PARTS = {"whole": "whole run", "solve": "`KSPSolve`"}  # of a run
FIRST = ["fresh", "used", "refresh"]  # of these: the process' first, a later one, and one after new values


def subtitle(run):
    about = run["run"]
    processes = "1 process" if about["processes"] == 1 else f"{about['processes']} processes"
    threads = f" of {about['threads']} threads" if about["threads"] > 1 else ""
    return f"{about['processor']}, {processes}{threads}, {8 * about['index_bytes']}-bit indices, {about['petsc'].split(',')[0]}"


def provenance(run):
    """On what and with what a run was made, in lines. Early runs do not have all of it."""
    about = run["run"]
    machine = about.get("machine", {})
    known = [f"{name} {machine[name]}" for name in ("vendor", "family", "model", "stepping", "microcode") if name in machine]
    missing = [name for name in ("family", "model", "stepping") if name not in machine]
    known += [f"{', '.join(missing)} not recorded"] if missing else []
    gathers = machine.get("mitigations", {}).get("gather_data_sampling", "not recorded")
    caches = ", ".join(f"{name} {size}" for name, size in machine.get("caches", {}).items())
    build = [f"petscspmv {about.get('petscspmv', '')}".strip(), f"commit {about['commit']}" if about.get("commit") else "",
             f"target {about['target']}" if about.get("target") else "", about.get("compiler", ""), about["petsc"].split(",")[0],
             about.get("date", "")]
    lines = [f"{about['processor']}: {', '.join(known)}",
             f"caches {caches or 'not recorded'}; mitigation of gather data sampling: {gathers}",
             "; ".join(filter(None, build)), "; ".join(about.get("peers", {}).values())]
    return [line for line in lines if line]


def lines_of(header, rows):
    """A Markdown table."""
    return "".join(f"| {' | '.join(cells)} |\n" for cells in [header, ["---"] * len(header), *rows])


def by_type(run):
    """The types, and what they do on all matrices and on the irregular ones."""
    matrices = run["matrices"]
    irregular = [m for m in matrices if m["irregular"]]
    rows = []
    for name in names(run):
        entries = [measured(m)[name] for m in matrices if name in measured(m)]
        if not entries:
            continue
        x = [e["speedup"]["median"] for e in entries]
        transposes = [e["transpose_speedup"]["median"] for e in entries if e["transpose_speedup"]["median"]]
        means = [f"{geometric_mean(values):.2f}" if values else "-" for values in (speedups(irregular, name), transposes)]
        middles = [statistics.median_high(e[key] for e in entries) for key in ("first", "fresh", "refresh", "copy")]
        rows.append([f"`{name}`", *(f"{value:.2f}" for value in (geometric_mean(x), min(x), max(x))), *means,
                     *(f"{value:.1f}" if value else "-" for value in middles)])
    header = ["type", "speed-up, geometric mean", "least", "most", "irregular matrices", "transpose"]
    header += ["first product", "fresh memory", "after new values", "copy"]
    return f"{subtitle(run)}; {len(matrices)} matrices, {len(irregular)} of them irregular:\n\n" + lines_of(header, rows)


def by_size(run):
    """Classes of matrices by their nonzeros, and how the best type of this library does in each."""
    own = ours(run)
    theirs = [name for name in names(run)[1:] if name not in own]
    rows = []
    for least, below, title in SIZES:
        matrices = [m for m in run["matrices"] if least <= m["nonzeros"] < below and best(m, own)]
        if not matrices:
            continue
        entries = [best(m, own) for m in matrices]
        x = [entry["speedup"]["median"] for entry in entries]
        others = [best(m, theirs) for m in matrices]
        slower = [m["name"] for m, speed, other in zip(matrices, x, others) if other and other["speedup"]["median"] > speed]
        limit = statistics.median_high(entry["limit"]["median"] for entry in entries)
        leasts = [f"{min(found):.2f}" if (found := speedups(matrices, name)) else "-" for name in own]
        rows.append([title, str(len(matrices)), f"{geometric_mean(x):.2f}", f"{min(x):.2f}", f"{limit:.0%}", *leasts,
                     *([", ".join(slower) or "none"] if theirs else [])])
    header = ["nonzeros", "matrices", f"fastest of ours over `{names(run)[0]}`", "least", "share of the limit"]
    header += [f"{name}, least" for name in own] + [f"faster with {' or '.join(f'`{name}`' for name in theirs)}"] * bool(theirs)
    return lines_of(header, rows)


def after(run, name, number):
    """The first type's time for so many first products over that of a type, for the matrices with which it was measured."""
    return [found[name][number] for m in run["matrices"] if number in (found := totals(m))[name]]


def by_number(run):
    """The first type's time for some first products over that of each type, and that of the best type for each matrix."""
    numbers = sorted({n for m in run["matrices"] for n in totals(m)[names(run)[0]]})
    rows = []
    for name in names(run)[1:]:
        for title, figure in [(f"`{name}`", lambda found, n: found[name][n]),
                              (f"`{name}`, of the fastest type",
                               lambda found, n: found[name][n] / max(of[n] for of in found.values()))]:
            values = {n: [figure(found, n) for m in run["matrices"] if n in (found := totals(m))[name]] for n in numbers}
            rows.append([title, *(mean_and_least(values[n]) for n in numbers)])
    rows.append(["matrices", *(str(len(after(run, names(run)[0], n))) for n in numbers)])
    first = (f"{subtitle(run)}; {len(run['matrices'])} matrices; "
             f"time with `{names(run)[0]}` over that with each type, geometric mean and (least):\n\n")
    return first + lines_of(["products, conversion included", *map(str, numbers)], rows)


def by_chosen(run):
    """How fast what was chosen is, over the fastest type with each matrix and over the first type, in all rounds."""
    def product(matrix, name):
        return statistics.median(measured(matrix)[name]["seconds"])

    first = names(run)[0]
    rows = []
    for title, seconds in [("first", lambda m, m_round: product(m, m_round["first"])),
                           ("in the end", lambda m, m_round: m_round["last_seconds"])]:
        found = [(m, seconds(m, m_round)) for m in run["matrices"] for m_round in m["rounds"]]
        of_best = [min(product(m, name) for name in measured(m)) / taken for m, taken in found]
        of_first = [product(m, first) / taken for m, taken in found]
        rows.append([title, mean_and_least(of_best), mean_and_least(of_first)])
    most = max(m["products"] for m in run["matrices"])
    return (f"{subtitle(run)}; {len(run['matrices'])} matrices, up to {most} products with each; speed of what was chosen: "
            "geometric mean (least)\n\n" + lines_of(["chosen", "over the fastest type", f"over `{first}`"], rows))


def gains(run, name, part):
    """The first type's time over that of a type, in whole runs or in KSPSolve, where that could be measured."""
    return [found[name] for m in run["matrices"] if name in (found := solves(m, part))]


def by_solver(run):
    """The first type's time over that of each, for every whole run."""
    first, *others = names(run)
    columns = [(name, part) for name in others for part in PARTS]
    rows = []
    for m in run["matrices"]:
        of_first = m["types"][0]
        rows.append([m["name"], m["solver"], str(of_first["iterations"]),
                     *(f"{statistics.median(of_first['seconds'][part]):.3g}" for part in PARTS),
                     *(f"{found[name]:.2f}" if name in (found := solves(m, part)) else measured_not(m, name)
                       for name, part in columns)])
    rows.append(["geometric mean (least)", "", "", "", "", *(mean_and_least(gains(run, *column)) for column in columns)])
    steps = f"{run['run']['steps']} time steps" if run["run"]["steps"] > 1 else "one solve"
    return (f"{subtitle(run)}; {steps}, from the first entry to the solution, time with `{first}` over that with each type:\n\n"
            + lines_of(["problem", "solver", "iterations", *(f"{first}, {PARTS[part]}, s" for part in PARTS),
                        *(f"{name}, {PARTS[part]}" for name, part in columns)], rows))


def measured_not(matrix, name):
    """Why a type has no figures."""
    return next(entry.get("failure", "-") for entry in matrix["types"] if entry["type"] == name)


def of_sweeps(run, name):
    """Cells on a way to sweep: its gain everywhere, and in and beyond caches where many rows are side by side; what making layouts
    takes; its iterations over those of the first type."""
    def gain(wanted):
        first = [m["types"][0]["seconds"] for m in run["matrices"]]
        return with_number([statistics.median(a / b for a, b in zip(seconds, measured(m)[name]["seconds"]))
                            for m, seconds in zip(run["matrices"], first) if name in measured(m) and wanted(m)])
    entries = [(m["types"][0], measured(m)[name]) for m in run["matrices"] if name in measured(m)]
    making = [entry["making"] for _, entry in entries if "making" in entry]
    iterations = [entry["iterations"] / of_first["iterations"] for of_first, entry in entries if "iterations" in entry]
    return [gain(lambda m: True),
            gain(lambda m: m["side_by_side"] >= SIDE_BY_SIDE and m["nonzeros"] <= IN_CACHES),
            gain(lambda m: m["side_by_side"] >= SIDE_BY_SIDE and m["nonzeros"] > IN_CACHES),
            f"{statistics.median(making):.1f}" if making else "-",
            f"{geometric_mean(iterations):.2f} ({max(iterations):.2f})" if iterations else "-"]


SWEEP_HEAD = ["all", f"{SIDE_BY_SIDE} rows side by side, in caches", "beyond", "making", "iterations, mean (most)"]


def by_sweep(run):
    """The first type's time for an application over that of each way, by operation."""
    operations = dict.fromkeys(m["operation"] for m in run["matrices"])
    rows = [[operation, f"`{name}`", *of_sweeps({**run, "matrices": [m for m in run["matrices"] if m["operation"] == operation]},
                                               name)] for operation in operations for name in names(run)[1:]]
    return (f"{subtitle(run)}; {len({m['name'] for m in run['matrices']})} matrices, time of an application with "
            f"`{names(run)[0]}` over that with each type:\n\n" + lines_of(["sweep", "type", *SWEEP_HEAD], rows))


def first_of(run, name, figure):
    """A figure of first products with a type, on the matrices with which it was measured."""
    types = [measured(m).get(name, {}) for m in run["matrices"]]
    return [of[figure] for of in types if figure in of]  # early runs lack transposes


def by_first(run):
    """What first products take with each type, and its parts."""
    figures = [*FIRST, "transposed", "start", "pages", "passes"]
    rows = [[f"`{name}`", *(f"{statistics.median(of):.1f}" if (of := first_of(run, name, figure)) else "-" for figure in figures),
             f"{max(first_of(run, name, 'fresh')):.1f}"] for name in names(run) if first_of(run, name, "fresh")]
    header = ["type", "first", "later", "after new values", "with the transpose", "start", "pages", "passes", "first, most"]
    return f"{subtitle(run)}; {len(run['matrices'])} matrices, in products of `aij`, medians:\n\n" + lines_of(header, rows)


def tables(run):
    """The tables of a run. Of early runs only the tables are kept, and of some the speed-ups that their charts show."""
    others = {"first": by_first, "totals": by_number, "chosen": by_chosen, "solves": by_solver, "sweeps": by_sweep}
    if task(run) in others:
        return others[task(run)](run)
    return run["tables"] if "tables" in run else f"{by_type(run)}\n{by_size(run)}"


def title(name, run):
    if name.startswith("values-"):
        return f"Values in fewer bytes: {TITLES[name.removeprefix('values-')].lower()}"
    if task(run) == "products":
        return TITLES.get(name, name)
    number = TITLES.get(name.partition("-")[2], name)
    steps = f" of {run['run']['steps']} time steps" if run["run"].get("steps", 1) > 1 else ""
    return f"{BESIDES[task(run)]}{steps}: {number.lower()}"


def mean_and_least(values):
    return f"{geometric_mean(values):.2f} ({min(values):.2f})" if values else "-"


def with_number(values):
    """Whole runs differ in what they have: numbers of products and solves that take too long are left out."""
    return f"{mean_and_least(values)} of {len(values)}" if values else "-"


def picture(title, path, link):
    """A picture on a page, if it has been drawn."""
    return f"![{title}]({link})\n" if os.path.exists(path) else ""
