// Settings of the reports. Words that only some reports understand are read by these.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_REPORT_REPORT_SETTINGS_H
#define AMALGAM_REPORT_REPORT_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct report_words {
  const char *const *item;
  size_t count;
} report_words_t;

typedef enum report_fit_rows { REPORT_FIT_NO, REPORT_FIT_TABLE5, REPORT_FIT_ALL } report_fit_rows_t;

typedef struct report_settings {
  report_words_t reports;  // names as in reports.def, or "all"
  const char *out;         // folder
  bool quiet;
  bool html;              // also the page of all reports that are in the folder
  size_t processes;       // simulations at a time, 0: as many as processors
  const char *arguments;  // as the command has them, of those that change what is in a report; may be NULL
  // The machine
  const char *config;  // NULL: the report's usual one
  report_words_t set;  // "A.B=V"
  size_t cores;        // 0: all
  bool gm_rtl;         // atomic memory slices in Verilog, else their C model
  bool engine_rtl;     // fig8a: the Verilog, else its C model
  // The simulations:
  size_t seeds, batch;          // 0: the report's usual ones
  const char *keys;             // "1024,4096", NULL: the report's usual ones
  report_words_t dist;          // only these distributions; none: all
  report_words_t shapes, rows;  // w4a16: "1536x7168", "16"; none: the usual ones
  const char *head_dim;         // power: "32,64"
  bool functional;              // table5: with arithmetic
  report_fit_rows_t fit;        // table5: instead of the report, search the fitted constants
  bool fit_largest;             // that make the largest error small, else the mean
  // The library of standard cells
  const char *liberty;  // NULL: the usual one
  size_t node;          // nm, 0: as the library is known for
  unsigned clock_fo4;
  bool wires;  // timing: with wires
} report_settings_t;

#endif
