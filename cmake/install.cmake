# What `cmake --install` puts below a prefix, and `cpack` into a Debian package. The simulator finds it from where
# it is itself (model/host/places.h).  SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)
set(SHARE ${CMAKE_INSTALL_DATADIR}/amalgam)   # as the source tree
set(KERNELS lib/amalgam)                      # as the build folder

# Man pages and completion, from the help.
set(PAGES ${CMAKE_BINARY_DIR}/pages)
add_custom_command(OUTPUT ${PAGES}/amalgam.bash
  COMMAND ${CMAKE_SOURCE_DIR}/cmake/pages.sh $<TARGET_FILE:amalgam-sim> ${PAGES}
  DEPENDS amalgam-sim ${CMAKE_SOURCE_DIR}/cmake/pages.sh COMMENT "Writing man pages" VERBATIM)
add_custom_target(pages ALL DEPENDS ${PAGES}/amalgam.bash)
install(DIRECTORY ${PAGES}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${PAGES}/amalgam.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME amalgam)
install(FILES ${PAGES}/_amalgam DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)

install(PROGRAMS $<TARGET_FILE:amalgam-sim> DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME amalgam)
install(DIRECTORY ${CMAKE_BINARY_DIR}/firmware DESTINATION ${KERNELS}
  FILES_MATCHING PATTERN tests EXCLUDE PATTERN "*.elf" PATTERN "*.so")
install(PROGRAMS ${CMAKE_BINARY_DIR}/sw/firmware.sh ${CMAKE_BINARY_DIR}/sw/ascend.sh DESTINATION ${KERNELS})
install(FILES ${CMAKE_BINARY_DIR}/commit DESTINATION ${KERNELS})

# install_sources(FOLDER PATTERN...): the files below it that match, where they are in the source tree.
function(install_sources folder)
  set(patterns)
  foreach(pattern IN LISTS ARGN)
    list(APPEND patterns PATTERN ${pattern})
  endforeach()
  cmake_path(GET folder PARENT_PATH parent)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${folder} DESTINATION ${SHARE}/${parent} USE_SOURCE_PERMISSIONS
    FILES_MATCHING ${patterns})
endfunction()

install_sources(model/config *.yaml *.json)
install_sources(studies *.yaml)
# For kernels of one's own.
foreach(folder hal lib boot ascend)
  install_sources(sw/${folder} *)
endforeach()
install_sources(sw/kernels *_args.h *_settings.def custom.h)
install_sources(sw/test *)
install(FILES ${CMAKE_SOURCE_DIR}/python/amalgam.py DESTINATION lib/python3/dist-packages)   # where Debian's Python looks
install(FILES ${CMAKE_SOURCE_DIR}/cmake/AmalgamConfig.cmake DESTINATION lib/cmake/Amalgam)
install(FILES ${CMAKE_SOURCE_DIR}/sw/README.md DESTINATION ${SHARE}/sw)
# For units that are Verilated when first asked for.
install_sources(rtl *.v *.vh *.vlt *.f *.core modules.sh)
install_sources(model/engine *.sh *.h engine_unit.cpp engine_axi_unit.cpp)
install_sources(model/waves *.h verilated_waves.cpp verilated_stop.cpp)
install_sources(model/num *.h)
install_sources(model/core *.h)
install_sources(model/soc/slices gm_*.h gm_traced_unit.cpp)
install_sources(model/soc/watch/gtkw *.gtkw)
install_sources(tb/icarus attention_run.v)
# For synthesis.
install_sources(synth *.sh *.v boxes stages)
# The shipped data.
install_sources(tests/data *)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/CHANGELOG.md ${CMAKE_SOURCE_DIR}/README.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

# --- the Debian package -------------------------------------------------------------------------
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME amalgam)
set(CPACK_PACKAGE_VENDOR "Amalgam")
set(CPACK_PACKAGE_CONTACT "The Amalgam authors <amalgam@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "RTL-in-the-loop simulator of a decoupled attention NPU")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)   # Depends: what the simulator is linked with, and Unicorn, which it loads
file(REAL_PATH ${UNICORN_FILE} unicorn_so)
execute_process(COMMAND dpkg-query --search ${unicorn_so} OUTPUT_VARIABLE unicorn_package ERROR_QUIET)
string(REGEX REPLACE ":.*" "" CPACK_DEBIAN_PACKAGE_DEPENDS "${unicorn_package}")
# What is built when first asked for; what reports, synthesis and `bench` start.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "verilator, g++, make, gcc, gcc-riscv64-unknown-elf, gnuplot-nox")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "yosys, opensta, qflow-tech-osu018, iverilog, libopenblas0-pthread, gdb-multiarch, gtkwave, python3-numpy")
include(CPack)
