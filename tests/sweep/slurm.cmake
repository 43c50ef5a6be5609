# Sweeps on a cluster. SPDX-License-Identifier: Apache-2.0
add_executable(test_sweep_slurm test_sweep_slurm.c)
target_compile_definitions(test_sweep_slurm PRIVATE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)
target_link_libraries(test_sweep_slurm PRIVATE amalgam_sweep_slurm amalgam_host amalgam_warnings cmocka)
add_test(NAME sweep/unit_slurm COMMAND test_sweep_slurm)
set_tests_properties(sweep/unit_slurm PROPERTIES LABELS "sweep;unit" TIMEOUT 120)

# With a Slurm of their own; skipped where there is none.
function(slurm_test name seconds labels)
  add_test(NAME sweep/${name} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/${name}.sh)
  set_tests_properties(sweep/${name} PROPERTIES LABELS "${labels}" TIMEOUT ${seconds} SKIP_RETURN_CODE 77 RESOURCE_LOCK slurm
    ENVIRONMENT "ROOT=${CMAKE_SOURCE_DIR};SIM=$<TARGET_FILE:amalgam-sim>")
endfunction()
slurm_test(slurm_sweep 600 sweep)
slurm_test(slurm_kills 3600 slow)
slurm_test(slurm_limits 3600 slow)
