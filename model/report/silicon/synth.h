// Shared by the reports on the area of the attention engines.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_REPORT_SILICON_SYNTH_H
#define AMALGAM_REPORT_SILICON_SYNTH_H

#include "report/report_write.h"
#include "silicon/synth/area.h"

enum { REPORT_SYNTH_KEYS = 1024 };

// One design of one shape (report_synth_shape), and its area once it is synthesised.
typedef struct report_area {
  synth_shape_t shape;
  synth_area_t area;
} report_area_t;

// REPORT_SYNTH_KEYS in all.
synth_shape_t report_synth_shape(synth_design_t design, size_t d, size_t blocks, size_t queries);

// Synthesises the units of all these designs side by side.
bool report_synth_make(const synth_flow_t *flow, const report_area_t *list, size_t count, base_error_t *error);

// Fills in their areas; says on stderr what comes.
bool report_synth_areas(const report_context_t *context, const synth_flow_t *flow, report_area_t *list, size_t count,
                        base_exit_t *code, base_error_t *error);

// Area with the memories.
double report_synth_whole(const report_area_t *result);

// The part of `whole` that `part` saves, in %.
double report_synth_saving(double part, double whole);

// A saving beside the paper's: "reproduced", "nearly reproduced", "not reproduced" (silicon/area.md).
const char *report_synth_verdict(double ours, double paper);

// A row {"d","blocks","design","datapath_um2","sram_um2",...}, added to list.
cJSON *report_synth_row(const synth_flow_t *flow, const report_area_t *result, cJSON *list);

// {"library","node_nm","fo4_ps",...} of the flow; for templates, ".intro" is the paragraph on library and
// clock, ".flats" how much smaller designs are when they are synthesised flat.
void report_synth_flow(const synth_flow_t *flow, cJSON *root);

// The flow that a report was asked for.
bool report_synth_open(const report_context_t *context, synth_flow_t *flow, base_error_t *error);

#endif
