#!/usr/bin/env python3
"""Programs that come with packages built on PETSc, unmodified, with aij and with every type.
Each package is skipped if it is not installed for the PETSc that the library was built for, and all are unless PETSCSPMV_CLIENTS is
"all", since they take a quarter of an hour. Environment: support/programs.py.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "support"))
from client import MATLAB_NUMBER, Client, catch_all, require_file, require_petsc  # noqa: E402
from programs import SKIPPED, WORK, compile_c, main, of_type  # noqa: E402
from python import PYTHON, python_environment, require_python  # noqa: E402

BOTH_WAYS = of_type, catch_all


def copy_of(folder):
    """A copy to work in, since programs write beside what they read; unpacked, as Debian compresses large files."""
    copy = f"{tempfile.mkdtemp(dir=WORK.name)}/{os.path.basename(folder)}"
    shutil.copytree(folder, copy)
    for path in glob.glob(f"{copy}/*.cc.gz"):
        subprocess.run(["gunzip", path], check=True)
    return copy


class SLEPc4py(Client):
    """Its demos of the same names as SLEPc's tutorials, without their residuals, which are no more than rounding."""

    def compare_demo(self, name, **more):
        require_python("slepc4py")
        demo = require_file(f"/usr/share/doc/python-slepc4py-doc/examples/demo/{name}.py")
        self.compare([PYTHON, demo], ways=BOTH_WAYS, **more, **python_environment())

    def test_laplacian(self):
        """One eigenvalue in one dimension, several in two."""
        self.compare_demo("ex1", numbers=r"(?m)^ *(\d\.\d{6}) ", tolerance=1e-5)
        self.compare_demo("ex2", numbers=r"(?m)^ *(\d\.\d{6}) ", tolerance=1e-5)

    def test_singular_values(self):
        self.compare_demo("ex4", numbers=r"(?m)^ *(\d\.\d{6}) ", tolerance=1e-5)


class DOLFIN(Client):
    """Legacy DOLFIN, which calls PetscFinalize() in a static destructor."""

    def compare_demo(self, name, options="", **more):
        require_python("dolfin")
        folder = copy_of(require_file(f"/usr/share/dolfin/demo-python/*/{name}"))
        with open(f"{folder}/matplotlibrc", "w") as f:
            f.write("backend: agg")
        environment = dict(python_environment(), HOME=WORK.name, XDG_CACHE_HOME=WORK.name, cwd=folder, timeout=200)  # it compiles
        self.compare([PYTHON, f"demo_{name}.py"], options, **more, **environment)

    def test_nested_matrices(self):
        """On two processes all of them print, at the same time."""
        self.compare_demo("matnest", ranks=(1,), numbers=r"u.norm = +(\S+)", tolerance=1e-5, ways=(catch_all,))
        self.compare_demo("matnest", "-ksp_converged_reason", ranks=(2,), counts=r"iterations (\d+)", slack=4, ways=(catch_all,))

    def test_eigenvalue(self):
        self.compare_demo("eigenvalue", numbers=r"\b\d+\.\d{9,}", tolerance=1e-6, ways=BOTH_WAYS)

    def test_singular_system(self):
        """On two processes its mesh is cut otherwise in every run: with aij, too, there are 61 to 68 iterations."""
        self.compare_demo("singular-poisson", "-ksp_converged_reason", counts=r"iterations (\d+)", slack=12, ways=BOTH_WAYS)


class DealII(Client):
    """deal.II's tutorial, which makes its matrices by calls for AIJ: -mat_type does not reach them."""

    def compare_step(self, number, **more):
        require_petsc(require_file("/usr/lib/*/libdeal.ii.so", "/usr/lib/*/libdeal_II.so"))
        folder = copy_of(require_file(f"/usr/share/doc/libdeal.ii-doc/examples/step-{number}"))
        for command in ["cmake", "-DCMAKE_BUILD_TYPE=Release", "."], ["cmake", "--build", "."]:
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        self.compare(f"{folder}/step-{number}", ways=(catch_all,), cwd=folder, timeout=300, words=r"degrees of freedom: +(\d+)",
                     counts=r"in (\d+) iterations", slack=3, **more)

    def test_elasticity(self):
        self.compare_step(17)

    def test_quasistatic_elasticity(self):
        self.compare_step(18, ranks=(2,))

    def test_laplace(self):
        """On distributed meshes, with hypre's BoomerAMG."""
        self.compare_step(40, ranks=(2,))


class GetDP(Client):
    """Takes PETSc's options on its command line and from PETSC_OPTIONS. It preallocates its matrices before it sets their type."""

    def test_magnet(self):
        program = shutil.which("getdp")
        if not program:
            self.skipTest("getdp is not installed")
        require_petsc(program)
        examples = "/usr/share/doc/getdp/examples"
        folder = copy_of(os.path.dirname(require_file(f"{examples}/demos/magnet.pro")))
        options = "-ksp_type cg -pc_type jacobi -ksp_rtol 1e-10 -ksp_view_solution ::ascii_matlab"
        for formulation in "Magnetostatics_phi", "Magnetostatics_a":
            self.compare(f"{program} magnet.pro -v 5 -solve {formulation}", options, numbers=MATLAB_NUMBER, tolerance=1e-6,
                         counts=r"(\d+) iterations", ways=BOTH_WAYS, cwd=folder, GETDP_TEMPLATES=f"{examples}/templates")


class SUNDIALS(Client):
    """The one of its examples whose matrices are PETSc's: ARKode's, with the Jacobian of a SNES."""

    def test_brusselator(self):
        library = require_file("/usr/lib/*/libsundials_nvecpetsc.so")
        require_petsc(library)
        with open(require_file("/usr/share/doc/libsundials-dev/examples/arkode/C_petsc/ark_petsc_ex25.c")) as f:
            program = compile_c(f.read(), [*os.environ["PETSC_FLAGS"].split(), "-w", "-lsundials_arkode", "-lsundials_nvecpetsc",
                                           "-lsundials_sunnonlinsolpetscsnes"])
        # Both processes print each line, in any order.
        self.compare(program, numbers=r"TS dt (\S+) time 10\.", tolerance=1e-3, counts=r"after (\d+) steps", ways=BOTH_WAYS,
                     timeout=300)


if __name__ == "__main__":
    if os.environ.get("PETSCSPMV_CLIENTS") != "all":
        print("skipped: PETSCSPMV_CLIENTS is not \"all\"")
        sys.exit(SKIPPED)
    main()
