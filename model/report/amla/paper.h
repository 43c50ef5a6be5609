// Measurements of the AMLA paper, and its formulas for a machine.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_REPORT_AMLA_PAPER_H
#define AMALGAM_REPORT_AMLA_PAPER_H

#include <stddef.h>

#include "config/config.h"

// An entry of the paper's table 5: batch 96, 128 heads; times in us, FLOPS utilisation in %.
typedef struct report_entry {
  size_t sq, sk;
  double time_us, fu;
  double gpu_time_us, gpu_fu;
} report_entry_t;

extern const report_entry_t report_entries[];
extern const size_t report_entry_count;
enum { REPORT_PAPER_BATCH = 96 };

// NULL: the paper has no such entry.
const report_entry_t *report_paper_entry(size_t sq, size_t sk);

// FLOP/byte of MLA as the paper's section 2.4 has it: query rows x (Dk + Dv) / Dk.
double report_mla_intensity(size_t rows);

// FLOP/s of all cube cores and bytes/s of all HBM, times 1e-12.
double report_peak_tflops(const config_t *config);
double report_hbm_tbps(const config_t *config);

#endif
