// Attention over lists of keys, with sinks and log-sum-exps. A list must give the bits of the same
// attention over keys that were copied into the list's order; sinks and log-sum-exps are judged by
// the formula in long double and, bit for bit, where the contract leaves one value to expect.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "num/num_exp.h"
#include "num_test_attention.h"

enum { ROWS = 6, CACHE = 200, PLACES = 150, DK = 40, DV = 24, BLOCK = 64, OUT = ROWS * DV };

typedef struct {
  uint16_t q[ROWS * DK], kv[CACHE * DK], copied[PLACES * DK];
  int32_t index[PLACES];
  uint8_t visible[ROWS * PLACES];
  num_attn_t list;   // by index over kv
  num_attn_t plain;  // over copied, with the mask
} problem_t;

static void fill(uint16_t *x, size_t n, num_rng_t *rng) {
  for (size_t i = 0; i < n; ++i) {
    x[i] = num_bf16_from_f32((float)(1.5 * num_rng_normal(rng)));
  }
}

// Any order, some keys twice, some places empty, one block of them altogether; what the list does
// not name is NaN.
static void make_list(problem_t *p, num_rng_t *rng) {
  uint8_t named[CACHE] = {0};
  for (size_t s = 0; s < PLACES; ++s) {
    const bool hole = s / BLOCK == 1 || random_u32(rng) % 5 == 0;
    p->index[s] = hole ? -1 : (int32_t)(random_u32(rng) % (CACHE / 2));
    if (!hole) {
      named[p->index[s]] = 1;
      memcpy(p->copied + s * DK, p->kv + (size_t)p->index[s] * DK, DK * sizeof *p->kv);
    }
    for (size_t g = 0; g < ROWS; ++g) {
      p->visible[g * PLACES + s] = !hole;
    }
  }
  for (size_t s = 0; s < CACHE; ++s) {
    for (size_t d = 0; d < DK && !named[s]; ++d) {
      p->kv[s * DK + d] = 0x7fc0;
    }
  }
}

static problem_t *make(uint64_t seed) {
  problem_t *p = allocate(1, sizeof *p);
  num_rng_t rng;
  num_rng_seed(&rng, seed);
  fill(p->q, ROWS * DK, &rng);
  fill(p->kv, CACHE * DK, &rng);
  make_list(p, &rng);
  p->list = mla_problem(ROWS, PLACES, DK, DV, p->q, p->kv);
  p->list.block = BLOCK;
  p->plain = p->list;
  p->list.index = p->index;
  p->plain.k = p->plain.v = p->copied;
  p->plain.visible = p->visible;
  return p;
}

typedef struct {
  float amla[OUT], base[OUT], lse[ROWS];
  double golden[OUT], golden_lse[ROWS];
} results_t;

static results_t compute(const num_attn_t *attn) {
  results_t r = {.lse = {0}};
  assert_int_equal(num_attn_amla_lse(attn, NUM_ISA_AUTO, 0, r.amla, r.lse, NULL), 0);
  assert_int_equal(num_attn_base(attn, NUM_ISA_AUTO, r.base), 0);
  assert_int_equal(num_attn_golden_lse(attn, r.golden, r.golden_lse), 0);
  return r;
}

static void check_same(const results_t *a, const results_t *b) {
  assert_memory_equal(a->amla, b->amla, sizeof a->amla);
  assert_memory_equal(a->base, b->base, sizeof a->base);
  assert_memory_equal(a->lse, b->lse, sizeof a->lse);
  assert_memory_equal(a->golden, b->golden, sizeof a->golden);
  assert_memory_equal(a->golden_lse, b->golden_lse, sizeof a->golden_lse);
}

TEST(lists_are_copies) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    problem_t *p = make(seed);
    for (size_t splits = 1; splits <= 3; ++splits) {
      p->list.splits = p->plain.splits = splits;
      const results_t list = compute(&p->list);
      const results_t plain = compute(&p->plain);
      check_same(&list, &plain);
    }
    free(p);
  }
}

// Rows may see less than the list has.
TEST(lists_and_masks) {
  problem_t *p = make(6);
  for (size_t i = 0; i < ROWS * PLACES; i += 3) {
    p->visible[i] = 0;
  }
  p->list.visible = p->visible;
  const results_t list = compute(&p->list);
  const results_t plain = compute(&p->plain);
  check_same(&list, &plain);
  free(p);
}

// --- sinks and log-sum-exps -------------------------------------------------------------------

static bool seen(const num_attn_t *attn, size_t g, size_t s) {
  return (attn->index == NULL || attn->index[s] >= 0) &&
         (attn->visible == NULL || attn->visible[g * attn->keys + s] != 0);
}

static long double score(const num_attn_t *attn, size_t g, size_t s) {
  const size_t at = attn->index == NULL ? s : (size_t)attn->index[s];
  long double sum = 0;
  for (size_t d = 0; d < attn->dk; ++d) {
    sum += (long double)num_bf16_to_f32(attn->q[g * attn->dk + d]) *
           (long double)num_bf16_to_f32(attn->k[at * attn->ldk + d]);
  }
  return sum * (long double)attn->scale;
}

// Without a maximum taken out first: the scores here are small.
static void check_row(const num_attn_t *attn, size_t g, const results_t *r) {
  long double sum = 0;
  long double out[DV] = {0};
  for (size_t s = 0; s < attn->keys; ++s) {
    if (seen(attn, g, s)) {
      const size_t at = attn->index == NULL ? s : (size_t)attn->index[s];
      const long double weight = expl(score(attn, g, s));
      sum += weight;
      for (size_t d = 0; d < DV; ++d) {
        out[d] += weight * (long double)num_bf16_to_f32(attn->v[at * attn->ldv + d]);
      }
    }
  }
  const double lse = sum > 0 ? (double)logl(sum) : INFINITY;
  const long double all = sum + (attn->sink == NULL ? 0 : expl((long double)attn->sink[g]));
  CHECK(fabs(r->golden_lse[g] - lse) < 1e-12, "golden lse %g, not %g", r->golden_lse[g], lse);
  CHECK(fabs((double)r->lse[g] - lse) < 1e-6 + fabs(lse) * 2e-7, "lse %g, not %g", (double)r->lse[g], lse);
  for (size_t d = 0; d < DV; ++d) {
    const double want = (double)(out[d] / all);
    CHECK(fabs(r->golden[g * DV + d] - want) < 1e-12, "golden %g, not %g", r->golden[g * DV + d], want);
    CHECK(fabs((double)r->amla[g * DV + d] - want) < 6e-3, "amla %g, not %g", (double)r->amla[g * DV + d], want);
    CHECK(fabs((double)r->base[g * DV + d] - want) < 6e-3, "base %g, not %g", (double)r->base[g * DV + d], want);
  }
}

TEST(sinks_and_sums) {
  const float sink[ROWS] = {0.0f, 5.0f, -3.0f, 7.5f, -40.0f, 4.0f};
  for (uint64_t seed = 7; seed <= 10; ++seed) {
    problem_t *p = make(seed);
    p->list.splits = seed - 7;
    const results_t without = compute(&p->list);
    p->list.sink = sink;
    const results_t with = compute(&p->list);
    for (size_t g = 0; g < ROWS; ++g) {
      check_row(&p->list, g, &with);
    }
    assert_memory_equal(with.lse, without.lse, sizeof with.lse);
    assert_memory_equal(with.golden_lse, without.golden_lse, sizeof with.golden_lse);
    assert_true(memcmp(with.amla, without.amla, sizeof with.amla) != 0);
    free(p);
  }
}

TEST(infinite_sinks) {
  float none[ROWS];
  float all[ROWS];
  for (size_t g = 0; g < ROWS; ++g) {
    none[g] = -INFINITY;
    all[g] = g % 2 == 0 ? INFINITY : 1e5f;  // whose exponential is infinite as well
  }
  problem_t *p = make(11);
  for (size_t splits = 1; splits <= 2; ++splits) {
    p->list.splits = splits;
    p->list.sink = NULL;
    const results_t without = compute(&p->list);
    p->list.sink = none;
    const results_t same = compute(&p->list);
    check_same(&without, &same);
    p->list.sink = all;
    const results_t zero = compute(&p->list);
    for (size_t i = 0; i < OUT; ++i) {
      CHECK(zero.amla[i] == 0.0f && zero.base[i] == 0.0f && zero.golden[i] == 0.0, "element %zu", i);
    }
    assert_memory_equal(without.lse, zero.lse, sizeof zero.lse);
  }
  free(p);
}

static void check_nothing(const num_attn_t *attn, size_t g, const results_t *r) {
  for (size_t d = 0; d < attn->dv; ++d) {
    const size_t i = g * attn->dv + d;
    assert_int_equal(num_f32_bits(r->amla[i]), 0);
    assert_int_equal(num_f32_bits(r->base[i]), 0);
    assert_true(r->golden[i] == 0.0);
  }
  assert_true(isinf(r->lse[g]) && r->lse[g] > 0);
  assert_true(isinf(r->golden_lse[g]) && r->golden_lse[g] > 0);
}

// A row without a key: 0 and +inf, whatever its sink; no keys at all: likewise.
TEST(nothing_to_see) {
  const float sink[ROWS] = {0.0f, INFINITY, -INFINITY, 1e5f, -1e5f, 1.0f};
  problem_t *p = make(12);
  memset(p->visible + 2 * PLACES, 0, PLACES);
  p->list.visible = p->visible;
  p->list.sink = sink;
  for (size_t splits = 1; splits <= 2; ++splits) {
    p->list.splits = splits;
    const results_t r = compute(&p->list);
    check_nothing(&p->list, 2, &r);
  }
  p->list.keys = 0;
  const results_t empty = compute(&p->list);
  for (size_t g = 0; g < ROWS; ++g) {
    check_nothing(&p->list, g, &empty);
  }
  free(p);
}

// With a score of 0 for every key everything but the last steps is exact: m = 0, l the number of
// keys, S16 = 1.
TEST(last_steps) {
  const float sink[ROWS] = {0.0f, 1.25f, -3.5f, 6.0f, 0.1f, -1.0f};
  problem_t *p = make(13);
  memset(p->q, 0, sizeof p->q);
  for (size_t i = 0; i < CACHE * DK; ++i) {
    p->kv[i] = num_bf16_from_f32(1.0f);
  }
  for (size_t s = 0; s < PLACES; ++s) {
    p->index[s] = (int32_t)s;
  }
  p->list.sink = sink;
  p->list.block = PLACES;
  const results_t r = compute(&p->list);
  for (size_t g = 0; g < ROWS; ++g) {
    const float l = PLACES;
    const float divisor = l + (float)exp((double)sink[g]);
    assert_int_equal(num_f32_bits(r.lse[g]), num_f32_bits((float)log((double)PLACES)));
    assert_int_equal(num_f32_bits(r.amla[g * DV]), num_f32_bits(l / divisor));
    assert_int_equal(num_f32_bits(r.base[g * DV]), num_f32_bits(l / divisor));
  }
  free(p);
}
