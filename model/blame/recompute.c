// The result that a command should have made of its operands, in double precision.
// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>

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

static double operand(const blame_link_t *link, const cmd_vec_t *c, char field) {
  if (field == 'b' && c->b_kind == OPERAND_SCALAR) {
    return (double)num_f32_from_bits(c->scalar);
  }
  for (size_t i = 0; i < link->operands; ++i) {
    if (link->operand[i].field[0] == field) {
      return link->operand[i].value;
    }
  }
  return NAN;
}

static double of_vector(const cmd_vec_t *c, const blame_link_t *link, double *slack) {
  const double a = operand(link, c, 'a');
  const double b = operand(link, c, 'b');
  switch (c->op) {
    case VOP_ADD:
      return a + b;
    case VOP_SUB:
      return a - b;
    case VOP_MUL:
    case VOP_SCALE:
      return a * b;
    case VOP_DIV:
      return a / b;
    case VOP_MAX:
      return a > b ? a : b;
    case VOP_MIN:
      return a < b ? a : b;
    case VOP_FMA:
      return fma(a, b, operand(link, c, 'c'));
    case VOP_EXP:
      *slack = exp(a) * 0x1p-22;
      return exp(a);
    case VOP_LN:
      return log(a);
    case VOP_SQRT:
      return sqrt(a);
    case VOP_RSQRT:
      return 1 / sqrt(a);
    case VOP_RECIP:
      return 1 / a;
    case VOP_ABS:
      return fabs(a);
    case VOP_CAST:
      return c->from == TYPE_F32 && c->to == TYPE_F32 ? rint(a) : a;
    case VOP_BROADCAST:
      return b;
    case VOP_SELECT:
      return operand(link, c, 'c') != 0 ? a : b;
    case VOP_SWAP:
      return a;
    case VOP_ROW_MAX:
      return largest_of_row(link);
    case VOP_ROW_SUM:
    case VOP_ROW_TREE:
      return sum_of_row(link, slack);
    default:
      return NAN;
  }
}

// For a move or a store: the value that it moved; for ADD_F32 also the value that it added to.
static double of_move(const command_t *command, const blame_link_t *link) {
  const uint32_t op = command->header.opcode_ == OP_COPY_OUT  ? command->copy_out.op
                      : command->header.opcode_ == OP_FIXPIPE ? command->fixpipe.op
                                                              : (uint32_t)GM_STORE;
  if (op == GM_STORE) {
    return link->operands == 1 ? link->operand[0].value : NAN;
  }
  return op == GM_ADD_F32 && link->operands == 2 ? link->operand[0].value + link->operand[1].value : NAN;
}

double blame_recompute(const command_t *command, const blame_link_t *link, double *slack) {
  double value = NAN;
  *slack = 0;
  if (link->operands == 0 && command->header.opcode_ != OP_VEC) {
    return NAN;
  }
  switch (command->header.opcode_) {
    case OP_MMAD:
      value = sum_of_products(link, blame_products(command), slack);
      break;
    case OP_VEC:
      value = of_vector(&command->vec, link, slack);
      break;
    case OP_ATTN:
      return NAN;
    default:
      value = of_move(command, link);
      break;
  }
  *slack += rounding(link->at.type, value);
  return value;
}
