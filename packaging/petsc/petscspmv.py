import config.package
import os

# Goes into config/BuildSystem/config/packages of PETSc's sources: see README.md beside this file in petsc-spmv.
class Configure(config.package.CMakePackage):
  def __init__(self, framework):
    config.package.CMakePackage.__init__(self, framework)
    self.version                = '1.0.0'
    self.download               = ['https://petscspmv.invalid/petscspmv-'+self.version+'.tar.gz'] # until releases have a place
    self.downloaddirnames       = ['petscspmv','petsc-spmv']
    self.functions              = []
    self.includes               = []
    self.buildLanguages         = ['Cxx']
    self.minCxxVersion          = 'c++20'
    self.minCmakeVersion        = (3,21,0)
    self.precisions             = ['double']
    self.skippackagewithoptions = 1 # the library works only with the PETSc that it was built with
    self.linkedbypetsc          = 0
    self.builtafterpetsc        = 1

  def setupDependencies(self, framework):
    config.package.CMakePackage.setupDependencies(self, framework)
    self.mpi    = framework.require('config.packages.MPI',self)
    self.kokkos = framework.require('config.packages.kokkos',self)
    self.cuda   = framework.require('config.packages.CUDA',self)
    self.hip    = framework.require('config.packages.HIP',self)
    self.sycl   = framework.require('config.packages.SYCL',self)
    self.deps   = [self.mpi,self.kokkos]
    self.odeps  = [self.cuda,self.hip,self.sycl]

  def petscInstall(self):
    '''PETSC_DIR, PETSC_ARCH and prefix of the PETSc that the library is built with: by the time that is done it is installed'''
    if self.argDB['prefix'] and not 'package-prefix-hash' in self.argDB:
      prefix = os.path.abspath(os.path.expanduser(self.argDB['prefix']))
      return prefix, '', prefix
    return self.petscdir.dir, self.arch, os.path.join(self.petscdir.dir,self.arch)

  def jobs(self):
    '''Files that make compiles at a time: one with kernels takes up to 3.5 GB of memory'''
    memory = os.sysconf('SC_PAGE_SIZE')*os.sysconf('SC_PHYS_PAGES')
    return max(1,min(self.make.make_np,int(memory/3.5e9)))

  def formCMakeConfigureArgs(self):
    petscDir, petscArch, prefix = self.petscInstall()
    args = self.rmArgsStartsWith(config.package.CMakePackage.formCMakeConfigureArgs(self),
                                 ['--debug-find','-DCMAKE_INSTALL_PREFIX='])
    if self.cuda.found and not self.cuda.cudaclang:
      args = self.rmArgsStartsWith(args,'-DCMAKE_CXX_COMPILER=')
      args.append('-DCMAKE_CXX_COMPILER='+os.path.join(self.kokkos.directory,'bin','nvcc_wrapper'))
    args.extend(['-DCMAKE_INSTALL_PREFIX='+prefix,'-DPETSC_DIR='+petscDir,'-DPETSC_ARCH='+petscArch])
    if not 'with-kokkos-include' in self.argDB: # else it is no folder of Kokkos: CMake finds it where the system has it
      args.append('-DKokkos_ROOT='+self.kokkos.directory)
    args.extend('-DPETSCSPMV_'+part+'=OFF' for part in ['TESTS','EXAMPLES','BENCHMARKS','DOCS'])
    return args

  def Install(self):
    if not config.setCompilers.Configure.isLinux(self.log):
      raise RuntimeError('petscspmv is for Linux: its kernels are linked by options of GNU\'s linker')
    if not self.checkSharedLibrariesEnabled():
      raise RuntimeError('petscspmv is a library that PETSc loads: it requires shared libraries')
    if self.argDB['with-library-name-suffix']:
      raise RuntimeError('petscspmv cannot be had with --with-library-name-suffix: PETSc looks for its library with that suffix')
    if self.hip.found or self.sycl.found:
      raise RuntimeError('petscspmv has kernels for CUDA and for CPUs, and none for HIP and SYCL')
    if self.cuda.found and self.defaultScalarType.lower() == 'complex':
      raise RuntimeError('petscspmv has no complex numbers on GPUs')
    if not self.cmake.found:
      raise RuntimeError('CMake not found, needed to build '+self.PACKAGE+'. Rerun configure with --download-cmake.')
    if not self.getExecutable('pkg-config',resultName='pkgconfig',setMakeMacro=0): # CMake asks it what PETSc is linked with
      raise RuntimeError('pkg-config not found, needed to build '+self.PACKAGE)
    args = self.formCMakeConfigureArgs()
    if self.argDB['download-petscspmv-cmake-arguments']:
      args.append(self.argDB['download-petscspmv-cmake-arguments'])
    build = os.path.join(self.packageDir,'petsc-build')
    self.addPost(self.packageDir,[' '.join([self.cmake.cmake,'-G "Unix Makefiles" -S . -B',build]+args),
                                  ' '.join([self.make.make,'-j'+str(self.jobs()),'-C',build]),
                                  ' '.join([self.make.make,'-C',build,'install'])])
    self.include = [os.path.join(self.installDir,'include')]
    self.lib     = [os.path.join(self.installDir,'lib','libpetscspmv.so')]
    return self.installDir
