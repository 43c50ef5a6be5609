# Verilated models, made when what needs them is built. SPDX-License-Identifier: Apache-2.0
find_program(VERILATOR verilator REQUIRED)
execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT
  OUTPUT_VARIABLE VERILATOR_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

# What all models stand on. Generated code and Verilator's own are not held to our warnings.
add_library(verilated STATIC
  ${VERILATOR_ROOT}/include/verilated.cpp
  ${VERILATOR_ROOT}/include/verilated_threads.cpp
  ${CMAKE_SOURCE_DIR}/model/waves/verilated_stop.cpp)
target_include_directories(verilated SYSTEM PUBLIC
  ${VERILATOR_ROOT}/include ${VERILATOR_ROOT}/include/vltstd)
if(AMALGAM_COVERAGE)
  target_sources(verilated PRIVATE ${VERILATOR_ROOT}/include/verilated_cov.cpp)
  set(NO_GCOV -fno-profile-arcs -fno-test-coverage)   # of C++ that nobody wrote
endif()
target_compile_definitions(verilated PUBLIC VM_COVERAGE=$<BOOL:${AMALGAM_COVERAGE}> VM_SC=0 VM_TRACE=0 VL_USER_STOP)
target_link_libraries(verilated INTERFACE
  amalgam_include                          # waves/verilated_end.h
  $<$<CXX_COMPILER_ID:Clang>:atomic>)      # which Clang asks whether atomics take locks
set_source_files_properties(${VERILATOR_ROOT}/include/verilated.cpp PROPERTIES
  COMPILE_OPTIONS "-include;${CMAKE_SOURCE_DIR}/model/waves/verilated_memory.h")
target_compile_options(verilated PRIVATE -O1)   # nothing of it runs in every cycle

# verilog_files(OUT MODULE [FOLDER...]): the files of a module of rtl, or of FOLDERs, and of all that it needs.
function(verilog_files out module)
  file(GLOB folders LIST_DIRECTORIES true CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/rtl/*)
  list(FILTER folders EXCLUDE REGEX "\\.(txt|md|sh|vlt|f|core|sdc)$")
  execute_process(COMMAND ${CMAKE_SOURCE_DIR}/rtl/modules.sh ${module} ${ARGN} ${folders}
    OUTPUT_VARIABLE files OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" files "${files}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files} ${CMAKE_SOURCE_DIR}/rtl/modules.sh)
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# Loops over lanes become instructions on vectors if they stay loops: of the compiler's own processors, and those of AVX2
# where the machine has them. A sanitizer's functions are not there yet when the choice is made.
set(VECTOR_OPTIONS -O3)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64 AND NOT AMALGAM_SANITIZE AND NOT AMALGAM_FUZZ)
  list(APPEND VECTOR_OPTIONS "-DVL_INLINE_OPT=__attribute__((target_clones(\"avx2\",\"default\")))")
endif()

# verilated_model(TARGET PREFIX TOP [UNCOUNTED] [VECTORS] SOURCES FILE... [ARGS VERILATOR'S...]): class PREFIX, of module TOP,
# becomes part of library TARGET, and its header PREFIX.h is found by whoever links that. UNCOUNTED: also in a build for
# coverage. VECTORS: its loops are for vectors.
function(verilated_model target prefix top)
  cmake_parse_arguments(PARSE_ARGV 3 model "UNCOUNTED;VECTORS" "" "SOURCES;ARGS")
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${prefix})
  set(fast ${folder}/${prefix}_fast.cpp)
  set(slow ${folder}/${prefix}_slow.cpp)
  set(config ${CMAKE_SOURCE_DIR}/rtl/simulators.vlt)
  if(AMALGAM_COVERAGE AND NOT model_UNCOUNTED)
    list(PREPEND model_ARGS --coverage)
  endif()
  set(options)
  if(model_VECTORS)
    list(PREPEND model_ARGS --unroll-count 8)   # of generate sixteen times as many
    set(options ${VECTOR_OPTIONS})
  endif()
  if(AMALGAM_COVERAGE)   # counters leave nothing to optimise, and take minutes of it
    set(options -O1)
  endif()
  add_custom_command(OUTPUT ${folder}/${prefix}.h ${fast} ${slow}
    COMMAND ${CMAKE_SOURCE_DIR}/cmake/verilate.sh ${folder} ${prefix} --top-module ${top}
      +incdir+${CMAKE_SOURCE_DIR}/rtl/lib ${model_ARGS} ${config} ${model_SOURCES}
    DEPENDS ${config} ${model_SOURCES} ${CMAKE_SOURCE_DIR}/rtl/lib/assert.vh ${CMAKE_SOURCE_DIR}/cmake/verilate.sh ${VERILATOR}
    COMMENT "Verilating ${prefix}" VERBATIM)
  set_source_files_properties(${fast} PROPERTIES COMPILE_OPTIONS "${options};${NO_GCOV}")
  set_source_files_properties(${slow} PROPERTIES COMPILE_OPTIONS "-O0;${NO_GCOV}")
  target_sources(${target} PRIVATE ${folder}/${prefix}.h ${fast} ${slow})
  target_include_directories(${target} SYSTEM PUBLIC ${folder})
  target_link_libraries(${target} PUBLIC verilated)
endfunction()
