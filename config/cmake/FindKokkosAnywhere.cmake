# Kokkos as a user's own installation (Kokkos_ROOT), as a distribution's package, or as those of
# Debian, whose CMake packages name files that are not there. Defines Kokkos::Usable, and
# KOKKOS_HAS_THREADS: whether its host back end has threads, and KOKKOS_HAS_DEVICE.
if(NOT Kokkos_ROOT AND DEFINED ENV{Kokkos_ROOT})
  set(Kokkos_ROOT "$ENV{Kokkos_ROOT}")
endif()
if(Kokkos_ROOT AND NOT IS_DIRECTORY "${Kokkos_ROOT}")
  message(FATAL_ERROR "Kokkos_ROOT is ${Kokkos_ROOT}: there is no such folder")
endif()
set(CMAKE_CXX_EXTENSIONS OFF) # Kokkos' package warns and does so otherwise

# In a process of its own: find_package() stops with an error where a package names files that are not there.
file(REMOVE_RECURSE ${PROJECT_BINARY_DIR}/kokkos_package)
execute_process(COMMAND ${CMAKE_COMMAND} -G ${CMAKE_GENERATOR}
    -S ${CMAKE_CURRENT_LIST_DIR}/kokkos_package -B ${PROJECT_BINARY_DIR}/kokkos_package
    -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE}
    "-DCMAKE_PREFIX_PATH=${CMAKE_PREFIX_PATH}"
    -DKokkos_ROOT=${Kokkos_ROOT} -DKokkos_DIR=${Kokkos_DIR}
  RESULT_VARIABLE _kokkos_package_fails OUTPUT_VARIABLE _kokkos_log ERROR_VARIABLE _kokkos_log)
if(NOT _kokkos_package_fails)
  find_package(Kokkos CONFIG QUIET)
  cmake_path(IS_PREFIX Kokkos_ROOT "${Kokkos_DIR}" NORMALIZE _kokkos_is_the_users)
endif()
if(Kokkos_ROOT AND NOT _kokkos_is_the_users) # never another one than the user's
  message(FATAL_ERROR "Kokkos_ROOT is ${Kokkos_ROOT}, where no CMake package of Kokkos was found that works:\n${_kokkos_log}")
endif()

if(NOT TARGET Kokkos::Usable)
  add_library(Kokkos::Usable INTERFACE IMPORTED)
  if(NOT _kokkos_package_fails)
    target_link_libraries(Kokkos::Usable INTERFACE Kokkos::kokkos)
    set(_kokkos_backends "${Kokkos_DEVICES}")
    message(STATUS "Kokkos ${Kokkos_VERSION}: ${Kokkos_DIR}")
  else()
    foreach(_prefix kokkos trilinos_kokkos) # headers and library of the same one
      if(NOT KOKKOS_INCLUDE_DIR OR NOT KOKKOS_CORE_LIBRARY)
        unset(KOKKOS_INCLUDE_DIR CACHE)
        unset(KOKKOS_CORE_LIBRARY CACHE)
        string(REGEX REPLACE "_.*" "" _folder ${_prefix})
        find_path(KOKKOS_INCLUDE_DIR Kokkos_Core.hpp PATH_SUFFIXES ${_folder})
        find_library(KOKKOS_CORE_LIBRARY NAMES ${_prefix}core)
      endif()
    endforeach()
    if(NOT KOKKOS_INCLUDE_DIR OR NOT KOKKOS_CORE_LIBRARY)
      message(FATAL_ERROR "Kokkos was not found: set Kokkos_ROOT, or install Debian's libkokkos-dev, which 12 and 13 have not: "
        "libtrilinos-kokkos-dev.")
    endif()
    target_include_directories(Kokkos::Usable SYSTEM INTERFACE ${KOKKOS_INCLUDE_DIR})
    target_link_libraries(Kokkos::Usable INTERFACE ${KOKKOS_CORE_LIBRARY})
    file(STRINGS ${KOKKOS_INCLUDE_DIR}/KokkosCore_config.h _kokkos_backends
      REGEX "define KOKKOS_(ENABLE_(OPENMP|THREADS)|VERSION [0-9]+)$")
    string(REGEX MATCH "VERSION ([0-9]+)" _ "${_kokkos_backends}")
    math(EXPR _major "${CMAKE_MATCH_1} / 10000")
    math(EXPR _minor "${CMAKE_MATCH_1} / 100 % 100")
    set(Kokkos_VERSION ${_major}.${_minor})
    if(_kokkos_backends MATCHES OPENMP)
      find_package(OpenMP REQUIRED COMPONENTS CXX)
      target_link_libraries(Kokkos::Usable INTERFACE OpenMP::OpenMP_CXX)
    endif()
    message(STATUS "Kokkos ${Kokkos_VERSION}: ${KOKKOS_CORE_LIBRARY}")
  endif()
  # Kernels use constexpr functions of the standard library; clang compiles these for devices as they are.
  if(_kokkos_backends MATCHES "CUDA" AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(Kokkos::Usable INTERFACE $<$<COMPILE_LANGUAGE:CXX>:--expt-relaxed-constexpr>)
  endif()
  set(KOKKOS_HAS_DEVICE OFF)
  if(_kokkos_backends MATCHES "CUDA|HIP|SYCL")
    set(KOKKOS_HAS_DEVICE ON)
  endif()
  set(KOKKOS_HAS_THREADS OFF)
  if(_kokkos_backends MATCHES "OPENMP|THREADS")
    set(KOKKOS_HAS_THREADS ON)
  endif()
endif()
