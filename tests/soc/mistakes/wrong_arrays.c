// The inputs of firmware/wrong.c and what it should make of them, from the formula: a.npy, b.npy and want.npy.
//   wrong_arrays SCALE
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "num/num_format.h"

enum { M = 48, N = 64, K = 64 };

static uint16_t a[M][K], b[N][K];
static float want[M][N];

static void save(const char *path, const char *descr, int rows, int cols, const void *data, size_t bytes) {
  char header[118];
  FILE *file = fopen(path, "wb");
  if (file == NULL) {
    exit(2);
  }
  snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", descr, rows, cols);
  fwrite("\x93NUMPY\x01\0\x76\0", 1, 10, file);
  fprintf(file, "%-117s\n", header);
  fwrite(data, bytes, 1, file);
  fclose(file);
}

static uint16_t next(void) {
  static uint32_t state = 1;
  state = state * 1664525u + 1013904223u;
  return num_bf16_from_f32((float)(state >> 8) * 0x1p-23f - 1.0f);
}

static void expect_row(int row, double scale) {
  double score[N], sum = 0;
  for (int col = 0; col < N; ++col) {
    score[col] = 0;
    for (int k = 0; k < K; ++k) {
      score[col] += (double)num_bf16_to_f32(a[row][k]) * (double)num_bf16_to_f32(b[col][k]);
    }
    sum += exp(scale * score[col]);
  }
  for (int col = 0; col < N; ++col) {
    want[row][col] = (float)(exp(scale * score[col]) / sum);
  }
}

int main(int argc, char **argv) {
  const double scale = argc == 2 ? strtod(argv[1], NULL) : 0;
  for (int i = 0; i < M * K; ++i) {
    a[i / K][i % K] = next();
  }
  for (int i = 0; i < N * K; ++i) {
    b[i / K][i % K] = next();
  }
  for (int row = 0; row < M; ++row) {
    expect_row(row, scale);
  }
  save("a.npy", "<u2", M, K, a, sizeof a);
  save("b.npy", "<u2", N, K, b, sizeof b);
  save("want.npy", "<f4", M, N, want, sizeof want);
}
