# Testbenches of the BF16 units.  SPDX-License-Identifier: Apache-2.0
find_package(Threads REQUIRED)

verilog_files(BF16_BANK_RTL bf16_bank ${CMAKE_CURRENT_SOURCE_DIR}/fp)
verilog_files(BF16_DOT_RTL bf16_dot)

# A second simulator, on vectors that the testbench makes with the golden model: tests
# unit/${NAME}_emit and unit/${NAME}_icarus.
function(bf16_icarus NAME TOP PARAMETER TB COUNT)
  set(VECTORS ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.txt)
  add_icarus_test(${NAME} ${TOP} ${VECTORS} ${COUNT} -P${TOP}.${PARAMETER})
  amalgam_test(unit/${NAME}_emit 30 unit COMMAND ${TB} --emit ${VECTORS} --count ${COUNT}
    PROPERTIES FIXTURES_SETUP ${NAME}_vectors)
  set_tests_properties(unit/${NAME}_icarus PROPERTIES FIXTURES_REQUIRED ${NAME}_vectors)
endfunction()

# The units of two operands and bf16_exp, in a bank: UNIT counts as in bf16_bank.v.
set(UNIT 0)
foreach(NAME mul add max diff div exp)
  set(RTL_LIB bf16_${NAME}_rtl)
  set(TB bf16_${NAME}_tb)
  string(COMPARE EQUAL ${NAME} div CLOCKED)
  add_library(${RTL_LIB} STATIC fp/bf16_bank_shim.cpp)
  verilated_model(${RTL_LIB} Vbf16_${NAME} bf16_bank
    SOURCES ${BF16_BANK_RTL}
    ARGS ${TB_VERILATOR_ARGS} -GUNIT=${UNIT})
  target_compile_definitions(${RTL_LIB} PRIVATE BF16_BANK_HEADER="Vbf16_${NAME}.h"
    BF16_BANK_CLASS=Vbf16_${NAME} BF16_BANK_CLOCKED=${CLOCKED})
  target_include_directories(${RTL_LIB} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/fp)
  target_link_libraries(${RTL_LIB} PUBLIC amalgam_include)

  add_executable(${TB} fp/bf16_tb.c)
  target_compile_definitions(${TB} PRIVATE BF16_UNIT=${UNIT})
  target_link_libraries(${TB} PRIVATE amalgam_warnings amalgam_tb amalgam_num ${RTL_LIB} Threads::Threads)

  bf16_icarus(bf16_${NAME} bf16_vectors UNIT=${UNIT} ${TB} 8192)

  amalgam_test(unit/bf16_${NAME} 60 unit COMMAND ${TB})
  if(NOT NAME STREQUAL exp)
    amalgam_test(unit/bf16_${NAME}_exhaustive 3600 slow COMMAND ${TB} --exhaustive --threads 2 PROPERTIES PROCESSORS 2)
  endif()
  math(EXPR UNIT "${UNIT} + 1")
endforeach()

# bf16_dot in the sizes of the engines, and in others.
foreach(D 2 3 4 32 48 64 80 128)
  set(RTL_LIB bf16_dot_rtl_d${D})
  set(TB bf16_dot_tb_d${D})
  add_library(${RTL_LIB} STATIC fp/bf16_dot_shim.cpp)
  verilated_model(${RTL_LIB} Vbf16_dot_d${D} bf16_dot
    SOURCES ${BF16_DOT_RTL}
    ARGS ${TB_VERILATOR_ARGS} -GD=${D})
  target_compile_definitions(${RTL_LIB}
    PRIVATE BF16_DOT_HEADER="Vbf16_dot_d${D}.h" BF16_DOT_CLASS=Vbf16_dot_d${D}
    PUBLIC BF16_DOT_D=${D})
  target_include_directories(${RTL_LIB} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/fp)
  target_link_libraries(${RTL_LIB} PUBLIC amalgam_include)

  add_executable(${TB} fp/bf16_dot_tb.c)
  target_link_libraries(${TB} PRIVATE amalgam_warnings amalgam_tb amalgam_num ${RTL_LIB})

  bf16_icarus(bf16_dot_d${D} bf16_dot_vectors D=${D} ${TB} 200)

  amalgam_test(unit/bf16_dot_d${D} 60 unit COMMAND ${TB})
  amalgam_test(unit/bf16_dot_long_d${D} 3600 slow COMMAND ${TB} --count 5000000 --seed 2)
endforeach()
