// LOAD_FRACTALS: fractals of 16 rows of 32 bytes from L1 to L0A or L0B, each as it is or turned.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "core/commands/command.h"
#include "num/num_transpose.h"

bool core_load_fractals_check(const core_checker_t *check, const cmd_load_fractals_t *c) {
  return core_below(check, "right", c->right, 2) && core_one_or_more(check, "repeats", c->repeats) &&
         core_below(check, "transpose", c->transpose, 2) && core_below(check, "element", c->element, ELEMENT_COUNT);
}

// A fractal of 8-bit elements is no square, two are.
static uint64_t bytes_each(const cmd_load_fractals_t *c) {
  return c->transpose != 0 && c->element == ELEMENT_8 ? 2 * CORE_FRACTAL : CORE_FRACTAL;
}

static core_space_t target_of(const cmd_load_fractals_t *c) { return c->right != 0 ? SPACE_L0B : SPACE_L0A; }

size_t core_load_fractals_operands(const cmd_load_fractals_t *c, core_operand_t *operand) {
  operand[0] = core_rectangle(SPACE_L1, false, "l1", c->l1, "l1_pitch", c->l1_pitch, c->repeats, bytes_each(c));
  operand[1] = core_rectangle(target_of(c), true, "l0", c->l0, "l0_pitch", c->l0_pitch, c->repeats, bytes_each(c));
  return 2;
}

core_shape_t core_load_fractals_shape(const cmd_load_fractals_t *c, const core_operand_t *operand) {
  const uint32_t type = core_element_type(c->element);
  (void)operand;
  return core_in_rows(type, c->repeats, bytes_each(c) / core_type_bytes(type));
}

size_t core_load_fractals_sources(const cmd_load_fractals_t *c, const core_tensor_t *tensors, size_t count,
                                  uint64_t row, uint64_t col, core_source_t *source) {
  source[0] = core_element(0, row, c->transpose != 0 ? core_square(tensors[0].cols, col) : col);
  return count - 1;
}

uint64_t core_load_fractals_cycles(const config_t *config, const cmd_load_fractals_t *c) {
  const double rate = c->right != 0 ? config->cube.l0b_bytes_per_cycle : config->cube.l0a_bytes_per_cycle;
  return core_whole_cycles((double)(c->repeats * bytes_each(c)) / rate);
}

static void turn_halves(uint8_t *to, const uint8_t *from) {
  uint16_t x[NUM_BLOCK_ELEMENTS];
  memcpy(x, from, sizeof x);
  num_transpose_block(x);
  memcpy(to, x, sizeof x);
}

static void turn_bytes(uint8_t *to, const uint8_t *from) {
  for (size_t i = 0; i < 2 * CORE_FRACTAL; ++i) {
    to[i] = from[core_square(2 * CORE_FRACTAL, i)];
  }
}

void core_load_fractals_execute(const core_memory_t *memory, const cmd_load_fractals_t *c) {
  const uint8_t *from = core_at(memory, SPACE_L1, c->l1);
  uint8_t *to = core_at(memory, target_of(c), c->l0);
  if (c->transpose == 0) {
    core_copy_rows(to, c->l0_pitch, from, c->l1_pitch, c->repeats, CORE_FRACTAL);
    return;
  }
  for (size_t i = 0; i < c->repeats; ++i) {
    (c->element == ELEMENT_8 ? turn_bytes : turn_halves)(to + i * c->l0_pitch, from + i * c->l1_pitch);
  }
}
