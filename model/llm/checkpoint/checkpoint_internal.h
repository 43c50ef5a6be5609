// Private to checkpoint.c, which finds tensors, and checkpoint_read.c, which reads them.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_CHECKPOINT_CHECKPOINT_INTERNAL_H
#define AMALGAM_LLM_CHECKPOINT_CHECKPOINT_INTERNAL_H

#include <pthread.h>

#include "llm/checkpoint/checkpoint.h"
#include "llm/checkpoint/safetensors.h"
#include "num/num_format.h"

enum { CHECKPOINT_MXFP4_BLOCK = 32 };  // elements that share a scale

// An expert's share of a file, for a tensor whose columns do not lie side by side; read when it is first asked for.
typedef struct checkpoint_slab {
  pthread_mutex_t lock;
  uint8_t *bytes;  // NULL: not read
} checkpoint_slab_t;

struct checkpoint_tensor {
  bool exists;
  checkpoint_type_t type;
  size_t rows, columns;
  const safetensors_t *file;  // NULL: random
  const safetensors_entry_t *entry;
  uint64_t first, row_step, column_step;  // elements of the entry, as checkpoint_names.def says
  uint64_t slab_first, slab_count;        // those of the tensor's expert
  checkpoint_slab_t *slab;                // NULL: columns lie side by side
  bool mxfp4;                             // scale_file and scales say by what blocks are multiplied
  float added;                            // to what is stored
  const safetensors_t *scale_file;        // of 8 bits: elements times the scale of their block; NULL: another type
  const safetensors_entry_t *scales;
  size_t block_rows, block_columns;
  uint64_t seed, stream;  // of random ones, if deviation is not 0; otherwise all elements are `constant`
  double deviation;
  num_bf16_t constant;
};

#endif
