// SPDX-License-Identifier: Apache-2.0
#include "num/engine/num_engine.h"

#include <string.h>

static const char *const names[NUM_DESIGNS][2] = {
    [NUM_DESIGN_HFA] = {"hfa", "H-FA"}, [NUM_DESIGN_FA2] = {"fa2", "FA-2"}, [NUM_DESIGN_EXPMUL] = {"expmul", "ExpMul"}};

bool num_engine_design(const char *name, num_design_t *design) {
  for (int i = 0; i < NUM_DESIGNS; ++i) {
    if (strcmp(name, names[i][0]) == 0) {
      *design = (num_design_t)i;
      return true;
    }
  }
  return false;
}

const char *num_engine_name(num_design_t design) { return names[design][0]; }

const char *num_engine_title(num_design_t design) { return names[design][1]; }

void num_engine_clear(const num_engine_t *engine, num_triplet_t *triplet) {
  if (engine->design == NUM_DESIGN_HFA) {
    num_hfa_clear(engine->d, triplet);
  } else {
    num_fa2_clear(engine->d, triplet);
  }
}

void num_engine_fau(const num_engine_t *engine, const num_bf16_t *q, const num_bf16_t *k, const num_bf16_t *v,
                    const uint8_t *valid, size_t n, num_triplet_t *triplet) {
  if (engine->design == NUM_DESIGN_HFA) {
    num_hfa_fau(&engine->hfa, engine->d, q, k, v, valid, n, triplet);
  } else if (engine->design == NUM_DESIGN_EXPMUL) {
    num_expmul_fau(engine->d, q, k, v, valid, n, triplet);
  } else {
    num_fa2_fau(engine->d, q, k, v, valid, n, triplet);
  }
}

void num_engine_acc(const num_engine_t *engine, num_triplet_t *a, const num_triplet_t *b) {
  if (engine->design == NUM_DESIGN_HFA) {
    num_hfa_acc(&engine->hfa, engine->d, a, b);
  } else if (engine->design == NUM_DESIGN_EXPMUL) {
    num_expmul_acc(engine->d, a, b);
  } else {
    num_fa2_acc(engine->d, a, b);
  }
}

void num_engine_divide(const num_engine_t *engine, const num_triplet_t *triplet, num_bf16_t *out) {
  if (engine->design == NUM_DESIGN_HFA) {
    num_hfa_logdiv(engine->d, triplet, out);
  } else {
    num_fa2_divider(engine->d, triplet, out);
  }
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

void num_engine_chunk(const num_engine_t *engine, const num_bf16_t *q, const num_bf16_t *k, const num_bf16_t *v,
                      const uint8_t *valid, size_t n, num_triplet_t *carry, num_element_t *scratch) {
  const size_t run = (n + engine->blocks - 1) / engine->blocks;
  num_triplet_t part = {.o = scratch};
  for (size_t b = 0; b < engine->blocks; ++b) {
    const size_t first = least(b * run, n);
    num_triplet_t *triplet = b == 0 ? carry : &part;
    if (b > 0) {
      num_engine_clear(engine, triplet);
    }
    num_engine_fau(engine, q, k + first * engine->d, v + first * engine->d, valid == NULL ? NULL : valid + first,
                   least(run, n - first), triplet);
    if (b > 0) {
      num_engine_acc(engine, carry, triplet);
    }
  }
}

void num_engine_attention(const num_engine_t *engine, const num_bf16_t *q, const num_bf16_t *k, const num_bf16_t *v,
                          const uint8_t *valid, size_t s, num_bf16_t *out, num_element_t *scratch) {
  num_triplet_t carry = {.o = scratch};
  num_engine_clear(engine, &carry);
  for (size_t first = 0; first < s; first += engine->rows) {
    num_engine_chunk(engine, q, k + first * engine->d, v + first * engine->d, valid == NULL ? NULL : valid + first,
                     least(engine->rows, s - first), &carry, scratch + engine->d + 1);
  }
  num_engine_divide(engine, &carry, out);
}
