// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run_soc.h"

void run_soc_begin(run_t *run, soc_options_t *soc, uint64_t flops) {
  soc->building = run_building;
  progress_start(&run->progress, run->options.quiet, flops, soc->config.soc.clock_mhz);
  soc->progress = progress_update;
  soc->progress_context = &run->progress;
  progress_note(&run->progress, "simulating ...");
}

base_exit_t run_soc_end(run_t *run, soc_status_t status, const soc_result_t *result) {
  if (status != SOC_DONE) {
    base_fail(&run->error, "%s", result->error[0] != '\0' ? result->error : "interrupted");
  }
  return (base_exit_t)status;
}
