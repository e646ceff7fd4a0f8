#!/usr/bin/env python3
"""Includes among the sources: no cycle of units, and between folders only arrows that point down the floors of
docs/architecture.md."""
import glob
import os
import re
import unittest

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SUFFIX = r"\.(hpp|h|cpp|cpp\.in)$"
GENERATED = {"petscspmv.h": None, "@FORMAT_FOLDER@": "mat/impls/csr5"}  # by folder or name: where it is, as one of several


def includes():
    """By unit, which is a header with its source of the same name, the units that it includes."""
    found = {}
    for path in glob.glob(f"{SOURCE}/src/**/*", recursive=True):
        if not re.search(SUFFIX, path):
            continue
        unit = re.sub(SUFFIX, "", os.path.relpath(path, f"{SOURCE}/src"))
        with open(path) as f:
            for name in re.findall(r'^\s*#\s*include "([^"]+)"', f.read(), re.M):
                found.setdefault(unit, set())
                if name in GENERATED:
                    continue
                for folder, real in GENERATED.items():
                    name = name.replace(folder, real or "")
                if re.sub(SUFFIX, "", name) != unit:
                    found[unit].add(re.sub(SUFFIX, "", name))
    return found


def cycles(graph):
    """The sets of nodes each of which leads to all others of the set."""
    def reached(start):
        seen, left = set(), [start]
        while left:
            for node in graph.get(left.pop(), ()):
                if node not in seen:
                    seen.add(node)
                    left.append(node)
        return seen

    leads = {node: reached(node) for node in graph}
    return {tuple(sorted(other for other in leads[node] if node in leads.get(other, ()))) for node in graph
            if node in leads[node]}


def floors():
    """By folder the number of its floor, the lowest being 0, as docs/architecture.md lists them from the top."""
    with open(f"{SOURCE}/docs/architecture.md") as f:
        picture = re.search(r"## Floors\n\n```text\n(.*?)```", f.read(), re.S)[1]
    levels = [re.findall(r"src/([\w/]+)(?:\{([\w,]+)\})?", line) for line in picture.splitlines()]
    levels = [[stem + name for stem, names in level for name in names.split(",")] for level in levels if level]
    return {folder: number for number, level in enumerate(reversed(levels)) for folder in level}


class Includes(unittest.TestCase):
    def test_no_cycles(self):
        graph = includes()
        self.assertGreater(len(graph), 150)
        self.assertEqual(cycles({1: {2}, 2: {3}, 3: {2}, 4: {4}}), {(2, 3), (4,)})  # the search works
        self.assertEqual(cycles(graph), set())

    def test_arrows_point_down(self):
        floor = floors()
        self.assertGreater(len(floor), 10)
        arrows = {(os.path.dirname(unit), os.path.dirname(other)) for unit, others in includes().items() for other in others}
        self.assertEqual({folder for arrow in arrows for folder in arrow} - floor.keys(), set(), "folders without a floor")
        self.assertEqual({(a, b) for a, b in arrows if a != b and floor[a] <= floor[b]}, set(), "arrows that do not point down")


if __name__ == "__main__":
    unittest.main()
