# Testbench of the atomic unit.  SPDX-License-Identifier: Apache-2.0
verilog_files(GM_ATOMIC_RTL gm_atomic)

# One testbench for each width of the unit and depth of its ALU: gm_atomic_tb_l16, gm_atomic_tb_l4 as in the chip,
# gm_atomic_tb_l4_s1 ...; with operations of all types: gm_atomic_tb_l4_types ...
foreach(DUT l16 l4 l4_s1 l4_s2 l4_s3 l4_s5 l4_s6 l4_types l4_s1_types l4_s6_types)
  string(REGEX MATCH "l([0-9]+)" LANES ${DUT})
  set(LANES ${CMAKE_MATCH_1})
  set(STAGES 4)
  if(DUT MATCHES "_s([0-9])")
    set(STAGES ${CMAKE_MATCH_1})
  endif()
  set(TYPES 0)
  if(DUT MATCHES "_types$")
    set(TYPES 1)
  endif()
  set(RTL_LIB gm_atomic_rtl_${DUT})
  set(TB gm_atomic_tb_${DUT})
  add_library(${RTL_LIB} STATIC gm/gm_atomic_shim.cpp)
  verilated_model(${RTL_LIB} Vgm_atomic_${DUT} gm_atomic
    SOURCES ${GM_ATOMIC_RTL}
    ARGS ${TB_VERILATOR_ARGS} -GLANES=${LANES} -GALU_STAGES=${STAGES} -GTYPES=${TYPES})
  target_compile_definitions(${RTL_LIB} PRIVATE
    GM_DUT_HEADER="Vgm_atomic_${DUT}.h" GM_DUT_CLASS=Vgm_atomic_${DUT} GM_DUT_LANES=${LANES} GM_DUT_STAGES=${STAGES}
    GM_DUT_TYPES=${TYPES})
  target_include_directories(${RTL_LIB} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/gm)
  target_link_libraries(${RTL_LIB} PUBLIC amalgam_include)

  add_executable(${TB} gm/gm_atomic_tb.c gm/gm_atomic_bench.c)
  target_link_libraries(${TB} PRIVATE amalgam_warnings amalgam_tb amalgam_core amalgam_num ${RTL_LIB} m)

  foreach(CASE random guards elements throughput reset)
    amalgam_test(unit/gm_atomic_${CASE}_${DUT} 60 unit COMMAND ${TB} ${CASE} --seed 1)
  endforeach()
endforeach()
foreach(TYPE f16 bf16)
  amalgam_test(unit/gm_atomic_vectors_${TYPE} 60 unit
    COMMAND gm_atomic_tb_l4_types vectors --op ${TYPE} --vectors ${CMAKE_CURRENT_SOURCE_DIR}/vectors/${TYPE}_add.txt)
endforeach()
foreach(DUT l16 l4 l4_types)
  amalgam_test(unit/gm_atomic_long_${DUT} 60 unit COMMAND gm_atomic_tb_${DUT} random --requests 200000 --seed 2)
endforeach()
