#!/usr/bin/env python3
"""What the README and the guide say, held against the build: their commands run, their links lead somewhere, their options exist.

A block of commands is fenced with "sh", one of plain text with "text". The blocks of a page run in order, in one shell, in a folder
that has everything the checkout has, by links, and the build under test as build/. In front of a block there may be

  <!-- not run: WHY -->         it takes long, needs root, or what is not here
  <!-- run if: COMMAND -->      it runs where this command succeeds
"""
import glob
import importlib.machinery
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "support"))
from programs import BUILD, FORMATS, LIBRARY, MINIMAL, MPIEXEC, PETSC_PREFIX, SOURCE, TYPES  # noqa: E402
from programs import compile_c, main, of_type, run  # noqa: E402

PAGES = [f"{SOURCE}/README.md", *sorted(glob.glob(f"{SOURCE}/docs/*.md"))]
FENCE = re.compile(r"^(?:<!-- (?P<marker>not run|run if): (?P<text>[^\n]*) -->\n)?"
                   r"```(?P<language>\w*)\n(?P<code>.*?)^```$", re.M | re.S)
LINES_TO_A_RUN = 30  # of the README, to the end of the block that runs a first program


def read(path):
    with open(path) as f:
        return f.read()


def title(path):
    return os.path.relpath(path, SOURCE)


def prose(text):
    """A page without its blocks."""
    return FENCE.sub("", text)


class Commands(unittest.TestCase):
    def test_blocks_are_commands_or_text(self):
        for page in PAGES:
            text = read(page)
            self.assertEqual(2 * len(FENCE.findall(text)), len(re.findall("^```", text, re.M)), title(page))
            for block in FENCE.finditer(text):
                self.assertIn(block["language"], ("sh", "text"), title(page))
                self.assertTrue(block["language"] == "sh" or not block["marker"], block[0])
            markers = re.findall(r"<!-- (?:not run|run if): ", text)
            marked = [block for block in FENCE.finditer(text) if block["marker"]]
            self.assertEqual(len(markers), len(marked), f"{title(page)}: a marker without a block")

    def folder(self):
        """What commands run in."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name in os.listdir(SOURCE):
            if not name.startswith(("build", ".git")):
                os.symlink(f"{SOURCE}/{name}", f"{folder.name}/{name}")
        os.symlink(BUILD, f"{folder.name}/build")
        return folder.name

    def script(self, page):
        """The blocks of a page as one script, which stops where a command fails; and what it says of blocks that always run."""
        lines, always = ["set -eo pipefail"], []
        for number, block in enumerate(FENCE.finditer(read(page))):
            if block["language"] != "sh" or block["marker"] == "not run":
                continue
            said, code = f"block {number} ran", block["code"]
            if block["marker"]:
                lines.append(f"if {block['text']}; then\n{code}\nfi")
            else:
                lines.append(f"{code}\necho '{said}'")
                always.append(said)
        return "\n".join(lines), always

    def test_pages(self):
        environment = {name: value for name, value in os.environ.items() if name != "PETSC_OPTIONS"}
        environment.update(PATH=f"{os.path.dirname(MPIEXEC)}:{environment['PATH']}", PETSC_DIR=PETSC_PREFIX, PETSC_ARCH="",
                           PYTHONPATH=f"{PETSC_PREFIX}/lib:{PETSC_PREFIX}/lib/python3/dist-packages")
        outputs = {}
        for page in PAGES:
            with self.subTest(page=title(page)):
                script, always = self.script(page)
                result = subprocess.run(["bash", "-c", script], cwd=self.folder(), env=environment, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
                self.assertEqual(result.returncode, 0, result.stdout)
                self.assertEqual(re.findall(r"^block \d+ ran$", result.stdout, re.M), always)
                outputs[title(page)] = result.stdout
        # The README's first program has products by the library, and so has what the guide says of its counts.
        self.assertRegex(outputs["README.md"], r"(?m)^PetscSpMV +spmv +[1-9]")
        self.assertEqual(len(re.findall(r"^MatMult ", outputs["README.md"], re.M)), 2)
        self.assertRegex(outputs["docs/reading.md"], r"(?s)local products: mult 300; by csr5 300\n.* nnzr=3 nonzeros/row")
        self.assertRegex(outputs["docs/parallel.md"], r"multadd [1-9]")

    def test_first_program_soon(self):
        lines = read(PAGES[0]).split("\n")
        first = next(i for i, line in enumerate(lines) if "build/examples/minimal" in line and not line.startswith(("<", "Then")))
        self.assertTrue(lines[0].startswith("# "))
        self.assertLessEqual(lines.index("```", first) + 1, LINES_TO_A_RUN)


def in_git(*arguments):
    """The files that git knows; none where there is no git, or the sources are not in it."""
    if not shutil.which("git"):
        return []
    command = ["git", "-C", SOURCE, "ls-files", *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.split("\n")[:-1]


class Links(unittest.TestCase):
    def markdown(self):
        """All pages of the checkout; the guide's, where the sources are not in git."""
        files = in_git("--cached", "--others", "--exclude-standard", "*.md") or [title(path) for path in PAGES]
        return [f"{SOURCE}/{name}" for name in files if os.path.exists(f"{SOURCE}/{name}")]

    def anchors(self, path):
        """Those that GitHub gives to the headings of a page."""
        headings = re.findall(r"^#+ (.*)$", prose(read(path)), re.M)
        texts = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
        return [re.sub(r"[^\w\- ]", "", text).strip().lower().replace(" ", "-") for text in texts]

    def test_relative_links(self):
        links = 0
        for page in self.markdown():
            for target in re.findall(r"\]\(([^)\s]+)\)", prose(read(page))):
                if re.match(r"\w+:", target):
                    continue
                links += 1
                path, _, anchor = target.partition("#")
                full = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                self.assertTrue(os.path.exists(full), f"{title(page)}: {target}")
                if anchor:
                    self.assertIn(anchor, self.anchors(full), f"{title(page)}: {target}")
        self.assertGreater(links, 100)

    def test_picture_of_the_folders(self):
        """The README's has every folder of the checkout."""
        picture = re.search(r"## The repository\n\n```text\n(.*?)```", read(PAGES[0]), re.S)[1]
        folders = {name.split("/")[0] for name in in_git() if "/" in name} or {"src", "docs", "tests"}
        self.assertEqual([name for name in sorted(folders) if not re.search(rf"^{re.escape(name)}/", picture, re.M)], [])


class Options(unittest.TestCase):
    """docs/options.md names every option that -help has, and no other; docs/reading.md every figure that a view has."""

    def test_options(self):
        there = set()
        for name in TYPES:
            there |= set(re.findall(rf"^ *-(mat_{name}_\w+|spmv_\w+)", run(MINIMAL, f"{of_type(name)} -help")[1], re.M))
            self.assertRegex(" ".join(there), rf"mat_{name}_\w+")
        named = set()
        for option in re.findall(r"^\| `-((?:mat|spmv)_[\w<>]+)`", read(f"{SOURCE}/docs/options.md"), re.M):
            if option == "mat_spmv_<format>_<option>":
                nested = {o for o in there if re.match(rf"mat_spmv_({'|'.join(FORMATS)})_", o)}
                self.assertTrue(nested)
                self.assertEqual({o.replace("mat_spmv_", "mat_", 1) for o in nested} - there, set())
                named |= nested
            elif option == "mat_<type>_eager":  # as the page says, not with spmv
                named |= {f"mat_{name}_eager" for name in FORMATS}
            else:
                named |= {option.replace("<type>", name) for name in TYPES} if "<type>" in option else {option}
        self.assertEqual(sorted(named - there), [], "named, and not there")
        self.assertEqual(sorted(there - named), [], "there, and not named")

    def test_options_of_all_pages(self):
        """Options in the README, the guide and the pages of formats exist, or are PETSc's."""
        there = set()
        for name in TYPES:
            there |= set(re.findall(r"-((?:mat|spmv)_\w+)", run(MINIMAL, f"{of_type(name)} -help")[1]))
        kinds = "|".join(TYPES)
        for page in PAGES + glob.glob(f"{SOURCE}/src/mat/impls/*/README.md"):
            for option in re.findall(rf"(?<![\w-])-(mat_(?:{kinds})_\w+|spmv_\w+)(?![\w<*])", read(page)):
                begins = option.endswith("_") and any(o.startswith(option) for o in there)
                self.assertTrue(option in there or begins, f"{title(page)}: -{option}")

    def test_figures(self):
        text = read(f"{SOURCE}/docs/reading.md")
        for name in TYPES:
            out = run(MINIMAL, f"{of_type(name)} -n 5000 -ksp_max_it 1 -mat_view ::ascii_info")[1]
            view = re.search(r"(?s)\n    [\w-]+[\w ]*:( .*?)\n\S", out)
            self.assertTrue(view, out)
            figures = re.findall(r"([a-z][a-z0-9 ]*)=", re.sub(r"\s+", " ", view[1]))
            self.assertGreater(len(figures), 5, out)
            for figure in figures:
                shown = re.sub("^by (?!aij).*", "by csr5", figure.strip())
                shown = re.sub(r"^rows with \d+ threads?$", "rows with 1 thread", shown)
                self.assertIn(f"`{shown}`", text, f"{name}: {figure}")


class Promises(unittest.TestCase):
    def test_names_of_tests(self):
        """Names in the last column of docs/promises.md are names of tests, without numbers of processes or threads."""
        listed = subprocess.run(["ctest", "--test-dir", BUILD, "-N"], stdout=subprocess.PIPE, text=True, check=True).stdout
        tests = re.findall(r"Test +#\d+: (\S+)", listed)
        names = [name for row in re.findall(r"^\| (?!what).*\|([^|]*)\|$", read(f"{SOURCE}/docs/promises.md"), re.M)
                 for name in re.findall(r"`(\w+)`", row) or [f"none in {row}"]]
        self.assertGreater(len(names), 20)
        for name in names:
            self.assertTrue(any(re.fullmatch(rf"{name}(_\d+)?(_threads_\d+)?", test) for test in tests), name)


class Environments(unittest.TestCase):
    def test_readme_agrees_with_the_page(self):
        """Both tables are made by config/run-everywhere; that of the README follows from the other."""
        loader = importlib.machinery.SourceFileLoader("run_everywhere", f"{SOURCE}/config/run-everywhere")
        script = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
        loader.exec_module(script)
        columns = script.columns_of(script.marked(script.PAGE)[1])
        self.assertGreater(len(columns), 3)
        self.assertEqual(script.marked(script.README)[1], script.short_table(columns))


class Messages(unittest.TestCase):
    def test_troubleshooting(self):
        """PETSc says what the page quotes, and the README's rows are among the page's."""
        text = read(f"{SOURCE}/docs/troubleshooting.md")
        for options, message in [("-dll_append /no/such.so", "Unable to locate dynamic library"),
                                 (f"-dll_append {SOURCE}/README.md", "Unable to open dynamic library"),
                                 ("-mat_type spmv", "Unknown Mat type given: spmv"),
                                 (f"-dll_append {LIBRARY} -spmv_view", "no matrix had one of its types")]:
            self.assertIn(f"`{message}`", text)
            self.assertIn(message, run(MINIMAL, options)[1])
        for quoted in re.findall(r"^\| `((?:[A-Z]|no ).*?)` \|", read(PAGES[0]), re.M):
            self.assertIn(quoted, text)


class PetscExamples(unittest.TestCase):
    """What the guide says of PETSc's ex19 -snes_mf, and of programs that preallocate before MatSetFromOptions()."""

    def outcomes(self, program, arguments):
        """Exit codes with types given in both ways, and without."""
        ways = {"": "", "aij": "-mat_type aij", "csr5": of_type("csr5"), "aijperm": "-mat_type aijperm",
                "catch-all": f"-dll_append {LIBRARY} -mat_seqaij_type seqaijspmv",
                "catch-all csr5": f"-dll_append {LIBRARY} -mat_seqaij_type seqaijcsr5"}
        return {way: run(f"{program} {arguments}", f"{options} -malloc_debug 0")[0] for way, options in ways.items()}

    def version(self):
        return tuple(map(int, re.search(r"(?i)Petsc Release Version (\d+)\.(\d+)", run(MINIMAL, "-help")[1]).groups()))

    def test_ex19(self):
        sources = glob.glob(f"{PETSC_PREFIX}/share/petsc/examples/src/snes/tutorials/ex19.c") + \
            glob.glob("/usr/share/petsc/{}.{}/share/petsc/examples/src/snes/tutorials/ex19.c".format(*self.version()))
        if not sources:
            self.skipTest("PETSc's examples are not installed")
        program, arguments = compile_c(read(sources[0])), "-snes_mf -snes_max_it 2"
        codes = self.outcomes(program, arguments)
        self.assertEqual([codes[way] for way in ("", "catch-all", "catch-all csr5")], [0, 0, 0])
        if self.version() == (3, 18):
            self.assertNotIn(0, [codes["aij"], codes["csr5"]])
            for ranks in 1, 2:
                self.assertIn("use -mat_seqaij_type seqaijcsr5", run(f"{program} {arguments}", of_type("csr5"), ranks)[1])

    def test_preallocation_first(self):
        program = compile_c("""
            #include <petscmat.h>
            int main(int argc, char **argv) {
              Mat A; Vec x, y; PetscInt begin, end;
              PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
              PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
              PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, 50, 50));
              PetscCall(MatSetType(A, MATAIJ));
              PetscCall(MatSeqAIJSetPreallocation(A, 1, NULL));
              PetscCall(MatSetFromOptions(A));
              PetscCall(MatGetOwnershipRange(A, &begin, &end));
              for (PetscInt i = begin; i < end; ++i) PetscCall(MatSetValue(A, i, i, 2., INSERT_VALUES));
              PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY)); PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
              PetscCall(MatCreateVecs(A, &x, &y));
              PetscCall(MatMult(A, x, y));
              PetscCall(VecDestroy(&x)); PetscCall(VecDestroy(&y)); PetscCall(MatDestroy(&A));
              return PetscFinalize();
            }""")
        codes = self.outcomes(program, "")
        self.assertEqual([codes[way] for way in ("", "aij", "csr5", "catch-all", "catch-all csr5")], [0, 0, 0, 0, 0])
        if self.version() == (3, 18):
            self.assertNotEqual(codes["aijperm"], 0)


class Sphinx(unittest.TestCase):
    def test_manual_pages(self):
        """Every public function and type has a manual page whose declaration follows it; each becomes a document."""
        sys.path.insert(0, f"{SOURCE}/docs")
        import petscpages
        with tempfile.TemporaryDirectory() as folder:
            pages = petscpages.write(SOURCE, folder)
            headers = glob.glob(f"{SOURCE}/include/*.in") + glob.glob(f"{SOURCE}/src/mat/impls/*/petscspmv*.h")
            declared = re.findall(r"PETSCSPMV_EXTERN PetscErrorCode (\w+)\(", "".join(map(read, headers)))
            self.assertGreater(len(declared), 10)
            self.assertEqual(sorted(set(declared) - set(pages)), [])
            for name in pages:
                text = read(f"{folder}/{name}.rst")
                self.assertEqual(text.count("Synopsis"), 1, name)
                self.assertNotIn(".vb", text, name)
                self.assertIn("\nLevel: ", text, name)
            self.assertIn(":doc:`MatSpMVGetOption() <MatSpMVGetOption>`", read(f"{folder}/MatSpMVSetOption.rst"))
            self.assertIn("PetscErrorCode MatSpMVSetOption(Mat A, const char key[], PetscInt value);",
                          read(f"{folder}/MatSpMVSetOption.rst"))
            self.assertIn("\n   #define PETSCSPMV_VERSION_GE(MAJOR, MINOR, SUBMINOR)\n", read(f"{folder}/PETSCSPMV_VERSION_GE.rst"))
            self.assertIn("\n   products  - of whole matrices", read(f"{folder}/PetscSpMVRegisterAll.rst"))

    def test_all(self):
        """No warning: links, anchors and tables of contents of the whole."""
        code, out = run("/usr/bin/python3 -c 'import sphinx, myst_parser, furo'")
        if code:
            self.skipTest("no Sphinx, MyST-Parser or Furo")
        with tempfile.TemporaryDirectory() as folder:
            code, out = run(f"/usr/bin/python3 -B {SOURCE}/docs/build.py {folder}", timeout=300)
            self.assertEqual((code, out), (0, ""))
            for path in "html/index.html", "html/manualpages/MATCSR5.html", "man/MatSpMVSetOption.3", "man/MATSPMV.3":
                self.assertTrue(os.path.exists(f"{folder}/{path}"), path)


if __name__ == "__main__":
    main()
