// SPDX-License-Identifier: Apache-2.0
#include "report/silicon/report_synth.h"

#include <stdio.h>

synth_shape_t report_synth_shape(synth_design_t design, size_t d, size_t blocks, size_t queries) {
  return (synth_shape_t){.design = design, .d = d, .blocks = blocks, .queries = queries,
                         .rows = REPORT_SYNTH_KEYS};
}

bool report_synth_make(const synth_flow_t *flow, const synth_shape_t *shape, size_t count,
                       base_error_t *error) {
  static synth_wants_t wants;
  wants.count = 0;
  for (size_t i = 0; i < count; ++i) {
    synth_want_design(&wants, flow, &shape[i]);
  }
  return synth_make(flow, &wants, error);
}

bool report_synth_area(const report_context_t *context, const synth_flow_t *flow,
                       synth_design_t design, size_t d, size_t blocks, size_t queries,
                       report_area_t *result, base_exit_t *code, base_error_t *error) {
  if (report_interrupted()) {
    *code = BASE_INTERRUPTED;
    return base_fail(error, "interrupted");
  }
  if (!context->settings->quiet) {
    fprintf(stderr, "%s: %s, D %zu, P %zu, NQ %zu\n", context->name, synth_design_name[design], d,
            blocks, queries);
  }
  result->shape = report_synth_shape(design, d, blocks, queries);
  return synth_area(flow, &result->shape, &result->area, error);
}

double report_synth_whole(const report_area_t *result) {
  return result->area.datapath_um2 + result->area.sram_um2;
}

double report_synth_saving(double part, double whole) { return 100 * (1 - part / whole); }

const char *report_synth_verdict(double ours, double paper) {
  return ours >= paper       ? "reproduced"
         : ours >= paper - 1 ? "nearly reproduced"
                             : "not reproduced";
}

cJSON *report_synth_row(const synth_flow_t *flow, const report_area_t *result, cJSON *list) {
  const synth_area_t *area = &result->area;
  cJSON *row = cJSON_CreateObject();
  cJSON_AddItemToArray(list, row);
  cJSON_AddNumberToObject(row, "d", (double)result->shape.d);
  cJSON_AddNumberToObject(row, "blocks", (double)result->shape.blocks);
  cJSON_AddNumberToObject(row, "queries", (double)result->shape.queries);
  cJSON_AddStringToObject(row, "design", synth_design_name[result->shape.design]);
  cJSON_AddNumberToObject(row, "datapath_um2", area->datapath_um2);
  cJSON_AddNumberToObject(row, "sram_um2", area->sram_um2);
  cJSON_AddNumberToObject(row, "datapath_nand2", area->datapath_um2 / flow->nand2_um2);
  cJSON_AddBoolToObject(row, "closes", area->closes);
  cJSON *parts = cJSON_AddObjectToObject(row, "parts");
  for (size_t i = 0; i < SYNTH_BLOCKS; ++i) {
    cJSON_AddNumberToObject(parts, synth_block_name[i], area->block[i]);
  }
  return row;
}

void report_synth_flow(const synth_flow_t *flow, cJSON *root) {
  cJSON_AddStringToObject(root, "library", flow->name);
  cJSON_AddNumberToObject(root, "node_nm", flow->node_nm);
  cJSON_AddNumberToObject(root, "fo4_ps", flow->fo4_ps);
  cJSON_AddNumberToObject(root, "nand2_um2", flow->nand2_um2);
  cJSON_AddNumberToObject(root, "clock_fo4", flow->clock_fo4);
  cJSON_AddNumberToObject(root, "sram_um2_per_bit", synth_bit_um2(flow->node_nm));
}

void report_synth_intro(const synth_flow_t *flow, FILE *file) {
  fprintf(file,
          "Yosys and ABC, library %s (%.0f nm, NAND2 %.4g um2, FO4 %.1f ps), every unit mapped to "
          "the smallest area\nfound that closes a clock of %u FO4 = %.2f ns; the H-FA paper's 2 ns "
          "at 28 nm are %.0f FO4 of this library scaled\nby the node. %d keys. SRAM by a proxy, "
          "%.4g um2 a bit: 0.194 at 28 nm, times the square of the nodes.\n\n",
          flow->name, flow->node_nm, flow->nand2_um2, flow->fo4_ps, flow->clock_fo4,
          flow->clock_fo4 * flow->fo4_ps / 1000, 2000 / (flow->fo4_ps * 28 / flow->node_nm),
          REPORT_SYNTH_KEYS, synth_bit_um2(flow->node_nm));
}

// Flat synthesis of whole designs, which takes long, beside the roll-up: in OSU 0.18 um.
typedef struct flat {
  synth_design_t design;
  size_t blocks;
  double rolled, flat;     // um2
} flat_t;

static const flat_t flats[] = {
#define ROW(design, blocks, rolled, flat) {design, blocks, rolled, flat},
#include "report/silicon/report_flat.def"
#undef ROW
};
enum { FLATS = sizeof flats / sizeof *flats };

static void write_flats(FILE *file) {
  for (size_t i = 0; i < FLATS; ++i) {
    fprintf(file, "%s %s, P %zu: %.1f %%", i > 0 ? ";" : "", synth_design_name[flats[i].design],
            flats[i].blocks, report_synth_saving(flats[i].flat, flats[i].rolled));
  }
}

void report_synth_caveats(FILE *file) {
  fprintf(
      file,
      "\nWhat to keep in mind with every number here: cells only, no wires, placement, clock tree "
      "or test logic; registers\nwith an enable are a multiplexer and a flip-flop (no clock gates), "
      "which adds the same to both designs and so makes\nsavings smaller; multipliers are arrays of "
      "plain gates, which a commercial tool's generators would make smaller, and\nFA-2 has more of "
      "them, which makes savings larger; units are mapped one by one, which counts\n"
      "operand unpacking that FA-2's lanes and dividers could share as often as there are lanes. "
      "Synthesised flat (OSU 0.18 um,\nD 32) designs are smaller:");
  write_flats(file);
  fprintf(file, ". The RTL is this\nproject's, not the paper's. synth/README.md says more.\n");
}

bool report_synth_open(const report_context_t *context, synth_flow_t *flow, base_error_t *error) {
  const report_settings_t *settings = context->settings;
  const synth_settings_t of_flow = {.liberty = settings->liberty,
                                    .node = settings->node,
                                    .clock_fo4 = settings->clock_fo4,
                                    .quiet = settings->quiet};
  return synth_open(&of_flow, flow, error);
}
