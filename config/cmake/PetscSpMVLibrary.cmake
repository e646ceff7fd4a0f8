# petscspmv_library(NAME FORMATS folder... TARGETS row...): the plugin with the given formats, for all targets and these.
#
# All that depends on the list of formats is made here from the list: the sources of their folders,
# their registration, and the headers with their names.

set(PETSCSPMV_SOURCE_DIR ${PROJECT_SOURCE_DIR})

string(COMPARE EQUAL "${PETSCSPMV_PRERELEASE}" "" PETSCSPMV_RELEASE)

# What kernels need to run: the library keeps its own to itself, and tests compile theirs.
set(PETSCSPMV_LAUNCH_SOURCES "")
foreach(_source array huge_pages kokkos_start large_memory launch memory_use session settings staging)
  list(APPEND PETSCSPMV_LAUNCH_SOURCES ${PETSCSPMV_SOURCE_DIR}/src/mat/exec/${_source}.cpp)
endforeach()

# What is compiled alike for every list of formats.
file(GLOB _core_sources CONFIGURE_DEPENDS
  ${PETSCSPMV_SOURCE_DIR}/src/mat/impls/spmv/*.cpp
  ${PETSCSPMV_SOURCE_DIR}/src/petsc/*.cpp
  ${PETSCSPMV_SOURCE_DIR}/src/plugin/*.cpp)
foreach(_room aij factors layout products registry report shadow sweeps tuning workarounds)
  file(GLOB _sources CONFIGURE_DEPENDS ${PETSCSPMV_SOURCE_DIR}/src/mat/${_room}/*.cpp)
  list(APPEND _core_sources ${_sources})
endforeach()
list(APPEND _core_sources ${PETSCSPMV_LAUNCH_SOURCES} ${PETSCSPMV_SOURCE_DIR}/src/mat/exec/target.cpp)
list(FILTER _core_sources EXCLUDE REGEX "/library\\.cpp$")
set(_host_only ${PETSCSPMV_SOURCE_DIR}/src/mat/tuning/digest.cpp) # vector instructions
list(REMOVE_ITEM _core_sources ${_host_only})

find_package(Threads REQUIRED)
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-ffile-prefix-map=folder/= PETSCSPMV_HAS_PREFIX_MAP)

# The same bytes in any folder: neither __FILE__, of which PETSc's macros are full, nor debugging information has its path, nor the
# relative one that ccache makes of it.
function(petscspmv_map_paths target)
  if(NOT PETSCSPMV_HAS_PREFIX_MAP)
    return()
  endif()
  set(compiled_in ${CMAKE_CURRENT_BINARY_DIR})
  if(CMAKE_GENERATOR MATCHES Ninja)
    set(compiled_in ${CMAKE_BINARY_DIR})
  endif()
  file(RELATIVE_PATH to_source ${compiled_in} ${PETSCSPMV_SOURCE_DIR})
  string(REGEX REPLACE "([^/])$" "\\1/" to_source "${to_source}")
  foreach(path ${PETSCSPMV_SOURCE_DIR}/ ${PROJECT_BINARY_DIR}/ ${to_source})
    target_compile_options(${target} PRIVATE -ffile-prefix-map=${path}=)
  endforeach()
endfunction()

function(petscspmv_compile target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON CXX_EXTENSIONS OFF)
  petscspmv_map_paths(${target})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion $<$<CONFIG:Release>:-O3>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow>) # false alarms of gcc 12 on std::string and vectorized loops
  target_include_directories(${target} PRIVATE ${PETSCSPMV_SOURCE_DIR}/src)
endfunction()

# Objects that several libraries share.
function(petscspmv_objects target generated)
  add_library(${target} OBJECT ${ARGN})
  petscspmv_compile(${target})
  target_include_directories(${target} PRIVATE ${generated}/include)
  target_link_libraries(${target} PUBLIC PETSc::PETSc MPI::MPI_CXX Kokkos::Usable Threads::Threads)
endfunction()

include(${CMAKE_CURRENT_LIST_DIR}/PetscSpMVTargets.cmake)

# petscspmv_format(FOLDER): sets FORMAT, FORMAT_TYPE and FORMAT_FOLDER of a format by its folder, of one of src/mat/impls by its
# name.
macro(petscspmv_format folder)
  set(FORMAT_FOLDER ${folder})
  if(NOT IS_ABSOLUTE ${FORMAT_FOLDER})
    set(FORMAT_FOLDER ${PETSCSPMV_SOURCE_DIR}/src/mat/impls/${folder})
  endif()
  get_filename_component(FORMAT ${FORMAT_FOLDER} NAME)
  string(SUBSTRING ${FORMAT} 0 1 _first)
  string(SUBSTRING ${FORMAT} 1 -1 _rest)
  string(TOUPPER ${_first} _first)
  set(FORMAT_TYPE ${_first}${_rest})
endmacro()

function(petscspmv_library name)
  cmake_parse_arguments(ARG "" "" "FORMATS;TARGETS" ${ARGN})
  set(targets ${PETSCSPMV_TARGETS_HERE})
  petscspmv_targets_here(targets ${ARG_TARGETS})
  set(generated ${PROJECT_BINARY_DIR}/${name})
  set(objects "")
  set(headers "")
  set(PETSCSPMV_FORMAT_HEADERS "")
  set(PETSCSPMV_TYPES "")
  set(PETSCSPMV_DECLARATIONS "")
  set(PETSCSPMV_CALLS "")
  set(PETSCSPMV_ENTRIES "")
  set(PETSCSPMV_TARGET_ROWS "")
  set(kernels "")
  set(kernels_targets "")
  if(KOKKOS_HAS_DEVICE)
    set(KOKKOS_HAS_DEVICE_01 1)
  else()
    set(KOKKOS_HAS_DEVICE_01 0)
  endif()
  foreach(row IN LISTS targets)
    petscspmv_target("${row}")
    list(JOIN TARGET_FEATURES " " features)
    string(APPEND PETSCSPMV_TARGET_ROWS
      "    {.name = \"${TARGET_NAME}\", .features = \"${features}\", .register_bytes = ${TARGET_REGISTER}, "
      ".gathers = ${TARGET_GATHERS}, .fused = ${TARGET_FUSED}, .runs_here = [] { return ${TARGET_RUNS_HERE}; }},\n")
  endforeach()
  foreach(folder IN LISTS ARG_FORMATS)
    petscspmv_format(${folder})
    set(folder ${FORMAT_FOLDER})
    set(format ${FORMAT})
    list(APPEND PETSCSPMV_TYPES ${format})
    foreach(part ${format}.hpp host.hpp device.hpp)
      if(NOT EXISTS ${folder}/${part})
        message(FATAL_ERROR "The format ${format} lacks ${folder}/${part} (see src/mat/format/format.hpp)")
      endif()
    endforeach()
    list(APPEND objects $<TARGET_OBJECTS:petscspmv_${format}>)
    if(NOT TARGET petscspmv_${format}) # the same in every library
      configure_file(${PETSCSPMV_SOURCE_DIR}/src/plugin/format.cpp.in ${generated}/${format}.cpp @ONLY)
      file(GLOB own CONFIGURE_DEPENDS ${folder}/*.cpp)
      petscspmv_objects(petscspmv_${format} ${generated} ${generated}/${format}.cpp ${own})
    endif()
    file(GLOB own CONFIGURE_DEPENDS ${folder}/*.h)
    foreach(header IN LISTS own)
      get_filename_component(basename ${header} NAME)
      configure_file(${header} ${generated}/include/${basename} COPYONLY)
      list(APPEND headers ${generated}/include/${basename})
      string(APPEND PETSCSPMV_FORMAT_HEADERS "#include <${basename}>\n")
    endforeach()
    petscspmv_kernels(${format} ${folder} ${PETSCSPMV_SOURCE_DIR}/src/plugin/kernels.cpp.in ${PROJECT_BINARY_DIR}/kernels kernels
      ${targets})
    list(APPEND PETSCSPMV_ENTRIES ${kernels_entries})
    list(JOIN kernels_entries ", " entries)
    string(APPEND PETSCSPMV_DECLARATIONS "PetscErrorCode Register_${format}(std::span<const void *const> kernels);\n")
    string(APPEND PETSCSPMV_CALLS "  PetscCall(Register_${format}(std::array{${entries}}));\n")
  endforeach()
  set(folder ${PETSCSPMV_SOURCE_DIR}/src/mat/triangles)
  petscspmv_kernels(triangles ${folder} ${PETSCSPMV_SOURCE_DIR}/src/plugin/triangles.cpp.in ${PROJECT_BINARY_DIR}/kernels kernels
    ${targets})
  list(APPEND PETSCSPMV_ENTRIES ${kernels_entries})
  list(JOIN kernels_entries ", " PETSCSPMV_TRIANGLES)
  list(JOIN PETSCSPMV_ENTRIES ", *const " PETSCSPMV_ENTRIES)
  list(APPEND PETSCSPMV_TYPES spmv) # the type that owns layouts in all of them
  list(JOIN PETSCSPMV_TYPES "," PETSCSPMV_TYPES)
  set(header petscspmvspmv.h)
  configure_file(${PETSCSPMV_SOURCE_DIR}/src/mat/impls/spmv/${header} ${generated}/include/${header} COPYONLY)
  list(APPEND headers ${generated}/include/${header})
  string(APPEND PETSCSPMV_FORMAT_HEADERS "#include <${header}>\n")
  configure_file(${PETSCSPMV_SOURCE_DIR}/src/plugin/formats.cpp.in ${generated}/formats.cpp @ONLY)
  configure_file(${PETSCSPMV_SOURCE_DIR}/include/petscspmv.h.in ${generated}/include/petscspmv.h @ONLY)

  if(NOT TARGET petscspmv_core)
    petscspmv_objects(petscspmv_core ${generated} ${_core_sources})
    target_compile_options(petscspmv_core PRIVATE -ffp-contract=off) # plain loops have PETSc's bits
    petscspmv_objects(petscspmv_core_host_only ${generated} ${_host_only})
    petscspmv_host_only(petscspmv_core_host_only)
  endif()

  add_library(${name} SHARED ${generated}/formats.cpp ${PETSCSPMV_SOURCE_DIR}/src/plugin/library.cpp
    $<TARGET_OBJECTS:petscspmv_core> $<TARGET_OBJECTS:petscspmv_core_host_only> ${objects} ${kernels})
  set_source_files_properties(${kernels} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  if(kernels_targets)
    add_dependencies(${name} ${kernels_targets})
  endif()
  petscspmv_compile(${name})
  target_compile_definitions(${name} PRIVATE PETSCSPMV_REGISTER=PetscDLLibraryRegister_${name})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${generated}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PUBLIC PETSc::PETSc MPI::MPI_C PRIVATE MPI::MPI_CXX Kokkos::Usable Threads::Threads)
  # Kokkos starts once a process and what the library knows of it must outlast PetscFinalize(), which unloads plugins.
  # A static Kokkos stays hidden inside: the program may have another (Debian's PETSc brings one through Trilinos).
  target_link_options(${name} PRIVATE -Wl,-z,nodelete -Wl,--exclude-libs,ALL -Wl,-Bsymbolic)
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
    PUBLIC_HEADER "${generated}/include/petscspmv.h;${headers}")
endfunction()
