# cmake --install: library, headers, CMake package and pkg-config file.
include(CMakePackageConfigHelpers)

install(TARGETS petscspmv EXPORT petscspmv
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT petscspmv NAMESPACE petscspmv:: FILE petscspmvTargets.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/petscspmv)

configure_package_config_file(${PROJECT_SOURCE_DIR}/config/cmake/petscspmvConfig.cmake.in
  ${PROJECT_BINARY_DIR}/petscspmvConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/petscspmv)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/petscspmvConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/petscspmvConfig.cmake ${PROJECT_BINARY_DIR}/petscspmvConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/config/cmake/FindPETSc.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/petscspmv)

# Relative to the file itself: cmake --install may be told another prefix.
file(RELATIVE_PATH PETSCSPMV_PC_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
string(PREPEND PETSCSPMV_PC_PREFIX "\${pcfiledir}/")
# PETSc's flags themselves, not "Requires: petsc": of several PETSc that name may mean another.
list(JOIN PETSC_PC_LDFLAGS " " PETSCSPMV_PC_LIBS)
list(JOIN PETSC_PC_CFLAGS " " PETSCSPMV_PC_CFLAGS)
configure_file(${PROJECT_SOURCE_DIR}/config/cmake/petscspmv.pc.in ${PROJECT_BINARY_DIR}/petscspmv.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/petscspmv.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
