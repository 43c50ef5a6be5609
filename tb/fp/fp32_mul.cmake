# Testbench of the multiplier that MUL-by-ADD is compared with.  SPDX-License-Identifier: Apache-2.0
add_library(fp32_mul_rtl STATIC fp/fp32_mul_shim.cpp)
foreach(KIND exact flush)
  string(COMPARE EQUAL ${KIND} exact SUBNORMAL)
  verilated_model(fp32_mul_rtl Vfp32_mul_${KIND} fp32_mul
    SOURCES ${CMAKE_SOURCE_DIR}/synth/gm/fp32_mul.v
    ARGS ${TB_VERILATOR_ARGS} -GSUBNORMAL=${SUBNORMAL})
endforeach()
target_include_directories(fp32_mul_rtl PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/fp)

add_executable(fp32_mul_tb fp/fp32_mul_tb.c)
target_link_libraries(fp32_mul_tb PRIVATE amalgam_warnings amalgam_num fp32_mul_rtl m)
amalgam_test(unit/fp32_mul 60 "unit;synth" COMMAND fp32_mul_tb)
