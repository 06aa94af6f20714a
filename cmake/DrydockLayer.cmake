# drydock_layer(NAME SOURCES a.cc … TESTS a_test.cc … BENCHES a_bench.cc … FUZZERS a_fuzz.cc … DEPS base …)
#
# One static library per layer, one GoogleTest binary (<layer>_test) and one Google Benchmark binary (<layer>_bench)
# beside it. DEPS are layers or libraries; src/LAYERS says which layers a layer may include and the `layers` test checks.
include(GoogleTest)

if(DRYDOCK_FUZZ)
  add_custom_target(fuzzers)  # all of them
endif()

function(drydock_layer NAME)
  cmake_parse_arguments(L "" "" "SOURCES;TESTS;BENCHES;FUZZERS;DEPS;TEST_DEPS" ${ARGN})
  add_library(${NAME} STATIC ${L_SOURCES})
  target_link_libraries(${NAME} PUBLIC drydock_options ${L_DEPS})
  if(L_TESTS)
    add_executable(${NAME}_test ${L_TESTS})
    target_link_libraries(${NAME}_test PRIVATE ${NAME} ${L_TEST_DEPS} GTest::gmock GTest::gtest_main)
    target_compile_options(${NAME}_test PRIVATE -O0)  # halves the time they take to compile; they run once
    target_precompile_headers(${NAME}_test PRIVATE <gmock/gmock.h> <gtest/gtest.h>)  # most of what a test compiles
    gtest_discover_tests(${NAME}_test TEST_PREFIX ${NAME}. DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 600)
  endif()
  if(L_BENCHES AND NOT DRYDOCK_SANITIZE)
    add_executable(${NAME}_bench ${L_BENCHES})
    target_link_libraries(${NAME}_bench PRIVATE ${NAME} benchmark::benchmark benchmark::benchmark_main)
  endif()
  if(DRYDOCK_FUZZ)
    foreach(source IN LISTS L_FUZZERS)
      cmake_path(GET source STEM fuzzer)
      add_executable(${NAME}_${fuzzer} ${source})
      target_link_libraries(${NAME}_${fuzzer} PRIVATE ${NAME})
      target_link_options(${NAME}_${fuzzer} PRIVATE -fsanitize=fuzzer)
      add_dependencies(fuzzers ${NAME}_${fuzzer})
    endforeach()
  endif()
endfunction()
