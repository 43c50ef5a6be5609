// Arrays for the firmware of the same name: atomics OP WORDS FIRST DIR writes base.npy, operands.npy and
// want.npy, which is computed here in floating point or as integers, not as the memory does it.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/npy.h"
#include "hal/command.h"
#include "num/num_format.h"

enum { ROWS = 3, COLS = 75 };  // rows begin at any word of a beat

// Words that must stay as they are.  -0 and this NaN do not survive ADD_F32 with 0, the normal number no RESCALE.
// (An integer 0, which lanes beyond a row get, changes nothing anyway.)
static const uint32_t neighbours[] = {0x80000000u, 0xffa12345u, 0x3fc00000u};

static uint32_t base[ROWS][COLS], want[ROWS][COLS], operands[ROWS * COLS];

static void save(const char *dir, const char *name, size_t rows, size_t cols, uint32_t *data) {
  char path[1024];
  const npy_array_t array = {.type = NPY_I4, .dims = 2, .shape = {rows, cols}, .data = data};
  snprintf(path, sizeof path, "%s/%s.npy", dir, name);
  FILE *file = fopen(path, "wb");
  if (file == NULL) {
    exit(1);
  }
  npy_write(file, &array);
  if (ferror(file) != 0 || fclose(file) != 0) {
    exit(1);
  }
}

static uint32_t encode(uint32_t type, int value) {
  switch (type) {
    case TYPE_F32:
      return num_f32_bits((float)value);
    case TYPE_F16:
      return num_fp16_from_f32((float)value);
    case TYPE_BF16:
      return num_bf16_from_f32((float)value);
    case TYPE_S16:
      return (uint32_t)value & 0xffff;
    case TYPE_S8:
      return (uint32_t)value & 0xff;
    default:
      return (uint32_t)value;
  }
}

// Words of whole numbers, an element after the other: those in memory, the operands, and what becomes of them.
static uint32_t change_elements(int op, uint32_t *old, int row, int word, uint32_t *operand) {
  static const uint32_t added[] = {TYPE_F16, TYPE_BF16, TYPE_S16, TYPE_S8};
  static const uint32_t chosen[] = {TYPE_F32, TYPE_F16, TYPE_BF16, TYPE_S32, TYPE_S16, TYPE_S8};
  const bool adds = op < GM_MAX_F32;
  const uint32_t type = adds ? added[op - GM_ADD_F16] : chosen[(op - GM_MAX_F32) % 6];
  const uint32_t bits = type == TYPE_S8 ? 8 : type == TYPE_F32 || type == TYPE_S32 ? 32 : 16;
  uint32_t result = *old = *operand = 0;
  for (uint32_t at = 0; at < 32; at += bits) {
    const int m = (row * 131 + word * 57 + (int)at * 31) % 201 - 100,
              x = (row * 29 + word * 83 + (int)at * 17) % 201 - 100;
    const int y = adds ? m + x : (op < GM_MIN_F32) == (m > x) ? m : x;
    *old |= encode(type, m) << at;
    *operand |= encode(type, x) << at;
    result |= encode(type, y) << at;
  }
  return result;
}

// The new word, the old one, and the operand that makes it so: sums that are exact, powers of two.
static uint32_t change(int op, uint32_t *at, int row, int word, uint32_t *operand) {
  if (op > GM_RESCALE) {
    return change_elements(op, at, row, word, operand);
  }
  const uint32_t old = *at;
  const float value = num_f32_from_bits(old), addend = (float)(word - 20);
  const int power = op == GM_RESCALE ? row - 1 : word % 7 - 3;
  switch (op) {
    case GM_STORE:
      return *operand = 0x9e3779b9u * (uint32_t)(row * COLS + word + 1);
    case GM_ADD_F32:
      *operand = num_f32_bits(addend);
      return num_f32_bits(value + addend);
    case GM_ADD_S32_RAW:
      *operand = 0x9e3779b9u * (uint32_t)(word + 1);
      return old + *operand;
    default:
      *operand = (uint32_t)power << 23;
      return num_f32_bits(ldexpf(value, power));
  }
}

int main(int argc, char **argv) {
  if (argc != 5) {
    return 2;
  }
  const int op = atoi(argv[1]), words = atoi(argv[2]), first = atoi(argv[3]);
  for (int row = 0; row < ROWS; ++row) {
    for (int col = 0; col < COLS; ++col) {
      const int word = col - first;
      base[row][col] = want[row][col] = neighbours[col % 3];
      if (word >= 0 && word < words) {
        base[row][col] = num_f32_bits((float)(row * 100 + col + 1));
        want[row][col] = change(op, &base[row][col], row, word, &operands[op == GM_RESCALE ? row : row * words + word]);
      }
    }
  }
  save(argv[4], "base", ROWS, COLS, &base[0][0]);
  save(argv[4], "want", ROWS, COLS, &want[0][0]);
  save(argv[4], "operands", ROWS, op == GM_RESCALE ? 1 : (size_t)words, operands);
  return 0;
}
