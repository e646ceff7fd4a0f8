#!/usr/bin/env python3
"""Charts and tables of what spmvbench wrote.

  report.py RUN.json FOLDER                draws FOLDER/speedup.svg and FOLDER/roofline.svg; of totals and solves FOLDER/totals.svg
                                           and FOLDER/solves.svg
  report.py RUN.json FOLDER --keep TOP     and keeps the run in TOP/benchmarks, in the folder of its processor: what tables and
                                           charts need of it, and the processor's page; TARGET gets the
                                           tables of all processors, between the lines that name config/run-benchmark
                                           there, and README.md a short one
  report.py --pages TOP                    makes all pages and tables anew from the runs that are kept, and the picture of the first
                                           page, TOP/benchmarks/solves.svg; with --charts all charts, which the pages then show
                                           (config/run-docs)
"""
import argparse
import os
import sys

try:
    import charts
    import front_chart
except ImportError as e:
    sys.exit(f"report.py needs matplotlib (Debian's python3-matplotlib): {e}")
import overviews
import pages
import runs

TARGET = "docs/benchmarks.md"  # the page of the checkout with the tables of all processors
BEGIN = "<!-- made by config/run-benchmark --readme -->\n"
WHOLE = "<!-- made by config/run-benchmark --solves --readme -->\n"
FIRST = "<!-- made by config/run-benchmark --first --readme -->\n"
SWEEPS = "<!-- made by config/run-benchmark --sweeps --readme -->\n"
END = "<!-- end -->\n"


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def put(text, begin, path):
    """Puts a text between two lines in a file."""
    with open(path) as f:
        old = f.read()
    if begin not in old:
        sys.exit(f"{path} has no line '{begin.strip()}'")
    before, after = old.split(begin, 1)
    write(path, before + begin + text + END + after.split(END, 1)[1])


def places(top):
    """The folders of processors."""
    return sorted(entry.path for entry in os.scandir(f"{top}/benchmarks") if entry.is_dir())


def make_charts(top):
    """Draws the charts of all runs that are kept."""
    for place in places(top):
        for name, run in runs.kept(place).items():
            if run["matrices"]:
                charts.draw(run, f"{place}/{name}")


def make_pages(top):
    folder = f"{top}/benchmarks"
    front_chart.draw(folder)
    for place in places(top):
        write(f"{place}/README.md", pages.processor_page(place))
    write(f"{folder}/README.md", pages.front_page(folder))
    put(overviews.summary(folder, "benchmarks"), BEGIN, f"{top}/README.md")
    link = os.path.relpath("benchmarks", os.path.dirname(TARGET))
    put(overviews.overview(folder, link), BEGIN, f"{top}/{TARGET}")
    if whole := overviews.whole(folder, link):
        put(whole, WHOLE, f"{top}/{TARGET}")
    if sweeps := overviews.sweeps(folder, link):
        put(sweeps, SWEEPS, f"{top}/{TARGET}")
    if first := overviews.first(folder, link):
        put(first, FIRST, f"{top}/{TARGET}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", metavar="RUN.json", nargs="?", help="what spmvbench --json wrote")
    parser.add_argument("folder", metavar="FOLDER", nargs="?", help="for the charts; made if need be")
    parser.add_argument("--keep", metavar="TOP", help="the checkout in which to keep the run")
    parser.add_argument("--name", help="of the run that is kept (that of its file)")
    parser.add_argument("--pages", metavar="TOP", help="the checkout whose pages are to be made")
    parser.add_argument("--charts", action="store_true", help="with --pages: charts of all runs")
    arguments = parser.parse_args()
    if arguments.pages:
        if arguments.charts:
            make_charts(arguments.pages)
        return make_pages(arguments.pages)
    if not arguments.folder:
        parser.error("RUN.json and FOLDER, or --pages TOP")
    try:
        run = runs.read(arguments.run)
        charts.draw(run, arguments.folder)
        if arguments.keep:
            runs.keep(run, arguments.name or os.path.basename(arguments.run).removesuffix(".json"), f"{arguments.keep}/benchmarks")
            make_pages(arguments.keep)
    except (OSError, ValueError, KeyError, TypeError) as e:
        sys.exit(f"{arguments.run}: {e}")


if __name__ == "__main__":
    main()
