# petscspmv_library(NAME FORMATS folder...): the plugin with the given formats.
#
# All that depends on the list of formats is made here from the list: the sources of their folders,
# their registration, and the headers with their setters.

set(PETSCSPMV_SOURCE_DIR ${PROJECT_SOURCE_DIR})

# Kernels are compiled for several instruction sets (src/mat/format/simd.hpp). For a processor that is none in particular gcc
# uses no gather instructions, since version 14 for no Intel processor unless told, and it inlines nothing that is tuned
# for another one than the rest.
set(PETSCSPMV_TUNE "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-mtune=icelake-server PETSCSPMV_HAS_TUNE)
  if(PETSCSPMV_HAS_TUNE)
    set(PETSCSPMV_TUNE -mtune=icelake-server)
  endif()
  check_cxx_compiler_flag(-mgather PETSCSPMV_HAS_GATHER)
  if(PETSCSPMV_HAS_GATHER)
    list(APPEND PETSCSPMV_TUNE -mgather)
  endif()
endif()

# What kernels need to run: the library keeps its own to itself, and others compile theirs.
file(GLOB PETSCSPMV_LAUNCH_SOURCES CONFIGURE_DEPENDS ${PETSCSPMV_SOURCE_DIR}/src/mat/format/*.cpp)

# What is compiled alike for every list of formats.
file(GLOB _core_sources CONFIGURE_DEPENDS
  ${PETSCSPMV_SOURCE_DIR}/src/mat/impls/shadow/*.cpp
  ${PETSCSPMV_SOURCE_DIR}/src/plugin/*.cpp)
list(APPEND _core_sources ${PETSCSPMV_LAUNCH_SOURCES})
list(FILTER _core_sources EXCLUDE REGEX "/library\\.cpp$")

function(petscspmv_compile target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -fopenmp-simd
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow> # false alarms of gcc 12 on std::string and vectorized loops
    $<$<CXX_COMPILER_ID:GNU>:-fno-split-loops> # gcc 16 splits loops over lanes where a row ends, and copies numbers one by one in place of masks
    ${PETSCSPMV_TUNE} $<$<CONFIG:Release>:-O3>)
  target_include_directories(${target} PRIVATE ${PETSCSPMV_SOURCE_DIR}/src)
endfunction()

# Objects that several libraries share.
function(petscspmv_objects target generated)
  add_library(${target} OBJECT ${ARGN})
  petscspmv_compile(${target})
  target_include_directories(${target} PRIVATE ${generated}/include)
  target_link_libraries(${target} PUBLIC PETSc::PETSc MPI::MPI_CXX Kokkos::Usable)
endfunction()

function(petscspmv_library name)
  cmake_parse_arguments(ARG "" "" "FORMATS" ${ARGN})
  set(generated ${PROJECT_BINARY_DIR}/${name})
  set(objects "")
  set(headers "")
  set(PETSCSPMV_FORMAT_HEADERS "")
  set(PETSCSPMV_TYPES "")
  set(PETSCSPMV_DECLARATIONS "")
  set(PETSCSPMV_CALLS "")
  foreach(folder IN LISTS ARG_FORMATS)
    if(NOT IS_ABSOLUTE ${folder})
      set(folder ${PETSCSPMV_SOURCE_DIR}/src/mat/impls/${folder})
    endif()
    get_filename_component(format ${folder} NAME)
    string(SUBSTRING ${format} 0 1 first)
    string(SUBSTRING ${format} 1 -1 rest)
    string(TOUPPER ${first} first)
    list(APPEND PETSCSPMV_TYPES ${format})
    set(FORMAT ${format})
    set(FORMAT_TYPE ${first}${rest})
    set(FORMAT_HEADER ${folder}/${format}.hpp)
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
    string(APPEND PETSCSPMV_DECLARATIONS "PetscErrorCode Register_${format}();\n")
    string(APPEND PETSCSPMV_CALLS "  PetscCall(Register_${format}());\n")
  endforeach()
  list(JOIN PETSCSPMV_TYPES "," PETSCSPMV_TYPES)
  configure_file(${PETSCSPMV_SOURCE_DIR}/src/plugin/formats.cpp.in ${generated}/formats.cpp @ONLY)
  configure_file(${PETSCSPMV_SOURCE_DIR}/include/petscspmv.h.in ${generated}/include/petscspmv.h @ONLY)

  if(NOT TARGET petscspmv_core)
    petscspmv_objects(petscspmv_core ${generated} ${_core_sources})
  endif()

  add_library(${name} SHARED ${generated}/formats.cpp ${PETSCSPMV_SOURCE_DIR}/src/plugin/library.cpp $<TARGET_OBJECTS:petscspmv_core> ${objects})
  petscspmv_compile(${name})
  target_compile_definitions(${name} PRIVATE PETSCSPMV_REGISTER=PetscDLLibraryRegister_${name})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${generated}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PUBLIC PETSc::PETSc MPI::MPI_C PRIVATE MPI::MPI_CXX Kokkos::Usable)
  # Kokkos starts once a process and what the library knows of it must outlast PetscFinalize(), which unloads plugins.
  # A static Kokkos stays hidden inside: the program may have another (Debian's PETSc brings one through Trilinos).
  target_link_options(${name} PRIVATE -Wl,-z,nodelete -Wl,--exclude-libs,ALL -Wl,-Bsymbolic)
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib PUBLIC_HEADER "${generated}/include/petscspmv.h;${headers}")
endfunction()
