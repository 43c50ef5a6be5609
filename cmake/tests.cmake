# How a test is made.  SPDX-License-Identifier: Apache-2.0
#
# amalgam_test(NAME SECONDS LABELS ...) with what is run, one of
#   COMMAND WORD...               a target or a program
#   SCRIPT FILE.sh WORD...        a script, in its own folder
#   SOURCES FILE... [LIBRARIES NAME...] [FIRMWARE NAME...] [ARGUMENTS WORD...]   a program that test_program() makes
# and then, if it needs them,
#   TOOLS TARGET...               programs that a script finds in variables of their names, in capitals
#   ENV NAME=VALUE...             more variables
#   NEEDS FILE                    without this file it is skipped, and says so
#   PROPERTIES NAME VALUE...      ctest's
#
# SECONDS are those after which it has failed; where counters or a sanitizer slow it down it gets more, and where they slow
# it down tenfold $AMALGAM_SLOWED says so. LABELS: "slow" keeps it out of `./amalgam test`.
set(TEST_SLOWNESS 1)
set(TEST_ENV SIM=$<TARGET_FILE:amalgam-sim> ROOT=${CMAKE_SOURCE_DIR} SW=${CMAKE_SOURCE_DIR}/sw DATA=${CMAKE_SOURCE_DIR}/tests/data
  BUILD=${CMAKE_BINARY_DIR} FIRMWARE=${CMAKE_BINARY_DIR}/firmware MKNPY=$<TARGET_FILE:mknpy>)
if(AMALGAM_COVERAGE OR AMALGAM_SANITIZE MATCHES thread)
  set(TEST_SLOWNESS 20)
  list(APPEND TEST_ENV AMALGAM_SLOWED=1)
elseif(AMALGAM_SANITIZE)
  set(TEST_SLOWNESS 3)
endif()

# The library of cells that all numbers of silicon are from; Debian 13 has no package of it.
set(CELL_LIBRARY /usr/share/qflow/tech/osu018/osu018_stdcells.lib)

# test_program(TARGET FILE... [LIBRARIES NAME...] [FIRMWARE NAME...]): with what tests/test.h declares, and its main() if
# the files have none; kernels FIRMWARE are built before it.
function(test_program target)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "" "LIBRARIES;FIRMWARE")
  add_executable(${target} ${test_UNPARSED_ARGUMENTS})
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE DATA_DIR="${CMAKE_SOURCE_DIR}/tests/data"
    MODELS_DIR="${CMAKE_SOURCE_DIR}/model/config/models" FIRMWARE_DIR="${CMAKE_BINARY_DIR}/firmware")
  target_link_libraries(${target} PRIVATE ${test_LIBRARIES} amalgam_test_main amalgam_warnings m)
  if(test_FIRMWARE)
    list(TRANSFORM test_FIRMWARE PREPEND firmware_)
    add_dependencies(${target} ${test_FIRMWARE})
  endif()
endfunction()

function(amalgam_test name seconds labels)
  cmake_parse_arguments(PARSE_ARGV 3 test "" ""
    "COMMAND;SCRIPT;SOURCES;LIBRARIES;FIRMWARE;ARGUMENTS;TOOLS;ENV;NEEDS;PROPERTIES")
  set(env)
  if(test_SCRIPT)
    set(test_COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/${test_SCRIPT} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    set(env ${TEST_ENV})
  elseif(test_SOURCES)
    list(GET test_SOURCES 0 source)
    cmake_path(GET source STEM program)
    test_program(${program} ${test_SOURCES} LIBRARIES ${test_LIBRARIES} FIRMWARE ${test_FIRMWARE})
    set(test_COMMAND $<TARGET_FILE:${program}> ${test_ARGUMENTS})
  endif()
  if(test_NEEDS)
    list(PREPEND test_COMMAND sh ${CMAKE_SOURCE_DIR}/tests/needs.sh ${test_NEEDS})
    list(APPEND test_PROPERTIES SKIP_RETURN_CODE 77)
  endif()
  foreach(tool IN LISTS test_TOOLS)
    string(TOUPPER ${tool} variable)
    list(APPEND env ${variable}=$<TARGET_FILE:${tool}>)
  endforeach()
  math(EXPR seconds "${seconds} * ${TEST_SLOWNESS}")
  list(APPEND env ${test_ENV})
  add_test(NAME ${name} COMMAND ${test_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT ${seconds} ENVIRONMENT "${env}" ${test_PROPERTIES})
endfunction()
