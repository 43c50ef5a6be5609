// SPDX-License-Identifier: Apache-2.0
#include "report/amla/paper.h"

#include "kernels/attention/attention_args.h"

const report_entry_t report_entries[] = {
#define ENTRY(sq, sk, time_us, fu, gpu_time_us, gpu_fu) {sq, sk, time_us, fu, gpu_time_us, gpu_fu},
#include "report/amla/table5.def"
#undef ENTRY
};
const size_t report_entry_count = sizeof report_entries / sizeof *report_entries;

const report_entry_t *report_paper_entry(size_t sq, size_t sk) {
  for (size_t i = 0; i < report_entry_count; ++i) {
    if (report_entries[i].sq == sq && report_entries[i].sk == sk) {
      return &report_entries[i];
    }
  }
  return NULL;
}

double report_mla_intensity(size_t rows) {
  return (double)rows * (ATTENTION_MAX_DK + ATTENTION_MAX_DV) / ATTENTION_MAX_DK;
}

double report_peak_tflops(const config_t *config) {
  return 2e-6 * config->cube.mac_m * config->cube.mac_n * config->cube.mac_k * config->soc.ai_cores *
         config->soc.clock_mhz;
}

double report_hbm_tbps(const config_t *config) { return 1e-3 * config->gm.hbm_gbps * config->soc.dies; }
