// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "kernel/lm/lm_capture.h"
#include "num/num_bf16.h"
#include "num/num_rng.h"
#include "report/silicon/report_power.h"

enum { STREAM_Q, STREAM_K, STREAM_V };

const char *const power_input_names[POWER_INPUTS] = {"lm", "normal", "peaked"};
const char *const power_input_texts[POWER_INPUTS] = {
    "heads of the shipped language model on held-out text, query 1023 - 64 i of head i of another "
    "layer "
    "each, over all keys it sees; for d other than the model's 64, the first 32 columns, or two "
    "heads "
    "side by side",
    "queries, keys and values N(0,1)",
    "the same with queries N(0,16): most of the weight on few keys",
};

static const double sigmas[POWER_INPUTS] = {[POWER_NORMAL] = 1, [POWER_PEAKED] = 4};

// Arrays of a query: q [d], k and v [POWER_KEYS,d].
static size_t numbers_of(size_t d) { return (1 + 2 * POWER_KEYS) * d; }

static void make_up(power_input_t input, uint64_t seed, size_t d, num_bf16_t *q) {
  num_rng_normal_bf16(seed, STREAM_Q, 0, d, sigmas[input], q);
  num_rng_normal_bf16(seed, STREAM_K, 0, POWER_KEYS * d, 1, q + d);
  num_rng_normal_bf16(seed, STREAM_V, 0, POWER_KEYS * d, 1, q + d + POWER_KEYS * d);
}

// Column c is that of head first + c / capture->d.
static void gather(const lm_capture_t *capture, size_t layer, size_t first, size_t token, size_t d,
                   num_bf16_t *q) {
  for (size_t c = 0; c < d; ++c) {
    const lm_head_t head = lm_capture_head(capture, layer, first + c / capture->d);
    const size_t column = c % capture->d;
    q[c] = head.q[token * capture->d + column];
    for (size_t i = 0; i < POWER_KEYS; ++i) {
      q[d + i * d + c] = head.k[i * capture->d + column];
      q[d + (POWER_KEYS + i) * d + c] = head.v[i * capture->d + column];
    }
  }
}

static bool fill_lm(size_t d, power_set_t *set, base_error_t *error) {
  lm_capture_t capture;
  if (!lm_capture(0, POWER_KEYS, &capture, error)) {
    return false;
  }
  const size_t heads = (d + capture.d - 1) / capture.d;
  const bool good = heads <= capture.heads ||
                    base_fail(error, "power: the language model has %zu columns, not %zu",
                              capture.heads * capture.d, d);
  for (size_t i = 0; good && i < POWER_QUERIES; ++i) {
    const size_t token = POWER_KEYS - 1 - 64 * i;
    gather(&capture, i % capture.layers, i % (capture.heads - heads + 1), token, d,
           set->arrays + i * numbers_of(d));
    set->query[i].keys = token + 1;
  }
  lm_capture_free(&capture);
  return good;
}

bool power_set_fill(power_input_t input, size_t d, power_set_t *set, base_error_t *error) {
  *set = (power_set_t){.arrays = malloc(POWER_QUERIES * numbers_of(d) * sizeof *set->arrays)};
  if (set->arrays == NULL) {
    return base_fail(error, "power: out of memory");
  }
  if (input == POWER_LM && !fill_lm(d, set, error)) {
    power_set_free(set);
    return false;
  }
  for (size_t i = 0; i < POWER_QUERIES; ++i) {
    num_bf16_t *q = set->arrays + i * numbers_of(d);
    if (input != POWER_LM) {
      make_up(input, i, d, q);
      set->query[i].keys = POWER_KEYS;
    }
    for (size_t c = 0; c < d; ++c) {
      q[c] = num_bf16_scale(q[c], (float)(1 / sqrt((double)d)));
    }
    set->query[i].q = q;
    set->query[i].k = q + d;
    set->query[i].v = q + d + POWER_KEYS * d;
  }
  return true;
}

void power_set_free(power_set_t *set) {
  free(set->arrays);
  *set = (power_set_t){.arrays = NULL};
}
