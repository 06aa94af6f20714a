# What find_package(drydock) gives to people who write drivers:
#
#   drydock_add_kmd(NAME SOURCES a.c b.cc … [DEFINES X=1 …] [INCLUDES dir …] [DEVICE model] [WORKLOAD file])   kernel-mode display driver
#   drydock_add_umd(NAME SOURCES …)                                                          user-mode display driver
#   drydock_add_ks(NAME SOURCES … [DEVICE model])                                            AVStream minidriver
#
# Each builds ${CMAKE_BINARY_DIR}/drivers/NAME/NAME.so; target NAME, whose property DRYDOCK_DRIVER is that file. DEVICE is
# the model of the hardware, a target or a file, and goes beside the driver as device.so, where the host looks for it;
# WORKLOAD is what clients know of a display driver's commands, and goes there as workload.so. FREE
# builds what would be shipped (DBG 0); without it the build is checked (DBG 1), and assertions are live.
# -DDRYDOCK_SANITIZE=address or =thread builds for `drydock check` under a sanitizer; a plain build is what libdrydock.so
# loads.
include(${CMAKE_CURRENT_LIST_DIR}/DrydockDriver.cmake)

function(drydock_add_kmd NAME)
  _drydock_add_kernel_driver(${NAME} ${ARGN})
endfunction()

# A runtime looks for the entry point of its own generation: one of them is required.
function(drydock_add_umd NAME)
  cmake_parse_arguments(U "" "" "EXPORTS" ${ARGN})
  if(NOT U_EXPORTS)
    set(U_EXPORTS OpenAdapter)
  endif()
  drydock_add_driver(${NAME} USER SUBDIR ${NAME} TARGET ${NAME} EXPORTS ${U_EXPORTS} ${U_UNPARSED_ARGUMENTS})
endfunction()

function(drydock_add_ks NAME)
  _drydock_add_kernel_driver(${NAME} ${ARGN})
endfunction()

function(_drydock_add_kernel_driver NAME)
  cmake_parse_arguments(K "" "DEVICE;WORKLOAD" "" ${ARGN})
  drydock_add_driver(${NAME} SUBDIR ${NAME} TARGET ${NAME} EXPORTS DriverEntry ${K_UNPARSED_ARGUMENTS})
  if(K_DEVICE)
    _drydock_put_beside(${NAME} device ${K_DEVICE})
  endif()
  if(K_WORKLOAD)
    _drydock_put_beside(${NAME} workload ${K_WORKLOAD})
  endif()
endfunction()

function(_drydock_put_beside NAME KIND FILE)
  set(to ${CMAKE_BINARY_DIR}/drivers/${NAME}/${KIND}.so)
  set(from ${FILE})
  if(TARGET ${FILE})
    set(from $<TARGET_FILE:${FILE}>)
  else()
    cmake_path(ABSOLUTE_PATH from NORMALIZE)
  endif()
  add_custom_command(OUTPUT ${to}
    COMMAND ${CMAKE_COMMAND} -E copy ${from} ${to}
    DEPENDS ${FILE}
    COMMENT "Putting the ${KIND} beside driver ${NAME}" VERBATIM)
  add_custom_target(${NAME}_${KIND} DEPENDS ${to})
  add_dependencies(${NAME} ${NAME}_${KIND})
endfunction()
