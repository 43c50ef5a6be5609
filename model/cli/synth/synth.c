// SPDX-License-Identifier: Apache-2.0
#include "cli/synth/synth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/output.h"
#include "cli/option/manual.h"
#include "cli/option/options.h"
#include "host/interrupt.h"
#include "silicon/synth/area.h"

enum { ROWS = 1024 };

typedef struct synth_result {
  synth_shape_t shape;
  synth_area_t area;     // of a whole design
  cJSON *unit, *timing;  // or of one unit
  cJSON *top;            // or the timing of a whole top
  cJSON *root;           // for --json
} synth_result_t;

static void help(void) {
  static const manual_row_t examples[] = {
      {"synth", "H-FA, D = 64, P = 4, in OSU 0.18 um"},
      {"synth --design fa2 --liberty sky130.lib.gz", "another engine, another library"},
      {"synth --unit hfa_lns_add", "one unit, with its critical path"},
      {"synth --top hfa --d 16 --blocks 2 --clock-fo4 130", "the clock of a whole engine, its units mapped to 130 FO4"},
      {NULL, NULL}};
  static const manual_row_t files[] = {
      {"build/synth", "results, by content; made once. $AMALGAM_SYNTH names another folder"},
      {"synth/README.md", "how it goes, and what the numbers are not good for"},
      {NULL, NULL}};
  const manual_t manual = {.name = "synth",
                           .synopsis = "[options]",
                           .about =
                               "area and timing of the RTL in a standard-cell library. By Yosys, ABC and OpenSTA. A "
                               "whole design is rolled up from its units, each synthesised once; memories are a proxy.",
                           .command = CLI_SYNTH,
                           .examples = examples,
                           .files = files};
  manual_print(stdout, &manual);
}

static synth_shape_t shape_of(const options_t *options) {
  const size_t blocks = (size_t)options->synth_blocks.value;
  return (synth_shape_t){.design = (synth_design_t)options->synth_design.value,
                         .d = (size_t)options->synth_d.value,
                         .blocks = blocks,
                         .queries = (size_t)options->synth_queries.value,
                         .rows = ROWS / blocks * blocks};
}

// --- a whole design ---------------------------------------------------------------------------

static bool design_json(const synth_flow_t *flow, synth_result_t *result) {
  const synth_area_t *area = &result->area;
  cJSON *root = result->root = cJSON_CreateObject();
  cJSON_AddStringToObject(root, "design", synth_design_name[result->shape.design]);
  cJSON_AddNumberToObject(root, "d", (double)result->shape.d);
  cJSON_AddNumberToObject(root, "blocks", (double)result->shape.blocks);
  cJSON_AddNumberToObject(root, "queries", (double)result->shape.queries);
  cJSON_AddStringToObject(root, "library", flow->name);
  cJSON_AddNumberToObject(root, "clock_fo4", flow->clock_fo4);
  cJSON_AddNumberToObject(root, "clock_ps", flow->clock_fo4 * flow->fo4_ps);
  cJSON_AddBoolToObject(root, "closes", area->closes);
  cJSON_AddNumberToObject(root, "datapath_um2", area->datapath_um2);
  cJSON_AddNumberToObject(root, "sram_um2", area->sram_um2);
  cJSON_AddNumberToObject(root, "sram_bits", area->sram_bits);
  cJSON *blocks = cJSON_AddArrayToObject(root, "parts");
  for (size_t i = 0; i < SYNTH_BLOCKS; ++i) {
    cJSON *part = cJSON_CreateObject();
    cJSON_AddItemToArray(blocks, part);
    cJSON_AddStringToObject(part, "name", synth_block_name[i]);
    cJSON_AddNumberToObject(part, "um2", area->block[i]);
    cJSON_AddNumberToObject(part, "nand2", area->block[i] / flow->nand2_um2);
  }
  return root != NULL;
}

static void print_row(const synth_flow_t *flow, const char *name, double um2, double all) {
  printf("  %-40s %12.0f um2 %10.0f NAND2 %9.1f kGE %6.1f %%\n", name, um2, um2 / flow->nand2_um2,
         um2 / flow->nand2_um2 / 1000, 100 * um2 / all);
}

static void print_design(const synth_flow_t *flow, const synth_result_t *result) {
  const synth_area_t *area = &result->area;
  printf("%s, D %zu, P %zu, NQ %zu in %s (%.0f nm), clock %u FO4 = %.2f ns: %s\n",
         synth_design_name[result->shape.design], result->shape.d, result->shape.blocks, result->shape.queries,
         flow->name, flow->node_nm, flow->clock_fo4, flow->clock_fo4 * flow->fo4_ps / 1000,
         area->closes ? "all units close it" : "NOT closed by all units");
  for (size_t i = 0; i < SYNTH_BLOCKS; ++i) {
    print_row(flow, synth_block_name[i], area->block[i], area->datapath_um2);
  }
  print_row(flow, "datapath", area->datapath_um2, area->datapath_um2);
  printf("  %-40s %12.0f um2 for %.0f bits, by a proxy\n", "SRAM, apart", area->sram_um2, area->sram_bits);
}

// --- one unit ---------------------------------------------------------------------------------

// The parameters of a unit that the options speak about.
static bool unit_params(const char *unit, const synth_shape_t *shape, char params[SYNTH_PARAMS_BYTES],
                        base_error_t *error) {
  char names[SYNTH_PARAMS_BYTES];
  const char *const arguments[] = {unit, NULL};
  if (!synth_script("parameters", arguments, true, names, sizeof names, error)) {
    return false;
  }
  const struct {
    const char *name;
    size_t value;
  } known[] = {{"D", shape->d},
               {"P", shape->blocks},
               {"NQ", shape->queries},
               {"N", shape->rows},
               {"ROWS", shape->rows / shape->blocks},
               {"LNS", shape->design == SYNTH_HFA_CORRECTED},
               {"ARITHMETIC", synth_arithmetic(shape->design)},
               {"VARIANT", synth_variant(shape->design)}};
  size_t used = 0;
  char *rest = NULL;
  params[0] = '\0';
  for (char *name = strtok_r(names, "\n", &rest); name != NULL; name = strtok_r(NULL, "\n", &rest)) {
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
      if (strcmp(name, known[i].name) == 0 && used < SYNTH_PARAMS_BYTES) {
        used += (size_t)snprintf(params + used, SYNTH_PARAMS_BYTES - used, "%s%s=%zu", used > 0 ? " " : "", name,
                                 known[i].value);
      }
    }
  }
  return true;
}

static bool run_unit(const synth_flow_t *flow, const char *unit, synth_result_t *result, base_error_t *error) {
  char params[SYNTH_PARAMS_BYTES];
  char folder[SYNTH_PATH_BYTES];
  if (!unit_params(unit, &result->shape, params, error)) {
    return false;
  }
  result->unit = synth_unit(flow, unit, params, false, folder, error);
  result->timing = result->unit == NULL ? NULL : synth_timing(flow, folder, error);
  if (result->timing == NULL) {
    return false;
  }
  result->root = cJSON_Duplicate(result->unit, true);
  cJSON_AddItemToObject(result->root, "timing", cJSON_Duplicate(result->timing, true));
  return true;
}

static void print_unit(const synth_flow_t *flow, const synth_result_t *result) {
  const cJSON *unit = result->unit;
  const cJSON *timing = result->timing;
  const cJSON *item;
  printf("%s", json_text(unit, "unit"));
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(unit, "params")) {
    printf(" %s=%.0f", item->string, item->valuedouble);
  }
  printf(" in %s: %.0f um2, %.0f NAND2, mapped %s\n", flow->name, json_number(unit, "area_um2"),
         json_number(unit, "nand2"), json_text(unit, "recipe"));
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(unit, "cells")) {
    printf("  %-24s %7.0f\n", item->string, item->valuedouble);
  }
  const double period = json_number(timing, "min_period_ps");
  printf("  slowest path %.2f ns = %.1f FO4 (%.0f MHz), from %s to %s; the clock is %u FO4\n", period / 1000,
         json_number(timing, "fo4"), 1e6 / period, json_text(timing, "from"), json_text(timing, "to"), flow->clock_fo4);
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(timing, "loops")) {
    printf("  loop of the %s %.2f ns = %.1f FO4\n", json_text(item, "name"), json_number(item, "ps") / 1000,
           json_number(item, "ps") / flow->fo4_ps);
  }
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(timing, "stages")) {
    printf("  stage %-10s %.2f ns = %.1f FO4\n", json_text(item, "name"), json_number(item, "ps") / 1000,
           json_number(item, "ps") / flow->fo4_ps);
  }
}

// --- a whole top ------------------------------------------------------------------------------

static bool run_top(const synth_flow_t *flow, int which, synth_result_t *result, base_error_t *error) {
  static synth_wants_t wants;
  synth_want_t want = {.unit = "gm_atomic", .params = "LANES=16", .clock_fo4 = flow->clock_fo4, .boxes = true};
  if (which < SYNTH_DESIGNS) {
    const synth_shape_t *shape = &result->shape;
    snprintf(want.unit, sizeof want.unit, "attention_engine");
    snprintf(want.params, sizeof want.params, "ARITHMETIC=%zu VARIANT=%zu D=%zu P=%zu NQ=%zu N=%zu",
             synth_arithmetic((synth_design_t)which), synth_variant((synth_design_t)which), shape->d, shape->blocks,
             shape->queries, shape->rows);
  }
  wants.count = 0;
  synth_want(&wants, &want);
  result->top = synth_make(flow, &wants, error) ? synth_top(flow, want.unit, want.params, error) : NULL;
  result->root = cJSON_Duplicate(result->top, true);
  return result->top != NULL;
}

static void print_path(const synth_flow_t *flow, const char *name, const cJSON *path) {
  const double fo4 = json_number(path, "fo4");
  const double mhz = 1e6 / (fo4 * flow->fo4_ps);
  printf("  %-12s %6.1f FO4 %6.0f MHz %6.0f at 28 nm  from %s to %s\n", name, fo4, mhz, mhz * flow->node_nm / 28,
         json_text(path, "from"), json_text(path, "to"));
}

static void print_top(const synth_flow_t *flow, const synth_result_t *result) {
  const cJSON *part;
  printf("%s in %s (%.0f nm), its units mapped to %u FO4\n", json_text(result->top, "top"), flow->name, flow->node_nm,
         flow->clock_fo4);
  print_path(flow, "whole", result->top);
  cJSON_ArrayForEach(part, cJSON_GetObjectItemCaseSensitive(result->top, "parts")) {
    print_path(flow, json_text(part, "name"), part);
  }
}

// --- the command ------------------------------------------------------------------------------

static bool run(const options_t *options, const synth_flow_t *flow, synth_result_t *result, base_error_t *error) {
  result->shape = shape_of(options);
  if (options->synth_top.given) {
    return run_top(flow, options->synth_top.value, result, error);
  }
  if (options->synth_unit != NULL) {
    return run_unit(flow, options->synth_unit, result, error);
  }
  static synth_wants_t wants;
  wants.count = 0;
  synth_want_design(&wants, flow, &result->shape);
  return synth_make(flow, &wants, error) && synth_area(flow, &result->shape, &result->area, error) &&
         (design_json(flow, result) || base_fail(error, "out of memory"));
}

static bool write_json(const synth_result_t *result, outputs_t *outputs, size_t index, base_error_t *error) {
  FILE *file = outputs_open(outputs, index, error);
  json_add_amalgam(result->root);
  return file != NULL && json_print(file, result->root, error) && outputs_commit(outputs, error);
}

static bool measure(const options_t *options, outputs_t *outputs, base_error_t *error) {
  size_t json = 0;
  synth_flow_t flow;
  synth_result_t result = {0};
  const synth_settings_t settings = {.liberty = options->liberty,
                                     .node = option_count_or(&options->node, 0),
                                     .clock_fo4 = (unsigned)options->clock_fo4.value,
                                     .wires = options->wires,
                                     .quiet = options->quiet};
  if (options->synth_top.given && options->synth_unit != NULL) {
    return base_fail(error, "synth: --top and --unit are two questions; give one");
  }
  if (options->words > 0) {
    return base_fail(error, "synth: unexpected argument '%s'", options->word[0]);
  }
  if (options->json != NULL && !outputs_add(outputs, options->json, &json, error)) {
    return false;
  }
  bool good = synth_open(&settings, &flow, error) && run(options, &flow, &result, error) &&
              (options->json == NULL || write_json(&result, outputs, json, error));
  if (good && !options->quiet) {
    if (result.top != NULL) {
      print_top(&flow, &result);
    } else if (result.unit != NULL) {
      print_unit(&flow, &result);
    } else {
      print_design(&flow, &result);
    }
    good = output_printed(error);
  }
  cJSON_Delete(result.unit);
  cJSON_Delete(result.timing);
  cJSON_Delete(result.top);
  cJSON_Delete(result.root);
  return good;
}

int synth(int argc, char **argv) {
  options_t options;
  outputs_t outputs = {.count = 0};
  base_error_t error;
  int code = BASE_OK;
  host_hold_interrupts();
  if (!options_parse(&options, CLI_SYNTH, argc, argv, &error)) {
    code = base_report(BASE_BAD_INPUT, &error);
  } else if (options.help) {
    help();
  } else if (!measure(&options, &outputs, &error)) {
    code = base_report(host_interrupted() ? BASE_INTERRUPTED : BASE_BAD_INPUT, &error);
  }
  outputs_discard(&outputs);
  return code;
}
