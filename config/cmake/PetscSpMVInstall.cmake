# cmake --install: library, headers, CMake package and pkg-config file; of the project itself also spmvbench, pages and examples.
include(CMakePackageConfigHelpers)

# The number of the file changes when programs that link the library have to be built again. Which PETSc it is for is no part of its
# name: the file of PETSc that it needs says that, and libraries for several PETSc are in folders of their own.
# It is linked as it is installed, so that no length of a path of the build folder is left in it.
set_target_properties(petscspmv PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  INSTALL_RPATH $ORIGIN INSTALL_RPATH_USE_LINK_PATH ON BUILD_WITH_INSTALL_RPATH ON)
install(TARGETS petscspmv EXPORT petscspmv
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT petscspmv NAMESPACE petscspmv:: FILE petscspmvTargets.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/petscspmv)

configure_package_config_file(${PROJECT_SOURCE_DIR}/config/cmake/petscspmvConfig.cmake.in
  ${PROJECT_BINARY_DIR}/petscspmvConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/petscspmv)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/petscspmvConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/petscspmvConfig.cmake ${PROJECT_BINARY_DIR}/petscspmvConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/config/cmake/FindPETSc.cmake ${PROJECT_SOURCE_DIR}/config/cmake/MPIOfPETSc.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/petscspmv)

# Relative to the file itself: cmake --install may be told another prefix.
file(RELATIVE_PATH PETSCSPMV_PC_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
string(PREPEND PETSCSPMV_PC_PREFIX "\${pcfiledir}/")
# PETSc's flags themselves, not "Requires: petsc": of several PETSc that name may mean another.
list(JOIN PETSC_PC_LDFLAGS " " PETSCSPMV_PC_LIBS)
if(PETSC_PC_CFLAGS)
  list(FILTER PETSC_PC_CFLAGS EXCLUDE REGEX "^-W|_FORTIFY_SOURCE") # of Debian's own build
endif()
list(JOIN PETSC_PC_CFLAGS " " PETSCSPMV_PC_CFLAGS)
configure_file(${PROJECT_SOURCE_DIR}/config/cmake/petscspmv.pc.in ${PROJECT_BINARY_DIR}/petscspmv.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/petscspmv.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The examples come with the readers of files and the generators of matrices that they use, and build with what is installed.
if(PROJECT_IS_TOP_LEVEL)
  set(_examples ${CMAKE_INSTALL_DOCDIR}/examples)
  install(FILES CHANGELOG.md CITATION.cff CONTRIBUTING.md LICENSE NOTICE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN *.md PATTERN static EXCLUDE)
  # Further pages that these lead to, without their pictures.
  file(GLOB pages RELATIVE ${PROJECT_SOURCE_DIR} benchmarks/*.md benchmarks/*/README.md packaging/README.md
    packaging/*/README.md python/README.md src/benchmarks/*.md src/p*/README.md src/mat/*/README.md
    src/mat/impls/*/README.md)
  foreach(page IN LISTS pages)
    get_filename_component(folder ${page} DIRECTORY)
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
  endforeach()
  install(FILES benchmarks/solves.svg DESTINATION ${CMAKE_INSTALL_DOCDIR}/benchmarks OPTIONAL) # the first page shows it
  install(DIRECTORY examples/ DESTINATION ${_examples} PATTERN CMakeLists.txt EXCLUDE)
  install(DIRECTORY config/cmake/installed_examples/ DESTINATION ${_examples})
  install(DIRECTORY src/matio DESTINATION ${_examples} FILES_MATCHING PATTERN *.?pp)
  install(FILES src/petsc/success.hpp DESTINATION ${_examples}/petsc)
endif()
