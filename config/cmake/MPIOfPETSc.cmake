# The MPI that PETSc was built with, and no other: MPI::MPI_C and, where C++ is enabled, MPI::MPI_CXX. Follows find_package(PETSc).
#
# PETSc remembers its compilers, which are the wrappers of its MPI, and its mpiexec. CMake would take the first ones in PATH, which
# may be of another MPI. What the user has set comes first (MPI_C_COMPILER, MPI_CXX_COMPILER, MPIEXEC_EXECUTABLE, MPI_HOME); in any
# case the result must be what PETSc's headers expect.

set(_mpi_languages C)
get_property(_enabled GLOBAL PROPERTY ENABLED_LANGUAGES)
if(CXX IN_LIST _enabled)
  list(APPEND _mpi_languages CXX)
endif()

# _mpi_program(VARIABLE word...): the program of an MPI in a command, such as "ccache mpicc -m64"; empty if there is none.
function(_mpi_program variable)
  set(${variable} "" PARENT_SCOPE)
  foreach(word IN LISTS ARGN)
    get_filename_component(name "${word}" NAME)
    if(name MATCHES "mpi|^srun$|^prun$" AND NOT word MATCHES "^-")
      find_program(found NAMES ${word} NO_CACHE)
      if(found)
        set(${variable} "${found}" PARENT_SCOPE)
      endif()
      return()
    endif()
  endforeach()
endfunction()

_mpi_program(_mpi_of_MPI_C_COMPILER ${PETSc_C_COMPILER})
_mpi_program(_mpi_of_MPI_CXX_COMPILER ${PETSc_CXX_COMPILER})
_mpi_program(_mpi_of_MPIEXEC_EXECUTABLE ${PETSc_MPIEXEC})

if(NOT PETSc_HAS_MPI) # PETSc's own, for one process: its headers bring it
  foreach(_language IN LISTS _mpi_languages)
    if(NOT TARGET MPI::MPI_${_language})
      add_library(MPI::MPI_${_language} INTERFACE IMPORTED)
    endif()
  endforeach()
  return()
endif()

# A build folder may be given another PETSc: what was found for the one before is forgotten.
set(_mpi_of_petsc "${_mpi_of_MPI_C_COMPILER};${_mpi_of_MPI_CXX_COMPILER};${_mpi_of_MPIEXEC_EXECUTABLE}")
if(DEFINED MPI_OF_PETSC AND NOT MPI_OF_PETSC STREQUAL _mpi_of_petsc)
  get_cmake_property(_mpi_cached CACHE_VARIABLES)
  list(FILTER _mpi_cached INCLUDE REGEX "^MPI_(C|CXX|RESULT|[a-z+_]+_LIBRARY)|^MPIEXEC_")
  foreach(_name IN LISTS _mpi_cached)
    unset(${_name} CACHE)
  endforeach()
endif()
set(MPI_OF_PETSC "${_mpi_of_petsc}" CACHE INTERNAL "The MPI's compilers and mpiexec that PETSc names")
if(NOT MPI_HOME AND NOT DEFINED ENV{MPI_HOME})
  foreach(_name MPI_C_COMPILER MPI_CXX_COMPILER MPIEXEC_EXECUTABLE)
    if(_mpi_of_${_name} AND NOT ${_name})
      set(${_name} "${_mpi_of_${_name}}" CACHE FILEPATH "As PETSc was built with it")
    endif()
  endforeach()
endif()
find_package(MPI REQUIRED COMPONENTS ${_mpi_languages})

# PETSc's headers refuse an mpi.h of another MPI.
file(WRITE ${CMAKE_BINARY_DIR}/mpi_of_petsc.c "#include <petscsys.h>\nint main(void) { return PETSC_VERSION_MAJOR == 0; }\n")
try_compile(_mpi_fits ${CMAKE_BINARY_DIR}/mpi_of_petsc SOURCES ${CMAKE_BINARY_DIR}/mpi_of_petsc.c
  LINK_LIBRARIES PETSc::PETSc MPI::MPI_C OUTPUT_VARIABLE _mpi_output)
if(NOT _mpi_fits AND _mpi_output MATCHES "PETSc was configured with[^\n\"]*")
  set(_mpi_reason "${CMAKE_MATCH_0}")
  foreach(_name PETSc_C_COMPILER PETSc_CXX_COMPILER PETSc_MPIEXEC)
    list(JOIN ${_name} " " ${_name})
  endforeach()
  message(FATAL_ERROR "${_mpi_reason} (${MPI_C_COMPILER}, ${MPI_C_INCLUDE_DIRS}). PETSc in ${PETSC_PC_PREFIX} was built with "
    "'${PETSc_C_COMPILER}', '${PETSc_CXX_COMPILER}' and '${PETSc_MPIEXEC}': pass that MPI's wrappers and mpiexec, "
    "-DMPI_C_COMPILER=mpicc -DMPI_CXX_COMPILER=mpicxx -DMPIEXEC_EXECUTABLE=mpiexec with their paths.")
endif()
