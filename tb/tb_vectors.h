// Vectors of units with two operands, as testfloat_gen prints them: lines "a b expected [flags]", hexadecimal, each of
// at most 8 digits (flags: 2); blank lines and those that begin with # count for nothing.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TB_TB_VECTORS_H
#define AMALGAM_TB_TB_VECTORS_H

#include <stdint.h>
#include <stdio.h>

typedef struct tb_vector {
  uint32_t a;
  uint32_t b;
  uint32_t expected;
  unsigned long line;  // of the file, from 1; 0 before the first call
} tb_vector_t;

typedef enum tb_vector_next { TB_VECTOR_END, TB_VECTOR_READ, TB_VECTOR_BAD } tb_vector_next_t;

// Reads the file's next vector; of a line that is none, only its number.
tb_vector_next_t tb_vector_next(FILE *file, tb_vector_t *vector);

#endif  // AMALGAM_TB_TB_VECTORS_H
