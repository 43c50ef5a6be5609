// Each vector operation leaves what its row in hal/vector_ops.def says, within its rounding.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "core/tensor.h"
#include "core_random.h"

enum { SEED = 31, COMMANDS = 3000, ELEMENTS = 20 };

// The operands that an element of the result is computed from.
typedef struct sources {
  double a, b, c, row[128];
  size_t columns;
} sources_t;

static double slack;  // beside that of the result's type

static double near(double value, double relative) {
  slack = fabs(value) * relative;
  return value;
}

static double total(const sources_t *s) {
  double sum = 0;
  slack = 0;
  for (size_t i = 0; i < s->columns; ++i) {
    sum += s->row[i];
    slack += fabs(s->row[i]) * (double)s->columns * 0x1p-24;
  }
  return sum;
}

static double largest(const sources_t *s) {
  double most = s->row[0];
  for (size_t i = 1; i < s->columns; ++i) {
    most = s->row[i] > most ? s->row[i] : most;
  }
  return most;
}

#define NEAR(value, relative) near(value, relative)
#define CONVERTED(x) (command->from == TYPE_F32 && command->to == TYPE_F32 ? rint(x) : (x))
#define LARGEST(row) largest(row)
#define TOTAL(row) total(row)

static double value_of(const cmd_vec_t *command, const sources_t *row) {
  const double a = row->a, b = row->b, c = row->c;
  switch (command->op) {
#define VOP(NAME, name, cost, form, types, value, follow, text) \
  case VOP_##NAME:                                              \
    return value;
#include "hal/vector_ops.def"
    default:
      return NAN;
  }
}

static double rounding(uint32_t type, double value) {
  static const struct {
    double relative, least;
  } of[TYPE_COUNT] = {[TYPE_F32] = {0x1p-24, 0x1p-149},
                      [TYPE_BF16] = {0x1p-8, 0x1p-133},
                      [TYPE_F16] = {0x1p-11, 0x1p-25},
                      [TYPE_E4M3] = {0x1p-4, 0x1p-10},
                      [TYPE_S32] = {0, 1}};
  return fabs(value) * of[type].relative + of[type].least + slack;
}

static sources_t sources_of(const core_memory_t *memory, const command_t *command, const core_tensor_t *tensor,
                            uint64_t r, uint64_t c) {
  core_source_t source[CORE_MAX_TENSORS];
  sources_t s = {.a = NAN, .b = num_f32_from_bits(command->vec.scalar), .c = NAN};
  const size_t count = core_sources(command, r, c, source);
  for (size_t i = 0; i < count; ++i) {
    const core_tensor_t *from = &tensor[source[i].tensor];
    for (uint64_t col = 0; col < source[i].cols; ++col) {
      s.row[col] = core_tensor_value(memory, from, source[i].row, source[i].col + col);
    }
    s.columns = source[i].cols;
    *(from->field[0] == 'a' ? &s.a : from->field[0] == 'b' ? &s.b : &s.c) = s.row[0];
  }
  return s;
}

static bool check_element(const core_memory_t *memory, const command_t *command, num_rng_t *rng) {
  core_tensor_t tensor[CORE_MAX_TENSORS];
  const core_tensor_t *to = &tensor[core_tensors(command, tensor) - 1];
  const uint64_t r = random_below(rng, (uint32_t)to->rows), c = random_below(rng, (uint32_t)to->cols);
  const sources_t sources = sources_of(memory, command, tensor, r, c);
  slack = 0;
  const double expected = value_of(&command->vec, &sources);
  if (isnan(expected) || fabs(expected) > 440) {  // not worked out, or more than a type holds
    return false;
  }
  const double got = core_tensor_value(memory, to, r, c);
  if (!(fabs(got - expected) <= rounding(to->type, expected))) {
    char text[512];
    core_disassemble(command, text, sizeof text);
    fail_msg("%s: element [%d][%d] is %.9g, expected %.9g", text, (int)r, (int)c, got, expected);
  }
  return true;
}

TEST(operations_leave_their_values) {
  core_memory_t memory = memory_of(CORE_VECTOR);
  num_rng_t rng;
  size_t checked[VOP_COUNT] = {0};
  num_rng_seed(&rng, SEED);
  for (uint64_t i = 0; i < memory.bytes[SPACE_UB] / 4; ++i) {
    const float value = (float)(10 * num_rng_normal(&rng));
    memcpy(memory.base[SPACE_UB] + 4 * i, &value, sizeof value);
  }
  for (int i = 0; i < COMMANDS; ++i) {
    char error[CORE_ERROR_BYTES];
    const command_t command = random_command(&rng, CORE_VECTOR);
    if (command.header.opcode_ != OP_VEC || !core_check(CORE_VECTOR, &memory, &command, error)) {
      continue;
    }
    core_execute(&memory, &command);
    for (int element = 0; element < ELEMENTS; ++element) {
      checked[command.vec.op] += check_element(&memory, &command, &rng);
    }
  }
  for (uint32_t op = 0; op < VOP_COUNT; ++op) {
    const bool none =
        isnan(value_of(&(const cmd_vec_t){.op = op}, &(const sources_t){.a = 1, .b = 1, .c = 1, .columns = 1}));
    if (!none && checked[op] < ELEMENTS) {
      fail_msg("%s: %zu elements checked", core_operation_name(OP_VEC, op), checked[op]);
    }
  }
  free_memory(&memory);
}
