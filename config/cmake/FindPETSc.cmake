# PETSc, by its pkg-config file: that of PETSC_DIR and PETSC_ARCH (variables or environment) where
# given, else the one that pkg-config finds. Defines the target PETSc::PETSc and PETSc_VERSION.
foreach(name PETSC_DIR PETSC_ARCH)
  if(NOT DEFINED ${name} AND DEFINED ENV{${name}})
    set(${name} "$ENV{${name}}")
  endif()
endforeach()

find_package(PkgConfig REQUIRED)
set(_petsc_saved_path "$ENV{PKG_CONFIG_PATH}")
if(PETSC_DIR)
  set(ENV{PKG_CONFIG_PATH} "${PETSC_DIR}/${PETSC_ARCH}/lib/pkgconfig:${PETSC_DIR}/lib/pkgconfig:${_petsc_saved_path}")
endif()
pkg_search_module(PETSC_PC QUIET IMPORTED_TARGET petsc PETSc)
set(ENV{PKG_CONFIG_PATH} "${_petsc_saved_path}")

if(PETSC_PC_FOUND AND NOT TARGET PETSc::PETSc)
  add_library(PETSc::PETSc INTERFACE IMPORTED)
  target_link_libraries(PETSc::PETSc INTERFACE PkgConfig::PETSC_PC)
endif()
set(PETSc_VERSION "${PETSC_PC_VERSION}")

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PETSc REQUIRED_VARS PETSC_PC_FOUND VERSION_VAR PETSc_VERSION
  REASON_FAILURE_MESSAGE "Set PETSC_DIR (and PETSC_ARCH) to an installed PETSc, or install Debian's libpetsc-real-dev.")
if(PETSc_VERSION VERSION_LESS 3.18)
  message(FATAL_ERROR "PETSc ${PETSc_VERSION} is too old: 3.18 or later is needed.")
endif()
