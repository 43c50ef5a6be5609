// VEC: an operation of the vector pipe, as its row in hal/vector_ops.def says.
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "core/commands/command.h"
#include "core/vector/vector.h"

// The operands of an operation.
typedef struct vec_form {
  bool a, b;        // b: a tile, one value a row or a scalar, as b_kind says
  bool b_groups;    // b: one value for each VEC_SCALE_COLS columns of a row, whatever b_kind says
  bool c;           // a third tile
  bool mask;        // c is a bit mask
  bool pairs;       // columns 2i and 2i + 1 change places
  bool dst_mask;    // dst is a bit mask
  bool dst_column;  // dst is one value a row, packed
} vec_form_t;

// The types of its elements, and whether the fields from and to have a say.
typedef struct types {
  enum { RULE_FIXED, RULE_SAME, RULE_TO, RULE_CAST } rule;
  uint32_t type;  // RULE_FIXED
  uint32_t mask;  // other types than TYPE_F32
} types_t;

typedef struct vec_row {
  vec_form_t form;
  types_t types;
  bool cheaper_scalar;     // b as a scalar: at the price of the config's entry scalar
  size_t cycles, startup;  // where the prices are in config_vector_t
  void (*compute)(const core_vec_tile_t *t);
} vec_row_t;

#define FORM_NONE .a = false
#define FORM_A .a = true
#define FORM_B .b = true
#define FORM_AB .a = true, .b = true
#define FORM_ABC .a = true, .b = true, .c = true
#define FORM_A_ROW .a = true, .dst_column = true
#define FORM_A_PAIRS .a = true, .pairs = true
#define FORM_AB_GROUPS .a = true, .b = true, .b_groups = true
#define FORM_AB_BITS .a = true, .b = true, .dst_mask = true
#define FORM_AB_MASKED .a = true, .b = true, .mask = true
#define TYPE_U32 CORE_TYPE_U32
#define TYPES_FIXED(of) .rule = RULE_FIXED, .type = TYPE_##of
#define TYPES_SAME(bits) .rule = RULE_SAME, .mask = (bits)
#define TYPES_TO(bits) .rule = RULE_TO, .mask = (bits)
#define TYPES_CAST .rule = RULE_CAST

static const vec_row_t rows[VOP_COUNT] = {
#define VOP(NAME, name, cost, form, types, value, follow, text)                                      \
  [VOP_##NAME] = {{FORM_##form},                                                                     \
                  {TYPES_##types},                                                                   \
                  offsetof(config_vector_t, cost##_cycles) == offsetof(config_vector_t, alu_cycles), \
                  offsetof(config_vector_t, cost##_cycles),                                          \
                  offsetof(config_vector_t, cost##_startup),                                         \
                  core_vec_##name},
#include "hal/vector_ops.def"
};

// Types of a, and of b and c if they are tiles.
static uint32_t type_read(const cmd_vec_t *c) {
  const types_t types = rows[c->op].types;
  return types.rule == RULE_FIXED ? types.type : types.rule == RULE_TO ? (uint32_t)TYPE_F32 : c->from;
}

static uint32_t type_written(const cmd_vec_t *c) {
  const types_t types = rows[c->op].types;
  return types.rule == RULE_FIXED ? types.type : c->to;
}

bool core_vec_ignores(const cmd_vec_t *c, const char *field) {
  if (c->op >= VOP_COUNT) {
    return false;
  }
  const vec_form_t form = rows[c->op].form;
  const unsigned rule = rows[c->op].types.rule;
  if (strcmp(field, "a") == 0 || strcmp(field, "a_pitch") == 0) {
    return !form.a;
  }
  if (strcmp(field, "b") == 0) {
    return !form.b || (c->b_kind == OPERAND_SCALAR && !form.b_groups);
  }
  if (strcmp(field, "b_pitch") == 0) {
    return !form.b || (c->b_kind != OPERAND_TILE && !form.b_groups);
  }
  if (strcmp(field, "b_kind") == 0) {
    return !form.b || form.b_groups;
  }
  if (strcmp(field, "scalar") == 0) {
    return !form.b || c->b_kind != OPERAND_SCALAR || form.b_groups;
  }
  if (strcmp(field, "c") == 0 || strcmp(field, "c_pitch") == 0) {
    return !form.c && !form.mask;
  }
  if (strcmp(field, "dst_pitch") == 0) {
    return form.dst_column;
  }
  if (strcmp(field, "round") == 0) {
    return rule != RULE_CAST;
  }
  // FP32 goes without saying.
  if (strcmp(field, "from") == 0 || strcmp(field, "to") == 0) {
    return rule == RULE_FIXED || (rule != RULE_CAST && type_read(c) == TYPE_F32 && type_written(c) == TYPE_F32);
  }
  return false;
}

// --- check ----------------------------------------------------------------------------------------

// Nibbles are widened, whole words of them.
static bool check_cast_int4(const core_checker_t *check, const cmd_vec_t *c) {
  return core_expect(check, c->to == TYPE_F16 || c->to == TYPE_F32, "to", c->to, "TYPE_F16 or TYPE_F32 from nibbles") &&
         core_expect(check, c->cols % 8 == 0, "cols", c->cols, "a multiple of 8 from nibbles");
}

static bool check_cast(const core_checker_t *check, const cmd_vec_t *c) {
  if (!core_below(check, "from", c->from, VEC_TYPES) || !core_below(check, "to", c->to, VEC_TYPES) ||
      !core_below(check, "round", c->round, ROUND_COUNT)) {
    return false;
  }
  if (core_type_is_int4(c->from)) {
    return check_cast_int4(check, c);
  }
  if (!core_expect(check, !core_type_is_int4(c->to), "to", c->to, "a type that is not nibbles")) {
    return false;
  }
  if (c->from != TYPE_F32 && c->to != TYPE_F32) {
    return core_wrong(check, "from=%u to=%u: expected TYPE_F32 on one side", c->from, c->to);
  }
  // Widening from 16 or 8 bits is exact, whatever the rounding.
  const bool may_cut = c->to == TYPE_S32 || core_type_bytes(c->from) <= 2;
  return core_expect(check, c->round == ROUND_NEAREST || may_cut, "round", c->round,
                     "ROUND_NEAREST (ROUND_TRUNC is for TYPE_S32)");
}

// FP32, or a type of the mask: that of both operands and the result, or what an FP32 result is rounded to.
static bool check_narrow(const core_checker_t *check, const cmd_vec_t *c, types_t types) {
  char expected[128] = "TYPE_F32";
  const uint32_t from = type_read(c);
  if (from == TYPE_F32 && c->to == TYPE_F32) {
    return true;
  }
  if (c->to >= TYPE_COUNT || (types.mask >> c->to & 1) == 0) {
    for (uint32_t type = 0; type < TYPE_COUNT; ++type) {
      if ((types.mask >> type & 1) != 0) {
        const size_t length = strlen(expected);
        snprintf(expected + length, sizeof expected - length, " or TYPE_%s", core_type_name(type));
      }
    }
    return core_wrong(check, "to=%u: expected %s", c->to, expected);
  }
  if (types.rule == RULE_TO) {
    return true;
  }
  const char *type = core_type_name(c->to);
  return (from == c->to || core_wrong(check, "from=%u: expected TYPE_%s as to", from, type)) &&
         (c->b_kind == OPERAND_TILE ||
          core_wrong(check, "b_kind=%u: expected OPERAND_TILE with TYPE_%s", c->b_kind, type));
}

static bool check_types(const core_checker_t *check, const cmd_vec_t *c) {
  const types_t types = rows[c->op].types;
  switch (types.rule) {
    case RULE_FIXED:
      return true;
    case RULE_CAST:
      return check_cast(check, c);
    case RULE_SAME:
    case RULE_TO:
      break;
  }
  return check_narrow(check, c, types);
}

bool core_vec_check(const core_checker_t *check, const cmd_vec_t *c) {
  if (!core_below(check, "op", c->op, VOP_COUNT)) {
    return false;
  }
  const vec_form_t form = rows[c->op].form;
  return core_one_or_more(check, "rows", c->rows) && core_one_or_more(check, "cols", c->cols) &&
         (!form.b || form.b_groups || core_below(check, "b_kind", c->b_kind, OPERAND_COUNT)) &&
         core_expect(check, form.a || !form.b || c->b_kind != OPERAND_TILE, "b_kind", c->b_kind,
                     "OPERAND_ROW or OPERAND_SCALAR") &&
         core_expect(check, !form.pairs || c->cols % 2 == 0, "cols", c->cols, "an even number") &&
         check_types(check, c);
}

// --- operands -------------------------------------------------------------------------------------

static core_operand_t in_ub(bool write, const char *field, uint64_t base, const char *pitch_field, uint64_t pitch,
                            uint64_t rows, uint64_t row_bytes) {
  return core_rectangle(SPACE_UB, write, field, base, pitch_field, pitch, rows, row_bytes);
}

size_t core_vec_operands(const cmd_vec_t *c, core_operand_t *operand) {
  const vec_form_t form = rows[c->op].form;
  const uint64_t cols = c->cols;
  const uint64_t from_bytes = core_row_bytes(type_read(c), cols);
  const uint64_t mask_bytes = core_ceil_div(cols, 8);
  size_t count = 0;
  if (form.a) {
    operand[count++] = in_ub(false, "a", c->a, "a_pitch", c->a_pitch, c->rows, from_bytes);
  }
  if (form.b_groups) {
    operand[count++] = in_ub(false, "b", c->b, "b_pitch", c->b_pitch, c->rows, core_ceil_div(cols, VEC_SCALE_COLS) * 4);
  } else if (form.b && c->b_kind == OPERAND_TILE) {
    operand[count++] = in_ub(false, "b", c->b, "b_pitch", c->b_pitch, c->rows, from_bytes);
  } else if (form.b && c->b_kind == OPERAND_ROW) {
    operand[count++] = core_run(SPACE_UB, false, "b", c->b, (uint64_t)c->rows * 4);
  }
  if (form.c || form.mask) {
    operand[count++] = in_ub(false, "c", c->c, "c_pitch", c->c_pitch, c->rows, form.mask ? mask_bytes : from_bytes);
  }
  if (form.dst_column) {
    operand[count++] = core_run(SPACE_UB, true, "dst", c->dst, (uint64_t)c->rows * 4);
  } else {
    const uint64_t row_bytes = form.dst_mask ? mask_bytes : core_row_bytes(type_written(c), cols);
    operand[count++] = in_ub(true, "dst", c->dst, "dst_pitch", c->dst_pitch, c->rows, row_bytes);
  }
  return count;
}

core_shape_t core_vec_shape(const cmd_vec_t *c, const core_operand_t *operand) {
  const vec_form_t form = rows[c->op].form;
  const char field = operand->field[0];
  if (operand->access.write ? form.dst_mask : field == 'c' && form.mask) {
    return core_in_rows(CORE_TYPE_BIT, c->rows, c->cols);
  }
  if (operand->access.write) {
    return core_in_rows(type_written(c), c->rows, form.dst_column ? 1 : c->cols);
  }
  if (field == 'b' && form.b_groups) {
    return core_in_rows(type_read(c), c->rows, core_ceil_div(c->cols, VEC_SCALE_COLS));
  }
  return core_in_rows(type_read(c), c->rows, field == 'b' && c->b_kind == OPERAND_ROW ? 1 : c->cols);
}

core_reach_t core_vec_reach(const cmd_vec_t *c, const core_tensor_t *tensor) {
  const vec_form_t form = rows[c->op].form;
  if (form.dst_column) {
    return CORE_REACH_ROW;
  }
  if (form.pairs) {
    return CORE_REACH_PAIR;
  }
  if (tensor->field[0] == 'b' && form.b_groups) {
    return CORE_REACH_GROUP;
  }
  return tensor->cols == 1 ? CORE_REACH_FIRST : CORE_REACH_SAME;
}

size_t core_vec_sources(const cmd_vec_t *c, const core_tensor_t *tensors, size_t count, uint64_t row, uint64_t col,
                        core_source_t *source) {
  for (size_t i = 0; i + 1 < count; ++i) {
    const core_reach_t reach = core_vec_reach(c, &tensors[i]);
    source[i] =
        reach == CORE_REACH_ROW ? core_row_of(i, tensors, row) : core_element(i, row, core_reach_col(reach, col));
  }
  return count - 1;
}

// --- cycles ---------------------------------------------------------------------------------------

// All rows lie end to end in every operand, so that the tile may be taken as one long row.
static bool is_packed(const cmd_vec_t *c) {
  const vec_form_t form = rows[c->op].form;
  if (c->rows == 1) {
    return true;
  }
  if (form.dst_column || form.b_groups || (!form.a && !form.b) || (form.b && c->b_kind == OPERAND_ROW)) {
    return false;
  }
  // Rows of a mask end with a whole byte then: a's pitch, a multiple of 32, is 4 * cols.
  const uint64_t from_bytes = core_row_bytes(type_read(c), c->cols);
  const uint64_t mask_bytes = core_ceil_div(c->cols, 8);
  const uint64_t to_bytes = form.dst_mask ? mask_bytes : core_row_bytes(type_written(c), c->cols);
  return (!form.a || c->a_pitch == from_bytes) && (!form.b || c->b_kind != OPERAND_TILE || c->b_pitch == from_bytes) &&
         (!form.c || c->c_pitch == from_bytes) && (!form.mask || c->c_pitch == mask_bytes) && c->dst_pitch == to_bytes;
}

// Repeats over elements of so many bytes.
static uint64_t repeats_of(const config_vector_t *vector, const cmd_vec_t *c, uint64_t bytes) {
  const uint64_t row_bytes = c->cols * bytes;
  return is_packed(c) ? core_ceil_div(c->rows * row_bytes, vector->repeat_bytes)
                      : c->rows * core_ceil_div(row_bytes, vector->repeat_bytes);
}

// To 16 bits, and from there to FP32; or the way back.
static uint64_t cast_e4m3(const config_vector_t *vector, const cmd_vec_t *c) {
  const double narrow = vector->e4m3_emulated ? vector->e4m3_emulated_cycles : vector->e4m3_native_cycles;
  const double wide = c->to == TYPE_E4M3 ? vector->cast_cycles : vector->widen_cycles;
  return vector->cast_startup +
         core_whole_cycles((double)repeats_of(vector, c, 2) * narrow + (double)repeats_of(vector, c, 4) * wide);
}

// Of the wider of its types; of nibbles, which are less than a byte, the other is.
static uint64_t element_bytes(const cmd_vec_t *c) {
  const uint32_t from = core_type_bytes(type_read(c)), to = core_type_bytes(type_written(c));
  return from > to ? from : to;
}

uint64_t core_vec_work(const cmd_vec_t *c) { return (uint64_t)c->rows * c->cols * element_bytes(c); }

bool core_vec_is_hard(const cmd_vec_t *c) { return core_price_is_hard(rows[c->op].cycles); }

uint64_t core_vec_cycles(const config_t *config, const cmd_vec_t *c) {
  const config_vector_t *vector = &config->vector;
  const vec_row_t *row = &rows[c->op];
  const bool cast = row->types.rule == RULE_CAST;
  if (cast && (c->from == TYPE_E4M3 || c->to == TYPE_E4M3)) {
    return cast_e4m3(vector, c);
  }
  double per_repeat;
  uint32_t startup;
  memcpy(&per_repeat, (const char *)vector + row->cycles, sizeof per_repeat);
  memcpy(&startup, (const char *)vector + row->startup, sizeof startup);
  if (row->cheaper_scalar && c->b_kind == OPERAND_SCALAR) {
    per_repeat = vector->scalar_cycles;
    startup = vector->scalar_startup;
  }
  if (cast && core_type_is_int4(c->from)) {
    per_repeat = vector->cast_int4_cycles;
  }
  const uint64_t repeats = repeats_of(vector, c, element_bytes(c));
  return startup + core_whole_cycles((double)repeats * per_repeat);
}

// --- execution ------------------------------------------------------------------------------------

// Fields that an operation does not use may hold anything, so no pointer is made of them.
void core_vec_execute(const core_memory_t *memory, const cmd_vec_t *c) {
  const vec_form_t form = rows[c->op].form;
  uint8_t *ub = memory->base[SPACE_UB];
  core_vec_tile_t t = {.command = c,
                       .rows = c->rows,
                       .cols = c->cols,
                       .tile = c->b_kind == OPERAND_TILE,
                       .from = type_read(c),
                       .to = type_written(c),
                       .dst = ub + c->dst,
                       .a = ub,
                       .b = ub,
                       .c = ub,
                       .dst_pitch = form.dst_column ? 4 : c->dst_pitch};
  if (is_packed(c)) {
    t.cols *= t.rows;
    t.rows = 1;
  }
  if (form.a) {
    t.a = ub + c->a;
    t.a_pitch = c->a_pitch;
  }
  if (form.b && !form.b_groups && c->b_kind == OPERAND_SCALAR) {
    t.b = (const uint8_t *)&c->scalar;
  } else if (form.b) {
    t.b = ub + c->b;
    t.b_pitch = form.b_groups || t.tile ? c->b_pitch : 4;
  }
  if (form.c || form.mask) {
    t.c = ub + c->c;
    t.c_pitch = c->c_pitch;
  }
  rows[c->op].compute(&t);
}
