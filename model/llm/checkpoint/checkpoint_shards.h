// The tensors of a checkpoint's folder: model.safetensors, or, if there is none, the files of
// model.safetensors.index.json: {"weight_map": {"TENSOR": "FILE", ...}}. A file is opened when a tensor of it is first
// looked for: of a few layers, only their files need be there.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_CHECKPOINT_CHECKPOINT_SHARDS_H
#define AMALGAM_LLM_CHECKPOINT_CHECKPOINT_SHARDS_H

#include "llm/checkpoint/safetensors.h"

typedef struct checkpoint_shards checkpoint_shards_t;

// NULL: error names the file and what is wrong with it.
checkpoint_shards_t *checkpoint_shards_open(const char *folder, base_error_t *error);
void checkpoint_shards_close(checkpoint_shards_t *shards);  // may be NULL

// False: there is none of this name where it should be; error names it and the file. Not for two threads at a time.
__attribute__((warn_unused_result)) bool checkpoint_shards_find(checkpoint_shards_t *shards, const char *name,
                                                                const safetensors_t **file,
                                                                const safetensors_entry_t **entry, base_error_t *error);

#endif
