// FlashAttention of a transformer's heads: arrays and shape of a problem.
//
// Query head h attends to head h / (heads / kv_heads) of the keys and values.  An entry is such a head
// of keys of a batch entry; its rows are the query heads that share it times their tokens
// (sw/kernels/flash/flash_args.h).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_FLASH_FLASH_PROBLEM_H
#define AMALGAM_KERNEL_FLASH_FLASH_PROBLEM_H

#include <stdint.h>

#include "base/error.h"
#include "num/golden/num_attention.h"

typedef struct flash_problem {
  size_t batch, heads, kv_heads;
  size_t seq_q, keys, dk, dv;
  size_t block;   // keys of a block
  size_t splits;  // of the keys, at most one a block; 0 is 1
  float scale;
  bool fp16;              // elements are FP16, else BF16
  bool causal;            // token t of seq_q sees keys 0 .. length - seq_q + t
  size_t axes;            // of the output: 2: [S,d], 3: [H,S,d], 4: [B,H,S,d]
  bool in_global_memory;  // q, k, v were made by soc_alloc
  uint16_t *q;            // [batch][heads][seq_q][dk]; NULL: timing only
  uint16_t *k, *v;        // [batch][kv_heads][keys][dk], [dv]
  int32_t *length;        // [batch]: keys of an entry; NULL: all
  uint8_t *visible;       // [mask_rows][keys], nonzero: takes part; NULL: all do
  size_t mask_rows;       // seq_q, or 1 for all tokens
  size_t window;          // that visible is made of; 0: none
  float *sink;            // [heads], one more score of each row, without a value; NULL: none
  float cap;              // of the scores (num_attention.h); 0: none
  int32_t *table;         // [batch][pages]: the page of FLASH_PAGE tokens that has an entry's next ones; NULL: no pages
  size_t pages, all_pages;      // of an entry's table; that there are
  uint16_t *k_pages, *v_pages;  // [all_pages][kv_heads][FLASH_PAGE][dk], [dv], of soc_alloc; NULL: timing only
  char source[200];             // where the data came from, for people
} flash_problem_t;

// Frees the arrays and zeroes the struct.
void flash_free(flash_problem_t *problem);

static inline size_t flash_entries(const flash_problem_t *problem) { return problem->batch * problem->kv_heads; }

// Rows of an entry.
static inline size_t flash_rows(const flash_problem_t *problem) {
  return problem->heads / problem->kv_heads * problem->seq_q;
}

static inline size_t flash_out_count(const flash_problem_t *problem) {
  return problem->batch * problem->heads * problem->seq_q * problem->dv;
}

// Keys of an entry, and those that one of its rows may see, whatever the mask says.
size_t flash_length(const flash_problem_t *problem, size_t entry);
size_t flash_seen(const flash_problem_t *problem, size_t entry, size_t row);

// The query head of an entry's row.
size_t flash_head(const flash_problem_t *problem, size_t entry, size_t row);

// Rows of one entry by themselves, as the numerics library wants them. row[i]: numbered through all entries, ascending.
typedef struct flash_part {
  num_attn_t attn;
  uint32_t *seen;
  uint16_t *q;
  uint8_t *visible;
  float *sink;
} flash_part_t;

// False: out of memory. The part is to be freed in any case.
bool flash_part(const flash_problem_t *problem, const size_t *row, size_t rows, flash_part_t *part);
void flash_part_free(flash_part_t *part);

#endif
