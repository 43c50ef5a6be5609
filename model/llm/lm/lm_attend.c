// Attention in FP32, a query at a time: scores, softmax, weighted sum of the values.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "llm/lm/lm.h"
#include "num/num_exp.h"
#include "num/num_isa.h"

// Partial sums of a dot product, so that it vectorises; folded in one order on every host.
enum { LANES = 16 };

NUM_INLINE float dot(const float *a, const float *b, size_t n) {
  float lane[LANES] = {0};
  size_t i = 0;
  for (; n - i >= LANES; i += LANES) {
    for (size_t l = 0; l < LANES; ++l) {
      lane[l] += a[i + l] * b[i + l];
    }
  }
  for (size_t l = 0; l < n - i; ++l) {
    lane[l] += a[i + l] * b[i + l];
  }
  for (size_t width = LANES / 2; width > 0; width /= 2) {
    for (size_t l = 0; l < width; ++l) {
      lane[l] += lane[l + width];
    }
  }
  return lane[0];
}

// p[j] = q . k[j] * scale for j < keys; k's rows lie `stride` apart.
NUM_CLONES
static void scores(const float *q, size_t d, float scale, const float *k, size_t stride, size_t keys, float *p) {
  for (size_t j = 0; j < keys; ++j) {
    p[j] = dot(q, k + j * stride, d) * scale;
  }
}

// p becomes e^(p - largest); returns their sum.
static float exponentials(float *p, size_t keys) {
  float largest = -INFINITY;
  for (size_t j = 0; j < keys; ++j) {
    largest = p[j] > largest ? p[j] : largest;
  }
  for (size_t j = 0; j < keys; ++j) {
    p[j] -= largest;
  }
  num_exp32_n(p, p, keys);
  float sum = 0.0f;
  for (size_t j = 0; j < keys; ++j) {
    sum += p[j];
  }
  return sum;
}

// out [d] = sum over j of p[j] * v[j] / divisor
NUM_CLONES
static void weigh(const float *p, size_t keys, const float *v, size_t stride, float divisor, size_t d,
                  float *restrict out) {
  for (size_t c = 0; c < d; ++c) {
    out[c] = 0.0f;
  }
  for (size_t j = 0; j < keys; ++j) {
    for (size_t c = 0; c < d; ++c) {
      out[c] += p[j] * v[j * stride + c];
    }
  }
  for (size_t c = 0; c < d; ++c) {
    out[c] /= divisor;
  }
}

bool lm_attend_fp32(void *context, const lm_attention_t *attention) {
  (void)context;
  const checkpoint_config_t *s = attention->shape;
  const size_t d = s->head_dim;
  const size_t stride = s->num_key_value_heads * d;
  const float scale = (float)(1.0 / sqrt((double)d));
  float *p = malloc((attention->first + attention->n) * sizeof *p);
  if (p == NULL) {
    return false;
  }
  for (size_t i = 0; i < attention->n; ++i) {
    const size_t keys = attention->first + i + 1;
    for (size_t h = 0; h < s->num_attention_heads; ++h) {
      const size_t query = (i * s->num_attention_heads + h) * d;
      const size_t kv = h / (s->num_attention_heads / s->num_key_value_heads) * d;
      scores(attention->q + query, d, scale, attention->k + kv, stride, keys, p);
      const float sum = exponentials(p, keys);
      weigh(p, keys, attention->v + kv, stride, sum, d, attention->out + query);
    }
  }
  free(p);
  return true;
}
