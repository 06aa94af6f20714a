# cmake -DBUILD=tree -DWORK=folder -DEXAMPLES=folder -DVERSION=version -P install_test.cmake
#
# Installs a build tree, moves the result, and uses it as a stranger would: cmake and g++, no sources but examples/.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  message("${output}")
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${result}: ${command}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
file(RENAME ${WORK}/first ${WORK}/prefix)
set(prefix ${WORK}/prefix)
file(COPY ${EXAMPLES} DESTINATION ${WORK})

# --- cmake ---

set(ENV{CC} gcc)
set(ENV{CXX} g++)
run(${CMAKE_COMMAND} -S ${WORK}/examples -B ${WORK}/build -DCMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/build --output-on-failure --no-tests=error)

# --- g++ ---

find_program(PKG_CONFIG pkg-config REQUIRED)
set(ENV{PKG_CONFIG_PATH} ${prefix}/lib/pkgconfig)
run(${PKG_CONFIG} --modversion drydock)
if(NOT output STREQUAL "${VERSION}\n")
  message(FATAL_ERROR "the package is of version ${output}")
endif()
run(${PKG_CONFIG} --cflags --libs drydock)
separate_arguments(flags UNIX_COMMAND "${output}")
run(g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror ${WORK}/examples/gtest/kmd_test.cc -o ${WORK}/kmd_test
  "-DKMD=\"${WORK}/build/drivers/skeleton/skeleton.so\"" ${flags} -lgtest -lgtest_main -Wl,-rpath,${prefix}/lib)
run(${WORK}/kmd_test)

# Each header alone.
file(GLOB headers RELATIVE ${prefix}/include ${prefix}/include/drydock/*.h)
foreach(header IN LISTS headers)
  file(WRITE ${WORK}/alone.cc "#include <${header}>\n")
  run(g++ -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only -I${prefix}/include ${WORK}/alone.cc)
endforeach()

# --- What the library shows ---

run(nm --dynamic --defined-only --demangle ${prefix}/lib/libdrydock.so)
foreach(inside IN ITEMS "nt::" "base::" "dxgk::" "kmt::" "ks::" "verifier::" "drydock::internal")
  if(output MATCHES " ${inside}[A-Za-z_]+")
    message(FATAL_ERROR "libdrydock.so shows its insides: ${CMAKE_MATCH_0}")
  endif()
endforeach()
foreach(needed IN ITEMS "DxgkInitialize" "KsInitializeDriver" "KeSetEvent" "drydock::Host::stop" "__sanitizer_cov_trace_pc_guard")
  string(FIND "${output}" "${needed}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "libdrydock.so does not show ${needed}")
  endif()
endforeach()
