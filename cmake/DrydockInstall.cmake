# What `make install` puts where. Everything finds everything else relative to itself, so that the tree can be moved.
#
#   bin/drydock                       libexec/drydock/drydock-plain (and its sanitized twins: the Makefile brings them)
#   lib/libdrydock.so                 lib/cmake/drydock, lib/pkgconfig/drydock.pc
#   lib/drydock/drivers, …/softgpu    include/drydock, include/drydock/abi, include/drydock/softgpu
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(abi_dir ${CMAKE_INSTALL_INCLUDEDIR}/drydock/abi)
set(softgpu_dir ${CMAKE_INSTALL_LIBDIR}/drydock/drivers/softgpu)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/drydock)

# --- Programs and libraries ---

set_target_properties(drydock PROPERTIES EXPORT_NAME command)
install(TARGETS drydock libdrydock EXPORT drydockTargets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(PROGRAMS $<TARGET_FILE:drydock> DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/drydock RENAME drydock-plain)
add_custom_target(installable DEPENDS drydock libdrydock drivers devices)
if(TARGET libdxcore)
  set_target_properties(libdxcore PROPERTIES EXPORT_NAME dxcore)
  install(TARGETS libdxcore EXPORT drydockTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  add_dependencies(installable libdxcore)
endif()
# CMake's own folders for drivers/softgpu lie there as well.
foreach(driver IN ITEMS testcam ksalloc kssg)
  install(FILES ${CMAKE_BINARY_DIR}/drivers/${driver}.so DESTINATION ${CMAKE_INSTALL_LIBDIR}/drydock/drivers)
endforeach()
foreach(driver IN ITEMS testcam kssg)
  install(FILES ${CMAKE_BINARY_DIR}/drivers/${driver}.device.so DESTINATION ${CMAKE_INSTALL_LIBDIR}/drydock/drivers)
endforeach()
install(DIRECTORY ${CMAKE_BINARY_DIR}/drivers/softgpu/ DESTINATION ${softgpu_dir} FILES_MATCHING PATTERN "*.so"
  PATTERN "CMakeFiles" EXCLUDE PATTERN "*.dir" EXCLUDE PATTERN "hw" EXCLUDE)

# --- Headers ---

install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/drydock DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${CMAKE_BINARY_DIR}/include/drydock/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/drydock)
foreach(folder IN ITEMS crt shared km um ks device workload)
  if(EXISTS ${CMAKE_SOURCE_DIR}/abi/${folder})
    install(DIRECTORY ${CMAKE_SOURCE_DIR}/abi/${folder} DESTINATION ${abi_dir} FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
  endif()
endforeach()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/drivers/softgpu/proto/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/drydock/softgpu
  FILES_MATCHING PATTERN "*.h")

add_library(abi INTERFACE)
target_include_directories(abi INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  $<INSTALL_INTERFACE:${abi_dir}/shared> $<INSTALL_INTERFACE:${abi_dir}/device> $<INSTALL_INTERFACE:${abi_dir}/workload>)
install(TARGETS abi EXPORT drydockTargets)
target_link_libraries(libdrydock INTERFACE abi)  # the structures of Process::call

# --- Packages ---

install(EXPORT drydockTargets NAMESPACE drydock:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/drydockConfig.cmake.in ${CMAKE_BINARY_DIR}/drydockConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS abi_dir softgpu_dir)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/drydockConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/drydockConfig.cmake ${CMAKE_BINARY_DIR}/drydockConfigVersion.cmake
  DESTINATION ${package_dir})
foreach(file IN ITEMS DrydockDriver.cmake DrydockKinds.cmake driver-cc.sed driver-prelude.h driver.map.in)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/${file} DESTINATION ${package_dir})
endforeach()
install(PROGRAMS ${CMAKE_CURRENT_LIST_DIR}/driver-cc ${CMAKE_CURRENT_LIST_DIR}/driver-ld DESTINATION ${package_dir})

cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
  BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE pc_prefix)
configure_file(${CMAKE_CURRENT_LIST_DIR}/drydock.pc.in ${CMAKE_BINARY_DIR}/drydock.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/drydock.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
