// Shared by the tests of model/llm/lm: models made up of random weights, the shipped data.
//
// A made-up model's weights are kept in doubles as well, laid out as in its file (matrices
// [out,in]), for references that share nothing with model/llm/lm.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TESTS_LM_LM_TEST_H
#define AMALGAM_TESTS_LM_LM_TEST_H

#include <math.h>
#include <stdbool.h>

#include "llm/lm/lm.h"
#include "llm/text/score.h"
#include "num_test.h"

typedef struct {
  size_t dim, hidden, layers, heads, kv_heads, vocab, context;
} made_up_shape_t;

typedef struct {
  made_up_shape_t shape;
  uint8_t *bytes;  // the file
  size_t size;
  double *embedding, *attention_norm, *wq, *wk, *wv, *wo, *ffn_norm, *w1, *w2, *w3, *norm;
  double *weights;
} made_up_t;

static inline void put_u32(uint8_t *bytes, uint32_t value) {
  for (unsigned i = 0; i < 4; ++i) {
    bytes[i] = (uint8_t)(value >> (8 * i));
  }
}

// count weights, mean + spread * normal, rounded to BF16, appended to the file and to the doubles.
static inline double *append(made_up_t *m, double **end, size_t count, double mean, double spread, num_rng_t *rng) {
  double *const first = *end;
  for (size_t i = 0; i < count; ++i) {
    const uint16_t bits = num_bf16_from_f32((float)(mean + spread * num_rng_normal(rng)));
    m->bytes[m->size++] = (uint8_t)(bits & 0xffu);
    m->bytes[m->size++] = (uint8_t)(bits >> 8);
    first[i] = (double)num_bf16_to_f32(bits);
  }
  *end += count;
  return first;
}

static inline made_up_t make_up(made_up_shape_t s, uint64_t seed) {
  const size_t kv = s.dim / s.heads * s.kv_heads;
  const size_t per_layer = 2 * s.dim + 2 * s.dim * s.dim + 2 * kv * s.dim + 3 * s.hidden * s.dim;
  const size_t count = s.vocab * s.dim + s.layers * per_layer + s.dim;
  made_up_t m = {.shape = s};
  m.bytes = allocate(32 + 2 * count, 1);
  m.weights = allocate(count, sizeof *m.weights);
  memcpy(m.bytes, "LMBF", 4);
  const size_t fields[] = {s.dim, s.hidden, s.layers, s.heads, s.kv_heads, s.vocab, s.context};
  for (size_t i = 0; i < ARRAY_LEN(fields); ++i) {
    put_u32(m.bytes + 4 + 4 * i, (uint32_t)fields[i]);
  }
  m.size = 32;
  num_rng_t rng;
  num_rng_seed(&rng, seed);
  double *end = m.weights;
  const double d = 1.0 / sqrt((double)s.dim);
  const double h = 1.0 / sqrt((double)s.hidden);
  m.embedding = append(&m, &end, s.vocab * s.dim, 0.0, 1.0, &rng);
  m.attention_norm = append(&m, &end, s.layers * s.dim, 1.0, 0.3, &rng);
  m.wq = append(&m, &end, s.layers * s.dim * s.dim, 0.0, 2.0 * d, &rng);
  m.wk = append(&m, &end, s.layers * kv * s.dim, 0.0, 2.0 * d, &rng);
  m.wv = append(&m, &end, s.layers * kv * s.dim, 0.0, d, &rng);
  m.wo = append(&m, &end, s.layers * s.dim * s.dim, 0.0, d, &rng);
  m.ffn_norm = append(&m, &end, s.layers * s.dim, 1.0, 0.3, &rng);
  m.w1 = append(&m, &end, s.layers * s.hidden * s.dim, 0.0, d, &rng);
  m.w2 = append(&m, &end, s.layers * s.dim * s.hidden, 0.0, h, &rng);
  m.w3 = append(&m, &end, s.layers * s.hidden * s.dim, 0.0, d, &rng);
  m.norm = append(&m, &end, s.dim, 1.0, 0.3, &rng);
  return m;
}

static inline void made_up_free(made_up_t *m) {
  free(m->bytes);
  free(m->weights);
}

static inline void write_file(const char *path, const uint8_t *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static const lm_backend_t fp32 = {0};

static inline lm_t *open_model(const char *path, size_t context) {
  char message[200] = "";
  lm_t *lm = lm_open(path, context, message, sizeof message);
  CHECK(lm != NULL, "%s", message);
  return lm;
}

static inline lm_t *open_made_up(const made_up_t *m, const char *path, size_t context) {
  write_file(path, m->bytes, m->size);
  lm_t *lm = open_model(path, context);
  remove(path);
  return lm;
}

// --- the shipped model and text ---------------------------------------------------------------

// A window is 1025 bytes: 1024 to be fed, each of which predicts the next. The eight windows lie
// end to end, and one byte is left over.
enum { WINDOWS = 8, WINDOW = 1024, TEXT_BYTES = WINDOWS * (WINDOW + 1) + 1 };

static inline lm_t *open_kjv(void) { return open_model(DATA_DIR "/kjv_lm_bf16.bin", 0); }

static inline uint8_t *read_data(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  CHECK(file != NULL, "%s", path);
  uint8_t *bytes = allocate((size_t)1 << 16, 1);
  *size = fread(bytes, 1, (size_t)1 << 16, file);
  fclose(file);
  return bytes;
}

static inline uint32_t *tokens_of(const char *bytes, size_t count) {
  uint32_t *tokens = allocate(count, sizeof *tokens);
  for (size_t i = 0; i < count; ++i) {
    tokens[i] = (uint8_t)bytes[i];
  }
  return tokens;
}

static inline uint32_t *read_text(void) {
  size_t size;
  uint8_t *bytes = read_data(DATA_DIR "/kjv_val.txt", &size);
  assert_int_equal(size, TEXT_BYTES);
  uint32_t *text = tokens_of((const char *)bytes, size);
  free(bytes);
  return text;
}

// Mean loss of window w, fed from scratch. logits: [WINDOW,vocab]
static inline double window_loss(lm_t *lm, const uint32_t *text, size_t w, const lm_backend_t *backend, float *logits) {
  const uint32_t *window = text + w * (WINDOW + 1);
  const size_t vocab = lm_shape(lm)->vocab_size;
  lm_restart(lm);
  assert_true(lm_forward(lm, window, WINDOW, backend, logits, false));
  double sum = 0.0;
  for (size_t i = 0; i < WINDOW; ++i) {
    sum += llm_loss(logits + i * vocab, vocab, window[i + 1]);
  }
  return sum / WINDOW;
}

#endif  // AMALGAM_TESTS_LM_LM_TEST_H
