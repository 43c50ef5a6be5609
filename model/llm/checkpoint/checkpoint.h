// A model in the folder that Hugging Face has of it: config.json (checkpoint_config.h says which are supported) and
// safetensors, one file or several with an index, in BF16, FP16 or FP32, matrices also in FP8 with a scale for each
// block or in what compressed-tensors makes of 8 bits (read as FP32), gpt-oss's experts in MXFP4 (read as BF16).
// Tensors may be fused, or all experts of a layer one. Or one of the same shape with random weights, made from
// config.json alone.
//
// Everything is checked when it is opened, also that each tensor is there in the right shape and type. Weights stay in
// the files; whoever wants some asks for them, and no more than that is in memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_LLM_CHECKPOINT_CHECKPOINT_H
#define AMALGAM_LLM_CHECKPOINT_CHECKPOINT_H

#include <stdint.h>

#include "llm/checkpoint/checkpoint_config.h"

typedef enum checkpoint_role {
#define CHECKPOINT_TENSOR(role, where, exists, rows, columns, name) CHECKPOINT_##role,
#include "llm/checkpoint/checkpoint_tensors.def"
#undef CHECKPOINT_TENSOR
  CHECKPOINT_ROLES,
  CHECKPOINT_NONE = CHECKPOINT_ROLES
} checkpoint_role_t;

typedef enum checkpoint_type { CHECKPOINT_BF16, CHECKPOINT_FP16, CHECKPOINT_FP32 } checkpoint_type_t;

typedef struct checkpoint_request {
  const char *folder;  // random: this may be the file config.json itself, by any name
  size_t layers;       // the model's first so many; 0: all
  bool random;         // weights normal with standard deviation initializer_range, in BF16, norms 1, biases 0;
  uint64_t seed;       // of a seed and a tensor's name the same on every host, whatever `layers`
  bool shapes;         // random, and no value of it is looked at: checkpoint_config_shapes
  bool wide_range;     // the model gets that trait, if its family has not
} checkpoint_request_t;

typedef struct checkpoint checkpoint_t;
typedef struct checkpoint_tensor checkpoint_tensor_t;

// NULL: error is one line that names the file, and the key or the tensor.
checkpoint_t *checkpoint_open(const checkpoint_request_t *request, base_error_t *error);
void checkpoint_close(checkpoint_t *checkpoint);  // may be NULL

// num_hidden_layers is that of the request.
const checkpoint_config_t *checkpoint_config(const checkpoint_t *checkpoint);

// layer and expert are 0 where a role has none. NULL: this model, or this layer of it, has no such tensor.
const checkpoint_tensor_t *checkpoint_find(const checkpoint_t *checkpoint, checkpoint_role_t role, size_t layer,
                                           size_t expert);

// A vector has one row.
size_t checkpoint_rows(const checkpoint_tensor_t *tensor);
size_t checkpoint_columns(const checkpoint_tensor_t *tensor);
checkpoint_type_t checkpoint_type(const checkpoint_tensor_t *tensor);  // in the file

// Is it in 8-bit integers with a scale for each row?
bool checkpoint_is_s8(const checkpoint_tensor_t *tensor);

// The shape that a tensor of such a model must have; a vector has 0 rows. False: that layer has no such tensor.
bool checkpoint_shape(const checkpoint_config_t *config, checkpoint_role_t role, size_t layer, size_t *rows,
                      size_t *columns);

enum { CHECKPOINT_NAME_BYTES = 96 };
void checkpoint_name(checkpoint_role_t role, size_t layer, size_t expert, char name[CHECKPOINT_NAME_BYTES]);

// Elements first .. first + count - 1 (row by row), as `type`: exact if that is the tensor's own or FP32, otherwise
// rounded to nearest even. False: the file could not be read, which error names. Threads may read side by side.
__attribute__((warn_unused_result)) bool checkpoint_read(const checkpoint_tensor_t *tensor, size_t first, size_t count,
                                                         checkpoint_type_t type, void *out, base_error_t *error);

// Of one that is, a row's integers, and what they are to be multiplied by.
__attribute__((warn_unused_result)) bool checkpoint_read_s8(const checkpoint_tensor_t *tensor, size_t row, int8_t *out,
                                                            float *scale, base_error_t *error);

#endif
