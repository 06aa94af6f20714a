# drydock_add_device_model(NAME SOURCES a.cc b.c … [INCLUDES dir …] [DEFINES X=1 …])
#
# Builds ${CMAKE_BINARY_DIR}/devices/NAME.so, a device model over abi/device/drydock_device.h; target device_NAME, part of
# target `devices`. Its objects are the library device_NAME_objects, so that tests can reach what is inside. A model is
# host code: built by the host's compiler, with the sanitizer of the host that will load it (DRYDOCK_SANITIZE).
set(DRYDOCK_DEVICE_FLAGS
  -Wall -Wextra -Wshadow -Wcast-qual -Wimplicit-fallthrough -Werror -fno-omit-frame-pointer -fno-optimize-sibling-calls
  $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast> $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual> $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>
  $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)

# Local to the linker instead of hidden to the compiler: whoever writes a model need not know an attribute.
set(DRYDOCK_DEVICE_EXPORTS ${CMAKE_BINARY_DIR}/devices/exports.map)
file(CONFIGURE OUTPUT ${DRYDOCK_DEVICE_EXPORTS} CONTENT "{ global: DrydockDeviceModel; local: *; };\n")

add_custom_target(devices ALL)

function(drydock_add_device_model NAME)
  cmake_parse_arguments(D "" "" "SOURCES;INCLUDES;DEFINES" ${ARGN})
  if(D_UNPARSED_ARGUMENTS OR NOT D_SOURCES)
    message(FATAL_ERROR "drydock_add_device_model(${NAME}): SOURCES missing, or unknown arguments: ${D_UNPARSED_ARGUMENTS}")
  endif()

  set(objects device_${NAME}_objects)
  add_library(${objects} OBJECT ${D_SOURCES})
  set_target_properties(${objects} PROPERTIES CXX_STANDARD 17 POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${objects} PUBLIC ${CMAKE_SOURCE_DIR} ${D_INCLUDES})
  target_compile_definitions(${objects} PUBLIC ${D_DEFINES})
  target_compile_options(${objects} PRIVATE ${DRYDOCK_DEVICE_FLAGS} ${DRYDOCK_SANITIZER_FLAGS})

  set(module device_${NAME})
  add_library(${module} MODULE $<TARGET_OBJECTS:${objects}>)
  set_target_properties(${module} PROPERTIES
    PREFIX "" OUTPUT_NAME ${NAME} LINKER_LANGUAGE CXX
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/devices LINK_DEPENDS ${DRYDOCK_DEVICE_EXPORTS})
  target_link_options(${module} PRIVATE ${DRYDOCK_SANITIZER_FLAGS}
    -Wl,--version-script=${DRYDOCK_DEVICE_EXPORTS} -Wl,--require-defined=DrydockDeviceModel)
  add_dependencies(devices ${module})
endfunction()
