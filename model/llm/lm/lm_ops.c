// SPDX-License-Identifier: Apache-2.0
#include "llm/lm/lm_ops.h"

#include <math.h>

#include "num/num_exp.h"

enum { CHUNK = 64 };

void lm_rmsnorm(const float *x, const float *weight, size_t dim, float *out) {
  double squares = 0.0;
  for (size_t i = 0; i < dim; ++i) {
    squares += (double)x[i] * (double)x[i];
  }
  const float scale = (float)(1.0 / sqrt(squares / (double)dim + 1e-5));
  for (size_t i = 0; i < dim; ++i) {
    out[i] = x[i] * scale * weight[i];
  }
}

void lm_rope_turn(size_t position, size_t head_dim, float *turn) {
  for (size_t i = 0; i < head_dim; i += 2) {
    const double angle = (double)position * pow(10000.0, -(double)i / (double)head_dim);
    turn[i] = (float)cos(angle);
    turn[i + 1] = (float)sin(angle);
  }
}

void lm_rope(float *x, size_t heads, size_t head_dim, const float *turn) {
  for (size_t h = 0; h < heads; ++h) {
    float *head = x + h * head_dim;
    for (size_t i = 0; i < head_dim; i += 2) {
      const float a = head[i];
      const float b = head[i + 1];
      head[i] = a * turn[i] - b * turn[i + 1];
      head[i + 1] = a * turn[i + 1] + b * turn[i];
    }
  }
}

void lm_swiglu(float *gate, const float *up, size_t hidden) {
  float e[CHUNK];
  for (size_t first = 0; first < hidden; first += CHUNK) {
    const size_t n = hidden - first < CHUNK ? hidden - first : CHUNK;
    for (size_t i = 0; i < n; ++i) {
      e[i] = -gate[first + i];
    }
    num_exp32_n(e, e, n);
    for (size_t i = 0; i < n; ++i) {
      gate[first + i] = gate[first + i] / (1.0f + e[i]) * up[first + i];
    }
  }
}
