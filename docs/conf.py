"""Sphinx, for docs/build.py: the README, the guide, the pages of the formats and of measurements, and the manual pages.

Documents are where the sources have them, so that links between them hold here and where Markdown is read as it is.
"""
import os
import re
import shutil
import sys

TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
sys.path.insert(0, f"{TOP}/docs")
import petscpages  # noqa: E402

with open(f"{TOP}/CMakeLists.txt") as f:
    text = f.read()
version = re.search(r"project\(petscspmv VERSION ([\d.]+)", text)[1]
release = "-".join([version, *re.findall(r'^set\(PETSCSPMV_PRERELEASE "?(\w+)"?\)', text, re.M)])
project, author = "petsc-spmv", "the authors of petsc-spmv"
with open(f"{TOP}/CHANGELOG.md") as f:
    today = re.search(r"^## .* - (\d{4}-\d\d-\d\d)$", f.read(), re.M)[1]  # of the version: the same pages on any day

extensions = ["myst_parser"]
myst_heading_anchors = 4  # as GitHub has them
nitpicky = True
root_doc = "README"
TREE = {
    "Guide": ["installing", "types", "options", "parallel", "gpu", "reading", "reproducibility", "packages", "python",
              "/python/README", "troubleshooting", "promises", "/packaging/README", "/packaging/petsc/README"],
    "Reference": ["/manualpages/index"],
    "Formats": [f"/src/mat/impls/{name}/README" for name in ("spmv", "csr5", "sellcs", "speculative", "ipcsr")],
    "Measurements": ["benchmarks", "environments", "/benchmarks/README", "/benchmarks/gpus", "/benchmarks/*/README",
                     "/src/benchmarks/README", "/src/benchmarks/tried"],
    "Project": ["/CHANGELOG", "/CONTRIBUTING", "architecture", "/tests/README", "/src/mat/*/README", "/src/p*/README",
                "/packaging/petsc/merge_request"],
}
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/*.md", "manualpages/*.rst", "src/mat/impls/*/README.md",
                    "src/mat/*/README.md", "src/p*/README.md", "src/benchmarks/*.md", "benchmarks/*.md",
                    "benchmarks/*/README.md", "python/README.md", "tests/README.md", "packaging/*.md", "packaging/petsc/*.md"]

html_theme = "furo"
html_title = f"petsc-spmv {release}"
html_static_path = ["static"]
html_css_files = ["petscspmv.css"]
html_show_sphinx = html_show_copyright = html_copy_source = False
pygments_style, highlight_language = "friendly", "text"

written = petscpages.pages(TOP)
man_pages = [(f"manualpages/{name}", name, page.brief.replace("`", ""), [], 3) for name, page in written.items()]


def add_tree(app, name, source):
    """The table of contents of the whole, which Markdown elsewhere would show as text."""
    if name != root_doc:
        return
    for caption, names in TREE.items():
        entries = "\n".join(f"/docs/{entry}" if entry[0] != "/" else entry for entry in names)
        source[0] += f"\n```{{toctree}}\n:hidden:\n:glob:\n:caption: {caption}\n\n{entries}\n```\n"


def link_folder(app, env, node, content):
    """A link to a folder is its name here."""
    return content if os.path.isdir(f"{TOP}/{os.path.dirname(node.get('refdoc', ''))}/{node['reftarget']}") else None


def copy_root(app, exception):
    """The README under the name that browsers and servers look for."""
    if not exception and app.builder.name == "html":
        shutil.copy(f"{app.outdir}/{root_doc}.html", f"{app.outdir}/index.html")


def setup(app):
    app.connect("source-read", add_tree)
    app.connect("missing-reference", link_folder)
    app.connect("build-finished", copy_root)
