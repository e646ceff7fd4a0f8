#!/usr/bin/env python3
"""Makes the documentation: FOLDER/html, whose first page is index.html, and man pages of section 3 in FOLDER/man.

  build.py [--lenient] FOLDER [html|man...]     both, or those named; needs Sphinx, MyST-Parser and the theme Furo; with
                                                matplotlib HTML has charts of the benchmarks that are kept

Any warning is an error: a link or an anchor that leads nowhere, a page that is in no table of contents, a manual page without what
it describes. Not so with --lenient, for builds of others, whose Sphinx may have warnings of its own.
"""
import importlib.util
import os
import shutil
import subprocess
import sys

import petscpages

TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
STAGED = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "NOTICE", "CMakeLists.txt", "pyproject.toml",
          "docs", "src", "include", "examples", "benchmarks", "config", "debian", "packaging", "python", "tests"]


def stage(folder):
    """The tree that Sphinx reads: a copy of the sources (of links it would follow each to where it leads), and the manual pages."""
    for name in STAGED:
        shutil.rmtree(f"{folder}/{name}", ignore_errors=True)
        if os.path.isdir(f"{TOP}/{name}"):
            shutil.copytree(f"{TOP}/{name}", f"{folder}/{name}", ignore=shutil.ignore_patterns("__pycache__"))
        elif os.path.exists(f"{TOP}/{name}"):
            os.makedirs(folder, exist_ok=True)
            shutil.copy2(f"{TOP}/{name}", folder)
    petscpages.write(TOP, f"{folder}/manualpages")


def main():
    lenient = "--lenient" in sys.argv
    folder, *builders = [argument for argument in sys.argv[1:] if argument != "--lenient"] or [""]
    if not folder or set(builders) - {"html", "man"}:
        sys.exit(__doc__)
    folder = os.path.abspath(folder)
    stage(f"{folder}/source")
    builders = builders or ["html", "man"]
    if "html" in builders and importlib.util.find_spec("matplotlib"):
        subprocess.run([sys.executable, "-B", f"{TOP}/src/benchmarks/report.py", "--pages", f"{folder}/source", "--charts"],
                       check=True)
    for builder in builders:
        strict = ["-Q"] if lenient else ["-q", "-n", "-W", "--keep-going"]
        command = [sys.executable, "-m", "sphinx", *strict, "-b", builder, "-c", f"{TOP}/docs", "-d", f"{folder}/read"]
        environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
        code = subprocess.run([*command, f"{folder}/source", f"{folder}/{builder}"], env=environment).returncode
        if code:
            sys.exit(code)


if __name__ == "__main__":
    main()
