// Compares what operations leave with the same model walked in FP64 (llm/walk/walk.h) with the same tokens:
// errors add up on the way, so the first operation whose error is too large is the one to look at.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_DECODE_DECODE_CHECK_H
#define AMALGAM_KERNEL_DECODE_DECODE_CHECK_H

#include "kernel/decode/decode_step.h"

// Relative errors (Frobenius) beyond which an operation is bad, unless told otherwise: rounding to 16 bits explains
// about 3e-3, e4m3 in the cache 3e-2, 8-bit weights and activations some 2e-2 each time, weights of 4 bits a tenth.
#define DECODE_TOLERANCE_FP16 1e-2
#define DECODE_TOLERANCE_FP8 5e-2
#define DECODE_TOLERANCE_W4A16 0.3
#define DECODE_TOLERANCE_W8A8 0.1

// One stage of a layer, in all steps so far.
typedef struct decode_stage {
  const char *name;     // of the operation
  const char *stage;    // as walk_stage_name has it
  size_t layer;         // LLM_NO_LAYER: of none
  double error;         // relative, absolute if FP64 has zeros only; 0 if no row was compared
  size_t rows, others;  // rows compared; rows of experts that the walk chose and the machine did not
} decode_stage_t;

typedef struct decode_check decode_check_t;

// Looks on at the machine from here on. entries, context: of the walks, one for each entry. NULL: error says why.
decode_check_t *decode_check_open(decode_machine_t *machine, const checkpoint_t *checkpoint, size_t entries,
                                  size_t context, size_t threads, base_error_t *error);
void decode_check_close(decode_check_t *check);  // may be NULL

// The walks begin anew, after `places` tokens that are known by the machine's cache alone.
bool decode_check_begin(decode_check_t *check, size_t places, base_error_t *error);

// After a step: walks the same. Entries go on from where they are: of a step's query tokens the first ones may be
// known.
bool decode_check_step(decode_check_t *check, const decode_ask_t *ask, const uint32_t *tokens, base_error_t *error);

size_t decode_check_count(const decode_check_t *check);
decode_stage_t decode_check_stage(const decode_check_t *check, size_t index);  // in order of operations

// Choices of experts that differ, of how many.
void decode_check_choices(const decode_check_t *check, size_t *differ, size_t *of);

#endif
