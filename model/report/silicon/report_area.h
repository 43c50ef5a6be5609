// Figure 7(a) of the H-FA paper: area of H-FA and FA-2 for three lengths of a head, and what limits
// their clock: the report `area`.
//
//   report_area.c       the runs
//   report_area_text.c  JSON, Markdown, plot
// SPDX-License-Identifier: Apache-2.0
#ifndef REPORT_AREA_H
#define REPORT_AREA_H

#include "report/silicon/report_synth.h"

enum { AREA_BLOCKS = 4 };

// What the paper says.
typedef struct area_paper {
  size_t d;
  double datapath, whole;  // savings in %, 0: not said
} area_paper_t;

static const area_paper_t area_paper[] = {
#define ROW(d, datapath, whole) {d, datapath, whole},
#include "report/silicon/report_area.def"
#undef ROW
};
static const double area_paper_mean = 26.5;   // saving in %, with the memories, mean over d: its abstract
enum { AREA_ROWS = sizeof area_paper / sizeof *area_paper };

// Units whose timing is shown; that of the others lies inside them or is short.
typedef struct area_path {
  const char *unit, *params, *text;
} area_path_t;

static const area_path_t area_paths[] = {
    {"fau_front", "D=2", "running maximum (a loop) and difference, both designs"},
    {"hfa_lane", "LNS=0", "lane of H-FA (a loop)"},
    {"hfa_lane", "LNS=1", "lane of H-FA, corrected (a loop)"},
    {"fa2_lane", "ONE_MUL=0", "lane of FA-2, two multipliers (a loop)"},
    {"fa2_lane", "ONE_MUL=1", "lane of FA-2, one multiplier (a loop)"},
    {"hfa_quant", "", "quantiser of H-FA"},
    {"bf16_exp", "", "exponential of FA-2"},
    {"hfa_acc_lane", "LNS=0", "ACC lane of H-FA"},
    {"fa2_acc_lane", "ONE_MUL=0", "ACC lane of FA-2"},
    {"hfa_logdiv_lane", "", "LogDiv lane of H-FA"},
    {"bf16_div", "", "divider of FA-2, one of two stages"},
    {"bf16_dot", "D=32", "dot product, both designs"},
    {"attention_ctrl", "P=4 NQ=1 ROWS=256", "control"},
};
enum { AREA_PATHS = sizeof area_paths / sizeof *area_paths };

typedef struct area_timing {
  double area_um2, fo4;            // as it is in the designs
  double fast_um2, fast_fo4;       // mapped for speed
  double loop_fo4, fast_loop_fo4;  // NAN: has none
} area_timing_t;

typedef struct area_figure {
  synth_flow_t flow;
  report_area_t list[AREA_ROWS][SYNTH_DESIGNS];
  area_timing_t timing[AREA_PATHS];
} area_figure_t;

extern const report_files_t area_files;   // but for the data

#endif
