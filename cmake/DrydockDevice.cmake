# drydock_add_device_model(NAME SOURCES a.cc b.c … [INCLUDES dir …] [DEFINES X=1 …])
# drydock_add_workload(NAME SOURCES a.cc b.c … [INCLUDES dir …] [DEFINES X=1 …])
#
# Builds ${CMAKE_BINARY_DIR}/devices/NAME.so, a device model over abi/device/drydock_device.h (target device_NAME), or
# ${CMAKE_BINARY_DIR}/workloads/NAME.so, a workload over abi/workload/drydock_workload.h (target workload_NAME); both are
# part of target `devices`. The objects are the library device_NAME_objects or workload_NAME_objects, so that tests can
# reach what is inside. They are host code: built by the host's compiler, with the sanitizer of the host that will load
# them (DRYDOCK_SANITIZE).
set(DRYDOCK_DEVICE_FLAGS
  -Wall -Wextra -Wshadow -Wcast-qual -Wimplicit-fallthrough -Werror -fno-omit-frame-pointer -fno-optimize-sibling-calls
  $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast> $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual> $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>
  $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)

add_custom_target(devices ALL)

function(drydock_add_device_model NAME)
  _drydock_add_host_module(${NAME} device DrydockDeviceModel ${ARGN})
endfunction()

function(drydock_add_workload NAME)
  _drydock_add_host_module(${NAME} workload DrydockWorkload ${ARGN})
endfunction()

function(_drydock_add_host_module NAME KIND FUNCTION)
  cmake_parse_arguments(D "" "" "SOURCES;INCLUDES;DEFINES" ${ARGN})
  if(D_UNPARSED_ARGUMENTS OR NOT D_SOURCES)
    message(FATAL_ERROR "the ${KIND} ${NAME}: SOURCES missing, or unknown arguments: ${D_UNPARSED_ARGUMENTS}")
  endif()

  # Local to the linker instead of hidden to the compiler: the author of a model need not know an attribute.
  set(exports ${CMAKE_BINARY_DIR}/${KIND}s/exports.map)
  file(CONFIGURE OUTPUT ${exports} CONTENT "{ global: ${FUNCTION}; local: *; };\n")

  set(objects ${KIND}_${NAME}_objects)
  add_library(${objects} OBJECT ${D_SOURCES})
  set_target_properties(${objects} PROPERTIES CXX_STANDARD 17 POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${objects} PUBLIC ${CMAKE_SOURCE_DIR} ${D_INCLUDES})
  target_compile_definitions(${objects} PUBLIC ${D_DEFINES})
  target_compile_options(${objects} PRIVATE ${DRYDOCK_DEVICE_FLAGS} ${DRYDOCK_SANITIZER_FLAGS})

  set(module ${KIND}_${NAME})
  add_library(${module} MODULE $<TARGET_OBJECTS:${objects}>)
  set_target_properties(${module} PROPERTIES
    PREFIX "" OUTPUT_NAME ${NAME} LINKER_LANGUAGE CXX
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${KIND}s LINK_DEPENDS ${exports})
  target_link_options(${module} PRIVATE ${DRYDOCK_SANITIZER_FLAGS}
    -Wl,--version-script=${exports} -Wl,--require-defined=${FUNCTION})
  add_dependencies(devices ${module})
endfunction()
