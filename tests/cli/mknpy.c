// Makes .npy files for the tests: mknpy FILE DESCR SHAPE [c|fortran] [INDEX=BITS]...
//   DESCR '<u2' (BF16 bits), '<f2', '<f4', '|u1', '|i1', '<i4'; SHAPE like 2,16,64.  Elements are
//   repeatable pseudo-random values in [-2, 2) ('|u1', '|i1': 0 or 1).  INDEX=BITS sets one element,
//   bits in hex; all=BITS all of them; count=N makes them 0 .. N-1, 0 .. N-1, ...
// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "num/num_format.h"

static uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static uint32_t element(const char *descr, uint32_t random) {
  const float value = (float)random * 0x1p-22f - 2.0f;
  if (strcmp(descr, "<u2") == 0) {
    return num_bf16_from_f32(value);
  }
  if (strcmp(descr, "<f2") == 0) {
    return num_fp16_from_f32(value);
  }
  return descr[0] == '|' ? random & 1u : num_f32_bits(value);
}

static void assign(const char *text, uint32_t *values, size_t count) {
  const char *equals = strchr(text, '=');
  const uint32_t bits = (uint32_t)strtoul(equals + 1, NULL, 16);
  const size_t period = strtoul(equals + 1, NULL, 10);
  if (strncmp(text, "all=", 4) != 0 && strncmp(text, "count=", 6) != 0) {
    values[strtoul(text, NULL, 10)] = bits;
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    values[i] = text[0] == 'a' ? bits : (uint32_t)(i % period);
  }
}

int main(int argc, char **argv) {
  if (argc < 4) {
    return 2;
  }
  const char *descr = argv[2];
  const size_t size = (size_t)(descr[2] - '0');
  size_t count = 1;
  for (const char *p = argv[3]; p != NULL; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
    count *= strtoul(p, NULL, 10);
  }
  const int fortran = argc > 4 && strcmp(argv[4], "fortran") == 0;
  uint32_t *values = malloc(count * sizeof *values);
  FILE *file = fopen(argv[1], "wb");
  if (values == NULL || file == NULL) {
    return 1;
  }
  uint32_t state = 1;
  for (size_t i = 0; i < count; ++i) {
    values[i] = element(descr, next_random(&state));
  }
  for (int i = 5; i < argc; ++i) {
    assign(argv[i], values, count);
  }
  char header[129];
  const int length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': (%s,), }", descr,
                              fortran ? "True" : "False", argv[3]);
  fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);  // header of 118 bytes: data begin at 128
  fprintf(file, "%-117s\n", length < 118 ? header : "");
  for (size_t i = 0; i < count; ++i) {
    fwrite(&values[i], size, 1, file);
  }
  free(values);
  return fclose(file) == 0 ? 0 : 1;
}
