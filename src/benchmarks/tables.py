"""Markdown tables of runs of spmvbench: of one run, of one processor, and of all processors side by side."""
import os
import statistics

from runs import best, geometric_mean, kept, measured, names, ours, ratios, speedups, task

SIZES = [(0, 20001, "up to 20,000"), (20001, 100001, "up to 100,000"), (100001, 1000001, "up to 1,000,000"),
         (1000001, float("inf"), "more")]
LARGE = 100000  # nonzeros: smaller matrices stay in a core's own caches, and what is around a product takes part of its time
TITLES = {"one": "One process", "all": "One process per core"}
BESIDES = {"totals": "The first products with new matrices", "solves": "Whole solves",  # by task
           "first": "First products of processes"}
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
    return [found[name][number] for m in run["matrices"] if number in (found := ratios(m))[name]]


def by_number(run):
    """The first type's time for some first products over that of each type, and that of the best type for each matrix."""
    numbers = sorted({n for m in run["matrices"] for n in ratios(m)[names(run)[0]]})
    rows = []
    for name in names(run)[1:]:
        for title, figure in [(f"`{name}`", lambda found, n: found[name][n]),
                              (f"`{name}`, of the fastest type",
                               lambda found, n: found[name][n] / max(of[n] for of in found.values()))]:
            values = {n: [figure(found, n) for m in run["matrices"] if n in (found := ratios(m))[name]] for n in numbers}
            rows.append([title, *(mean_and_least(values[n]) for n in numbers)])
    rows.append(["matrices", *(str(len(after(run, names(run)[0], n))) for n in numbers)])
    first = (f"{subtitle(run)}; {len(run['matrices'])} matrices; "
             f"time with `{names(run)[0]}` over that with each type, geometric mean and (least):\n\n")
    return first + lines_of(["products, conversion included", *map(str, numbers)], rows)


def by_solver(run):
    """The first type's time over that of each, for every solve."""
    others = names(run)[1:]
    rows = [[m["name"], m["solver"], f"{statistics.median(m['types'][0]['seconds']):.3g}",
             *(f"{ratios(m)[name]:.2f}" for name in others)] for m in run["matrices"]]
    rows.append(["geometric mean (least)", "", "",
                 *(mean_and_least([ratios(m)[name] for m in run["matrices"]]) for name in others)])
    return (f"{subtitle(run)}; set-up included, time with `{names(run)[0]}` over that with each type:\n\n"
            + lines_of(["problem", "solver", f"{names(run)[0]}, s", *others], rows))


def first_of(run, name, figure):
    """A figure of first products with a type, on the matrices with which it was measured."""
    return [measured(m)[name][figure] for m in run["matrices"] if name in measured(m)]


def by_first(run):
    """What first products take with each type, and its parts."""
    figures = [*FIRST, "start", "pages", "passes"]
    rows = [[f"`{name}`", *(f"{statistics.median(first_of(run, name, figure)):.1f}" for figure in figures),
             f"{max(first_of(run, name, 'fresh')):.1f}"] for name in names(run) if first_of(run, name, "fresh")]
    header = ["type", "first", "later", "after new values", "start", "pages", "passes", "first, most"]
    return f"{subtitle(run)}; {len(run['matrices'])} matrices, in products of `aij`, medians:\n\n" + lines_of(header, rows)


def first(folder, link):
    """What a first product takes, by processor and type."""
    rows = []
    for place in sorted(entry.path for entry in os.scandir(folder) if entry.is_dir()):
        key = os.path.basename(place)
        if run := kept(place).get("first-one"):
            rows += [[f"[{key}]({link}/{key}/README.md)", f"`{name}`",
                      *(f"{statistics.median(first_of(run, name, figure)):.1f}" for figure in FIRST)]
                     for name in names(run) if first_of(run, name, "fresh")]
    return lines_of(["processor", "type", "first", "later", "after new values"], rows) if rows else ""


def tables(run):
    """The tables of a run. Of early runs only the tables are kept, and of some the speed-ups that their charts show."""
    if task(run) == "first":
        return by_first(run)
    if task(run) != "products":
        return by_number(run) if task(run) == "totals" else by_solver(run)
    return run["tables"] if "tables" in run else f"{by_type(run)}\n{by_size(run)}"


def title(name, run):
    if name.startswith("values-"):
        return f"Values in fewer bytes: {TITLES[name.removeprefix('values-')].lower()}"
    number = TITLES.get(name.removeprefix(f"{task(run)}-"), name)
    return number if task(run) == "products" else f"{BESIDES[task(run)]}: {number.lower()}"


def mean_and_least(values):
    return f"{geometric_mean(values):.2f} ({min(values):.2f})" if values else "-"


def with_number(values):
    """Whole runs differ in what they have: numbers of products and solves that take too long are left out."""
    return f"{mean_and_least(values)} of {len(values)}" if values else "-"


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


def picture(title, path, link):
    """A picture on a page, if it has been drawn."""
    return f"![{title}]({link})\n" if os.path.exists(path) else ""


def newest_chart(places, link):
    """The speed-ups on the processor that was measured last."""
    dated = [(run["run"].get("date", ""), place, run) for place in places for name, run in kept(place).items() if name == "one"]
    if not dated:
        return ""
    _, place, run = max(dated, key=lambda entry: entry[:2])
    key = os.path.basename(place)
    return picture(f"speed-up of each type over AIJ on each matrix, {run['run']['processor']}, {key}", f"{place}/one/speedup.svg",
                   f"{link}/{key}/one/speedup.svg")


def overview(folder, link):
    """A table with a column for each processor with a folder there, for one process and for all cores."""
    places = sorted(entry.path for entry in os.scandir(folder) if entry.is_dir())
    parts = []
    for name, title in TITLES.items():
        columns = {place: column(runs[name])[0] for place in places if (runs := kept(place)).get(name, {}).get("matrices")}
        if not columns:
            continue
        titles = sorted(dict.fromkeys(row for cells in columns.values() for row in cells), key=row_order)
        processors = {os.path.basename(place): kept(place)[name]["run"]["processor"] for place in columns}
        heads = [f"[{processor}, {key}]({link}/{key}/README.md)" for key, processor in processors.items()]
        rows = [[row, *(cells.get(row, "-") for cells in columns.values())] for row in titles]
        parts.append(f"{title}:\n\n" + lines_of(["", *heads], rows))
    chart = newest_chart(places, link)
    return "\n".join([*parts, chart] if chart else parts)


def whole(folder, link):
    """What users gain in the whole, on the processors where that was measured: a table, and the charts of the last."""
    parts, rows = [], []
    numbers = (10, 200, 1000, 5000)
    for place in sorted(entry.path for entry in os.scandir(folder) if entry.is_dir()):
        runs, key = kept(place), os.path.basename(place)
        for name, run in runs.items():
            if task(run) not in ("totals", "solves") or "spmv" not in names(run):
                continue
            head = [f"[{key}]({link}/{key}/README.md)", title(name, run)]
            if task(run) == "totals":
                rows.append([*head, *(with_number(after(run, "spmv", n)) for n in numbers), "-"])
            else:
                rows.append([*head, *["-"] * len(numbers), with_number([ratios(m)["spmv"] for m in run["matrices"]])])
            if name.endswith("-one"):
                chart = f"{key}/{name}/{task(run)}.svg"
                parts.append(picture(f"{title(name, run)}, {key}", f"{folder}/{chart}", f"{link}/{chart}"))
    if not rows:
        return ""
    return (lines_of(["processor", "`spmv` over `aij`", *(f"{n} products" for n in numbers), "solves"], rows)
            + "\n" + "".join(parts[-2:]))


def summary(folder, link):
    """A row for each processor, on one process: products with the types that are the fastest, and what spmv gains in the whole."""
    rows = []
    for place in sorted(entry.path for entry in os.scandir(folder) if entry.is_dir()):
        runs, key = kept(place), os.path.basename(place)
        if not runs.get("one", {}).get("matrices"):
            continue
        cells = column(runs["one"])[0]
        totals, solves = runs.get("totals-one"), runs.get("solves-one")
        found = after(totals, "spmv", 1000) if totals else []
        whole = [ratios(m)["spmv"] for m in solves["matrices"]] if solves else []
        firsts = [f"{statistics.median(values):.1f}" for figure in FIRST
                  if (values := first_of(runs["first-one"], "csr5", figure) if "first-one" in runs else [])]
        names_of = ["`csr5`", "`sellcs`", "fastest of ours"]
        rows.append([f"[{runs['one']['run']['processor']}, {key}]({link}/{key}/README.md)",
                     *(cells.get(name, "-") for name in names_of), with_number(found), with_number(whole),
                     ", ".join(firsts) or "-"])
    return lines_of(["processor", "`csr5`", "`sellcs`", "fastest format", "`spmv`, 1000 products", "`spmv`, solves",
                     "`csr5`, first product, later, new values"], rows)
