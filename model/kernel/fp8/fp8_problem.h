// Attention over an FP8 KV cache: arrays and shape of a problem, and what follows from them for
// each list of places (sw/kernels/fp8/fp8_args.h).
//
// An entry of the batch has a sequence of `length` tokens, positions 0 .. length - 1, which are in
// slots of the cache: in order from the entry's first slot, or, paged, in the pages that the
// entry's block table names.  Dense: a list an entry, of all its positions.  Sparse: a list a query
// token, of the positions that its indices name.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_FP8_FP8_PROBLEM_H
#define AMALGAM_KERNEL_FP8_FP8_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "num/golden/num_attention.h"
#include "num/num_fp8.h"

enum { FP8_VALUES = NUM_FP8_LATENT };  // columns of the output

typedef struct fp8_problem {
  size_t batch, seq_q, heads;
  size_t topk;       // indices of a query token, 0: dense
  size_t capacity;   // tokens an entry may have at most
  size_t slots;      // tokens of the cache, of all entries
  bool shared;       // all entries count slots from the first, else entry e from e * capacity
  size_t page_size;  // tokens of a page, 0: not paged
  size_t pages;      // of an entry's block table
  size_t block;      // places of a block
  float scale;
  bool causal;                                       // query token t of seq_q sees positions 0 .. length - seq_q + t
  bool batch_axis, token_axis;                       // the output is [batch, seq_q, heads, 512], without what is false
  bool q_in_global_memory, tokens_in_global_memory;  // made by soc_alloc
  uint16_t *q;                                       // [batch][seq_q][heads][576] BF16; NULL: timing only
  uint8_t *tokens;                                   // [slots][656]; NULL: timing only
  uint16_t *keys;                                    // [slots][576] BF16: what the tokens are made of; NULL: not known
  int32_t *length;                                   // [batch]
  int32_t *indices;                                  // [batch][seq_q][topk] positions, or -1
  int32_t *topk_length;                              // [batch]: how many of the indices count; NULL: all
  int32_t *block_table;                              // [batch][pages]
  float *sink;                                       // [heads], NULL: none
  char source[200];                                  // where the data came from, for people
} fp8_problem_t;

// Frees the arrays and zeroes the struct.
void fp8_free(fp8_problem_t *problem);

size_t fp8_lists(const fp8_problem_t *problem);
size_t fp8_list_rows(const fp8_problem_t *problem);

static inline size_t fp8_entry_of(const fp8_problem_t *problem, size_t list) {
  return problem->topk == 0 ? list : list / problem->seq_q;
}

// Places of a list.
size_t fp8_places(const fp8_problem_t *problem, size_t list);

// The slot of an entry's position.
size_t fp8_slot(const fp8_problem_t *problem, size_t entry, size_t position);

// The slot of what stands at a place of a list, or -1: nothing, an index of -1 or, of a sparse
// list, a position that a causal query token does not see.
ptrdiff_t fp8_place_slot(const fp8_problem_t *problem, size_t list, size_t place);

// Tokens that lists name, together: places that are not -1.  In reads of them all rows of a list
// share one.
uint64_t fp8_attended(const fp8_problem_t *problem);

// Rows of the output, all lists; they follow each other as the lists do.
static inline size_t fp8_rows(const fp8_problem_t *problem) { return problem->batch * problem->seq_q * problem->heads; }

static inline size_t fp8_out_count(const fp8_problem_t *problem) { return fp8_rows(problem) * FP8_VALUES; }

#endif
