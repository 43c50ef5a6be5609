# Testbenches of the buses (rtl/axi).  SPDX-License-Identifier: Apache-2.0

# add_bus_test(NAME MODULE CASES NAME... ARGS ...): NAME_tb, of axi/MODULE_tb.cpp and VNAME, in a small shape: tests
# unit/NAME_CASE.
function(add_bus_test NAME MODULE)
  cmake_parse_arguments(PARSE_ARGV 2 BUS "" "" "CASES;ARGS")
  verilog_files(RTL ${MODULE})
  add_executable(${NAME}_tb axi/${MODULE}_tb.cpp)
  verilated_model(${NAME}_tb V${NAME} ${MODULE} SOURCES ${RTL} ARGS ${TB_VERILATOR_ARGS} ${BUS_ARGS})
  target_link_libraries(${NAME}_tb PRIVATE amalgam_num amalgam_include m)
  foreach(CASE ${BUS_CASES})
    amalgam_test(unit/${NAME}_${CASE} 120 unit COMMAND ${NAME}_tb ${CASE})
  endforeach()
endfunction()

add_bus_test(gm_slice gm_slice CASES random throughput
  ARGS -GLANES=4 -GWORDS=1024 -GAXI_W=16 -GID_W=3 -GLEN_W=6)
set(ATTENTION_AXI_SHAPE -GD=2 -GP=2 -GNQ=2 -GN=12)
add_bus_test(attention_axi attention_axi CASES 1 2 ARGS ${ATTENTION_AXI_SHAPE})
# Carries and results in beats of three bytes.
add_bus_test(attention_axi_serial attention_axi CASES 1 ARGS ${ATTENTION_AXI_SHAPE} -GSTREAM_W=24)
target_compile_definitions(attention_axi_serial_tb PRIVATE STREAM_W=24)

# Whole engines behind their buses: the same traffic and bits as without.
foreach(DESIGN hfa fa2 expmul)
  amalgam_test(attention/${DESIGN}_axi 3600 attention
    COMMAND attention_tb random --axi --design ${DESIGN} --d 4 --p 2 --nq 2 --n 32)
endforeach()
amalgam_test(attention/hfa_axi_odd 3600 slow COMMAND attention_tb random --axi --d 5 --p 3 --nq 2 --n 21)

# An offer that a manager changes before it is taken, in Icarus: tests unit/bus_contract_*.
set(BUS_CONTRACT ${CMAKE_CURRENT_BINARY_DIR}/bus_contract.vvp)
verilog_files(BUS_RTL gm_axi)
add_custom_command(OUTPUT ${BUS_CONTRACT}
  COMMAND ${IVERILOG} -g2005 -I ${CMAKE_SOURCE_DIR}/rtl/lib -s bus_contract -o ${BUS_CONTRACT}
    ${CMAKE_CURRENT_SOURCE_DIR}/icarus/bus_contract.v ${BUS_RTL} ${CMAKE_SOURCE_DIR}/rtl/axi/axi_lite_port.v
  DEPENDS ${ICARUS_RTL} ${BUS_RTL} ${CMAKE_SOURCE_DIR}/rtl/axi/axi_lite_port.v VERBATIM)
add_custom_target(bus_contract_icarus ALL DEPENDS ${BUS_CONTRACT})
foreach(CHANGE "none:bus contract: kept" address:u_addresses.address_is_held.kept data:u_beats.data_are_held.kept
    access:u_port.read_address_is_held.kept)
  string(REGEX MATCH "^[a-z]+" WHICH ${CHANGE})
  string(REGEX REPLACE "^[a-z]+:" "" SAID ${CHANGE})
  amalgam_test(unit/bus_contract_${WHICH} 60 unit COMMAND ${VVP} -n ${BUS_CONTRACT} +change=${WHICH}
    PROPERTIES PASS_REGULAR_EXPRESSION "${SAID}")
endforeach()
