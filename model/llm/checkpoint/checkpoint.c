// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/size.h"
#include "llm/checkpoint/checkpoint_internal.h"
#include "llm/checkpoint/checkpoint_shards.h"

enum { PATH_BYTES = 1024, MXFP4_BLOCK = CHECKPOINT_MXFP4_BLOCK };

struct checkpoint {
  checkpoint_config_t config;
  checkpoint_shards_t *shards;       // NULL: random
  const char *prefix, *head_prefix;  // of names
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

// "model.layers.N." and a role's name, whose # is the expert's number.
static void name_tensor(const char *prefix, where_t where, const char *text, size_t layer, size_t expert,
                        char name[CHECKPOINT_NAME_BYTES]) {
  const char *number = strchr(text, '#');
  char begin[CHECKPOINT_NAME_BYTES] = "";
  if (where != MODEL) {
    snprintf(begin, sizeof begin, "%slayers.%zu.", prefix, layer);
  }
  if (number == NULL) {
    snprintf(name, CHECKPOINT_NAME_BYTES, "%s%s", begin, text);
  } else {
    snprintf(name, CHECKPOINT_NAME_BYTES, "%s%.*s%zu%s", begin, (int)(number - text), text, expert, number + 1);
  }
}

void checkpoint_name(checkpoint_role_t role, size_t layer, size_t expert, char name[CHECKPOINT_NAME_BYTES]) {
  name_tensor("model.", roles[role].where, roles[role].name, layer, expert, name);
}

// Tensors of the model, of layer 0, of its experts one by one, of layer 1, ...; a layer's begin with places for those
// of the model, which stay empty.
static size_t place_of(const checkpoint_config_t *config, checkpoint_role_t role, size_t layer, size_t expert) {
  enum { OF_LAYER = CHECKPOINT_EXPERT_GATE, OF_EXPERT = CHECKPOINT_ROLES - OF_LAYER };
  const size_t begin = (1 + layer) * (OF_LAYER + config->n_routed_experts * OF_EXPERT);
  return roles[role].where == MODEL ? role : begin + role + (roles[role].where == EXPERT ? expert * OF_EXPERT : 0);
}

static size_t tensor_count(const checkpoint_config_t *config) {
  return place_of(config, CHECKPOINT_ATTENTION_NORM, config->num_hidden_layers, 0);
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

static bool check_dims(const safetensors_t *file, const safetensors_entry_t *entry, const uint64_t *expected,
                       size_t dims, base_error_t *error) {
  char is[200], should[200];
  return (entry->dims == dims && memcmp(entry->shape, expected, dims * sizeof *expected) == 0) ||
         base_fail(error, "%s: tensor '%s': shape %s; expected %s", safetensors_path(file), entry->name,
                   shape_text(entry->shape, entry->dims, is), shape_text(expected, dims, should));
}

static bool check_shape(const safetensors_t *file, const safetensors_entry_t *entry, const shape_t *shape,
                        base_error_t *error) {
  const uint64_t expected[] = {shape->rows, shape->columns};
  const size_t dims = shape->rows == VECTOR ? 1 : 2;
  return check_dims(file, entry, expected + 2 - dims, dims, error);
}

// Is it a matrix in the 8 bits of config.json?
static bool is_scaled(const checkpoint_t *checkpoint, const safetensors_entry_t *entry, const shape_t *shape) {
  const checkpoint_config_t *config = &checkpoint->config;
  return config->block_rows > 0 && shape->rows != VECTOR &&
         entry->type == (config->s8 ? SAFETENSORS_I8 : SAFETENSORS_F8_E4M3);
}

// "NAME_scale_inv", or what the suffix is, is what the elements of a block are multiplied by. The one of a matrix may
// be a vector.
static bool find_scales(const checkpoint_t *checkpoint, checkpoint_tensor_t *tensor, const shape_t *shape,
                        base_error_t *error) {
  char name[CHECKPOINT_NAME_BYTES + 16];
  tensor->block_rows = checkpoint->config.block_rows;
  tensor->block_columns = checkpoint->config.block_columns;
  const shape_t scales = {true, ceil_div(shape->rows, tensor->block_rows),
                          ceil_div(shape->columns, tensor->block_columns)};
  snprintf(name, sizeof name, "%s%s", tensor->entry->name, checkpoint->config.scale_suffix);
  const shape_t one = {true, VECTOR, 1};
  return checkpoint_shards_find(checkpoint->shards, name, &tensor->scale_file, &tensor->scales, error) &&
         (tensor->scales->type <= SAFETENSORS_F32 ||
          base_fail(error, "%s: tensor '%s': dtype %s; expected BF16, F16 or F32", safetensors_path(tensor->scale_file),
                    name, safetensors_type_name(tensor->scales->type))) &&
         check_shape(tensor->scale_file, tensor->scales,
                     scales.rows * scales.columns == 1 && tensor->scales->dims == 1 ? &one : &scales, error);
}

static bool check_type(checkpoint_tensor_t *tensor, bool blocks, base_error_t *error) {
  const safetensors_entry_t *entry = tensor->entry;
  const bool small = entry->type == SAFETENSORS_F8_E4M3 || entry->type == SAFETENSORS_I8;
  tensor->type = entry->type == SAFETENSORS_BF16  ? CHECKPOINT_BF16
                 : entry->type == SAFETENSORS_F16 ? CHECKPOINT_FP16
                                                  : CHECKPOINT_FP32;
  return entry->type <= SAFETENSORS_F32 || blocks ||
         base_fail(error, "%s: tensor '%s': dtype %s; expected BF16, F16 or F32%s", safetensors_path(tensor->file),
                   entry->name, safetensors_type_name(entry->type),
                   small ? ", or for a matrix a quantization_config in config.json" : "");
}

static bool check_entry(const checkpoint_t *checkpoint, checkpoint_tensor_t *tensor, const shape_t *shape,
                        base_error_t *error) {
  const bool blocks = is_scaled(checkpoint, tensor->entry, shape);
  return check_type(tensor, blocks, error) && check_shape(tensor->file, tensor->entry, shape, error) &&
         (!blocks || find_scales(checkpoint, tensor, shape, error));
}

// --- other names ------------------------------------------------------------------------------

// A row of checkpoint_names.def.
typedef struct other {
  bool may;
  checkpoint_role_t role;
  const char *name;
  shape_t stored;
  size_t first, row_step, column_step;
} other_t;

// "NAME_scales" of "NAME_blocks": [experts][rows][columns / 32] bytes, of which each block has 16.
static bool find_mxfp4(const checkpoint_t *checkpoint, checkpoint_tensor_t *tensor, const other_t *other,
                       base_error_t *error) {
  char name[CHECKPOINT_NAME_BYTES + 16];
  const size_t stem = strlen(tensor->entry->name) - strlen("_blocks");
  const uint64_t blocks[] = {checkpoint->config.n_routed_experts, other->stored.rows,
                             other->stored.columns / MXFP4_BLOCK, MXFP4_BLOCK / 2};
  snprintf(name, sizeof name, "%.*s_scales", (int)stem, tensor->entry->name);
  tensor->mxfp4 = true;
  tensor->type = CHECKPOINT_BF16;
  return checkpoint_shards_find(checkpoint->shards, name, &tensor->scale_file, &tensor->scales, error) &&
         ((tensor->entry->type == SAFETENSORS_U8 && tensor->scales->type == SAFETENSORS_U8) ||
          base_fail(error, "%s: tensor '%s': dtype %s; expected U8, of its scales, too", safetensors_path(tensor->file),
                    tensor->entry->name, safetensors_type_name(tensor->entry->type))) &&
         check_dims(tensor->file, tensor->entry, blocks, 4, error) &&
         check_dims(tensor->scale_file, tensor->scales, blocks, 3, error);
}

static bool check_other(const checkpoint_t *checkpoint, checkpoint_tensor_t *tensor, const other_t *other,
                        size_t expert, base_error_t *error) {
  const bool all = roles[other->role].where == EXPERT && strchr(other->name, '#') == NULL;
  const uint64_t shape[] = {checkpoint->config.n_routed_experts, other->stored.rows, other->stored.columns};
  const uint64_t vector[] = {checkpoint->config.n_routed_experts, other->stored.columns};
  const bool is_vector = other->stored.rows == VECTOR;
  tensor->slab_count = (is_vector ? 1 : other->stored.rows) * other->stored.columns;
  tensor->slab_first = all ? expert * tensor->slab_count : 0;
  tensor->first = tensor->slab_first + other->first;
  tensor->row_step = other->row_step;
  tensor->column_step = other->column_step;
  if (strstr(other->name, "_blocks") != NULL) {
    return find_mxfp4(checkpoint, tensor, other, error);
  }
  if (other->column_step != 1) {
    tensor->slab = calloc(1, sizeof *tensor->slab);
    if (tensor->slab == NULL || pthread_mutex_init(&tensor->slab->lock, NULL) != 0) {
      return base_fail(error, "%s: out of memory", tensor->entry->name);
    }
  }
  // Rows of a matrix that several tensors share lie as the matrix's.
  const bool blocks = !all && other->column_step == 1 && other->row_step == other->stored.columns &&
                      is_scaled(checkpoint, tensor->entry, &other->stored);
  return check_type(tensor, blocks, error) && (!blocks || find_scales(checkpoint, tensor, &other->stored, error)) &&
         check_dims(tensor->file, tensor->entry, (is_vector ? vector : shape) + (all ? 0 : 1),
                    (is_vector ? 1u : 2u) + (all ? 1u : 0u), error);
}

typedef enum found { THERE, NOT_THERE, BAD } found_t;

static found_t find_other(checkpoint_t *checkpoint, checkpoint_tensor_t *tensor, const other_t *other, size_t layer,
                          size_t expert, base_error_t *error) {
  char name[CHECKPOINT_NAME_BYTES];
  name_tensor(checkpoint->prefix, roles[other->role].where, other->name, layer, expert, name);
  if (!other->may || !checkpoint_shards_find(checkpoint->shards, name, &tensor->file, &tensor->entry, error)) {
    return NOT_THERE;
  }
  return check_other(checkpoint, tensor, other, expert, error) ? THERE : BAD;
}

static found_t find_others(checkpoint_t *checkpoint, checkpoint_tensor_t *tensor, checkpoint_role_t role, size_t layer,
                           size_t expert, base_error_t *error) {
  const checkpoint_config_t *config = &checkpoint->config;
  const other_t others[] = {
#define CHECKPOINT_NAME(role, may, name, rows, columns, first, row_step, column_step) \
  {may, CHECKPOINT_##role, name, {true, rows, columns}, first, row_step, column_step},
#include "llm/checkpoint/checkpoint_names.def"
#undef CHECKPOINT_NAME
  };
  found_t found = NOT_THERE;
  for (size_t i = 0; found == NOT_THERE && i < sizeof others / sizeof *others; ++i) {
    if (others[i].role == role) {
      found = find_other(checkpoint, tensor, &others[i], layer, expert, error);
    }
  }
  return found;
}

static bool find_tensor(checkpoint_t *checkpoint, checkpoint_tensor_t *tensor, checkpoint_role_t role, const char *name,
                        const shape_t *shape, size_t layer, size_t expert, base_error_t *error) {
  const found_t found = find_others(checkpoint, tensor, role, layer, expert, error);
  if (found != NOT_THERE) {
    return found == THERE;
  }
  tensor->first = 0;
  tensor->row_step = shape->columns;
  tensor->column_step = 1;
  return checkpoint_shards_find(checkpoint->shards, name, &tensor->file, &tensor->entry, error) &&
         check_entry(checkpoint, tensor, shape, error);
}

// Where names begin: text models of others have a prefix of their own.
static void find_prefix(checkpoint_t *checkpoint) {
  static const char *const prefixes[][2] = {
      {"model.language_model.", ""}, {"language_model.model.", "language_model."}, {"model.", ""}};
  const safetensors_t *file;
  const safetensors_entry_t *entry;
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; ++i) {
    char name[CHECKPOINT_NAME_BYTES];
    base_error_t unused;
    snprintf(name, sizeof name, "%sembed_tokens.weight", prefixes[i][0]);
    checkpoint->prefix = prefixes[i][0];
    checkpoint->head_prefix = prefixes[i][1];
    if (checkpoint_shards_find(checkpoint->shards, name, &file, &entry, &unused)) {
      return;
    }
  }
}

// A role's usual name in this file.
static void usual_name(const checkpoint_t *checkpoint, checkpoint_role_t role, size_t layer, size_t expert,
                       char name[CHECKPOINT_NAME_BYTES]) {
  if (roles[role].where != MODEL) {
    name_tensor(checkpoint->prefix, roles[role].where, roles[role].name, layer, expert, name);
  } else if (role == CHECKPOINT_HEAD) {
    snprintf(name, CHECKPOINT_NAME_BYTES, "%s%s", checkpoint->head_prefix, roles[role].name);
  } else {
    snprintf(name, CHECKPOINT_NAME_BYTES, "%s%s", checkpoint->prefix, roles[role].name + strlen("model."));
  }
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
  const bool is_norm = shape.rows == VECTOR && strstr(roles[role].name, "norm") != NULL;
  const float added = is_norm && checkpoint_has(config, CHECKPOINT_HAS_PLUS_ONE) ? 1.0f : 0.0f;
  char name[CHECKPOINT_NAME_BYTES];
  if (!shape.exists) {
    return true;
  }
  usual_name(checkpoint, stored, layer, expert, name);
  *tensor = (checkpoint_tensor_t){.exists = true,
                                  .type = CHECKPOINT_BF16,
                                  .rows = shape.rows == VECTOR ? 1 : shape.rows,
                                  .columns = shape.columns,
                                  .seed = checkpoint->seed,
                                  .stream = hash(name),
                                  .constant = num_bf16_from_f32(is_norm ? 1.0f - added : 0.0f),
                                  .added = added,
                                  .deviation = shape.rows == VECTOR ? 0.0 : config->initializer_range};
  return checkpoint->shards == NULL || find_tensor(checkpoint, tensor, stored, name, &shape, layer, expert, error);
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
  const size_t count = tensor_count(config);
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
  if (!(request->shapes ? checkpoint_config_shapes : checkpoint_config_read)(path, &checkpoint->config, error)) {
    return false;
  }
  checkpoint->config.traits |= request->wide_range ? (unsigned)CHECKPOINT_HAS_WIDE_RANGE : 0u;
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
  checkpoint->prefix = "model.";
  checkpoint->head_prefix = "";
  if (checkpoint->shards != NULL) {
    find_prefix(checkpoint);
  }
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

static void slab_free(checkpoint_slab_t *slab) {
  if (slab != NULL) {
    pthread_mutex_destroy(&slab->lock);
    free(slab->bytes);
    free(slab);
  }
}

void checkpoint_close(checkpoint_t *checkpoint) {
  if (checkpoint == NULL) {
    return;
  }
  checkpoint_shards_close(checkpoint->shards);
  for (size_t i = 0; checkpoint->tensors != NULL && i < tensor_count(&checkpoint->config); ++i) {
    slab_free(checkpoint->tensors[i].slab);
  }
  free(checkpoint->tensors);
  free(checkpoint);
}
