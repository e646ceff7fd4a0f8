# SPDX-License-Identifier: BSD-2-Clause

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Petscspmv(CMakePackage, CudaPackage):
    """Matrix types for PETSc that multiply sparse matrices with vectors faster than AIJ: CSR5,
    SELL-C-sigma, speculative segmented sum, IPCSR, and spmv, which measures its products and goes
    on with the fastest. Any PETSc program loads them by an option, without a change."""

    homepage = "https://petscspmv.invalid"  # until the project has an address
    git = "https://petscspmv.invalid/petsc-spmv.git"

    license("BSD-2-Clause")

    version("main", branch="main")

    variant("spmvbench", default=False, description="Install spmvbench, a benchmark of the types")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.21:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("petsc@3.18:+mpi+shared")
    depends_on("kokkos@3.4:")
    depends_on("zlib-api", when="+spmvbench")
    depends_on("zlib-api", type="test")
    depends_on("cli11", when="+spmvbench", type="build")
    depends_on("nlohmann-json", when="+spmvbench", type="build")
    depends_on("googletest", type="test")

    requires("platform=linux", msg="Kernels are linked by options of GNU's linker")
    conflicts("%gcc@:9", msg="C++20")
    conflicts("+ipo", msg="Symbols of kernels are hidden in object files, which must have code")
    conflicts("^kokkos~shared~pic", msg="Kokkos goes into a shared library")

    # Kernels on devices: Kokkos and PETSc for the same device.
    with when("+cuda"):
        depends_on("petsc@3.20:+cuda~complex")
        depends_on("kokkos@4:+cuda+wrapper")
        for arch in CudaPackage.cuda_arch_values:
            depends_on(f"petsc cuda_arch={arch}", when=f"cuda_arch={arch}")
            depends_on(f"kokkos cuda_arch={arch}", when=f"cuda_arch={arch}")
    conflicts("^kokkos+cuda", when="~cuda", msg="Kokkos is for a device: +cuda")

    def cmake_args(self):
        args = [
            self.define("PETSC_DIR", self.spec["petsc"].prefix),
            self.define("PETSC_ARCH", ""),
            self.define("Kokkos_ROOT", self.spec["kokkos"].prefix),
            self.define("PETSCSPMV_EXAMPLES", False),
            self.define("PETSCSPMV_DOCS", False),
            self.define("PETSCSPMV_TESTS", self.run_tests),
            self.define_from_variant("PETSCSPMV_BENCHMARKS", "spmvbench"),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx))
        return args

    def check(self):
        # A selection on one process: all tests take an hour.
        with working_dir(self.build_directory):
            ctest("--output-on-failure", "-R", "^(mat_conformance|lifecycle)_1$")

    def test_minimal(self):
        """build a program of PETSc's alone, which solves with the library's products"""
        petsc, mpi = self.spec["petsc"].prefix, self.spec["mpi"].prefix
        source = join_path(self.prefix.share.doc.petscspmv.examples, "minimal.c")
        link = [f"-I{petsc.include}", f"-L{petsc.lib}", f"-Wl,-rpath,{petsc.lib}", "-lpetsc"]
        which(mpi.bin.mpicc, required=True)(source, "-o", "minimal", *link)

        options = ["-n", "16000", "-pc_type", "jacobi", "-mat_type", "csr5"]
        options += ["-dll_append", find_libraries("libpetscspmv", self.prefix, recursive=True)[0]]
        options += ["-spmv_view", "::ascii_info_detail"]
        mpiexec = which(mpi.bin.mpiexec, required=True)
        out = mpiexec("-n", "2", "./minimal", *options, output=str.split, error=str.split)
        check_outputs([r"local products:.*; by csr5 [1-9]"], out)
