# Sweeps on a cluster. SPDX-License-Identifier: Apache-2.0
amalgam_test(sweep/unit_slurm 120 "sweep;unit" SOURCES test_sweep_slurm.c LIBRARIES amalgam_sweep_slurm amalgam_host)

# With a Slurm of their own; skipped where there is none.
function(slurm_test name seconds labels)
  amalgam_test(sweep/${name} ${seconds} "${labels}" SCRIPT ${name}.sh PROPERTIES SKIP_RETURN_CODE 77 RESOURCE_LOCK slurm)
endfunction()
slurm_test(slurm_sweep 600 sweep)
slurm_test(slurm_kills 3600 slow)
slurm_test(slurm_limits 3600 slow)
