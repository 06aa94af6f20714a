# The flags every piece of Drydock's own code is built with. Drivers have their own (DrydockDriver.cmake).
add_library(drydock_options INTERFACE)
target_include_directories(drydock_options INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR})
target_compile_options(drydock_options INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual -Woverloaded-virtual -Wimplicit-fallthrough
  -Werror -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-rtti
  # A target whose libraries report through exceptions says so.
  $<IF:$<BOOL:$<TARGET_PROPERTY:DRYDOCK_EXCEPTIONS>>,-fexceptions,-fno-exceptions>)
# The kernel's WCHAR, where wchar_t has four bytes (abi/shared/ntdef.h).
target_compile_definitions(drydock_options INTERFACE DRYDOCK_UTF16=1)
target_link_libraries(drydock_options INTERFACE fmt::fmt)

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(drydock_options INTERFACE -Wthread-safety -Wno-gnu-statement-expression)
  add_compile_options(-fdiagnostics-absolute-paths)
endif()

if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  # Optimised enough that a seed stays cheap under a sanitizer, not so far that a stack becomes a riddle.
  set(CMAKE_C_FLAGS_DEBUG "-O1 -g1")
  set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1")
  target_compile_definitions(drydock_options INTERFACE DRYDOCK_DEBUG=1)
else()
  set(CMAKE_C_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
  # A scheduling point goes through four layers of small functions; seen as one they cost a third less. It makes every
  # link slow, so only the tree for benchmarks asks for it.
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ${DRYDOCK_LTO})
endif()

if(DRYDOCK_SANITIZE STREQUAL "address")
  set(DRYDOCK_SANITIZER_FLAGS -fsanitize=address,undefined -fno-sanitize=function,vptr -fno-sanitize-recover=undefined)
elseif(DRYDOCK_SANITIZE STREQUAL "thread")
  set(DRYDOCK_SANITIZER_FLAGS -fsanitize=thread)
elseif(DRYDOCK_SANITIZE)
  message(FATAL_ERROR "DRYDOCK_SANITIZE='${DRYDOCK_SANITIZE}': expected '', 'address' or 'thread'")
endif()
if(DRYDOCK_FUZZ)
  list(APPEND DRYDOCK_SANITIZER_FLAGS -fsanitize=fuzzer-no-link)
endif()
if(DRYDOCK_COVERAGE)
  list(APPEND DRYDOCK_SANITIZER_FLAGS -fprofile-instr-generate -fcoverage-mapping)
endif()
target_compile_options(drydock_options INTERFACE ${DRYDOCK_SANITIZER_FLAGS})
target_link_options(drydock_options INTERFACE ${DRYDOCK_SANITIZER_FLAGS})

# It links in a third of the time, and there are some 150 programs of tests. It cannot read the objects of g++'s LTO,
# and the tree of TSan has not been tried with it.
if(NOT DRYDOCK_LTO AND NOT DRYDOCK_SANITIZE STREQUAL "thread")
  target_link_options(drydock_options INTERFACE -fuse-ld=lld)
endif()
