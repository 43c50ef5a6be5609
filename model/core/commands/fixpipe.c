// FIXPIPE and FIX_L1: a tile in L0C to GM or to strips in L1, as it is, cast, or times scales.
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

static bool check_pitch(const core_checker_t *check, const cmd_fixpipe_t *c) {
  return core_expect(check, c->strip_pitch % CORE_SUM_ROW == 0, "strip_pitch", c->strip_pitch, "a multiple of 64");
}

static bool check_strips(const core_checker_t *check, const cmd_fixpipe_t *c) {
  return core_below(check, "nz", c->nz, 2) && check_pitch(check, c) &&
         core_expect(check, c->nz == 0 || c->op == GM_STORE, "op", c->op, "GM_STORE with nz=1") &&
         core_expect(check, c->nz == 0 || c->n % STRIP == 0, "n", c->n, "a multiple of 16 with nz=1") &&
         core_expect(check, c->nz == 0 || !is_byte(c->type), "type", c->type, "elements of 16 or 32 bits with nz=1");
}

static bool check_tile(const core_checker_t *check, const cmd_fixpipe_t *c) {
  return core_one_or_more(check, "m", c->m) && core_one_or_more(check, "n", c->n) &&
         core_expect(check, c->from == TYPE_F32 || c->from == TYPE_S32, "from", c->from, "TYPE_F32 or TYPE_S32") &&
         core_below(check, "relu", c->relu, 2) && core_below(check, "quant", c->quant, QUANT_COUNT) &&
         check_types(check, c);
}

// Elements are combined as they would be stored, in whole words.
static bool check_op(const core_checker_t *check, const cmd_fixpipe_t *c) {
  const uint32_t bytes = core_type_bytes(c->type);
  return core_below(check, "op", c->op, GM_OP_COUNT) &&
         core_expect(
             check,
             c->op == GM_STORE || (core_gm_operand_type(c->op) == c->type && core_gm_memory_type(c->op) == c->type),
             "op", c->op, "GM_STORE, or an operation on elements of the type") &&
         core_expect(check, c->op == GM_STORE || c->n * bytes % 4 == 0, "n", c->n,
                     "columns of a multiple of 4 bytes with an atomic operation");
}

bool core_fixpipe_check(const core_checker_t *check, const cmd_fixpipe_t *c) {
  return check_tile(check, c) && check_strips(check, c) && check_op(check, c);
}

// What a tile's values are made of. Returns their number.
static size_t operands_read(const cmd_fixpipe_t *c, core_operand_t *operand) {
  size_t count = 0;
  operand[count++] = c->strip_pitch != 0 ? core_accumulator_strips(false, c->l0c, c->strip_pitch, c->m, c->n)
                                         : core_accumulator(false, c->l0c, c->m, c->n);
  if (c->quant == QUANT_COLUMNS) {
    operand[count++] = core_rectangle(SPACE_L1, false, "scales", c->scales, NULL, SCALE_BYTES, c->n, sizeof(float));
  }
  return count;
}

size_t core_fixpipe_operands(const cmd_fixpipe_t *c, core_operand_t *operand) {
  const uint32_t bytes = core_type_bytes(c->type);
  size_t count = operands_read(c, operand);
  operand[count] =
      c->nz != 0
          ? core_global(true, c->gm, c->gm_pitch, core_strips(c->n), core_mul(c->m, (uint64_t)STRIP * bytes), bytes)
          : core_global(true, c->gm, c->gm_pitch, c->m, (uint64_t)c->n * bytes, c->op == GM_STORE ? bytes : 4);
  operand[count++].access.atomic = c->op != GM_STORE;
  return count;
}

core_shape_t core_fixpipe_shape(const cmd_fixpipe_t *c, const core_operand_t *operand) {
  const bool in_gm = operand->access.space == SPACE_GM;
  if (operand->access.space == SPACE_L1) {
    return core_in_rows(TYPE_F32, c->n, 1);
  }
  if (in_gm && c->nz != 0) {
    const uint64_t fractal = (uint64_t)STRIP * STRIP * core_type_bytes(c->type);
    return core_in_fractals(c->type, c->m, c->n, fractal, c->gm_pitch);
  }
  return !in_gm && c->strip_pitch != 0 ? core_in_fractals(c->from, c->m, c->n, CORE_SUMS, c->strip_pitch)
                                       : core_in_rows(in_gm ? c->type : c->from, c->m, c->n);
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
  if (c->type == TYPE_BF16) {
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

// Where a row's part that begins with that column is.
static const uint8_t *part_of_tile(const cmd_fixpipe_t *c, const uint8_t *l0c, size_t row, size_t column) {
  return c->strip_pitch != 0 ? l0c + column / STRIP * c->strip_pitch + row * CORE_SUM_ROW
                             : l0c + (row * core_round_16(c->n) + column) * 4;
}

static uint8_t *part_in_gm(const cmd_fixpipe_t *c, uint8_t *gm, size_t row, size_t column) {
  const uint32_t bytes = core_type_bytes(c->type);
  return c->nz != 0 ? gm + column / STRIP * c->gm_pitch + row * STRIP * bytes : gm + row * c->gm_pitch + column * bytes;
}

static void combine_part(const core_memory_t *memory, const cmd_fixpipe_t *c, const uint32_t *from, size_t column,
                         size_t count, uint8_t *to) {
  uint32_t operands[PART];
  put_part(memory, c, from, column, count, (uint8_t *)operands);
  num_gm_apply_n((enum num_gm_op)c->op, (uint32_t *)(void *)to, operands, count * core_type_bytes(c->type) / 4, NULL);
}

// to: where row 0 is, or would be.
static void put_row(const core_memory_t *memory, const cmd_fixpipe_t *c, size_t row, uint8_t *to) {
  const uint8_t *l0c = core_at(memory, SPACE_L0C, c->l0c);
  const size_t part = c->strip_pitch != 0 || c->nz != 0 ? STRIP : PART;
  for (size_t column = 0; column < c->n; column += part) {
    (c->op == GM_STORE ? put_part : combine_part)(memory, c,
                                                  (const uint32_t *)(const void *)part_of_tile(c, l0c, row, column),
                                                  column, smaller(c->n - column, part), part_in_gm(c, to, row, column));
  }
}

const uint32_t *core_fixpipe_row(const core_memory_t *memory, const cmd_fixpipe_t *c, uint64_t row, uint32_t *room) {
  if (c->type == c->from && c->relu == 0 && c->strip_pitch == 0) {
    return (const uint32_t *)(const void *)part_of_tile(c, core_at(memory, SPACE_L0C, c->l0c), row, 0);
  }
  cmd_fixpipe_t stored = *c;
  stored.op = GM_STORE;
  stored.gm_pitch = 0;
  put_row(memory, &stored, row, (uint8_t *)room);
  return room;
}

void core_fixpipe_execute(const core_memory_t *memory, const cmd_fixpipe_t *c) {
  uint8_t *gm = core_at(memory, SPACE_GM, c->gm);
  for (size_t r = 0; r < c->m; ++r) {
    put_row(memory, c, r, gm);
  }
}

// --- to L1 ----------------------------------------------------------------------------------------

static cmd_fixpipe_t tile_of(const cmd_fix_l1_t *c) {
  return (cmd_fixpipe_t){.l0c = c->l0c,
                         .m = c->m,
                         .n = c->n,
                         .type = c->type,
                         .from = c->from,
                         .relu = c->relu,
                         .quant = c->quant,
                         .scale = c->scale,
                         .scales = c->scales,
                         .strip_pitch = c->strip_pitch,
                         .op = GM_STORE};
}

bool core_tile_out(const command_t *command, cmd_fixpipe_t *tile) {
  const unsigned opcode = command->header.opcode_;
  if (opcode == OP_FIXPIPE) {
    *tile = command->fixpipe;
  } else if (opcode == OP_FIX_L1) {
    *tile = tile_of(&command->fix_l1);
  }
  return opcode == OP_FIXPIPE || opcode == OP_FIX_L1;
}

// Bytes of a strip's row in L1, and how many columns it has.
static uint32_t strip_row(const cmd_fix_l1_t *c) { return core_type_bytes(c->type) == 4 ? CORE_SUM_ROW : STRIP_ROW; }
static uint32_t strip_columns(const cmd_fix_l1_t *c) { return is_byte(c->type) ? STRIP_ROW : STRIP; }

bool core_fix_l1_check(const core_checker_t *check, const cmd_fix_l1_t *c) {
  const cmd_fixpipe_t tile = tile_of(c);
  return check_tile(check, &tile) && check_pitch(check, &tile) &&
         core_expect(check, c->n % strip_columns(c) == 0, "n", c->n,
                     is_byte(c->type) ? "a multiple of 32 of 8-bit results" : "a multiple of 16");
}

size_t core_fix_l1_operands(const cmd_fix_l1_t *c, core_operand_t *operand) {
  const cmd_fixpipe_t tile = tile_of(c);
  const size_t count = operands_read(&tile, operand);
  operand[count] = core_rectangle(SPACE_L1, true, "l1", c->l1, "l1_pitch", c->l1_pitch,
                                  core_ceil_div(c->n, strip_columns(c)), core_mul(c->m, strip_row(c)));
  return count + 1;
}

core_shape_t core_fix_l1_shape(const cmd_fix_l1_t *c, const core_operand_t *operand) {
  const cmd_fixpipe_t tile = tile_of(c);
  return operand->access.write ? core_in_fractals(c->type, c->m, c->n, (uint64_t)STRIP * strip_row(c), c->l1_pitch)
                               : core_fixpipe_shape(&tile, operand);
}

uint64_t core_fix_l1_bytes(const cmd_fix_l1_t *c) { return core_strips(c->n) * c->m * CORE_SUM_ROW; }

void core_fix_l1_execute(const core_memory_t *memory, const cmd_fix_l1_t *c) {
  const cmd_fixpipe_t tile = tile_of(c);
  const uint8_t *l0c = core_at(memory, SPACE_L0C, c->l0c);
  uint8_t *l1 = core_at(memory, SPACE_L1, c->l1);
  const size_t columns = strip_columns(c);
  for (size_t column = 0; column < c->n; column += STRIP) {
    uint8_t *strip = l1 + column / columns * c->l1_pitch + column % columns;  // half a row of bytes
    for (size_t r = 0; r < c->m; ++r) {
      const uint8_t *from = part_of_tile(&tile, l0c, r, column);
      put_part(memory, &tile, (const uint32_t *)(const void *)from, column, STRIP, strip + r * strip_row(c));
    }
  }
}
