# The formats that tests know: those of the project, and one for tests only.
include_guard(GLOBAL)

set(PETSCSPMV_TESTED_FORMATS ${PETSCSPMV_FORMATS} ${CMAKE_CURRENT_LIST_DIR}/formats/csrcopy)
set(PETSCSPMV_TESTS_FOLDER ${CMAKE_CURRENT_LIST_DIR})

# petscspmv_test_formats(TARGET): lets a target include formats.hpp, generated from that list, with `using AllFormats` for typed
# tests and the tests' knowledge of each format (kernels/<format>.hpp); host_formats.hpp and device_formats.hpp also have the
# mappings.
function(petscspmv_test_formats target)
  set(generated ${PROJECT_BINARY_DIR}/test_formats)
  set(types "")
  set(alone "#include \"kernels/config.hpp\"\n")
  set(with_host "#include \"formats.hpp\"\n")
  set(with_device "#include \"formats.hpp\"\n")
  foreach(folder IN LISTS PETSCSPMV_TESTED_FORMATS)
    petscspmv_format(${folder})
    foreach(file ${FORMAT}.hpp ${FORMAT}_test.cpp)
      if(NOT EXISTS ${PETSCSPMV_TESTS_FOLDER}/kernels/${file})
        message(FATAL_ERROR "The format ${FORMAT} lacks tests/kernels/${file} (see tests/kernels/config.hpp)")
      endif()
    endforeach()
    list(APPEND types ${FORMAT}::${FORMAT_TYPE})
    string(APPEND alone "#include \"kernels/${FORMAT}.hpp\"\n")
    string(APPEND with_host "#include \"${FORMAT_FOLDER}/host.hpp\"\n")
    string(APPEND with_device "#include \"${FORMAT_FOLDER}/device.hpp\"\n")
  endforeach()
  list(JOIN types ", " types)
  string(APPEND alone "\n#include <gtest/gtest.h>\n\nnamespace petscspmv::test {\n\n"
    "using AllFormats = ::testing::Types<${types}>;\n\n} // namespace petscspmv::test\n")
  foreach(header alone with_host with_device)
    set(name_alone formats.hpp)
    set(name_with_host host_formats.hpp)
    set(name_with_device device_formats.hpp)
    file(CONFIGURE OUTPUT ${generated}/${name_${header}} @ONLY
      CONTENT "// Made from the list of formats.\n#pragma once\n\n${${header}}")
  endforeach()
  target_include_directories(${target} PRIVATE ${PETSCSPMV_TESTS_FOLDER} ${generated})
endfunction()
