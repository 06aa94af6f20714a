# drydock_add_driver(NAME SOURCES a.c b.cc … [DEFINES X=1 …] [INCLUDES dir …] [EXPORTS DriverEntry …] [SUBDIR bad/nt]
#                    [TARGET name] [ON driver_x] [WRAPS function …] [USER] [FREE])
#
# Builds ${CMAKE_BINARY_DIR}/drivers/[SUBDIR/]NAME.so; target driver_[SUBDIR_]NAME unless named, part of target `drivers`;
# the target's property DRYDOCK_DRIVER is the file, DRYDOCK_DRIVER_OBJECTS what it is linked from. Always with clang 14,
# whatever compiles the host: it alone accepts real drivers unmodified and instruments their edges. Each tree builds the
# one variant its own host can load: plain, with ASan and UBSan, or with TSan. The sanitizers' runtime is the host's; their
# symbols stay undefined in the driver, like the NT functions.
#
# ON links the objects of another driver too, so that its sources are compiled once. WRAPS sends every call of a function
# to the driver's own __wrap_FUNCTION, which reaches the true one as __real_FUNCTION. USER is a driver of user mode. FREE
# is the free build: DBG is 0, so that ASSERT, NT_ASSERT, KdPrint and PAGED_CODE are nothing, as in what is shipped. Without
# it the build is checked (DBG 1). -DDRYDOCK_DRIVER_BUILD=free makes all of them free.
#
# An installed copy of this file says before where the headers are and what `drivers` is called there (DRYDOCK_ABI_DIR,
# DRYDOCK_DRIVERS_TARGET).
cmake_policy(PUSH)
cmake_policy(SET CMP0116 OLD)  # see _drydock_compile_driver_source
find_program(DRYDOCK_DRIVER_CLANG clang-14 REQUIRED)
find_program(DRYDOCK_DRIVER_CLANGXX clang++-14 REQUIRED)

set(DRYDOCK_DRIVER_TOOLS ${CMAKE_CURRENT_LIST_DIR})
if(NOT DRYDOCK_ABI_DIR)
  cmake_path(SET DRYDOCK_ABI_DIR NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../abi)
endif()
if(NOT DRYDOCK_DRIVERS_TARGET)
  set(DRYDOCK_DRIVERS_TARGET drivers)
endif()
set(DRYDOCK_DRIVER_FLAGS
  # The language MSVC speaks. wchar_t has 16 bits and bit-fields are laid out as there.
  -fms-extensions -fms-compatibility -fshort-wchar -mms-bitfields -fPIC -fno-builtin
  # abi/crt stands in for the C library: glibc's headers break under -fms-compatibility.
  -nostdinc -I${DRYDOCK_ABI_DIR}/crt -I${DRYDOCK_ABI_DIR}/shared
  -DDRYDOCK_DRIVER=1 -D_AMD64_=1 -D_M_AMD64=100 -D_M_X64=100 -D_WIN64=1
  # Signed integers wrap, which code that was written for MSVC relies on.
  -fwrapv
  # Pragmas of other compilers and pool tags ('looD') are part of the language too.
  -Wall ${DRYDOCK_DRIVER_WERROR} -Wno-unknown-pragmas -Wno-multichar
  # Stacks are taken by frame pointers; edges are the scheduler's fuel and the check of pageable code, which would not
  # see a pageable function that was inlined into a resident one (only what the driver calls inline is).
  -g -O1 -finline-hint-functions -fno-omit-frame-pointer -fno-optimize-sibling-calls -fsanitize-coverage=trace-pc-guard,pc-table)
set(DRYDOCK_DRIVER_KERNEL_FLAGS -I${DRYDOCK_ABI_DIR}/km -I${DRYDOCK_ABI_DIR}/ks -I${DRYDOCK_ABI_DIR}/device -D_KERNEL_MODE=1)
set(DRYDOCK_DRIVER_USER_FLAGS -I${DRYDOCK_ABI_DIR}/um)
# In a free build variables that only an assertion looks at are unused.
set(DRYDOCK_DRIVER_FREE_FLAGS -Wno-unused-variable -Wno-unused-but-set-variable)
set(DRYDOCK_DRIVER_BUILD "checked" CACHE STRING "How drivers are built: checked (DBG 1) or free (DBG 0)")
set_property(CACHE DRYDOCK_DRIVER_BUILD PROPERTY STRINGS checked free)
if(NOT DRYDOCK_DRIVER_BUILD MATCHES "^(checked|free)$")
  message(FATAL_ERROR "DRYDOCK_DRIVER_BUILD=${DRYDOCK_DRIVER_BUILD}: expected checked or free")
endif()
set(DRYDOCK_DRIVER_C_FLAGS -std=c11)
# Sized operator delete is preferred where a driver has one (some have no other); the host has no guards for statics.
set(DRYDOCK_DRIVER_CXX_FLAGS -std=c++17 -fno-exceptions -fno-rtti -fsized-deallocation -fno-threadsafe-statics)

# No C library, no libstdc++, no start files: what is left undefined is the host's to provide.
set(DRYDOCK_DRIVER_LINK_FLAGS -shared -nostdlib -Wl,-Bsymbolic -Wl,-z,now -Wl,-z,noexecstack -Wl,--build-id)

if(DRYDOCK_SANITIZE STREQUAL "address")
  # Command streams are full of unaligned words; `function` and `vptr` need RTTI. For MSVC an enumeration is an int that
  # holds every value, and signed arithmetic wraps.
  list(APPEND DRYDOCK_DRIVER_FLAGS -fsanitize=address,undefined
    -fno-sanitize=function,vptr,alignment,enum,signed-integer-overflow -fno-sanitize-recover=undefined)
elseif(DRYDOCK_SANITIZE STREQUAL "thread")
  list(APPEND DRYDOCK_DRIVER_FLAGS -fsanitize=thread)
endif()

if(NOT TARGET ${DRYDOCK_DRIVERS_TARGET})
  add_custom_target(${DRYDOCK_DRIVERS_TARGET} ALL)
endif()

function(drydock_add_driver NAME)
  cmake_parse_arguments(D "USER;FREE" "SUBDIR;TARGET;ON" "SOURCES;DEFINES;INCLUDES;EXPORTS;WRAPS" ${ARGN})
  if(D_UNPARSED_ARGUMENTS OR NOT D_SOURCES)
    message(FATAL_ERROR "drydock_add_driver(${NAME}): SOURCES missing, or unknown arguments: ${D_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT D_EXPORTS)
    set(D_EXPORTS DriverEntry)
  endif()
  list(TRANSFORM D_DEFINES PREPEND -D)
  list(TRANSFORM D_INCLUDES PREPEND -I)

  cmake_path(APPEND CMAKE_BINARY_DIR drivers ${D_SUBDIR} OUTPUT_VARIABLE output_dir)
  cmake_path(APPEND D_SUBDIR ${NAME} OUTPUT_VARIABLE qualified_name)
  string(MAKE_C_IDENTIFIER driver_${qualified_name} target)
  if(D_TARGET)
    set(target ${D_TARGET})
  endif()
  set(work_dir ${CMAKE_CURRENT_BINARY_DIR}/${target}.dir)
  file(MAKE_DIRECTORY ${output_dir} ${work_dir})

  set(mode ${DRYDOCK_DRIVER_KERNEL_FLAGS})
  if(D_USER)
    set(mode ${DRYDOCK_DRIVER_USER_FLAGS})
  endif()
  if(NOT "${D_DEFINES}" MATCHES "(^|;)-DDBG(=|;|$)")  # a driver may say it in its own way
    if(D_FREE OR DRYDOCK_DRIVER_BUILD STREQUAL "free")
      list(APPEND D_DEFINES -DDBG=0)
    else()
      list(APPEND D_DEFINES -DDBG=1)
    endif()
  endif()
  if("-DDBG=0" IN_LIST D_DEFINES)
    list(APPEND mode ${DRYDOCK_DRIVER_FREE_FLAGS})
  endif()
  set(objects)
  foreach(source IN LISTS D_SOURCES)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    _drydock_compile_driver_source(${source} ${work_dir} object ${mode} ${D_DEFINES} ${D_INCLUDES})
    list(APPEND objects ${object})
  endforeach()

  if(D_ON)
    get_target_property(below ${D_ON} DRYDOCK_DRIVER_OBJECTS)
    list(APPEND objects ${below})
  endif()
  list(TRANSFORM D_WRAPS PREPEND -Wl,--wrap=)

  list(JOIN D_EXPORTS "; " exports)
  configure_file(${DRYDOCK_DRIVER_TOOLS}/driver.map.in ${work_dir}/exports.map @ONLY)
  list(TRANSFORM D_EXPORTS PREPEND -Wl,--require-defined= OUTPUT_VARIABLE required)
  # Only C++ can ask for what driver-ld looks for, and the objects of another driver were looked at with it.
  set(linker ${DRYDOCK_DRIVER_CLANG})
  if(D_SOURCES MATCHES "[.](cc|cpp|cxx)")
    set(linker ${DRYDOCK_DRIVER_TOOLS}/driver-ld ${DRYDOCK_DRIVER_CLANG})
  endif()
  set(module ${output_dir}/${NAME}.so)
  add_custom_command(OUTPUT ${module}
    COMMAND ${linker} -o ${module} ${DRYDOCK_DRIVER_LINK_FLAGS}
            -Wl,--version-script=${work_dir}/exports.map ${required} ${D_WRAPS} ${objects}
    DEPENDS ${objects} ${work_dir}/exports.map ${DRYDOCK_DRIVER_TOOLS}/driver-ld
    COMMENT "Linking driver ${qualified_name}.so" VERBATIM)
  add_custom_target(${target} DEPENDS ${module})
  set_target_properties(${target} PROPERTIES DRYDOCK_DRIVER ${module} DRYDOCK_DRIVER_OBJECTS "${objects}")
  if(D_ON)
    add_dependencies(${target} ${D_ON})
  endif()
  add_dependencies(${DRYDOCK_DRIVERS_TARGET} ${target})
endfunction()

# One object file of a driver; its path is returned in OBJECT_VARIABLE. Headers are followed by the depfile.
function(_drydock_compile_driver_source SOURCE WORK_DIR OBJECT_VARIABLE)
  cmake_path(GET SOURCE EXTENSION LAST_ONLY extension)
  if(extension STREQUAL ".c")
    set(compiler ${DRYDOCK_DRIVER_CLANG})
    set(flags ${DRYDOCK_DRIVER_FLAGS} ${DRYDOCK_DRIVER_C_FLAGS})
  else()
    set(compiler ${DRYDOCK_DRIVER_CLANGXX})
    set(flags ${DRYDOCK_DRIVER_FLAGS} ${DRYDOCK_DRIVER_CXX_FLAGS})
  endif()
  # Two files of one name in different folders are common (kmd/device.c, hw/device.c).
  cmake_path(RELATIVE_PATH SOURCE BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE name)
  string(MAKE_C_IDENTIFIER ${name} name)
  set(object ${WORK_DIR}/${name}.o)
  set(depfile_target ${object})
  if(CMAKE_GENERATOR STREQUAL "Ninja")  # reads the file as it is, without a process that translates it (CMP0116 OLD)
    cmake_path(RELATIVE_PATH object BASE_DIRECTORY ${CMAKE_BINARY_DIR} OUTPUT_VARIABLE depfile_target)
  endif()
  add_custom_command(OUTPUT ${object}
    COMMAND ${DRYDOCK_DRIVER_TOOLS}/driver-cc ${compiler} ${SOURCE} ${object} ${object}.d ${depfile_target} ${flags} ${ARGN}
    DEPENDS ${SOURCE} ${DRYDOCK_DRIVER_TOOLS}/driver-cc ${DRYDOCK_DRIVER_TOOLS}/driver-cc.sed
            ${DRYDOCK_DRIVER_TOOLS}/driver-prelude.h
    DEPFILE ${object}.d
    COMMENT "Building driver object ${name}.o" VERBATIM)
  set(${OBJECT_VARIABLE} ${object} PARENT_SCOPE)
endfunction()

cmake_policy(POP)
