// The result that a command should have made of its operands, in double precision.
// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "blame/chain.h"
#include "num/num_format.h"

size_t blame_products(const command_t *command) { return command->header.opcode_ == OP_MMAD ? command->mmad.k : 0; }

// Half a unit in the last place, relative; and of the smallest numbers.
static double rounding(uint32_t type, double value) {
  const double size = fabs(value);
  switch (type) {
    case TYPE_BF16:
      return size * 0x1p-8 + 0x1p-133;
    case TYPE_F16:
      return size * 0x1p-11 + 0x1p-25;
    case TYPE_E4M3:
      return size * 0x1p-4 + 0x1p-10;
    case TYPE_S32:
    case TYPE_S8:
    case TYPE_U8:
      return 1;
    default:
      return size * 0x1p-23 + 0x1p-149;
  }
}

static double sum_of_products(const blame_link_t *link, size_t products, double *slack) {
  double sum = link->operands > 2 * products ? link->operand[2 * products].value : 0;
  double size = fabs(sum);
  for (size_t i = 0; i < products; ++i) {
    const double product = link->operand[i].value * link->operand[i + products].value;
    sum += product;
    size += fabs(product);
  }
  *slack = size * (double)(products + 1) * 0x1p-24 + DBL_MIN;
  return sum;
}

static double sum_of_row(const blame_link_t *link, double *slack) {
  double sum = 0, size = 0;
  for (size_t i = 0; i < link->operands; ++i) {
    sum += link->operand[i].value;
    size += fabs(link->operand[i].value);
  }
  *slack = size * (double)link->operands * 0x1p-24 + DBL_MIN;
  return sum;
}

static double largest_of_row(const blame_link_t *link) {
  double largest = link->operand[0].value;
  for (size_t i = 1; i < link->operands; ++i) {
    largest = fmax(largest, link->operand[i].value);
  }
  return largest;
}

static double of_field(const blame_link_t *link, const char *field) {
  for (size_t i = 0; i < link->operands; ++i) {
    if (strcmp(link->operand[i].field, field) == 0) {
      return link->operand[i].value;
    }
  }
  return NAN;
}

static double near(double value, double relative, double *slack) {
  *slack = value * relative;
  return value;
}

// The functions that values in vector_ops.def use, beside those of C.
#define NEAR(value, relative) near(value, relative, slack)
#define CONVERTED(a) (command->from == TYPE_F32 && command->to == TYPE_F32 ? rint(a) : (a))
#define LARGEST(row) largest_of_row(row)
#define TOTAL(row) sum_of_row(row, slack)

static double vector_value(const cmd_vec_t *command, const blame_link_t *row, double *slack) {
  const double a = of_field(row, "a"), c = of_field(row, "c");
  const double b = command->b_kind == OPERAND_SCALAR ? (double)num_f32_from_bits(command->scalar) : of_field(row, "b");
  switch (command->op) {
#define VOP(NAME, name, cost, form, types, value, follow, text) \
  case VOP_##NAME:                                              \
    return value;
#include "hal/vector_ops.def"
    default:
      return NAN;
  }
}

// A value of L0C, with ReLU and its scale; as an integer it saturates.
static double value_of_fixpipe(const cmd_fixpipe_t *c, const blame_link_t *link) {
  const double value = c->relu != 0 ? fmax(link->operand[0].value, 0) : link->operand[0].value;
  const double scale = c->quant == QUANT_SCALE     ? (double)num_f32_from_bits(c->scale)
                       : c->quant == QUANT_COLUMNS ? of_field(link, "scales")
                                                   : 1;
  return c->type == TYPE_S8   ? fmin(fmax(value * scale, -128), 127)
         : c->type == TYPE_U8 ? fmin(fmax(value * scale, 0), 255)
                              : value * scale;
}

// What the memory makes of m and an operand x.
static double combined(uint32_t op, double m, double x) {
  switch (op) {
#define GM_OP(name, code, operand, memory, value, follow, text) \
  case GM_##name:                                               \
    return value;
#include "hal/gm_ops.def"
#undef GM_OP
    default:
      return NAN;
  }
}

// For a copy: the value that it copied; for an atomic operation also the value in memory, the last operand.
static double copied(const command_t *command, const blame_link_t *link) {
  cmd_fixpipe_t tile;
  const bool fixpipe = core_tile_out(command, &tile);
  const double x = fixpipe ? value_of_fixpipe(&tile, link) : link->operand[0].value;
  if (!core_is_atomic(command)) {
    return fixpipe || link->operands == 1 ? x : NAN;
  }
  return link->operands >= 2 ? combined(core_gm_op(command), link->operand[link->operands - 1].value, x) : NAN;
}

// The results of commands that compute.
static double value_of_mmad(const command_t *command, const blame_link_t *link, double *slack) {
  const double sum = sum_of_products(link, blame_products(command), slack);
  return link->at.type == TYPE_S32 && fabs(sum) >= 0x1p31 ? NAN : sum;  // it has wrapped
}

static double value_of_vec(const command_t *command, const blame_link_t *link, double *slack) {
  return vector_value(&command->vec, link, slack);
}

// Integers wrap, and are not worked out, nor are results of modes that are not 0.
static double value_of_vinst(const command_t *command, const blame_link_t *link, double *slack) {
  const cmd_vinst_t *v = &command->vinst;
  const bool is_float = v->type == TYPE_F32 || v->type == TYPE_F16 || v->type == TYPE_BF16;
  const bool to_float = v->op != VI_CAST || v->to == TYPE_F32 || v->to == TYPE_F16 || v->to == TYPE_BF16;
  if (!is_float || !to_float || v->mode != 0) {
    return NAN;
  }
  const float scalar = v->type == TYPE_F32 ? num_f32_from_bits(v->scalar) : num_fp16_to_f32((num_fp16_t)v->scalar);
  const double a = of_field(link, "a"), c = of_field(link, "dst");
  const blame_link_t *row = link;
  const double b = core_instruction_has_scalar(v->op) ? (double)scalar : of_field(link, "b");
  switch (v->op) {
#define VI(NAME, name, cost, form, types, value, follow, text) \
  case VI_##NAME:                                              \
    return value;
#include "hal/vector_instructions.def"
    default:
      return NAN;
  }
}

static double value_of_write_value(const command_t *command, const blame_link_t *link, double *slack) {
  (void)command;
  (void)link;
  (void)slack;
  return NAN;  // the program's, of which nobody knows how it came about
}

static double value_of_attn(const command_t *command, const blame_link_t *link, double *slack) {
  (void)command;
  (void)link;
  (void)slack;
  return NAN;  // thousands of operands
}

#define VALUE_NONE(name) NAN
#define VALUE_READ(name) NAN
#define VALUE_COPY(name) copied(command, link)
#define VALUE_MOVE(name) copied(command, link)
#define VALUE_COMPUTE(name) value_of_##name(command, link, slack)
#define VALUE_LANES(name) VALUE_COMPUTE(name)

static double value_of(const command_t *command, const blame_link_t *link, double *slack) {
  switch (command->header.opcode_) {
#define COMMAND(NAME, name, cores, pipes, class, data, cost, entry, text) \
  case OP_##NAME:                                                         \
    return VALUE_##data(name);
#include "hal/commands.def"
    default:
      return NAN;
  }
}

double blame_recompute(const command_t *command, const blame_link_t *link, double *slack) {
  *slack = 0;
  if (link->operands == 0 && command->header.opcode_ != OP_VEC) {
    return NAN;
  }
  const double value = value_of(command, link, slack);
  *slack += rounding(link->at.type, value);
  return value;
}
