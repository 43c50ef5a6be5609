// SPDX-License-Identifier: Apache-2.0
#include "llm/checkpoint/checkpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "llm/checkpoint/checkpoint_shards.h"
#include "num/num_format.h"
#include "num/num_rng.h"

enum { PATH_BYTES = 1024, CHUNK = 2048 };

struct checkpoint_tensor {
  bool exists;
  checkpoint_type_t type;
  size_t rows, columns;
  const safetensors_t *file;  // NULL: random
  const safetensors_entry_t *entry;
  const safetensors_t *scale_file;  // of FP8: elements times the scale of their block, in FP32; NULL: another type
  const safetensors_entry_t *scales;
  size_t block_rows, block_columns;
  uint64_t seed, stream;  // of random ones, if deviation is not 0; otherwise all elements are `constant`
  double deviation;
  num_bf16_t constant;
};

struct checkpoint {
  checkpoint_config_t config;
  checkpoint_shards_t *shards;  // NULL: random
  uint64_t seed;
  checkpoint_tensor_t *tensors;  // by place_of()
};

// --- names, shapes and places -----------------------------------------------------------------

typedef enum where { MODEL, LAYER, EXPERT } where_t;
enum { VECTOR = 0 };

static const struct {
  where_t where;
  const char *name;
} roles[CHECKPOINT_ROLES] = {
#define CHECKPOINT_TENSOR(role, where, exists, rows, columns, name) {where, name},
#include "llm/checkpoint/checkpoint_tensors.def"
#undef CHECKPOINT_TENSOR
};

typedef struct shape {
  bool exists;
  size_t rows, columns;
} shape_t;

static shape_t shape_of(const checkpoint_config_t *config, checkpoint_role_t role, size_t layer) {
  switch (role) {
#define CHECKPOINT_TENSOR(role, where, exists, rows, columns, name) \
  case CHECKPOINT_##role:                                           \
    return (shape_t){exists, rows, columns};
#include "llm/checkpoint/checkpoint_tensors.def"
#undef CHECKPOINT_TENSOR
    default:
      return (shape_t){false, 0, 0};
  }
}

bool checkpoint_shape(const checkpoint_config_t *config, checkpoint_role_t role, size_t layer, size_t *rows,
                      size_t *columns) {
  const shape_t shape = shape_of(config, role, layer);
  *rows = shape.rows;
  *columns = shape.columns;
  return shape.exists;
}

void checkpoint_name(checkpoint_role_t role, size_t layer, size_t expert, char name[CHECKPOINT_NAME_BYTES]) {
  char prefix[CHECKPOINT_NAME_BYTES / 2] = "";
  if (roles[role].where == LAYER) {
    snprintf(prefix, sizeof prefix, "model.layers.%zu.", layer);
  } else if (roles[role].where == EXPERT) {
    snprintf(prefix, sizeof prefix, "model.layers.%zu.mlp.experts.%zu.", layer, expert);
  }
  snprintf(name, CHECKPOINT_NAME_BYTES, "%s%s", prefix, roles[role].name);
}

// Tensors of the model, of layer 0, of its experts one by one, of layer 1, ...; a layer's begin with places for those
// of the model, which stay empty.
static size_t place_of(const checkpoint_config_t *config, checkpoint_role_t role, size_t layer, size_t expert) {
  enum { OF_LAYER = CHECKPOINT_EXPERT_GATE, OF_EXPERT = CHECKPOINT_ROLES - OF_LAYER };
  const size_t begin = (1 + layer) * (OF_LAYER + config->n_routed_experts * OF_EXPERT);
  return roles[role].where == MODEL ? role : begin + role + (roles[role].where == EXPERT ? expert * OF_EXPERT : 0);
}

const checkpoint_tensor_t *checkpoint_find(const checkpoint_t *checkpoint, checkpoint_role_t role, size_t layer,
                                           size_t expert) {
  const checkpoint_config_t *config = &checkpoint->config;
  const bool inside = (roles[role].where == MODEL || layer < config->num_hidden_layers) &&
                      (roles[role].where != EXPERT || expert < config->n_routed_experts);
  const checkpoint_tensor_t *tensor = &checkpoint->tensors[inside ? place_of(config, role, layer, expert) : 0];
  return inside && tensor->exists ? tensor : NULL;
}

size_t checkpoint_rows(const checkpoint_tensor_t *tensor) { return tensor->rows; }
size_t checkpoint_columns(const checkpoint_tensor_t *tensor) { return tensor->columns; }
checkpoint_type_t checkpoint_type(const checkpoint_tensor_t *tensor) { return tensor->type; }
const checkpoint_config_t *checkpoint_config(const checkpoint_t *checkpoint) { return &checkpoint->config; }

// --- opening ----------------------------------------------------------------------------------

// "[3, 4]"
static const char *shape_text(const uint64_t *shape, size_t dims, char text[200]) {
  size_t used = 0;
  for (size_t i = 0; i < dims; ++i) {
    used += (size_t)snprintf(text + used, 200 - used, "%s%" PRIu64, i == 0 ? "[" : ", ", shape[i]);
  }
  snprintf(text + used, 200 - used, dims == 0 ? "[]" : "]");
  return text;
}

static bool check_shape(const safetensors_t *file, const safetensors_entry_t *entry, const shape_t *shape,
                        base_error_t *error) {
  const uint64_t expected[] = {shape->rows, shape->columns};
  const size_t dims = shape->rows == VECTOR ? 1 : 2;
  char is[200], should[200];
  return (entry->dims == dims && memcmp(entry->shape, expected + 2 - dims, dims * sizeof *expected) == 0) ||
         base_fail(error, "%s: tensor '%s': shape %s; expected %s", safetensors_path(file), entry->name,
                   shape_text(entry->shape, entry->dims, is), shape_text(expected + 2 - dims, dims, should));
}

static size_t blocks(size_t count, size_t block) { return (count + block - 1) / block; }

// "NAME_scale_inv" is what the elements of a block are multiplied by.
static bool find_scales(const checkpoint_t *checkpoint, checkpoint_tensor_t *tensor, const shape_t *shape,
                        base_error_t *error) {
  char name[CHECKPOINT_NAME_BYTES + 16];
  tensor->block_rows = checkpoint->config.block_rows;
  tensor->block_columns = checkpoint->config.block_columns;
  const shape_t scales = {true, blocks(shape->rows, tensor->block_rows), blocks(shape->columns, tensor->block_columns)};
  snprintf(name, sizeof name, "%s_scale_inv", tensor->entry->name);
  return checkpoint_shards_find(checkpoint->shards, name, &tensor->scale_file, &tensor->scales, error) &&
         (tensor->scales->type == SAFETENSORS_F32 ||
          base_fail(error, "%s: tensor '%s': dtype %s; expected F32", safetensors_path(tensor->scale_file), name,
                    safetensors_type_name(tensor->scales->type))) &&
         check_shape(tensor->scale_file, tensor->scales, &scales, error);
}

static bool check_entry(const checkpoint_t *checkpoint, checkpoint_tensor_t *tensor, const shape_t *shape,
                        base_error_t *error) {
  const safetensors_entry_t *entry = tensor->entry;
  const bool fp8 = entry->type == SAFETENSORS_F8_E4M3;
  const bool blocks = fp8 && checkpoint->config.block_rows > 0 && shape->rows != VECTOR;
  if (entry->type > SAFETENSORS_F32 && !blocks) {
    return base_fail(error, "%s: tensor '%s': dtype %s; expected BF16, F16 or F32%s", safetensors_path(tensor->file),
                     entry->name, safetensors_type_name(entry->type),
                     fp8 ? ", or for a matrix a quantization_config in config.json" : "");
  }
  tensor->type = entry->type == SAFETENSORS_BF16  ? CHECKPOINT_BF16
                 : entry->type == SAFETENSORS_F16 ? CHECKPOINT_FP16
                                                  : CHECKPOINT_FP32;
  return check_shape(tensor->file, entry, shape, error) && (!blocks || find_scales(checkpoint, tensor, shape, error));
}

// FNV-1a, 64 bits: seeds of different names are different streams.
static uint64_t hash(const char *name) {
  uint64_t value = 0xcbf29ce484222325u;
  for (; *name != '\0'; ++name) {
    value = (value ^ (uint8_t)*name) * 0x100000001b3u;
  }
  return value;
}

static bool add_tensor(checkpoint_t *checkpoint, checkpoint_role_t role, size_t layer, size_t expert,
                       base_error_t *error) {
  const checkpoint_config_t *config = &checkpoint->config;
  const checkpoint_role_t stored = role == CHECKPOINT_HEAD && config->tie_word_embeddings ? CHECKPOINT_EMBEDDING : role;
  const shape_t shape = shape_of(config, role, layer);
  checkpoint_tensor_t *tensor = &checkpoint->tensors[place_of(config, role, layer, expert)];
  const bool is_norm = shape.rows == VECTOR && role != CHECKPOINT_ROUTER_BIAS;
  char name[CHECKPOINT_NAME_BYTES];
  if (!shape.exists) {
    return true;
  }
  checkpoint_name(stored, layer, expert, name);
  *tensor = (checkpoint_tensor_t){.exists = true,
                                  .type = CHECKPOINT_BF16,
                                  .rows = shape.rows == VECTOR ? 1 : shape.rows,
                                  .columns = shape.columns,
                                  .seed = checkpoint->seed,
                                  .stream = hash(name),
                                  .constant = num_bf16_from_f32(is_norm ? 1.0f : 0.0f),
                                  .deviation = shape.rows == VECTOR ? 0.0 : config->initializer_range};
  return checkpoint->shards == NULL ||
         (checkpoint_shards_find(checkpoint->shards, name, &tensor->file, &tensor->entry, error) &&
          check_entry(checkpoint, tensor, &shape, error));
}

static bool add_layer(checkpoint_t *checkpoint, size_t layer, base_error_t *error) {
  bool good = true;
  for (unsigned role = 0; good && role < CHECKPOINT_ROLES; ++role) {
    const size_t count = roles[role].where == LAYER    ? 1
                         : roles[role].where == EXPERT ? checkpoint->config.n_routed_experts
                                                       : 0;
    for (size_t expert = 0; good && expert < count; ++expert) {
      good = add_tensor(checkpoint, (checkpoint_role_t)role, layer, expert, error);
    }
  }
  return good;
}

static bool add_tensors(checkpoint_t *checkpoint, base_error_t *error) {
  const checkpoint_config_t *config = &checkpoint->config;
  const size_t count = place_of(config, CHECKPOINT_ATTENTION_NORM, config->num_hidden_layers, 0);
  checkpoint->tensors = calloc(count, sizeof *checkpoint->tensors);
  bool good = checkpoint->tensors != NULL || base_fail(error, "out of memory for %zu tensors", count);
  for (unsigned role = 0; good && role < CHECKPOINT_ROLES; ++role) {
    good = roles[role].where != MODEL || add_tensor(checkpoint, (checkpoint_role_t)role, 0, 0, error);
  }
  for (size_t layer = 0; good && layer < config->num_hidden_layers; ++layer) {
    good = add_layer(checkpoint, layer, error);
  }
  return good;
}

static bool read_config(checkpoint_t *checkpoint, const checkpoint_request_t *request, base_error_t *error) {
  char path[PATH_BYTES];
  struct stat status;
  const bool file = request->random && stat(request->folder, &status) == 0 && !S_ISDIR(status.st_mode);
  if (snprintf(path, sizeof path, "%s%s", request->folder, file ? "" : "/config.json") >= PATH_BYTES) {
    return base_fail(error, "%.200s...: path too long", request->folder);
  }
  if (!checkpoint_config_read(path, &checkpoint->config, error)) {
    return false;
  }
  size_t *layers = &checkpoint->config.num_hidden_layers;
  if (request->layers > *layers) {
    return base_fail(error, "%s: num_hidden_layers is %zu; expected at least the %zu layers asked for", path, *layers,
                     request->layers);
  }
  *layers = request->layers == 0 ? *layers : request->layers;
  return true;
}

static bool open_all(checkpoint_t *checkpoint, const checkpoint_request_t *request, base_error_t *error) {
  if (!read_config(checkpoint, request, error)) {
    return false;
  }
  checkpoint->seed = request->seed;
  checkpoint->shards = request->random ? NULL : checkpoint_shards_open(request->folder, error);
  return (request->random || checkpoint->shards != NULL) && add_tensors(checkpoint, error);
}

checkpoint_t *checkpoint_open(const checkpoint_request_t *request, base_error_t *error) {
  checkpoint_t *checkpoint = calloc(1, sizeof *checkpoint);
  if (checkpoint == NULL) {
    base_fail(error, "%s: out of memory", request->folder);
    return NULL;
  }
  if (open_all(checkpoint, request, error)) {
    return checkpoint;
  }
  checkpoint_close(checkpoint);
  return NULL;
}

void checkpoint_close(checkpoint_t *checkpoint) {
  if (checkpoint == NULL) {
    return;
  }
  checkpoint_shards_close(checkpoint->shards);
  free(checkpoint->tensors);
  free(checkpoint);
}

// --- reading ----------------------------------------------------------------------------------

static size_t element_bytes(checkpoint_type_t type) { return type == CHECKPOINT_FP32 ? 4 : 2; }

// Elements of FP8 that lie in one row and one block, in FP32.
static bool fetch_block(const checkpoint_tensor_t *tensor, size_t first, size_t count, float *out,
                        base_error_t *error) {
  uint8_t bytes[CHUNK];
  float scale;
  const size_t row = first / tensor->columns, column = first % tensor->columns;
  const size_t block =
      row / tensor->block_rows * blocks(tensor->columns, tensor->block_columns) + column / tensor->block_columns;
  if (!safetensors_read(tensor->file, tensor->entry, first, count, bytes, error) ||
      !safetensors_read(tensor->scale_file, tensor->scales, block * sizeof scale, sizeof scale, &scale, error)) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    out[i] = num_e4m3_to_f32(bytes[i]) * scale;
  }
  return true;
}

static bool fetch_blocks(const checkpoint_tensor_t *tensor, size_t first, size_t count, float *out,
                         base_error_t *error) {
  bool good = true;
  for (size_t done = 0, n = 0; good && done < count; done += n) {
    const size_t in_block = tensor->block_columns - (first + done) % tensor->columns % tensor->block_columns;
    const size_t in_row = tensor->columns - (first + done) % tensor->columns;
    n = count - done < CHUNK ? count - done : CHUNK;
    n = n < in_block ? n : in_block;
    n = n < in_row ? n : in_row;
    good = fetch_block(tensor, first + done, n, out + done, error);
  }
  return good;
}

// As they are stored.
static bool fetch(const checkpoint_tensor_t *tensor, size_t first, size_t count, void *out, base_error_t *error) {
  const size_t bytes = element_bytes(tensor->type);
  if (tensor->scales != NULL) {
    return fetch_blocks(tensor, first, count, out, error);
  }
  if (tensor->file != NULL) {
    return safetensors_read(tensor->file, tensor->entry, first * bytes, count * bytes, out, error);
  }
  num_bf16_t *values = out;
  if (tensor->deviation > 0.0) {
    num_rng_normal_bf16(tensor->seed, tensor->stream, first, count, tensor->deviation, values);
    return true;
  }
  for (size_t i = 0; i < count; ++i) {
    values[i] = tensor->constant;
  }
  return true;
}

static void widen(checkpoint_type_t type, const void *in, float *out, size_t n) {
  switch (type) {
    case CHECKPOINT_BF16:
      num_bf16_to_f32_n(in, out, n);
      break;
    case CHECKPOINT_FP16:
      num_fp16_to_f32_n(in, out, n);
      break;
    case CHECKPOINT_FP32:
      memcpy(out, in, n * sizeof *out);
      break;
  }
}

static void narrow(checkpoint_type_t type, const float *in, void *out, size_t n) {
  switch (type) {
    case CHECKPOINT_BF16:
      num_bf16_from_f32_n(in, out, n);
      break;
    case CHECKPOINT_FP16:
      num_fp16_from_f32_n(in, out, n);
      break;
    case CHECKPOINT_FP32:
      memcpy(out, in, n * sizeof *in);
      break;
  }
}

bool checkpoint_read(const checkpoint_tensor_t *tensor, size_t first, size_t count, checkpoint_type_t type, void *out,
                     base_error_t *error) {
  float stored[CHUNK], wide[CHUNK];  // stored: of any type, no element larger than this
  if (type == tensor->type) {
    return fetch(tensor, first, count, out, error);
  }
  for (size_t done = 0; done < count; done += CHUNK) {
    const size_t n = count - done < CHUNK ? count - done : CHUNK;
    if (!fetch(tensor, first + done, n, stored, error)) {
      return false;
    }
    widen(tensor->type, stored, wide, n);
    narrow(type, wide, (char *)out + done * element_bytes(type), n);
  }
  return true;
}
