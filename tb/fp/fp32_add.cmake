# Testbench of the FP32 adder.  SPDX-License-Identifier: Apache-2.0
verilog_files(FP32_ADD_RTL fp32_add_bank ${CMAKE_CURRENT_SOURCE_DIR}/fp)

# Verilated code and its C shim are a library of their own: our warnings do not apply to it.
add_library(fp32_add_rtl STATIC fp/fp32_add_shim.cpp)
verilated_model(fp32_add_rtl Vfp32_add_bank fp32_add_bank VECTORS
  SOURCES ${FP32_ADD_RTL}
  ARGS ${TB_VERILATOR_ARGS})
target_include_directories(fp32_add_rtl PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/fp)

add_executable(fp32_add_tb fp/fp32_add_tb.c)
target_link_libraries(fp32_add_tb PRIVATE amalgam_warnings amalgam_tb amalgam_num fp32_add_rtl m)

amalgam_test(unit/fp32_add 60 unit COMMAND fp32_add_tb --count 10000000)
amalgam_test(unit/fp32_add_vectors 60 unit COMMAND fp32_add_tb --vectors ${CMAKE_CURRENT_SOURCE_DIR}/vectors/f32_add.txt)

file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/vectors/f32_add.txt FP32_ADD_VECTORS REGEX "^[0-9A-Fa-f]")
list(LENGTH FP32_ADD_VECTORS FP32_ADD_COUNT)
add_icarus_test(fp32_add fp32_add_vectors ${CMAKE_CURRENT_SOURCE_DIR}/vectors/f32_add.txt ${FP32_ADD_COUNT})
