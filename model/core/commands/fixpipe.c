// FIXPIPE: a tile in L0C to GM, as it is, cast, or times scales.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "core/commands/command.h"
#include "num/num_format.h"
#include "num/num_gm.h"

enum { SCALE_BYTES = 8 };  // from one column's to the next in L1

bool core_fixpipe_ignores(const cmd_fixpipe_t *c, const char *field) {
  return (strcmp(field, "from") == 0 && c->from == TYPE_F32) || (strcmp(field, "relu") == 0 && c->relu == 0) ||
         (strcmp(field, "quant") == 0 && c->quant == QUANT_NONE) ||
         (strcmp(field, "scale") == 0 && c->quant != QUANT_SCALE) ||
         (strcmp(field, "scales") == 0 && c->quant != QUANT_COLUMNS);
}

static bool is_byte(uint32_t type) { return type == TYPE_S8 || type == TYPE_U8; }

static bool check_types(const core_checker_t *check, const cmd_fixpipe_t *c) {
  if (c->quant != QUANT_NONE) {
    return c->from == TYPE_S32
               ? core_expect(check, c->type == TYPE_F16 || is_byte(c->type), "type", c->type,
                             "TYPE_F16, TYPE_S8 or TYPE_U8 of S32 with scales")
               : core_expect(check, is_byte(c->type), "type", c->type, "TYPE_S8 or TYPE_U8 of F32 with scales");
  }
  return c->from == TYPE_S32
             ? core_expect(check, c->type == TYPE_S32, "type", c->type, "TYPE_S32 of S32 without scales")
             : core_expect(check, c->type == TYPE_F32 || c->type == TYPE_BF16 || c->type == TYPE_F16, "type", c->type,
                           "TYPE_F32, TYPE_BF16 or TYPE_F16");
}

bool core_fixpipe_check(const core_checker_t *check, const cmd_fixpipe_t *c) {
  return core_one_or_more(check, "m", c->m) && core_one_or_more(check, "n", c->n) &&
         core_expect(check, c->from == TYPE_F32 || c->from == TYPE_S32, "from", c->from, "TYPE_F32 or TYPE_S32") &&
         core_below(check, "relu", c->relu, 2) && core_below(check, "quant", c->quant, QUANT_COUNT) &&
         check_types(check, c) &&
         core_expect(check,
                     c->op == GM_STORE || (c->relu == 0 && ((c->op == GM_ADD_F32 && c->type == TYPE_F32) ||
                                                            (c->op == GM_ADD_S32_RAW && c->type == TYPE_S32))),
                     "op", c->op, "GM_STORE, or without ReLU GM_ADD_F32 with TYPE_F32 or GM_ADD_S32_RAW with TYPE_S32");
}

size_t core_fixpipe_operands(const cmd_fixpipe_t *c, core_operand_t *operand) {
  const uint32_t bytes = core_type_bytes(c->type);
  size_t count = 0;
  operand[count++] = core_accumulator(false, c->l0c, c->m, c->n);
  if (c->quant == QUANT_COLUMNS) {
    operand[count++] = core_rectangle(SPACE_L1, false, "scales", c->scales, NULL, SCALE_BYTES, c->n, sizeof(float));
  }
  operand[count] = core_global(true, c->gm, c->gm_pitch, c->m, (uint64_t)c->n * bytes, bytes);
  operand[count++].access.atomic = c->op != GM_STORE;
  return count;
}

core_shape_t core_fixpipe_shape(const cmd_fixpipe_t *c, const core_operand_t *operand) {
  return operand->access.space == SPACE_L1
             ? core_in_rows(TYPE_F32, c->n, 1)
             : core_in_rows(operand->access.space == SPACE_GM ? c->type : c->from, c->m, c->n);
}

uint64_t core_fixpipe_bytes(const cmd_fixpipe_t *c) { return (uint64_t)c->m * c->n * core_type_bytes(c->type); }

enum { PART = 256 };  // columns of a row that are taken at a time

// ReLU of a part, which is FP32 or S32.
static void cut_below_zero(uint32_t type, const uint32_t *from, size_t count, uint32_t *to) {
  for (size_t i = 0; i < count; ++i) {
    const bool above = type == TYPE_S32 ? (int32_t)from[i] > 0 : num_f32_from_bits(from[i]) > 0;
    to[i] = above ? from[i] : 0;
  }
}

static float scale_of(const core_memory_t *memory, const cmd_fixpipe_t *c, size_t column) {
  float scale = num_f32_from_bits(c->scale);
  if (c->quant == QUANT_COLUMNS) {
    memcpy(&scale, core_at(memory, SPACE_L1, c->scales) + column * SCALE_BYTES, sizeof scale);
  }
  return scale;
}

// To nearest even, saturating; 0 of what is no number.
static uint8_t byte_of(uint32_t type, float value) {
  const float least = type == TYPE_S8 ? -128 : 0;
  const float most = type == TYPE_S8 ? 127 : 255;
  return isnan(value) ? 0 : (uint8_t)(int)rintf(value < least ? least : value > most ? most : value);
}

// The part of a row from its column on, with scales.
static void put_scaled(const core_memory_t *memory, const cmd_fixpipe_t *c, const uint32_t *from, size_t column,
                       size_t count, uint8_t *to) {
  float value[PART];
  for (size_t i = 0; i < count; ++i) {
    const float x = c->from == TYPE_S32 ? (float)(int32_t)from[i] : num_f32_from_bits(from[i]);
    value[i] = x * scale_of(memory, c, column + i);
  }
  if (c->type == TYPE_F16) {
    num_fp16_from_f32_n(value, (num_fp16_t *)(void *)to, count);
  } else {
    for (size_t i = 0; i < count; ++i) {
      to[i] = byte_of(c->type, value[i]);
    }
  }
}

static void put_plain(const cmd_fixpipe_t *c, const uint32_t *from, size_t count, void *to) {
  if (c->op != GM_STORE) {
    num_gm_apply_n((enum num_gm_op)c->op, to, from, count, NULL);
  } else if (c->type == TYPE_BF16) {
    num_bf16_from_f32_n((const float *)(const void *)from, to, count);
  } else if (c->type == TYPE_F16) {
    num_fp16_from_f32_n((const float *)(const void *)from, to, count);
  } else {
    memcpy(to, from, count * 4);
  }
}

static void put_part(const core_memory_t *memory, const cmd_fixpipe_t *c, const uint32_t *from, size_t column,
                     size_t count, uint8_t *to) {
  uint32_t kept[PART];
  if (c->relu != 0) {
    cut_below_zero(c->from, from, count, kept);
    from = kept;
  }
  if (c->quant != QUANT_NONE) {
    put_scaled(memory, c, from, column, count, to);
  } else {
    put_plain(c, from, count, to);
  }
}

void core_fixpipe_execute(const core_memory_t *memory, const cmd_fixpipe_t *c) {
  const uint32_t *l0c = (const uint32_t *)(const void *)core_at(memory, SPACE_L0C, c->l0c);
  uint8_t *gm = core_at(memory, SPACE_GM, c->gm);
  const uint32_t bytes = core_type_bytes(c->type);
  for (size_t r = 0; r < c->m; ++r) {
    for (size_t column = 0; column < c->n; column += PART) {
      put_part(memory, c, l0c + r * core_round_16(c->n) + column, column, smaller(c->n - column, PART),
               gm + r * c->gm_pitch + column * bytes);
    }
  }
}
