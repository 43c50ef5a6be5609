// The loops over the elements of a key, which the compiler turns into vector code, against the
// operations on one element they stand for.
// SPDX-License-Identifier: Apache-2.0
#include "num/engine/num_engine.h"
#include "num_test.h"

enum { LOGS = 1 << 16, MOST = 130, KEYS = 12 };

// --- one key of the FAU, element by element -----------------------------------------------------

static num_bf16_t from_element(num_element_t x) { return (num_bf16_t)((x >> 1 & 0x8000u) | (x & 0x7fffu)); }

static num_element_t to_element(num_bf16_t x) { return (x & 0x8000u) << 1 | (x & 0x7fffu); }

static num_element_t hfa_lane(const num_hfa_t *hfa, num_element_t o, num_bf16_t m_old, num_bf16_t value,
                              num_bf16_t score, num_bf16_t m) {
  return num_hfa_add(hfa, num_hfa_scale(o, num_hfa_quant(m_old, m)),
                     num_hfa_scale(num_hfa_log2(value), num_hfa_quant(score, m)));
}

static num_element_t fa2_lane(num_element_t o, num_bf16_t m_old, num_bf16_t value, num_bf16_t score, num_bf16_t m) {
  const num_bf16_t old = num_bf16_mul(from_element(o), num_bf16_exp(num_bf16_diff(m_old, m)));
  const num_bf16_t new = num_bf16_mul(value, num_bf16_exp(num_bf16_diff(score, m)));
  return to_element(num_bf16_add(old, new));
}

static void add_key(const num_engine_t *engine, const num_bf16_t *q, const num_bf16_t *k, const num_bf16_t *v,
                    num_triplet_t *t) {
  const num_bf16_t score = num_bf16_dot(q, k, engine->d);
  const num_bf16_t m = num_bf16_max(t->m, score);
  for (size_t e = 0; e <= engine->d; ++e) {
    const num_bf16_t value = e == 0 ? NUM_BF16_ONE : v[e - 1];
    t->o[e] = engine->design == NUM_DESIGN_FA2 ? fa2_lane(t->o[e], t->m, value, score, m)
                                               : hfa_lane(&engine->hfa, t->o[e], t->m, value, score, m);
    t->poison |=
        e > 0 && (num_bf16_is_special(q[e - 1]) || num_bf16_is_special(k[e - 1]) || num_bf16_is_special(v[e - 1]));
  }
  t->m = m;
}

static const num_engine_t kinds[] = {
    {.design = NUM_DESIGN_FA2},
    {.design = NUM_DESIGN_HFA},
    {.design = NUM_DESIGN_HFA, .hfa = {.zero_exact = true}},
    {.design = NUM_DESIGN_HFA, .hfa = {.corrected = true}},
};

static void assert_same(const num_triplet_t *x, const num_triplet_t *expected, size_t d) {
  assert_int_equal(x->m, expected->m);
  assert_int_equal(x->poison, expected->poison);
  for (size_t e = 0; e <= d; ++e) {
    CHECK(x->o[e] == expected->o[e], "element %zu of %zu: %05x, expected %05x", e, d, x->o[e], expected->o[e]);
  }
}

// --- the tests ----------------------------------------------------------------------------------

// As many columns as there are magnitudes; one key adds +1, -1, 0 or a small number to all of them.
static void every_magnitude(void **state) {
  (void)state;
  static const num_bf16_t added[] = {0x3f80, 0xbf80, 0x0000, 0x8000, 0x0234};
  num_bf16_t *zero = allocate(LOGS, sizeof *zero);
  num_bf16_t *v = allocate(LOGS, sizeof *v);
  num_triplet_t x = {.o = allocate(LOGS + 1, sizeof *x.o)};
  num_triplet_t expected = {.o = allocate(LOGS + 1, sizeof *expected.o)};
  for (size_t i = 0; i < ARRAY_LEN(kinds) * ARRAY_LEN(added) * 2; ++i) {
    num_engine_t engine = kinds[i % ARRAY_LEN(kinds)];
    engine.d = LOGS;
    const num_element_t sign = i % 2 == 0 ? 0 : NUM_ELEMENT_SIGN;
    for (size_t c = 0; c < LOGS; ++c) {
      v[c] = added[i / ARRAY_LEN(kinds) % ARRAY_LEN(added)];
      const unsigned mag = engine.design == NUM_DESIGN_FA2 ? c & 0x7fffu : (unsigned)c;
      x.o[c + 1] = expected.o[c + 1] = sign | mag;
    }
    x.o[0] = expected.o[0] = 0;
    x.m = expected.m = i % 3 == 0 ? 0 : 0xbfa0;  // the score is 0: an old maximum of 0 or -1.25
    x.poison = expected.poison = false;
    num_engine_fau(&engine, zero, zero, v, NULL, 1, &x);
    add_key(&engine, zero, zero, v, &expected);
    assert_same(&x, &expected, LOGS);
  }
  free(zero);
  free(v);
  free(x.o);
  free(expected.o);
}

// Ordinary, any bits at all, and numbers of which many cancel.
static num_bf16_t draw(num_rng_t *rng, unsigned kind) {
  static const num_bf16_t corners[] = {0x0000, 0x8000, 0x0001, 0x807f, 0x0080, 0x7f7f,
                                       0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x3f80, 0xbf80};
  switch (kind) {
    case 0:
      return num_bf16_from_f32((float)num_rng_normal(rng));
    case 1:
      return (num_bf16_t)random_u32(rng);
    case 2:
      return corners[random_u32(rng) % ARRAY_LEN(corners)];
    default:
      return random_u32(rng) % 2 == 0 ? 0x3f80 : 0xbf80;
  }
}

static void random_keys(void **state) {
  (void)state;
  num_rng_t rng;
  num_rng_seed(&rng, 50);
  num_bf16_t q[MOST], k[KEYS * MOST], v[KEYS * MOST];
  num_element_t o[MOST + 1], expected_o[MOST + 1];
  uint8_t valid[KEYS];
  for (size_t round = 0; round < 2000; ++round) {
    num_engine_t engine = kinds[round % ARRAY_LEN(kinds)];
    const size_t d = engine.d = 1 + random_u32(&rng) % MOST;
    const unsigned kind = random_u32(&rng) % 4;
    for (size_t i = 0; i < d; ++i) {
      q[i] = draw(&rng, kind);
    }
    for (size_t i = 0; i < KEYS * d; ++i) {
      k[i] = draw(&rng, kind);
      v[i] = draw(&rng, random_u32(&rng) % 8 == 0 ? 2 : kind);
    }
    num_triplet_t x = {.o = o};
    num_triplet_t expected = {.o = expected_o};
    num_engine_clear(&engine, &x);
    num_engine_clear(&engine, &expected);
    for (size_t i = 0; i < KEYS; ++i) {
      valid[i] = random_u32(&rng) % 4 != 0;
      if (valid[i]) {
        add_key(&engine, q, k + i * d, v + i * d, &expected);
      }
    }
    num_engine_fau(&engine, q, k, v, valid, KEYS, &x);
    // The query counts even if no key does.
    for (size_t i = 0; i < d; ++i) {
      expected.poison |= num_bf16_is_special(q[i]);
    }
    assert_same(&x, &expected, d);
  }
}

// Exact in integers of any length: 255 * 255 << 8 times d, all signs equal, outgrows 32 bits.
static void long_dot(void **state) {
  (void)state;
  enum { D = 1000 };
  num_bf16_t a[D], b[D];
  for (size_t i = 0; i < D; ++i) {
    a[i] = 0x3fff;  // 255 / 128
    b[i] = 0xbfff;
  }
  const double sum = -1000.0 * (255.0 / 128.0) * (255.0 / 128.0);
  assert_int_equal(num_bf16_dot(a, b, D), num_bf16_from_f32((float)sum));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_magnitude), cmocka_unit_test(random_keys),
                                     cmocka_unit_test(long_dot)};
  return cmocka_run_group_tests_name("lm_lanes", tests, NULL, NULL);
}
