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

static bool check_shape(const lm_shape_t *shape, const complaint_t *complaint) {
  if (shape->dim % shape->heads != 0 || shape->dim / shape->heads % 2 != 0) {
    return fail(complaint, "dim %zu with %zu heads; expected an even number of elements per head", shape->dim,
                shape->heads);
  }
  if (shape->heads % shape->kv_heads != 0) {
    return fail(complaint, "%zu heads with %zu kv_heads; expected a multiple", shape->heads, shape->kv_heads);
  }
  return true;
}

static bool parse_header(const uint8_t *header, lm_shape_t *shape, const complaint_t *complaint) {
  const struct {
    const char *name;
    size_t *value;
    uint32_t largest;
  } fields[FIELDS] = {
      {"dim", &shape->dim, LARGEST},           {"hidden", &shape->hidden, LARGEST},
      {"layers", &shape->layers, LARGEST},     {"heads", &shape->heads, LARGEST},
      {"kv_heads", &shape->kv_heads, LARGEST}, {"vocab", &shape->vocab, LARGEST_VOCAB},
      {"context", &shape->context, LARGEST},
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
  shape->head_dim = shape->dim / shape->heads;
  return check_shape(shape, complaint);
}

static bool read_header(FILE *file, lm_shape_t *shape, const complaint_t *complaint) {
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
  return parse_header(header, shape, complaint);
}

// --- the weights ------------------------------------------------------------------------------

static size_t kv_of(const lm_shape_t *s) { return s->kv_heads * s->head_dim; }

static size_t weight_count(const lm_shape_t *s) {
  const size_t norms = 2 * s->dim;
  const size_t attention = 2 * s->dim * s->dim + 2 * kv_of(s) * s->dim;
  const size_t ffn = 3 * s->hidden * s->dim;
  return s->vocab * s->dim + s->layers * (norms + attention + ffn) + s->dim;
}

static bool check_size(FILE *file, const lm_shape_t *shape, const complaint_t *complaint) {
  const size_t expected = HEADER_BYTES + WEIGHT_BYTES * weight_count(shape);
  if (fseek(file, 0, SEEK_END) != 0) {
    return fail(complaint, "%s", strerror(errno));
  }
  const long size = ftell(file);
  if (size < 0 || (size_t)size != expected) {
    return fail(complaint, "%ld bytes; expected %zu, by its header", size, expected);
  }
  return fseek(file, HEADER_BYTES, SEEK_SET) == 0 || fail(complaint, "%s", strerror(errno));
}

// Where the next weights come from and go.
typedef struct cursor {
  const uint8_t *from;
  float *to;
} cursor_t;

// The next `count` matrices [out,in] of the file, each transposed; a vector is one of a single row.
static const float *take(cursor_t *cursor, size_t count, size_t out, size_t in) {
  float *const matrices = cursor->to;
  const uint8_t *from = cursor->from;
  for (size_t m = 0; m < count; ++m) {
    float *matrix = matrices + m * in * out;
    for (size_t o = 0; o < out; ++o) {
      for (size_t i = 0; i < in; ++i, from += WEIGHT_BYTES) {
        const unsigned bits = from[0] | (unsigned)from[1] << 8;
        matrix[i * out + o] = num_bf16_to_f32((num_bf16_t)bits);
      }
    }
  }
  cursor->from = from;
  cursor->to += count * out * in;
  return matrices;
}

static void take_weights(const lm_shape_t *s, cursor_t *c, lm_weights_t *w) {
  const size_t kv = kv_of(s);
  w->embedding = take(c, 1, s->vocab, s->dim);
  w->attention_norm = take(c, s->layers, 1, s->dim);
  w->wq = take(c, s->layers, s->dim, s->dim);
  w->wk = take(c, s->layers, kv, s->dim);
  w->wv = take(c, s->layers, kv, s->dim);
  w->wo = take(c, s->layers, s->dim, s->dim);
  w->ffn_norm = take(c, s->layers, 1, s->dim);
  w->w1 = take(c, s->layers, s->hidden, s->dim);
  w->w2 = take(c, s->layers, s->dim, s->hidden);
  w->w3 = take(c, s->layers, s->hidden, s->dim);
  w->norm = take(c, 1, 1, s->dim);
}

// --- the model --------------------------------------------------------------------------------

static float *cut(float **memory, size_t count) {
  float *const piece = *memory;
  *memory += count;
  return piece;
}

// Everything but the weights; they begin where it ends, which is returned.
static float *place(lm_t *lm, float *memory) {
  const lm_shape_t *s = &lm->shape;
  lm->turn = cut(&memory, s->context * s->head_dim);
  lm->k = cut(&memory, s->layers * s->context * kv_of(s));
  lm->v = cut(&memory, s->layers * s->context * kv_of(s));
  lm->x = cut(&memory, s->context * s->dim);
  lm->h = cut(&memory, s->context * s->dim);
  lm->q = cut(&memory, s->context * s->dim);
  lm->gate = cut(&memory, s->context * s->hidden);
  lm->up = cut(&memory, s->context * s->hidden);
  return memory;
}

static size_t float_count(const lm_shape_t *s) {
  const size_t per_token = s->head_dim + 2 * s->layers * kv_of(s) + 3 * s->dim + 2 * s->hidden;
  return s->context * per_token + weight_count(s);
}

static bool build(lm_t *lm, FILE *file, uint8_t *bytes, const complaint_t *complaint) {
  const size_t size = WEIGHT_BYTES * weight_count(&lm->shape);
  lm->memory = malloc(float_count(&lm->shape) * sizeof(float));
  if (bytes == NULL || lm->memory == NULL) {
    return fail(complaint, "out of memory (%zu weights, context %zu)", weight_count(&lm->shape), lm->shape.context);
  }
  if (fread(bytes, 1, size, file) != size) {
    return fail(complaint, "%s", ferror(file) ? strerror(errno) : "became shorter while read");
  }
  cursor_t cursor = {.from = bytes, .to = place(lm, lm->memory)};
  take_weights(&lm->shape, &cursor, &lm->weights);
  for (size_t position = 0; position < lm->shape.context; ++position) {
    lm_rope_turn(position, lm->shape.head_dim, lm->turn + position * lm->shape.head_dim);
  }
  return true;
}

static bool set_context(lm_shape_t *shape, size_t context, const complaint_t *complaint) {
  if (context > LARGEST) {
    return fail(complaint, "context %zu asked for; at most %d", context, LARGEST);
  }
  shape->context = context == 0 ? shape->context : context;
  return true;
}

static lm_t *read_model(FILE *file, size_t context, const complaint_t *complaint) {
  lm_t *lm = calloc(1, sizeof *lm);
  if (lm == NULL) {
    fail(complaint, "out of memory");
    return NULL;
  }
  bool good = read_header(file, &lm->shape, complaint) && check_size(file, &lm->shape, complaint) &&
              set_context(&lm->shape, context, complaint);
  if (good) {
    uint8_t *bytes = malloc(WEIGHT_BYTES * weight_count(&lm->shape));
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
    free(lm->memory);
    free(lm);
  }
}
