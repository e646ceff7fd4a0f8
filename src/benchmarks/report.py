#!/usr/bin/env python3
"""Charts and tables of what spmvbench wrote.

  report.py RUN.json FOLDER                draws FOLDER/speedup.svg and FOLDER/roofline.svg; of totals and solves FOLDER/totals.svg
                                           and FOLDER/solves.svg
  report.py RUN.json FOLDER --keep TOP     and keeps the run in TOP/benchmarks, in the folder of its processor: what tables and
                                           charts need of it, its charts, and the processor's page; TOP/docs/benchmarks.md gets
                                           tables of all processors, between the lines that name config/run-benchmark
                                           there, and TOP/README.md a short one
  report.py --pages TOP                    makes pages and table anew from the runs that are kept
"""
import argparse
import os
import shutil
import sys

import runs
import tables

BEGIN, WHOLE, END = "<!-- made by config/run-benchmark --readme -->\n", "<!-- made by config/run-benchmark --solves --readme -->\n", "<!-- end -->\n"


def put(text, begin, path):
    """Puts a text between two lines in a file."""
    with open(path) as f:
        old = f.read()
    if begin not in old:
        sys.exit(f"{path} has no line '{begin.strip()}'")
    before, after = old.split(begin, 1)
    with open(path, "w") as f:
        f.write(before + begin + text + END + after.split(END, 1)[1])


def make_pages(top):
    folder = f"{top}/benchmarks"
    for entry in os.scandir(folder):
        if entry.is_dir():
            with open(f"{entry.path}/README.md", "w") as f:
                f.write(tables.page(entry.path))
    put(tables.summary(folder, "benchmarks"), BEGIN, f"{top}/README.md")
    put(tables.overview(folder, "../benchmarks"), BEGIN, f"{top}/docs/benchmarks.md")
    if whole := tables.whole(folder, "../benchmarks"):
        put(whole, WHOLE, f"{top}/docs/benchmarks.md")


def keep(run, name, charts, drawn, top):
    place = f"{runs.keep(run, name, f'{top}/benchmarks')}/{name}"
    os.makedirs(place, exist_ok=True)
    for chart in drawn:
        shutil.copy(f"{charts}/{chart}.svg", place)
    make_pages(top)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", metavar="RUN.json", nargs="?", help="what spmvbench --json wrote")
    parser.add_argument("folder", metavar="FOLDER", nargs="?", help="for the charts; made if need be")
    parser.add_argument("--keep", metavar="TOP", help="the checkout in which to keep the run")
    parser.add_argument("--name", help="of the run that is kept (that of its file)")
    parser.add_argument("--pages", metavar="TOP", help="the checkout whose pages are to be made")
    arguments = parser.parse_args()
    if arguments.pages:
        return make_pages(arguments.pages)
    if not arguments.folder:
        parser.error("RUN.json and FOLDER, or --pages TOP")
    try:
        run = runs.read(arguments.run)
        import charts  # and matplotlib, which pages do not need
        drawn = charts.draw(run, arguments.folder)
        if arguments.keep:
            keep(run, arguments.name or os.path.basename(arguments.run).removesuffix(".json"), arguments.folder, drawn, arguments.keep)
    except (OSError, ValueError, KeyError, TypeError) as e:
        sys.exit(f"{arguments.run}: {e}")


if __name__ == "__main__":
    main()
