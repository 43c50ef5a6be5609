// Makes inputs with awkward values: values NAME DIR writes q.npy, k.npy, v.npy and mask.npy.
// Names are in the table at the end.  16 rows, 1300 keys (two and a half blocks), Dk 64, Dv 48.
// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "num/num_rng.h"

enum { ROWS = 16, KEYS = 1300, DK = 64, DV = 48 };

typedef struct data {
  float q[ROWS][DK];
  float k[KEYS][DK];
  float v[KEYS][DV];
  uint8_t mask[ROWS][KEYS];
} data_t;

static void zero_columns(data_t *d) {
  for (int key = 0; key < KEYS; ++key) {
    for (int i = 0; i < DV; i += 3) {
      d->v[key][i] = 0;
    }
  }
}

static void relu(data_t *d) {
  for (int key = 0; key < KEYS; ++key) {
    for (int i = 0; i < DV; ++i) {
      d->v[key][i] = d->v[key][i] > 0 ? d->v[key][i] : 0;
    }
  }
}

// Adds a constant to every score: one column of q times one of k, over sqrt(Dk) = 8.
static void offset(data_t *d, float score) {
  for (int row = 0; row < ROWS; ++row) {
    d->q[row][0] = 64;
  }
  for (int key = 0; key < KEYS; ++key) {
    d->k[key][0] = score / 8;
  }
}

static void offset_up(data_t *d) { offset(d, 1000); }
static void offset_down(data_t *d) { offset(d, -1000); }

// Values so small that rescaling leaves the normal numbers; the first block has the large scores.
static void tiny(data_t *d) {
  for (int key = 0; key < KEYS; ++key) {
    for (int i = 0; i < DV; ++i) {
      d->v[key][i] *= 0x1p-110f;
    }
  }
}

// Scores grow by about step from block to block: a steep rise pushes what came before far down.
static void slope(data_t *d, float step) {
  for (int row = 0; row < ROWS; ++row) {
    d->q[row][0] = 8;
  }
  for (int key = 0; key < KEYS; ++key) {
    d->k[key][0] = step * (float)(key / 512);
  }
}

static void rising(data_t *d) { slope(d, 3); }
static void falling(data_t *d) { slope(d, -3); }
static void tiny_rising(data_t *d) {
  tiny(d);
  slope(d, 16);
}

static void equal(data_t *d) {
  for (int key = 1; key < KEYS; ++key) {
    memcpy(d->k[key], d->k[0], sizeof d->k[0]);
  }
}

static void zero_q(data_t *d) { memset(d->q, 0, sizeof d->q); }

// Row 0 sees nothing, row 1 only the last key, row 2 nothing of the first two blocks, row 3 nothing
// of the second, the others three keys in four.
static void masked(data_t *d) {
  for (int key = 0; key < KEYS; ++key) {
    for (int row = 4; row < ROWS; ++row) {
      d->mask[row][key] = (key * 7 + row) % 4 != 0;
    }
    d->mask[0][key] = 0;
    d->mask[1][key] = key == KEYS - 1;
    d->mask[2][key] = key >= 1024;
    d->mask[3][key] = key / 512 != 1;
  }
}

static void masked_tiny(data_t *d) {
  masked(d);
  tiny_rising(d);
}

static const struct {
  const char *name;
  void (*change)(data_t *);
} cases[] = {
    {"zero_columns", zero_columns},
    {"relu", relu},
    {"offset_up", offset_up},
    {"offset_down", offset_down},
    {"tiny", tiny},
    {"tiny_rising", tiny_rising},
    {"rising", rising},
    {"falling", falling},
    {"equal", equal},
    {"zero_q", zero_q},
    {"masked", masked},
    {"masked_tiny", masked_tiny},
};

static void write_npy(const char *dir, const char *name, const char *descr, size_t size, int rows, int cols,
                      const void *data) {
  char path[1024];
  char header[118];
  snprintf(path, sizeof path, "%s/%s.npy", dir, name);
  snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", descr, rows, cols);
  FILE *file = fopen(path, "wb");
  if (file == NULL) {
    exit(1);
  }
  fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
  fprintf(file, "%-117s\n", header);
  fwrite(data, size, (size_t)rows * (size_t)cols, file);
  if (fclose(file) != 0) {
    exit(1);
  }
}

static void fill(num_rng_t *rng, float *values, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    values[i] = (float)num_rng_normal(rng);
  }
}

int main(int argc, char **argv) {
  if (argc == 1) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
      printf("%s\n", cases[i].name);
    }
    return 0;
  }
  static data_t d;
  num_rng_t rng;
  num_rng_seed(&rng, 1);
  fill(&rng, &d.q[0][0], ROWS * DK);
  fill(&rng, &d.k[0][0], KEYS * DK);
  fill(&rng, &d.v[0][0], KEYS * DV);
  memset(d.mask, 1, sizeof d.mask);
  for (size_t i = 0; i < sizeof cases / sizeof *cases && argc == 3; ++i) {
    if (strcmp(cases[i].name, argv[1]) == 0) {
      cases[i].change(&d);
      write_npy(argv[2], "q", "<f4", 4, ROWS, DK, d.q);
      write_npy(argv[2], "k", "<f4", 4, KEYS, DK, d.k);
      write_npy(argv[2], "v", "<f4", 4, KEYS, DV, d.v);
      write_npy(argv[2], "mask", "|u1", 1, ROWS, KEYS, d.mask);
      return 0;
    }
  }
  return 2;
}
