# drydock_layer(NAME SOURCES a.cc … TESTS a_test.cc … BENCHES a_bench.cc … FUZZERS a_fuzz.cc … DEPS base …
#               [PRECOMPILED_OF layer] [FIXTURES testing/x.h …] [TEST_DEPS library …] [FUZZ_DEPS library …] [COLD])
#
# One static library per layer, one GoogleTest binary (<layer>_test) and one Google Benchmark binary (<layer>_bench)
# beside it. DEPS are layers or libraries; src/LAYERS says which layers a layer may include and the `layers` test checks.
# precompiled.h of the layer's folder, if there is one, is compiled once for the library and once for its tests;
# PRECOMPILED_OF uses another layer's, for a layer that includes little else. FIXTURES are precompiled for the tests too.
# COLD: little of it runs often; under a sanitizer it is not optimised, which halves the time it takes to compile.
#
# The test binary exists where DRYDOCK_UNIT_TESTS is on: in the sanitized trees, and in others if asked for.
include(GoogleTest)

add_custom_target(benches)  # all of them
if(DRYDOCK_FUZZ)
  add_custom_target(fuzzers)  # all of them
endif()

# drydock_test(TARGET [PRECOMPILED header …]): how every test program is compiled. All use one precompiled GoogleTest,
# unless they bring a header to precompile with it.
set(test_headers <gmock/gmock.h> <gtest/gtest.h> <fmt/format.h>)
set(test_libraries drydock_options GTest::gmock GTest::gtest_main)
set(test_options -O0)  # halves the time they take to compile; they run once
add_executable(test_precompiled EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/test_precompiled.cc)
target_link_libraries(test_precompiled PRIVATE ${test_libraries})
target_compile_options(test_precompiled PRIVATE ${test_options})
target_precompile_headers(test_precompiled PRIVATE ${test_headers})

function(drydock_test TARGET)
  cmake_parse_arguments(T "" "" "PRECOMPILED" ${ARGN})
  target_link_libraries(${TARGET} PRIVATE ${test_libraries})
  target_compile_options(${TARGET} PRIVATE ${test_options})
  if(T_PRECOMPILED)
    target_precompile_headers(${TARGET} PRIVATE ${test_headers} ${T_PRECOMPILED})
  else()
    target_precompile_headers(${TARGET} REUSE_FROM test_precompiled)
  endif()
endfunction()

# drydock_unit_tests(TARGET PREFIX): all of a program's tests, in one process for each half of them. A process for each
# test costs several times what the tests do. Each leaves a report in gtest/, in which scripts/test counts the tests.
function(drydock_unit_tests TARGET PREFIX)
  foreach(half IN ITEMS 0 1)
    add_test(NAME ${PREFIX}.half-${half} COMMAND ${TARGET} --gtest_brief=1)
    set_tests_properties(${PREFIX}.half-${half} PROPERTIES TIMEOUT 900 ENVIRONMENT
      "GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=${half};GTEST_OUTPUT=xml:${CMAKE_BINARY_DIR}/gtest/${PREFIX}-${half}.xml")
  endforeach()
endfunction()

function(drydock_layer NAME)
  cmake_parse_arguments(L "COLD" "PRECOMPILED_OF" "SOURCES;TESTS;BENCHES;FUZZERS;DEPS;TEST_DEPS;FUZZ_DEPS;FIXTURES" ${ARGN})
  add_library(${NAME} STATIC ${L_SOURCES})
  target_link_libraries(${NAME} PUBLIC drydock_options ${L_DEPS})
  if(L_COLD AND DRYDOCK_SANITIZE)
    target_compile_options(${NAME} PRIVATE -O0)
  endif()
  set(precompiled ${CMAKE_CURRENT_SOURCE_DIR}/precompiled.h)
  if(L_PRECOMPILED_OF)
    set(precompiled ${CMAKE_SOURCE_DIR}/src/${L_PRECOMPILED_OF}/precompiled.h)
    target_precompile_headers(${NAME} REUSE_FROM ${L_PRECOMPILED_OF})
  elseif(EXISTS ${precompiled})
    target_precompile_headers(${NAME} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${precompiled}>)
  else()
    set(precompiled)
  endif()
  if(L_TESTS AND DRYDOCK_UNIT_TESTS)
    add_executable(${NAME}_test ${L_TESTS})
    target_link_libraries(${NAME}_test PRIVATE ${NAME} ${L_TEST_DEPS})
    list(TRANSFORM L_FIXTURES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    drydock_test(${NAME}_test PRECOMPILED ${precompiled} ${L_FIXTURES})
    drydock_unit_tests(${NAME}_test ${NAME})
  endif()
  if(L_BENCHES AND NOT DRYDOCK_SANITIZE)
    add_executable(${NAME}_bench EXCLUDE_FROM_ALL ${L_BENCHES})
    add_dependencies(benches ${NAME}_bench)
    target_link_libraries(${NAME}_bench PRIVATE ${NAME} benchmark::benchmark benchmark::benchmark_main)
  endif()
  if(DRYDOCK_FUZZ)
    # Faults for fuzzers to find, where a file has one (base/planted.h).
    foreach(source IN LISTS L_SOURCES)
      set(planted)
      cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
      if(EXISTS ${path})
        file(STRINGS ${path} planted REGEX "^#include \"base/planted.h\"")
      endif()
      if(planted)
        set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS DRYDOCK_PLANTED)
      endif()
    endforeach()
    foreach(source IN LISTS L_FUZZERS)
      cmake_path(GET source STEM fuzzer)
      add_executable(${NAME}_${fuzzer} ${source})
      target_link_libraries(${NAME}_${fuzzer} PRIVATE ${L_FUZZ_DEPS} ${NAME})
      target_link_options(${NAME}_${fuzzer} PRIVATE -fsanitize=fuzzer)
      add_dependencies(fuzzers ${NAME}_${fuzzer})
    endforeach()
  endif()
endfunction()
