"""Building and running the examples."""
import dataclasses
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile

from output import as_aij, difference

CRASHES = -signal.SIGABRT, -signal.SIGSEGV, 59  # the last from PETSc's signal handler; which one occurs may be chance
TIMEOUT = 120  # seconds; PETSc's limit is 60, for otherwise idle machines


@dataclasses.dataclass
class Run:
    """The result of a run: its filtered output, why it failed ('' if it did not), what our kernels did (products and sweeps), and
    whether the library was loaded until the end."""
    output: str
    failure: str
    products: int = 0
    sweeps: int = 0
    loaded: bool = False

    def differs_from(self, reference):
        """How a run differs from a reference run, '' if it does not."""
        if bool(self.failure) != bool(reference.failure) or not same_message(self.failure, reference.failure):
            return f"{reference.failure or 'success'} is {self.failure or 'success'}"
        return "" if self.failure else difference(reference.output, self.output)


class Programs:
    def __init__(self, petsc, examples, out):
        self.petsc, self.out = petsc, out
        self.sources = f"{examples.folder}/src"

    def build(self, example, source):
        """Compiles an example, unless it exists from last time; returns '' or the compiler's errors."""
        program = self.path(example)
        if os.path.exists(program) and os.path.getmtime(program) > os.path.getmtime(source):
            return ""
        os.makedirs(os.path.dirname(program), exist_ok=True)
        compiler = [os.environ["CC"], "-std=gnu11"] if source.endswith(".c") else [os.environ["CXX"]]
        for flags in self.petsc.flags, self.petsc.external_flags() + self.petsc.flags:
            rpaths = [f"-Wl,-rpath,{flag[2:]}" for flag in flags if flag.startswith("-L")]
            command = [*compiler, "-O0", "-w", "-o", f"{program}.part", source, *os.environ["MPI_FLAGS"].split(), *flags, *rpaths,
                       "-lm"]
            result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if result.returncode == 0:
                os.replace(f"{program}.part", program)
                return ""
        return next((line for line in result.stdout.splitlines() if "error" in line or "undefined" in line), result.stdout)

    def path(self, example):
        return f"{self.out}/programs-{self.petsc.name}/{example}"

    def run(self, test, options, root="aij"):
        """Runs a test with options; in its output AIJ's names replace those of the type."""
        with tempfile.TemporaryDirectory(dir=self.out) as folder:
            for file in test.files:
                source = f"{self.sources}/{os.path.dirname(test.example)}/{file}"
                (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, f"{folder}/{file}")
            # The tests' arguments call PETSC_DIR wPETSC_DIR, for the sake of Windows.
            if "-dll_append" in options:
                options += f" -spmv_view :{folder}/view:ascii_info_detail"
            environment = dict(os.environ, PETSC_OPTIONS=options, PETSC_DIR=self.petsc.folder, wPETSC_DIR=self.petsc.folder)
            environment.update(entry.split("=", 1) for entry in test.environment)
            launch = f"{os.environ['MPIEXEC']} -n {test.ranks} " if test.ranks > 1 else ""
            command = (f"exec {launch}{shlex.quote(self.path(test.example))} -petsc_ci -nox -nox_warning "
                       f"-check_pointer_intensity 0 -error_output_stdout {test.args}")
            code, out, err = execute(command, folder, environment, TIMEOUT * test.timeout)
            return self.outcome(test, code, out, err, folder, root)

    def outcome(self, test, code, out, err, folder, root):
        """The run's result, filtered as by PETSc's harness; for a test of errors, the error is the output."""
        failure = failure_of(code, as_aij(out + err, root))
        if test.filter.startswith("Error:"):
            out, failure = out + err, failure if code is None else ""
        if test.filter:
            out = execute(test.filter.removeprefix("Error:"), folder, os.environ, TIMEOUT, stdin=out)[1]
        products = sweeps = 0
        loaded = os.path.exists(f"{folder}/view")
        if loaded:
            with open(f"{folder}/view") as f:
                view = f.read()
            products = sum(int(count) for count in re.findall(r"\b(?:mult|multadd|multT) (\d+)", view))
            rows = re.findall(r"(?m)^PetscSpMV +(?:sor|solve) +(\d+) +(\d+)", view)
            sweeps = sum(int(by_layouts) + int(plain) for by_layouts, plain in rows)
        return Run(as_aij(out.replace(folder, "."), root), failure, products, sweeps, loaded)


def failure_of(code, text):
    """Why a program failed: its exit code, and PETSc's message without its numbers."""
    if not code:
        return "no end in time" if code is None else ""
    if code in CRASHES:
        return "crash"
    line = r"\n(?:\[\d+\])?PETSC ERROR: ((?!.*PETSC ERROR|.*Error Message).*)"
    message = re.search(rf"Error Message -+{line}{line}", text)
    return f"error {code}; " + (re.sub(r"\d+", "#", ": ".join(message.groups())) if message else "")


def same_message(a, b):
    """Whether two messages are the same; those of several processes may be interleaved, so that none is found."""
    return a.startswith(b) or b.startswith(a)


def execute(command, folder, environment, timeout, stdin=""):
    """Runs a shell command; returns its exit code (None: timed out), stdout and stderr."""
    process = subprocess.Popen(["bash", "-c", command], cwd=folder, env=environment, start_new_session=True, text=True,
                               errors="replace",
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = process.communicate(stdin, timeout=timeout)
        return process.returncode, out, err
    except subprocess.TimeoutExpired:
        process.terminate()  # mpiexec passes it on to its processes
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        return (None, *process.communicate())
