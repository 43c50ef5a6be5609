// From a file to a model ready to run. Nothing of the file is believed before its size agrees with
// its header.
// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llm/lm/lm_internal.h"
#include "llm/lm/lm_ops.h"
#include "num/num_format.h"

enum { MAGIC_BYTES = 4, FIELDS = 7, HEADER_BYTES = MAGIC_BYTES + 4 * FIELDS, WEIGHT_BYTES = 2 };

// No product of a few sizes overflows.
enum { LARGEST = 1 << 16, LARGEST_VOCAB = 256 };

typedef struct complaint {
  const char *path;
  char *message;
  size_t size;
} complaint_t;

__attribute__((format(printf, 2, 3))) static bool fail(const complaint_t *complaint, const char *format, ...) {
  char text[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  snprintf(complaint->message, complaint->size, "%s: %s", complaint->path, text);
  return false;
}

// --- the header -------------------------------------------------------------------------------

static bool check_shape(const checkpoint_config_t *c, const complaint_t *complaint) {
  if (c->hidden_size % c->num_attention_heads != 0 || c->hidden_size / c->num_attention_heads % 2 != 0) {
    return fail(complaint, "dim %zu with %zu heads; expected an even number of elements per head", c->hidden_size,
                c->num_attention_heads);
  }
  if (c->num_attention_heads % c->num_key_value_heads != 0) {
    return fail(complaint, "%zu heads with %zu kv_heads; expected a multiple", c->num_attention_heads,
                c->num_key_value_heads);
  }
  return true;
}

static bool parse_header(const uint8_t *header, checkpoint_config_t *c, const complaint_t *complaint) {
  const struct {
    const char *name;
    size_t *value;
    uint32_t largest;
  } fields[FIELDS] = {
      {"dim", &c->hidden_size, LARGEST},
      {"hidden", &c->intermediate_size, LARGEST},
      {"layers", &c->num_hidden_layers, LARGEST},
      {"heads", &c->num_attention_heads, LARGEST},
      {"kv_heads", &c->num_key_value_heads, LARGEST},
      {"vocab", &c->vocab_size, LARGEST_VOCAB},
      {"context", &c->max_position_embeddings, LARGEST},
  };
  for (size_t i = 0; i < FIELDS; ++i) {
    const uint8_t *b = header + MAGIC_BYTES + 4 * i;
    const uint32_t value = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    if (value == 0 || value > fields[i].largest) {
      return fail(complaint, "%s is %ld; expected 1 to %lu", fields[i].name, (long)(int32_t)value,
                  (unsigned long)fields[i].largest);
    }
    *fields[i].value = value;
  }
  c->family = CHECKPOINT_BYTES;
  c->tie_word_embeddings = true;
  c->head_dim = c->v_head_dim = c->hidden_size / c->num_attention_heads;
  return check_shape(c, complaint);
}

static bool read_header(FILE *file, checkpoint_config_t *config, const complaint_t *complaint) {
  uint8_t header[HEADER_BYTES];
  const size_t got = fread(header, 1, sizeof header, file);
  if (ferror(file)) {
    return fail(complaint, "%s", strerror(errno));
  }
  if (got < MAGIC_BYTES || memcmp(header, "LMBF", MAGIC_BYTES) != 0) {
    return fail(complaint, "not a language model; expected it to begin with LMBF");
  }
  if (got != sizeof header) {
    return fail(complaint, "ends inside of its header of %d bytes", HEADER_BYTES);
  }
  return parse_header(header, config, complaint);
}

// --- the weights ------------------------------------------------------------------------------

// As they follow each other in the file, each of all layers.
static const checkpoint_role_t tensors[] = {
    CHECKPOINT_EMBEDDING, CHECKPOINT_ATTENTION_NORM, CHECKPOINT_Q,    CHECKPOINT_K,  CHECKPOINT_V,   CHECKPOINT_O,
    CHECKPOINT_FFN_NORM,  CHECKPOINT_GATE,           CHECKPOINT_DOWN, CHECKPOINT_UP, CHECKPOINT_NORM};
enum { TENSORS = sizeof tensors / sizeof *tensors };

// The number of a tensor's layers, each [out,in]; a vector has a single row.
static size_t shape_of(const checkpoint_config_t *c, checkpoint_role_t role, size_t *out, size_t *in) {
  checkpoint_shape(c, role, 0, out, in);
  *out = *out == 0 ? 1 : *out;
  return role == CHECKPOINT_EMBEDDING || role == CHECKPOINT_NORM ? 1 : c->num_hidden_layers;
}

static size_t weight_count(const checkpoint_config_t *c) {
  size_t count = 0;
  for (size_t i = 0; i < TENSORS; ++i) {
    size_t out, in;
    const size_t of_tensor = shape_of(c, tensors[i], &out, &in);
    count += of_tensor * out * in;
  }
  return count;
}

static bool check_size(FILE *file, const checkpoint_config_t *config, const complaint_t *complaint) {
  const size_t expected = HEADER_BYTES + WEIGHT_BYTES * weight_count(config);
  if (fseek(file, 0, SEEK_END) != 0) {
    return fail(complaint, "%s", strerror(errno));
  }
  const long size = ftell(file);
  if (size < 0 || (size_t)size != expected) {
    return fail(complaint, "%ld bytes; expected %zu, by its header", size, expected);
  }
  return fseek(file, HEADER_BYTES, SEEK_SET) == 0 || fail(complaint, "%s", strerror(errno));
}

// The next matrix [out,in] of the file, transposed.
static void transpose(const uint8_t *from, size_t out, size_t in, float *matrix) {
  for (size_t o = 0; o < out; ++o) {
    for (size_t i = 0; i < in; ++i, from += WEIGHT_BYTES) {
      const unsigned bits = from[0] | (unsigned)from[1] << 8;
      matrix[i * out + o] = num_bf16_to_f32((num_bf16_t)bits);
    }
  }
}

static void take_weights(lm_t *lm, const uint8_t *from, float *to) {
  for (size_t i = 0; i < TENSORS; ++i) {
    size_t out, in;
    const size_t count = shape_of(&lm->config, tensors[i], &out, &in);
    lm->weight[tensors[i]] = to;
    for (size_t layer = 0; layer < count; ++layer, from += WEIGHT_BYTES * out * in, to += out * in) {
      transpose(from, out, in, to);
    }
  }
  lm->weight[CHECKPOINT_HEAD] = lm->weight[CHECKPOINT_EMBEDDING];  // tied
}

// --- the model --------------------------------------------------------------------------------

static size_t float_count(const lm_t *lm) {
  size_t count = lm->config.max_position_embeddings * lm->config.head_dim + weight_count(&lm->config);
  for (size_t i = 0; i < lm->graph.values; ++i) {
    count += lm_value_count(lm, i);
  }
  return count;
}

// Everything but the weights; they begin where it ends, which is returned.
static float *place(lm_t *lm) {
  float *memory = lm->memory;
  lm->turn = memory;
  memory += lm->config.max_position_embeddings * lm->config.head_dim;
  for (size_t i = 0; i < lm->graph.values; ++i) {
    lm->value[i] = memory;
    memory += lm_value_count(lm, i);
  }
  return memory;
}

static bool build(lm_t *lm, FILE *file, uint8_t *bytes, const complaint_t *complaint) {
  const checkpoint_config_t *c = &lm->config;
  const size_t count = weight_count(c);
  const bool graph = llm_graph_make(&lm->graph, c);
  lm->memory = graph ? malloc(float_count(lm) * sizeof(float)) : NULL;
  if (bytes == NULL || lm->memory == NULL) {
    return fail(complaint, "out of memory (%zu weights, context %zu)", count, c->max_position_embeddings);
  }
  if (fread(bytes, 1, WEIGHT_BYTES * count, file) != WEIGHT_BYTES * count) {
    return fail(complaint, "%s", ferror(file) ? strerror(errno) : "became shorter while read");
  }
  take_weights(lm, bytes, place(lm));
  for (size_t position = 0; position < c->max_position_embeddings; ++position) {
    lm_rope_turn(position, c->head_dim, lm->turn + position * c->head_dim);
  }
  return true;
}

static bool set_context(checkpoint_config_t *config, size_t context, const complaint_t *complaint) {
  if (context > LARGEST) {
    return fail(complaint, "context %zu asked for; at most %d", context, LARGEST);
  }
  config->max_position_embeddings = context == 0 ? config->max_position_embeddings : context;
  return true;
}

static lm_t *read_model(FILE *file, size_t context, const complaint_t *complaint) {
  lm_t *lm = calloc(1, sizeof *lm);
  if (lm == NULL) {
    fail(complaint, "out of memory");
    return NULL;
  }
  bool good = read_header(file, &lm->config, complaint) && check_size(file, &lm->config, complaint) &&
              set_context(&lm->config, context, complaint);
  if (good) {
    uint8_t *bytes = malloc(WEIGHT_BYTES * weight_count(&lm->config));
    good = build(lm, file, bytes, complaint);
    free(bytes);
  }
  if (!good) {
    lm_close(lm);
    return NULL;
  }
  return lm;
}

lm_t *lm_open(const char *path, size_t context, char *message, size_t size) {
  const complaint_t complaint = {path, message, size};
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    fail(&complaint, "%s", strerror(errno));
    return NULL;
  }
  lm_t *lm = read_model(file, context, &complaint);
  fclose(file);
  return lm;
}

void lm_close(lm_t *lm) {
  if (lm != NULL) {
    llm_graph_free(&lm->graph);
    free(lm->memory);
    free(lm);
  }
}
