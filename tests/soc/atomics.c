// Arrays for the firmware of the same name: atomics OP WORDS FIRST DIR writes base.npy, operands.npy and
// want.npy, which is computed here in floating point or as integers, not as the memory does it.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
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

// The new word, and the operand that makes it so: sums that are exact, powers of two.
static uint32_t change(int op, uint32_t old, int row, int word, uint32_t *operand) {
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
        want[row][col] = change(op, base[row][col], row, word, &operands[op == GM_RESCALE ? row : row * words + word]);
      }
    }
  }
  save(argv[4], "base", ROWS, COLS, &base[0][0]);
  save(argv[4], "want", ROWS, COLS, &want[0][0]);
  save(argv[4], "operands", ROWS, op == GM_RESCALE ? 1 : (size_t)words, operands);
  return 0;
}
