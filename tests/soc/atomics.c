// Arrays for the firmware of the same name: atomics OP WORDS FIRST DIR writes base.npy, operands.npy and
// want.npy, which is computed here in floating point or as integers, not as the memory does it.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3, COLS = 75 };   // rows begin at any word of a beat
enum { STORE, ADD_F32, ADD_S32, ADD_S32_RAW, RESCALE };

static uint32_t base[ROWS][COLS], want[ROWS][COLS], operands[ROWS * COLS];

static uint32_t bits(float x) {
  uint32_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}

static float value(uint32_t u) {
  float x;
  memcpy(&x, &u, sizeof x);
  return x;
}

static void save(const char *dir, const char *name, int rows, int cols, const uint32_t *data) {
  char path[1024], header[118];
  snprintf(path, sizeof path, "%s/%s.npy", dir, name);
  snprintf(header, sizeof header, "{'descr': '<i4', 'fortran_order': False, 'shape': (%d, %d), }",
           rows, cols);
  FILE *file = fopen(path, "wb");
  if (file == NULL) {
    exit(1);
  }
  fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
  fprintf(file, "%-117s\n", header);
  fwrite(data, 4, (size_t)(rows * cols), file);
  if (fclose(file) != 0) {
    exit(1);
  }
}

// The new word, and the operand that makes it so: sums that are exact, powers of two.
static uint32_t change(int op, uint32_t old, int row, int word, uint32_t *operand) {
  const int power = op == RESCALE ? row - 1 : word % 7 - 3;
  switch (op) {
    case STORE: return *operand = 0x9e3779b9u * (uint32_t)(row * COLS + word + 1);
    case ADD_F32: *operand = bits((float)(word - 20)); return bits(value(old) + (float)(word - 20));
    case ADD_S32_RAW: *operand = 0x9e3779b9u * (uint32_t)(word + 1); return old + *operand;
    default: *operand = (uint32_t)power << 23; return bits(ldexpf(value(old), power));
  }
}

int main(int argc, char **argv) {
  if (argc != 5) {
    return 2;
  }
  const int op = atoi(argv[1]), words = atoi(argv[2]), first = atoi(argv[3]);
  for (int row = 0; row < ROWS; row++) {
    for (int col = 0; col < COLS; col++) {
      const int word = col - first;
      // What must stay as it is would not survive any of the operations, not with an operand of 0 either.
      base[row][col] = want[row][col] = col % 2 == 0 ? 0x80000000u : 0xffa12345u;
      if (word >= 0 && word < words) {
        base[row][col] = bits((float)(row * 100 + col + 1));
        want[row][col] = change(op, base[row][col], row, word,
                                &operands[op == RESCALE ? row : row * words + word]);
      }
    }
  }
  save(argv[4], "base", ROWS, COLS, &base[0][0]);
  save(argv[4], "want", ROWS, COLS, &want[0][0]);
  save(argv[4], "operands", ROWS, op == RESCALE ? 1 : words, operands);
  return 0;
}
