// SPDX-License-Identifier: Apache-2.0
#include "report/silicon/synth.h"

#include <stdio.h>
#include <string.h>

synth_shape_t report_synth_shape(synth_design_t design, size_t d, size_t blocks, size_t queries) {
  return (synth_shape_t){.design = design, .d = d, .blocks = blocks, .queries = queries, .rows = REPORT_SYNTH_KEYS};
}

bool report_synth_make(const synth_flow_t *flow, const report_area_t *list, size_t count, base_error_t *error) {
  static synth_wants_t wants;
  wants.count = 0;
  for (size_t i = 0; i < count; ++i) {
    synth_want_design(&wants, flow, &list[i].shape);
  }
  return synth_make(flow, &wants, error);
}

bool report_synth_areas(const report_context_t *context, const synth_flow_t *flow, report_area_t *list, size_t count,
                        base_exit_t *code, base_error_t *error) {
  for (size_t i = 0; i < count; ++i) {
    const synth_shape_t *shape = &list[i].shape;
    if (report_interrupted()) {
      *code = BASE_INTERRUPTED;
      return base_fail(error, "interrupted");
    }
    if (!context->settings->quiet) {
      fprintf(stderr, "%s: %s, D %zu, P %zu, NQ %zu\n", context->name, synth_design_name[shape->design], shape->d,
              shape->blocks, shape->queries);
    }
    if (!synth_area(flow, shape, &list[i].area, error)) {
      return false;
    }
  }
  return true;
}

double report_synth_whole(const report_area_t *result) { return result->area.datapath_um2 + result->area.sram_um2; }

double report_synth_saving(double part, double whole) { return 100 * (1 - part / whole); }

const char *report_synth_verdict(double ours, double paper) {
  return ours >= paper ? "reproduced" : ours >= paper - 1 ? "nearly reproduced" : "not reproduced";
}

cJSON *report_synth_row(const synth_flow_t *flow, const report_area_t *result, cJSON *list) {
  const synth_area_t *area = &result->area;
  cJSON *row =
      report_row(list, NUMBER("d", result->shape.d), NUMBER("blocks", result->shape.blocks),
                 NUMBER("queries", result->shape.queries), TEXT("design", synth_design_name[result->shape.design]),
                 NUMBER("datapath_um2", area->datapath_um2), NUMBER("sram_um2", area->sram_um2),
                 NUMBER("datapath_nand2", area->datapath_um2 / flow->nand2_um2), FLAG("closes", area->closes));
  cJSON *parts = cJSON_AddObjectToObject(row, "parts");
  for (size_t i = 0; i < SYNTH_BLOCKS; ++i) {
    report_put(parts, NUMBER(synth_block_name[i], area->block[i]));
  }
  return row;
}

// Flat synthesis of whole designs, which takes long, beside the roll-up: in OSU 0.18 um.
typedef struct flat {
  synth_design_t design;
  size_t blocks;
  double rolled, flat;  // um2
} flat_t;

static const flat_t flats[] = {
#define ROW(design, blocks, rolled, flat) {design, blocks, rolled, flat},
#include "report/silicon/flat.def"
#undef ROW
};
enum { FLATS = sizeof flats / sizeof *flats };

static void put_flats(cJSON *root) {
  char text[256] = "";
  for (size_t i = 0; i < FLATS; ++i) {
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s %s, P %zu: %.1f %%", i > 0 ? ";" : "",
             synth_design_name[flats[i].design], flats[i].blocks, report_synth_saving(flats[i].flat, flats[i].rolled));
  }
  report_put(root, TEXT(".flats", text));
}

void report_synth_flow(const synth_flow_t *flow, cJSON *root) {
  report_put(root, TEXT("library", flow->name), NUMBER("node_nm", flow->node_nm), NUMBER("fo4_ps", flow->fo4_ps),
             NUMBER("nand2_um2", flow->nand2_um2), NUMBER("clock_fo4", flow->clock_fo4),
             NUMBER("sram_um2_per_bit", synth_bit_um2(flow->node_nm)), NUMBER(".keys", REPORT_SYNTH_KEYS));
  report_put_text(root, ".intro",
                  "Yosys and ABC, library %s (%.0f nm, NAND2 %.4g um2, FO4 %.1f ps), every unit mapped to "
                  "the smallest area\nfound that closes a clock of %u FO4 = %.2f ns; the H-FA paper's 2 ns "
                  "at 28 nm are %.0f FO4 of this library scaled\nby the node. %d keys. SRAM by a proxy, "
                  "%.4g um2 a bit: 0.194 at 28 nm, times the square of the nodes.",
                  flow->name, flow->node_nm, flow->nand2_um2, flow->fo4_ps, flow->clock_fo4,
                  flow->clock_fo4 * flow->fo4_ps / 1000, 2000 / (flow->fo4_ps * 28 / flow->node_nm), REPORT_SYNTH_KEYS,
                  synth_bit_um2(flow->node_nm));
  put_flats(root);
}

bool report_synth_open(const report_context_t *context, synth_flow_t *flow, base_error_t *error) {
  const report_settings_t *settings = context->settings;
  const synth_settings_t of_flow = {.liberty = settings->liberty,
                                    .node = settings->node,
                                    .clock_fo4 = settings->clock_fo4,
                                    .wires = settings->wires,
                                    .quiet = settings->quiet};
  return synth_open(&of_flow, flow, error);
}
