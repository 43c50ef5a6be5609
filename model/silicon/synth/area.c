// SPDX-License-Identifier: Apache-2.0
#include "silicon/synth/area.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/output.h"
#include "num/engine/num_engine.h"

enum { UNITS_MAX = 64, DEPTH_MAX = 8 };

const char *const synth_design_name[SYNTH_DESIGNS] = {"hfa", "fa2", "hfa_corrected", "fa2_onemul", "expmul"};
const char *const synth_block_name[SYNTH_BLOCKS] = {"dot product",       "maximum, difference, factor", "lanes", "ACC",
                                                    "LogDiv or divider", "control and registers"};
static const char *const block_key[SYNTH_BLOCKS] = {"dot", "differences", "lanes", "acc", "division", "control"};

size_t synth_arithmetic(synth_design_t design) {
  switch (design) {
    case SYNTH_FA2:
    case SYNTH_FA2_ONEMUL:
      return NUM_DESIGN_FA2;
    case SYNTH_EXPMUL:
      return NUM_DESIGN_EXPMUL;
    default:
      return NUM_DESIGN_HFA;
  }
}

size_t synth_variant(synth_design_t design) {
  return design == SYNTH_HFA_CORRECTED || design == SYNTH_FA2_ONEMUL ? 1 : 0;
}

double synth_bit_um2(double node_nm) { return 0.194 * (node_nm / 28) * (node_nm / 28); }

double synth_at_28(const synth_flow_t *flow, double um2) { return um2 * (28 / flow->node_nm) * (28 / flow->node_nm); }

// --- which block a unit belongs to ------------------------------------------------------------

typedef struct owner {
  const char *unit;
  synth_block_t block;
} owner_t;

static const owner_t owners[] = {{"bf16_dot", SYNTH_DOT},          {"score_order", SYNTH_DIFFERENCES},
                                 {"bf16_diff", SYNTH_DIFFERENCES}, {"hfa_quant", SYNTH_DIFFERENCES},
                                 {"bf16_exp", SYNTH_DIFFERENCES},  {"expmul_power", SYNTH_DIFFERENCES},
                                 {"fau_lane", SYNTH_LANES},        {"fau_lane_l", SYNTH_LANES},
                                 {"fau_lane_o", SYNTH_LANES},      {"acc", SYNTH_ACC},
                                 {"divide", SYNTH_DIVISION}};

// All of an ACC and of a divider is theirs.
static synth_block_t block_of(const char *unit, synth_block_t parent) {
  if (parent == SYNTH_ACC || parent == SYNTH_DIVISION) {
    return parent;
  }
  for (size_t i = 0; i < sizeof owners / sizeof *owners; ++i) {
    if (strcmp(unit, owners[i].unit) == 0) {
      return owners[i].block;
    }
  }
  return SYNTH_CONTROL;
}

// --- roll-up ----------------------------------------------------------------------------------

typedef struct rolled {
  char unit[SYNTH_UNIT_BYTES], params[SYNTH_PARAMS_BYTES];
  cJSON *area;
} rolled_t;

typedef struct rollup {
  const synth_flow_t *flow;
  rolled_t list[UNITS_MAX];  // each unit once
  size_t count;
  synth_area_t *area;
  base_error_t *error;
} rollup_t;

static const cJSON *unit_area(rollup_t *rollup, const char *unit, const char *params) {
  for (size_t i = 0; i < rollup->count; ++i) {
    const rolled_t *rolled = &rollup->list[i];
    if (strcmp(rolled->unit, unit) == 0 && strcmp(rolled->params, params) == 0) {
      return rolled->area;
    }
  }
  if (rollup->count == UNITS_MAX) {
    base_fail(rollup->error, "synth: more than %d units", UNITS_MAX);
    return NULL;
  }
  rolled_t *rolled = &rollup->list[rollup->count];
  rolled->area = synth_unit(rollup->flow, unit, params, true, NULL, rollup->error);
  if (rolled->area == NULL) {
    return NULL;
  }
  snprintf(rolled->unit, sizeof rolled->unit, "%s", unit);
  snprintf(rolled->params, sizeof rolled->params, "%s", params);
  ++rollup->count;
  return rolled->area;
}

// A memory's row carries one bit beside its numbers.
static void add_memory(rollup_t *rollup, const cJSON *params, double count) {
  rollup->area->sram_bits += count * json_number(params, "ROWS") * 16 * json_number(params, "D");
}

static bool add(rollup_t *rollup, const char *unit, const char *params, synth_block_t block, double count, int depth) {
  const cJSON *area = unit_area(rollup, unit, params);
  if (area == NULL) {
    return false;
  }
  if (depth > DEPTH_MAX) {
    return base_fail(rollup->error, "synth: %s is inside itself", unit);
  }
  synth_area_t *sum = rollup->area;
  const double delay = json_number(area, "delay_ps");
  sum->block[block] += count * json_number(area, "area_um2");
  sum->delay_ps = delay > sum->delay_ps ? delay : sum->delay_ps;
  sum->closes = sum->closes && cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(area, "closes"));
  const cJSON *box;
  cJSON_ArrayForEach(box, cJSON_GetObjectItemCaseSensitive(area, "boxes")) {
    char inner[SYNTH_PARAMS_BYTES];
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(box, "unit"));
    const cJSON *set = cJSON_GetObjectItemCaseSensitive(box, "params");
    const double times = count * json_number(box, "count");
    if (name == NULL) {
      return base_fail(rollup->error, "synth: area.json of %s has a box without a unit", unit);
    }
    synth_params(set, inner);
    if (strcmp(name, "kv_sram") == 0) {
      add_memory(rollup, set, times);
    } else if (!add(rollup, name, inner, block_of(name, block), times, depth + 1)) {
      return false;
    }
  }
  return true;
}

// --- the result, kept -------------------------------------------------------------------------

static void top_of(const synth_shape_t *shape, char unit[SYNTH_UNIT_BYTES], char params[SYNTH_PARAMS_BYTES]) {
  snprintf(unit, SYNTH_UNIT_BYTES, "attention_engine");
  snprintf(params, SYNTH_PARAMS_BYTES, "ARITHMETIC=%zu VARIANT=%zu D=%zu P=%zu NQ=%zu N=%zu",
           synth_arithmetic(shape->design), synth_variant(shape->design), shape->d, shape->blocks, shape->queries,
           shape->rows);
}

static void path_of(const synth_flow_t *flow, const synth_shape_t *shape, char path[2 * SYNTH_PATH_BYTES]) {
  snprintf(path, 2 * SYNTH_PATH_BYTES, "%s/%s-d%zu-p%zu-q%zu-n%zu-c%u-%s.json", flow->results,
           synth_design_name[shape->design], shape->d, shape->blocks, shape->queries, shape->rows, flow->clock_fo4,
           flow->key);
}

static bool load(const char *path, synth_area_t *area) {
  cJSON *root = json_read(path);
  if (root == NULL) {
    return false;
  }
  for (size_t i = 0; i < SYNTH_BLOCKS; ++i) {
    area->block[i] = json_number(root, block_key[i]);
  }
  area->sram_bits = json_number(root, "sram_bits");
  area->delay_ps = json_number(root, "delay_ps");
  area->closes = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "closes"));
  cJSON_Delete(root);
  return true;
}

static bool save(const char *path, const synth_area_t *area, base_error_t *error) {
  outputs_t outputs = {0};
  size_t index;
  cJSON *root = cJSON_CreateObject();
  if (root != NULL) {
    for (size_t i = 0; i < SYNTH_BLOCKS; ++i) {
      cJSON_AddNumberToObject(root, block_key[i], area->block[i]);
    }
    cJSON_AddNumberToObject(root, "sram_bits", area->sram_bits);
    cJSON_AddNumberToObject(root, "delay_ps", area->delay_ps);
    cJSON_AddBoolToObject(root, "closes", area->closes);
  }
  bool good = outputs_add(&outputs, path, &index, error);
  FILE *file = good ? outputs_open(&outputs, index, error) : NULL;
  good = file != NULL && json_print(file, root, error) && outputs_commit(&outputs, error);
  outputs_discard(&outputs);
  cJSON_Delete(root);
  return good;
}

static bool roll_up(const synth_flow_t *flow, const synth_shape_t *shape, synth_area_t *area, base_error_t *error) {
  char unit[SYNTH_UNIT_BYTES], params[SYNTH_PARAMS_BYTES];
  static rollup_t rollup;
  rollup = (rollup_t){.flow = flow, .area = area, .error = error};
  top_of(shape, unit, params);
  area->closes = true;
  const bool good = add(&rollup, unit, params, SYNTH_CONTROL, 1, 0);
  for (size_t i = 0; i < rollup.count; ++i) {
    cJSON_Delete(rollup.list[i].area);
  }
  return good;
}

void synth_want_design(synth_wants_t *wants, const synth_flow_t *flow, const synth_shape_t *shape) {
  char path[2 * SYNTH_PATH_BYTES];
  synth_area_t known;
  synth_want_t top = {.clock_fo4 = flow->clock_fo4, .boxes = true};
  synth_want_t dot = top;  // takes longest and lies deep
  path_of(flow, shape, path);
  if (!load(path, &known)) {
    snprintf(dot.unit, sizeof dot.unit, "bf16_dot");
    snprintf(dot.params, sizeof dot.params, "D=%zu", shape->d);
    synth_want(wants, &dot);
    top_of(shape, top.unit, top.params);
    synth_want(wants, &top);
  }
}

bool synth_area(const synth_flow_t *flow, const synth_shape_t *shape, synth_area_t *area, base_error_t *error) {
  char path[2 * SYNTH_PATH_BYTES];
  *area = (synth_area_t){0};
  path_of(flow, shape, path);
  if (!load(path, area) && (!roll_up(flow, shape, area, error) || !save(path, area, error))) {
    return false;
  }
  area->datapath_um2 = 0;
  for (size_t i = 0; i < SYNTH_BLOCKS; ++i) {
    area->datapath_um2 += area->block[i];
  }
  area->sram_um2 = area->sram_bits * synth_bit_um2(flow->node_nm);
  return true;
}
