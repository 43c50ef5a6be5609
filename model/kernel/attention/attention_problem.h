// One attention problem: arrays and shape, as every kernel, golden function and report sees it.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_ATTENTION_ATTENTION_PROBLEM_H
#define AMALGAM_KERNEL_ATTENTION_ATTENTION_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "kernel/made_up.h"
#include "num/golden/num_attention.h"

typedef struct attention_problem {
  size_t batch;
  size_t seq_q, heads;  // rows = seq_q * heads, row = token * heads + head
  size_t rows, keys, dk, dv;
  size_t block;   // keys of a block
  size_t splits;  // of the keys, 0: one
  float scale;
  bool token_axis;        // the output is [seq_q, heads, dv], else [rows, dv]
  bool in_global_memory;  // q and k are made in the simulation's memory when they are read (soc_alloc_lazy)
  uint16_t *q;            // [batch][rows][dk] BF16
  uint16_t *k;            // [batch][keys][dk]
  uint16_t *v;            // [batch][keys][dv], NULL: the first dv columns of k
  uint8_t *visible;       // [rows][keys], nonzero = takes part; NULL: all do
  char source[200];       // where the data came from, for people
} attention_problem_t;

// Frees the arrays and zeroes the struct.
void attention_free(attention_problem_t *problem);

// Within the limits of the kernels?  q, k and v name where each came from, for the message.
bool attention_check_limits(const attention_problem_t *problem, const char *q, const char *k, const char *v,
                            base_error_t *error);

// Allocates q and k (v shared) for the shape in *problem, row-major: q of batch entry e from stream 2 e, k from 2 e
// + 1. They are there for those who hold them.
bool attention_make_up(attention_problem_t *problem, const made_up_t *made_up, base_error_t *error);

// Before q and k of a batch entry are read, and after.
void attention_hold(const attention_problem_t *problem, size_t entry);
void attention_let_go(const attention_problem_t *problem, size_t entry);

// Batch entry `entry` as the numerics library wants it.
num_attn_t attention_num(const attention_problem_t *problem, size_t entry);

// Elements of the output, all batch entries.
static inline size_t attention_out_count(const attention_problem_t *problem) {
  return problem->batch * problem->rows * problem->dv;
}

#endif
