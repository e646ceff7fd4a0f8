"""One picture of all processors, for a slide: ten matrices, this library's formats, and the fastest of them, over AIJ."""
import os

from charts import PANELS, dodge, matplotlib, pyplot, rows_of, speedup_axis, style
from runs import best, geometric_mean, kept, measured

NAME = "slide"  # of its file in benchmarks
RUN, PROCESSES = "all", "one process per core"
TYPES = ["csr5", "sellcs", "speculative", "ipcsr"]
NUMBER = 10  # of matrices

# The shared matrices by the kinds that their list gives. Shown is the largest of each kind, of the largest kinds:
# no result has a say.
KINDS = {
    "circuit": ["G3_circuit", "memplus", "rajat01", "add32", "add20", "adder_dcop_05", "rajat19"],
    "circuit netlist": ["titan23_cholesky_mc", "titan23_sparcT1_core"],
    "graph": ["web-Stanford-und", "corpus_BioGrid-All", "web-NotreDame-und", "corpus_countries", "email-EuAll-und", "wiki-Vote"],
    "web graph": ["cnr-2000"],
    "mesh graph": ["rotor"],
    "citation graph": ["cit-HepTh"],
    "graph/redistricting/DNA": ["cage11", "ct2010", "cage10", "gre_1107"],
    "materials": ["xenon1", "arc130"],
    "structural": ["bcsstk16", "bcsstk14"],
    "QP KKT": ["CONT-300_kkt", "BOYD2_kkt"],
    "MIP constraint matrix": ["miplib3_nw04", "miplib3_fast0507"],
    "LP constraint matrix": ["netlib_maros-r7", "netlib_fit2d", "netlib_d6cube", "netlib_d2q06c", "netlib_ship12l"],
    "optimization": ["c-62"],
    "least squares": ["Maragal_6", "illc1850"],
}
PROCESSORS = {"AuthenticAMD-25-1": "AMD EPYC (Zen 3)", "AuthenticAMD-25-17": "AMD EPYC (Zen 4)"}  # others: their name and numbers


def processor(run):
    key = run["run"]["machine"]["key"]
    name = run["run"]["processor"].replace("(R)", "").removesuffix(" Processor")
    return PROCESSORS.get(key, f"{name} ({key.split('-', 1)[-1]})")


def shown(folder):
    """The runs of all processors. Early ones, of no date, name neither processor nor commit, and are left out; so are those of
    none of these matrices."""
    named = set().union(*KINDS.values())
    places = sorted(entry.path for entry in os.scandir(folder) if entry.is_dir())
    runs = [kept(place).get(RUN) for place in places]
    return [run for run in runs if run and run["run"].get("date") and any(m["name"] in named for m in run["matrices"])]


def chosen(runs):
    """The names of the matrices, largest first: see KINDS. Only what every processor has measured counts."""
    sizes = [{m["name"]: m["nonzeros"] for m in run["matrices"] if best(m, TYPES)} for run in runs]
    common = {name: size for name, size in sizes[0].items() if all(name in others for others in sizes)}
    largest = [max((name for name in names if name in common), key=common.get, default=None) for names in KINDS.values()]
    return sorted(filter(None, largest), key=common.get, reverse=True)[:NUMBER]


def draw_panel(axes, run, names):
    """One processor: a bar to the fastest type, and a mark for each."""
    matrices = {m["name"]: m for m in run["matrices"]}
    fastest = [best(matrices[name], TYPES)["speedup"]["median"] for name in names]
    lines = range(len(names))[::-1]
    rows_of(axes, names[::-1])
    speedup_axis(axes)
    axes.tick_params(axis="x", top=False, labeltop=False)
    axes.barh(lines, [x - 1 for x in fastest], left=1, height=0.62, color="#d9d9d9", label="fastest", zorder=1)
    for line, x in zip(lines, fastest):
        axes.annotate(f"{x:.{1 if x >= 0.995 else 2}f}", (max(x, 1), line), xytext=(10, 0), textcoords="offset points", va="center",
                      fontweight="bold")
    for place, name in enumerate(TYPES):
        colour, marker = style(name, place)
        points = [(measured(matrices[of])[name]["speedup"]["median"], line + dodge(place, len(TYPES)))
                  for of, line in zip(names, lines) if name in measured(matrices[of])]
        axes.plot(*zip(*points), marker, color=colour, label=name, markersize=10, markeredgecolor="white")
    axes.set_title(f"{processor(run)}\nfastest, mean: {geometric_mean(fastest):.1f}", fontsize=17)


def source(runs):
    """Where the figures are from, in two lines."""
    about = runs[0]["run"]
    versions = ", ".join(dict.fromkeys(run["run"]["petsc"].split(",")[0].replace("Petsc Release Version", "PETSc") for run in runs))
    cores = ", ".join(dict.fromkeys(str(run["run"]["processes"]) for run in runs))
    states = "; ".join(f"{processor(run)}: commit {run['run']['commit']}, {run['run']['date']}" for run in runs)
    return (f"y = A x, {8 * about['scalar_bytes']}-bit numbers, {versions}, {PROCESSES} ({cores} cores); medians. "
            f"Matrices: the largest of each kind. Drawn by src/benchmarks/slide.py\n{states}")


def draw(folder, png=False):
    """Draws FOLDER/slide.svg, and slide.png if asked for; nothing if no run is there to be shown."""
    runs = shown(folder)
    names = chosen(runs) if runs else []
    if not names:
        return
    with matplotlib.rc_context({"font.size": 16}):
        figure, panels = pyplot.subplots(1, len(runs), figsize=(40 / 3, 7.5), **PANELS)
        for axes, run in zip(panels[0], runs):
            draw_panel(axes, run, names)
        low, high = panels[0, 0].get_xlim()
        panels[0, 0].set_xlim(low, 1.5 * high)  # for the figures behind bars
        figure.suptitle("Sparse matrix-vector products: speed-up over PETSc's AIJ", fontsize=25, fontweight="bold")
        figure.text(0.5, 0.01, source(runs), fontsize=11, color="#444444", ha="center", va="bottom")
        figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="lower center", bbox_to_anchor=(0.5, 0.065),
                      ncols=len(TYPES) + 1, frameon=False, fontsize=18)
        figure.get_layout_engine().set(rect=(0, 0.145, 1, 0.855), h_pad=0.15)  # above these
        for kind in ["svg", "png"] if png else ["svg"]:
            figure.savefig(f"{folder}/{NAME}.{kind}", metadata={"Date": None} if kind == "svg" else None, dpi=144)
        pyplot.close(figure)
