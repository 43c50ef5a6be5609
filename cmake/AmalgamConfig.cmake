# find_package(Amalgam): kernels and their tests in a project of one's own, with a checkout or an installed Amalgam.
# It is found if `amalgam` is on the PATH.
#
#   amalgam_firmware(NAME FILE...)            builds NAME.elf and NAME.so; headers among the files are looked at for changes
#   amalgam_test(NAME FILE.c... [KERNELS NAME...])   a test with cmocka and amalgam_test.h, which runs these kernels
#
# $AMALGAM is the command to use instead of the one that is beside this file.
# SPDX-License-Identifier: Apache-2.0
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH amalgam_root)   # of a checkout
if(EXISTS ${amalgam_root}/sw/hal/hal.h)
  set(AMALGAM_COMMAND ${amalgam_root}/amalgam)
  set(AMALGAM_SW ${amalgam_root}/sw)
else()   # PREFIX/lib/cmake/Amalgam
  cmake_path(SET amalgam_root NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../../..)
  set(AMALGAM_COMMAND ${amalgam_root}/bin/amalgam)
  set(AMALGAM_SW ${amalgam_root}/share/amalgam/sw)
endif()
if(DEFINED ENV{AMALGAM})
  set(AMALGAM_COMMAND $ENV{AMALGAM})
endif()

function(amalgam_firmware name)
  set(files)
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND files ${file})
  endforeach()
  set(sources ${files})
  list(FILTER sources INCLUDE REGEX "\\.c$")
  set(kernel ${CMAKE_CURRENT_BINARY_DIR}/${name})
  add_custom_command(OUTPUT ${kernel}.elf ${kernel}.so
    COMMAND ${AMALGAM_COMMAND} firmware -o ${kernel} ${sources}
    DEPENDS ${files} COMMENT "Building firmware ${name}" VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${kernel}.elf ${kernel}.so)
endfunction()

function(amalgam_test name)
  cmake_parse_arguments(PARSE_ARGV 1 amalgam "" "" "KERNELS")
  find_path(CMOCKA_INCLUDE cmocka.h)
  find_library(CMOCKA_LIBRARY cmocka)
  if(NOT CMOCKA_INCLUDE OR NOT CMOCKA_LIBRARY)
    message(FATAL_ERROR "Amalgam: tests of kernels need cmocka (on Debian libcmocka-dev)")
  endif()
  add_executable(${name} ${amalgam_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${AMALGAM_SW}/test ${CMOCKA_INCLUDE})
  target_compile_definitions(${name} PRIVATE _POSIX_C_SOURCE=200809L
    AMALGAM_COMMAND="${AMALGAM_COMMAND}" AMALGAM_FIRMWARE="${CMAKE_CURRENT_BINARY_DIR}")
  target_link_libraries(${name} PRIVATE ${CMOCKA_LIBRARY} m)
  if(amalgam_KERNELS)
    add_dependencies(${name} ${amalgam_KERNELS})
  endif()
  add_test(NAME ${name} COMMAND ${name})
endfunction()
