# Objects of a format for a target: compiled with the target's instructions, of which the rest of the library must see nothing.
#
# Inline functions and templates of headers are emitted in every object that calls them, the linker keeps one of each, and that may
# be one with instructions that a processor lacks. So every symbol of these objects but their entry is made local.

include(${CMAKE_CURRENT_LIST_DIR}/../../src/mat/exec/targets.cmake)
set(PETSCSPMV_EXTRA_TARGETS "" CACHE STRING "Further rows for the list of targets (src/mat/exec/targets.cmake)")

# The linker that can merge an object's sections, GNU's: with clang CMake names LLVM's, where that is installed.
set(PETSCSPMV_LINKER "")
foreach(_linker ${CMAKE_LINKER} ld.bfd ld)
  find_program(_path NAMES ${_linker} NO_CACHE)
  if(_path AND NOT PETSCSPMV_LINKER)
    execute_process(COMMAND ${_path} --help OUTPUT_VARIABLE _help ERROR_QUIET)
    if(_help MATCHES "--force-group-allocation")
      set(PETSCSPMV_LINKER ${_path})
    endif()
  endif()
  unset(_path)
endforeach()

# petscspmv_feature(VARIABLE FEATURE): an expression, whether the processor has what compilers call so. glibc has asked the
# processor when the process began. Compilers' own function asks again when the library is loaded, which takes long in virtual
# machines.
include(CheckCXXSourceCompiles)
function(petscspmv_feature variable feature)
  string(TOUPPER ${feature} name)
  string(REGEX REPLACE "^BMI$" "BMI1" name ${name})
  check_cxx_source_compiles("#include <sys/platform/x86.h>
    int main() { return CPU_FEATURE_ACTIVE(${name}); }" PETSCSPMV_GLIBC_KNOWS_${name})
  set(${variable} "__builtin_cpu_supports(\"${feature}\")" PARENT_SCOPE)
  if(PETSCSPMV_GLIBC_KNOWS_${name})
    set(${variable} "CPU_FEATURE_ACTIVE(${name})" PARENT_SCOPE)
  endif()
endfunction()

# petscspmv_target(ROW): sets TARGET_NAME, TARGET_FITS, TARGET_FEATURES, TARGET_REGISTER, TARGET_GATHERS and TARGET_FUSED, and for
# compilers TARGET_ID, TARGET_FLAGS and TARGET_RUNS_HERE, an expression: whether the processor has the features.
macro(petscspmv_target row)
  string(REPLACE "|" ";" _fields "${row}")
  list(TRANSFORM _fields STRIP)
  list(LENGTH _fields _count)
  if(NOT _count EQUAL 6)
    message(FATAL_ERROR "A target has 6 fields (see src/mat/exec/targets.cmake): ${row}")
  endif()
  list(GET _fields 0 TARGET_NAME)
  list(GET _fields 1 _family)
  list(GET _fields 2 TARGET_FEATURES)
  list(GET _fields 3 TARGET_REGISTER)
  list(GET _fields 4 _x)
  list(GET _fields 5 _fused)
  string(REPLACE "," ";" _family "${_family}")
  string(REPLACE " " ";" TARGET_FEATURES "${TARGET_FEATURES}")
  set(TARGET_FITS OFF)
  if(_family STREQUAL "any" OR CMAKE_SYSTEM_PROCESSOR IN_LIST _family)
    set(TARGET_FITS ON)
  endif()
  foreach(_choice "x gathers loads TARGET_GATHERS" "fused yes no TARGET_FUSED")
    separate_arguments(_choice)
    list(GET _choice 0 _column)
    list(SUBLIST _choice 1 2 _allowed)
    list(GET _choice 3 _variable)
    if(NOT _${_column} IN_LIST _allowed)
      message(FATAL_ERROR "Target ${TARGET_NAME}: ${_column} is '${_${_column}}', must be one of ${_allowed}")
    endif()
    list(FIND _allowed "${_${_column}}" _place)
    math(EXPR ${_variable} "1 - ${_place}")
  endforeach()
  string(MAKE_C_IDENTIFIER "${TARGET_NAME}" TARGET_ID)
  list(TRANSFORM TARGET_FEATURES PREPEND "-m" OUTPUT_VARIABLE TARGET_FLAGS)
  set(TARGET_RUNS_HERE "true")
  foreach(_feature IN LISTS TARGET_FEATURES)
    petscspmv_feature(_has ${_feature})
    string(APPEND TARGET_RUNS_HERE " && ${_has}")
  endforeach()
endmacro()

# petscspmv_targets_here(ROWS row...): appends to ROWS those of the targets that are compiled here: for this family of processors,
# as far as the compiler has their features and the tools can hide symbols; at least the first, the baseline.
include(CheckCXXCompilerFlag)
function(petscspmv_targets_here rows)
  set(here "${${rows}}")
  foreach(row IN LISTS ARGN)
    petscspmv_target("${row}")
    if(NOT TARGET_FITS)
      continue()
    endif()
    set(flags_work ON)
    foreach(feature IN LISTS TARGET_FEATURES)
      check_cxx_compiler_flag(-m${feature} PETSCSPMV_HAS_${feature})
      if(NOT PETSCSPMV_HAS_${feature})
        set(flags_work OFF)
      endif()
    endforeach()
    if(flags_work AND (here STREQUAL "" OR (CMAKE_OBJCOPY AND PETSCSPMV_LINKER)))
      list(APPEND here "${row}")
    endif()
  endforeach()
  set(${rows} ${here} PARENT_SCOPE)
endfunction()
set(PETSCSPMV_TARGETS_HERE "")
petscspmv_targets_here(PETSCSPMV_TARGETS_HERE ${PETSCSPMV_TARGETS} ${PETSCSPMV_EXTRA_TARGETS})
set(_names "")
foreach(_row IN LISTS PETSCSPMV_TARGETS_HERE)
  petscspmv_target("${_row}")
  list(APPEND _names ${TARGET_NAME})
endforeach()
list(JOIN _names ", " _names)
message(STATUS "Targets of kernels: ${_names}")

# What the processor alone runs: compiled without Kokkos (exec/function.hpp), by the host's own compiler where Kokkos has another
# called for devices.
function(petscspmv_host_only target)
  target_compile_definitions(${target} PRIVATE PETSCSPMV_HOST_ONLY)
  if(CMAKE_CXX_COMPILER MATCHES "nvcc_wrapper$")
    target_compile_options(${target} PRIVATE --host-only)
  endif()
endfunction()

# A file of kernels takes up to 3.5 GB of memory to compile with -g: Ninja compiles as many at a time as there is memory for.
get_property(_pools GLOBAL PROPERTY JOB_POOLS)
if(NOT _pools)
  set(_pools ${CMAKE_JOB_POOLS}) # which CMake ignores once the property is set
endif()
if(NOT _pools MATCHES "petscspmv_kernels=")
  cmake_host_system_information(RESULT _memory QUERY TOTAL_PHYSICAL_MEMORY) # MiB
  math(EXPR _jobs "${_memory} / 3500")
  if(_jobs LESS 1)
    set(_jobs 1)
  endif()
  set_property(GLOBAL PROPERTY JOB_POOLS ${_pools} petscspmv_kernels=${_jobs})
endif()

# Kernels are compiled as they stand: compilers fuse no operations by themselves, which would change bits, and make no vectors of
# scalar loops, which with AVX-512 become scatters. With -g, gcc would take five times as long to follow their variables.
function(petscspmv_compile_kernels target)
  petscspmv_host_only(${target})
  target_compile_definitions(${target} PRIVATE
    PETSCSPMV_REGISTER=${TARGET_REGISTER} PETSCSPMV_GATHERS=${TARGET_GATHERS} PETSCSPMV_FUSED=${TARGET_FUSED})
  target_compile_options(${target} PRIVATE ${TARGET_FLAGS} -ffp-contract=off -fno-tree-vectorize -fno-tree-slp-vectorize -Wno-psabi
    $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique;-fno-var-tracking>)
  set_target_properties(${target} PROPERTIES JOB_POOL_COMPILE petscspmv_kernels)
endfunction()

# petscspmv_kernels(NAME FOLDER SOURCE GENERATED OBJECTS row...): compiles SOURCE with what a folder has, a format or triangles, for
# these targets; appends the objects' files to OBJECTS, and sets OBJECTS_entries to the symbols that the objects show, by target.
function(petscspmv_kernels format folder source generated objects)
  set(files ${${objects}})
  set(FORMAT_FOLDER ${folder})
  set(hidden "")
  set(entries "")
  foreach(row IN LISTS ARGN)
    petscspmv_target("${row}")
    set(ENTRY petscspmv_kernels_${format}_${TARGET_ID})
    list(APPEND entries ${ENTRY})
    set(object ${generated}/${format}_${TARGET_ID}.o)
    if(NOT TARGET ${ENTRY})
      set(TARGET ${TARGET_NAME})
      configure_file(${source} ${generated}/${format}_${TARGET_ID}.cpp @ONLY)
      add_library(${ENTRY} OBJECT ${generated}/${format}_${TARGET_ID}.cpp)
      petscspmv_compile(${ENTRY})
      petscspmv_compile_kernels(${ENTRY})
      target_link_libraries(${ENTRY} PRIVATE PETSc::PETSc MPI::MPI_CXX)
      if(CMAKE_OBJCOPY AND PETSCSPMV_LINKER)
        add_custom_command(OUTPUT ${object}
          COMMAND ${PETSCSPMV_LINKER} -r --force-group-allocation -o ${object}.whole $<TARGET_OBJECTS:${ENTRY}>
          COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=${ENTRY} ${object}.whole ${object}
          COMMAND ${CMAKE_COMMAND} -E rm ${object}.whole
          DEPENDS ${ENTRY} $<TARGET_OBJECTS:${ENTRY}>
          COMMAND_EXPAND_LISTS VERBATIM COMMENT "Hiding the symbols of ${format}, ${TARGET_NAME}")
        add_custom_target(${ENTRY}_hidden DEPENDS ${object})
      endif()
    endif()
    if(CMAKE_OBJCOPY AND PETSCSPMV_LINKER)
      list(APPEND files ${object})
      list(APPEND hidden ${ENTRY}_hidden)
    else()
      list(APPEND files $<TARGET_OBJECTS:${ENTRY}>)
    endif()
  endforeach()
  set(${objects} ${files} PARENT_SCOPE)
  set(${objects}_targets ${${objects}_targets} ${hidden} PARENT_SCOPE)
  set(${objects}_entries ${entries} PARENT_SCOPE)
endfunction()
