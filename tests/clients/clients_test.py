#!/usr/bin/env python3
"""Third-party programs, and two Python scripts: unchanged except for PETSC_OPTIONS, with aij and with every type.
Each client is skipped if it is not installed for the PETSc that the library was built for. Environment: support/programs.py.
"""
import glob
import os
import re
import subprocess
import sys
import unittest

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "support"))
from client import MATLAB_NUMBER, Client, catch_all, require_file  # noqa: E402
from programs import PETSC_PREFIX, SOURCE, WORK, compile_c, main, of_type, run  # noqa: E402
from python import PYTHON, python_environment, require_python  # noqa: E402


class Petsc4py(Client):
    def test_example(self):
        require_python("petsc4py")
        self.compare([PYTHON, f"{SOURCE}/examples/poisson.py"], "-ksp_rtol 1e-10", numbers=r"norm (\S+)", tolerance=1e-8,
                     counts=r"(\d+) iterations", **python_environment())


class SLEPc(Client):
    """SLEPc's tutorials; the tolerances match the digits that they print."""

    @staticmethod
    def prefix():
        """Returns the folder of the SLEPc for this PETSc, or skips."""
        own = os.path.join(os.environ.get("SLEPC_DIR", PETSC_PREFIX), os.environ.get("PETSC_ARCH", ""))
        for prefix in [own] + glob.glob("/usr/lib/slepcdir/*/*"):
            if os.path.exists(f"{prefix}/include/slepcconf.h"):
                with open(f"{prefix}/include/slepcconf.h") as f:
                    petsc = re.findall(r'define SLEPC_PETSC_(?:DIR|ARCH) "(.*)"', f.read())
                if os.path.realpath(os.path.join(*petsc)) == os.path.realpath(PETSC_PREFIX):
                    return prefix
        raise unittest.SkipTest(f"no SLEPc for the PETSc in {PETSC_PREFIX}")

    def tutorial(self, name):
        prefix = self.prefix()
        environment = dict(os.environ, PKG_CONFIG_PATH=f"{prefix}/lib/pkgconfig:{PETSC_PREFIX}/lib/pkgconfig")
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "slepc"], env=environment, check=True, stdout=subprocess.PIPE,
                               text=True).stdout.split()
        with open(require_file(f"{prefix}/share/slepc/examples/src/{name}.c",
                               f"/usr/share/slepc/*/share/slepc/examples/src/{name}.c")) as f:
            return compile_c(f.read(), flags)

    def test_eigenvalues(self):
        laplacian = self.tutorial("eps/tutorials/ex2")
        inverse = "krylovschur -st_type sinvert -eps_target 0.1 -st_ksp_type cg -st_pc_type jacobi -st_ksp_rtol 1e-12"
        for solver in "gd", "lobpcg", inverse:
            self.compare(f"{laplacian} -n 12 -m 9 -eps_nev 3 -terse", f"-eps_tol 1e-9 -eps_type {solver}", numbers=r"\b\d\.\d{5}\b",
                         tolerance=2e-5)

    def test_singular_values(self):
        grcar = self.tutorial("svd/tutorials/ex8")
        for solver in "cross", "trlanczos -svd_implicittranspose":
            self.compare(f"{grcar} -n 40", f"-svd_tol 1e-9 -svd_type {solver}", numbers=r"sigma_[1n]=(\d\S+\d)", tolerance=1e-4)


class Solvers(Client):
    """Krylov methods and preconditioners by options, in PETSc's tutorials:
    ksp/ex5 solves with two matrices of one pattern, ex45 on grids."""

    @staticmethod
    def tutorial(name):
        with open(require_file(f"{PETSC_PREFIX}/share/petsc/examples/src/ksp/ksp/tutorials/{name}.c")) as f:
            return compile_c(f.read())

    def check(self, command, method, preconditioner, **more):
        options = (f"-ksp_type {method} -pc_type {preconditioner} -ksp_rtol 1e-9 -ksp_converged_reason "
                   "-ksp_view_solution ::ascii_matlab")
        ranks = (1,) if preconditioner in ("ilu", "icc") else (1, 2)  # PETSc has these for one process
        self.compare(command, options, ranks, words=r"Linear solve (.*) iterations", counts=r"Linear solve .* iterations (\d+)",
                     numbers=MATLAB_NUMBER, tolerance=1e-6, **more)

    def test_symmetric(self):
        two_systems = self.tutorial("ex5")
        with open(f"{PETSC_PREFIX}/include/petscconf.h") as f:
            hypre = [("cg", "hypre")] if "define PETSC_HAVE_HYPRE 1" in f.read() else []
        for method, preconditioner in [("pipecg", "jacobi"), ("minres", "jacobi"), ("cg", "icc"), ("cg", "gamg")] + hypre:
            self.check(f"{two_systems} -m 40", method, preconditioner)

    def test_nonsymmetric(self):
        two_systems = self.tutorial("ex5")
        for method, preconditioner in ("bcgs", "sor"), ("bicg", "jacobi"), ("tfqmr", "ilu"), ("gmres", "asm"), ("lsqr", "none"):
            self.check(f"{two_systems} -m 10 -mat_nonsym", method, preconditioner)

    def test_multigrid(self):
        """By -mat_seqaij_type, so that the interpolations, which the grids create as aij, have the type too."""
        self.check(f"{self.tutorial('ex45')} -da_grid_x 9 -da_grid_y 9 -da_grid_z 9", "cg", "mg -pc_mg_levels 3 -pc_mg_galerkin",
                   ways=(catch_all,))


class FEniCS(Client):
    """DOLFINx partitions its meshes, and PETSc aggregates, differently in every run on several processes."""

    @staticmethod
    def environment():
        require_python("dolfinx")
        # the first run compiles
        return dict(python_environment(), HOME=WORK.name, XDG_CACHE_HOME=WORK.name, cwd=WORK.name, timeout=200)

    def test_elasticity(self):
        """DOLFINx's demo, whose solver stops below 1e-8."""
        environment = self.environment()
        demo = require_file("/usr/share/dolfinx*/demo-python/demo_elasticity.py")
        for n in 1, 2:
            self.compare([PYTHON, demo], ranks=(n,), numbers=r"Solution vector norm: (\S+)", tolerance=1e-7,
                         counts=r"Iteration: (\d+)" if n == 1 else None, **environment)

    def test_options_of_a_problem(self):
        """The type among the `petsc_options` of a LinearProblem, which sets it after the matrix has been preallocated."""
        environment = self.environment()
        has_prefix = "import inspect, dolfinx.fem.petsc as p; print('petsc_options_prefix' in inspect.getsource(p.LinearProblem))"
        if "True" in run([PYTHON, "-c", has_prefix], **environment)[1]:
            self.skipTest("since version 0.10 the options are those of the solver alone")
        command = [PYTHON, f"{SOURCE}/tests/clients/linear_problem.py"]

        def of_problem(name):
            return of_type("aij").replace("-mat_type aij", f"-problem_mat_type {name}")

        self.compare(command, numbers=r"norm (\S+)", tolerance=1e-8, counts=r"(\d+) iterations", ways=(of_problem,),
                     **environment)

    def test_diffusion(self):
        """Nonlinear and time-dependent: the Jacobian's layout is built once, then refreshed in every Newton step."""
        options = "-snes_rtol 1e-10 -ksp_type cg -pc_type jacobi -ksp_rtol 1e-10"
        command = [PYTHON, f"{SOURCE}/tests/clients/diffusion.py"]
        options += " -mat_spmv_choose csr5"  # its layouts are counted, too
        for n, out in self.compare(command, options, numbers=r"norm (\S+)", tolerance=1e-8, counts=r"(\d+) Newton", slack=0,
                                   **self.environment()):
            blocks = 1 if n == 1 else 2 * n
            jacobians = sum(map(int, self.found(r"(\d+) Newton", out)))
            self.assertEqual(self.kernels(out)[1:], (blocks, blocks * (jacobians - 1)))


if __name__ == "__main__":
    main()
