# Firmware that pushes the commands of a list, and random programs for it: for tests and for `amalgam fuzz`.
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)
add_library(firmware_commands SHARED ${CMAKE_CURRENT_LIST_DIR}/../firmware/commands.c ${CMAKE_SOURCE_DIR}/sw/hal/hal_native.c)
target_link_libraries(firmware_commands PRIVATE amalgam_include amalgam_warnings)
set_target_properties(firmware_commands PROPERTIES
  OUTPUT_NAME commands PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/firmware/tests)

add_library(race_program STATIC ${CMAKE_CURRENT_LIST_DIR}/race_program.c)
target_compile_definitions(race_program PRIVATE FIRMWARE_DIR="${CMAKE_BINARY_DIR}/firmware")
target_include_directories(race_program PUBLIC ${CMAKE_CURRENT_LIST_DIR} ${CMAKE_CURRENT_LIST_DIR}/..)
target_link_libraries(race_program PUBLIC amalgam_soc amalgam_include PRIVATE amalgam_core amalgam_num amalgam_config amalgam_warnings)
add_dependencies(race_program firmware_commands)
