# Testbench of the units in rtl/hfa.  SPDX-License-Identifier: Apache-2.0
verilog_files(HFA_UNITS_RTL hfa_units_bank ${CMAKE_CURRENT_SOURCE_DIR}/hfa)

# One model for each value of the bank's parameter UNIT.
add_library(hfa_units_rtl STATIC hfa/hfa_units_shim.cpp)
foreach(UNIT RANGE 9)
  verilated_model(hfa_units_rtl Vhfa_unit_${UNIT} hfa_units_bank
    SOURCES ${HFA_UNITS_RTL}
    ARGS ${TB_VERILATOR_ARGS} -GUNIT=${UNIT})
endforeach()
target_include_directories(hfa_units_rtl PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/hfa)

find_package(Threads REQUIRED)
add_executable(hfa_units_tb hfa/hfa_units_tb.c)
target_link_libraries(hfa_units_tb PRIVATE
  amalgam_warnings amalgam_tb amalgam_num hfa_units_rtl Threads::Threads m)

foreach(UNIT quant log2 scale pow2 correct lns_add logdiv)
  amalgam_test(unit/hfa_${UNIT} 60 unit COMMAND hfa_units_tb ${UNIT})
endforeach()
amalgam_test(unit/hfa_quant_exhaustive 3600 slow COMMAND hfa_units_tb quant_exhaustive --threads 2 PROPERTIES PROCESSORS 2)

# A second simulator on vectors of the golden model.
set(HFA_UNITS_VECTORS ${CMAKE_CURRENT_BINARY_DIR}/hfa_units_vectors.txt)
add_custom_command(OUTPUT ${HFA_UNITS_VECTORS}
  COMMAND hfa_units_tb --emit 1000 --seed 7 > ${HFA_UNITS_VECTORS}
  DEPENDS hfa_units_tb)
add_custom_target(hfa_units_vectors ALL DEPENDS ${HFA_UNITS_VECTORS})
add_icarus_test(hfa_units hfa_units_vectors ${HFA_UNITS_VECTORS} 10000)   # of 10 units
