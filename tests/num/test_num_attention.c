// Golden, Base, AMLA and flash on small problems that visit the corners: running maximum rising, falling
// and equal, masks, zero and tiny values, huge scores, ragged blocks.
//
// Golden is checked against a naive long double implementation; the tiled ones against golden
// within a bound, and bit for bit against a second transcription of the contract, row by row.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdbool.h>
#include <time.h>

#include "num/num_exp.h"
#include "num/num_gm.h"
#include "num_test_attention.h"

enum { ROWS = 9, BLOCK = 64, KEYS = 4 * BLOCK + 19, DK = 40, DV = 24 };

// P and the output are each rounded to BF16, at most 2^-9 relative; everything else is far smaller.
static const double LIMIT = 0x1p-8;

typedef struct {
  uint16_t q[ROWS * DK];
  uint16_t k[KEYS * DK];
  uint16_t v[KEYS * DV];
  uint8_t visible[ROWS * KEYS];
  uint32_t seen[ROWS];
  num_attn_t attn;
} problem_t;

static void fill_normal(uint16_t *x, size_t n, double scale, num_rng_t *rng) {
  for (size_t i = 0; i < n; ++i) {
    x[i] = num_bf16_from_f32((float)(scale * num_rng_normal(rng)));
  }
}

static void make_plain(problem_t *p, uint64_t seed) {
  num_rng_t rng;
  num_rng_seed(&rng, seed);
  fill_normal(p->q, ROWS * DK, 1.5, &rng);
  fill_normal(p->k, KEYS * DK, 1.5, &rng);
  fill_normal(p->v, KEYS * DV, 1.0, &rng);
  memset(p->visible, 1, sizeof p->visible);
  p->attn = (num_attn_t){.rows = ROWS,
                         .keys = KEYS,
                         .dk = DK,
                         .dv = DV,
                         .q = p->q,
                         .k = p->k,
                         .ldk = DK,
                         .v = p->v,
                         .ldv = DV,
                         .visible = NULL,
                         .scale = 0.125f,
                         .block = BLOCK};
}

// Adds start + step * block to every score, through the last element of q and k.
static void add_offsets(problem_t *p, double start, double step) {
  for (size_t g = 0; g < ROWS; ++g) {
    p->q[g * DK + DK - 1] = num_bf16_from_f32(8.0f);  // times the scale: 1
  }
  for (size_t s = 0; s < KEYS; ++s) {
    const double offset = start + step * (double)(s / BLOCK);
    p->k[s * DK + DK - 1] = num_bf16_from_f32((float)offset);
  }
}

static void plain(problem_t *p) { (void)p; }
static void rising(problem_t *p) { add_offsets(p, 0.0, 3.0); }
static void falling(problem_t *p) { add_offsets(p, 0.0, -3.0); }
static void leaping(problem_t *p) { add_offsets(p, 0.0, 40.0); }  // beyond the clamp at 2^-30
static void high(problem_t *p) { add_offsets(p, 1000.0, 0.0); }
static void low(problem_t *p) { add_offsets(p, -1000.0, 0.0); }
static void low_rising(problem_t *p) { add_offsets(p, -1000.0, 4.0); }

// All scores equal, whatever the keys.
static void equal(problem_t *p) { memset(p->q, 0, sizeof p->q); }

static void one_block(problem_t *p) { p->attn.block = KEYS + 1; }
static void blocks_of_one(problem_t *p) { p->attn.block = 1; }

static void hide(problem_t *p, size_t row, size_t first, size_t last) {
  p->attn.visible = p->visible;
  memset(p->visible + row * KEYS + first, 0, last - first);
}

// Row 0 sees nothing; 1 joins in the third block, 2 in the ragged one; 3 leaves after the first; 4
// sees one key; 5 misses the middle; 6 misses every third key; 7 and 8 see everything.
static void masked(problem_t *p) {
  rising(p);
  hide(p, 0, 0, KEYS);
  hide(p, 1, 0, 2 * BLOCK + 5);
  hide(p, 2, 0, 4 * BLOCK);
  hide(p, 3, BLOCK, KEYS);
  hide(p, 4, 0, 100);
  hide(p, 4, 101, KEYS);
  hide(p, 5, BLOCK, 3 * BLOCK);
  for (size_t s = 0; s < KEYS; s += 3) {
    hide(p, 6, s, s + 1);
  }
}

static void all_masked(problem_t *p) {
  for (size_t g = 0; g < ROWS; ++g) {
    hide(p, g, 0, KEYS);
  }
}

// Every other column of V zero (as padding leaves it), and -0 in the fourth ones.
static void zero_columns(problem_t *p) {
  rising(p);
  for (size_t i = 0; i < KEYS * DV; ++i) {
    if (i % DV % 2 == 1) {
      p->v[i] = i % DV % 4 == 3 ? 0x8000u : 0u;
    }
  }
}

static void relu(problem_t *p) {
  rising(p);
  for (size_t i = 0; i < KEYS * DV; ++i) {
    p->v[i] = (p->v[i] & 0x8000u) != 0 ? 0u : p->v[i];
  }
}

// Values where rescaling by 2^-17 or more leaves the normal numbers.
static void tiny_values(problem_t *p) {
  add_offsets(p, 0.0, 8.0);
  for (size_t i = 0; i < KEYS * DV; ++i) {
    p->v[i] = num_bf16_from_f32(num_bf16_to_f32(p->v[i]) * 0x1p-110f);
  }
}

// Sums as trees, over several folds and a ragged one.
static void trees(problem_t *p) {
  p->attn.row_sum = NUM_ROW_SUM_TREE;
  p->attn.block = 2 * BLOCK + 37;
}

static void to_fp16(uint16_t *x, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    x[i] = num_fp16_from_f32(num_bf16_to_f32(x[i]));
  }
}

static void halves(problem_t *p) {
  trees(p);
  p->attn.fp16 = true;
  to_fp16(p->q, ROWS * DK);
  to_fp16(p->k, KEYS * DK);
  to_fp16(p->v, KEYS * DV);
}

// Row 0 sees nothing, the last one all; all of them less by a mask.
static void seen(problem_t *p) {
  masked(p);
  p->attn.seen = p->seen;
  for (size_t g = 0; g < ROWS; ++g) {
    p->seen[g] = (uint32_t)(g * KEYS / (ROWS - 1));
  }
}

// Caps that most scores are below, beyond, and far below.
static void capped(problem_t *p) { p->attn.cap = 3.0f; }
static void capped_low(problem_t *p) {
  rising(p);
  p->attn.cap = 0.01f;
}
static void capped_high(problem_t *p) {
  seen(p);
  p->attn.cap = 400.0f;
}

typedef struct {
  const char *name;
  void (*change)(problem_t *);
  int exponent;  // the values are of the order of 2^exponent
} scenario_t;

static const scenario_t SCENARIOS[] = {
    {"plain", plain, 0},
    {"rising", rising, 0},
    {"falling", falling, 0},
    {"equal", equal, 0},
    {"leaping", leaping, 0},
    {"+1000", high, 0},
    {"-1000", low, 0},
    {"-1000 rising", low_rising, 0},
    {"one block", one_block, 0},
    {"blocks of one key", blocks_of_one, 0},
    {"masked", masked, 0},
    {"all masked", all_masked, 0},
    {"zero columns", zero_columns, 0},
    {"relu", relu, 0},
    {"tiny values", tiny_values, -110},
    {"trees", trees, 0},
    {"halves", halves, 0},
    {"seen", seen, 0},
    {"capped", capped, 0},
    {"capped low", capped_low, 0},
    {"capped high", capped_high, 0},
};

// ---- golden against long double ---------------------------------------------------------------

static bool sees(const num_attn_t *a, size_t g, size_t s) {
  return (a->visible == NULL || a->visible[g * a->keys + s] != 0) && (a->seen == NULL || s < a->seen[g]);
}

static float element(const num_attn_t *a, uint16_t bits) {
  return a->fp16 ? num_fp16_to_f32(bits) : num_bf16_to_f32(bits);
}

static void naive_row(const num_attn_t *a, size_t g, long double *out) {
  long double weight[KEYS];
  long double max = -INFINITY;
  long double sum = 0.0L;
  for (size_t s = 0; s < a->keys; ++s) {
    long double dot = 0.0L;
    for (size_t d = 0; d < a->dk; ++d) {
      dot += (long double)element(a, a->q[g * a->dk + d]) * (long double)element(a, a->k[s * a->ldk + d]);
    }
    weight[s] = dot * (long double)a->scale;
    weight[s] = a->cap == 0.0f ? weight[s] : (long double)a->cap * tanhl(weight[s] / (long double)a->cap);
    max = sees(a, g, s) && weight[s] > max ? weight[s] : max;
  }
  for (size_t s = 0; s < a->keys; ++s) {
    weight[s] = sees(a, g, s) ? expl(weight[s] - max) : 0.0L;
    sum += weight[s];
  }
  for (size_t d = 0; d < a->dv; ++d) {
    long double value = 0.0L;
    for (size_t s = 0; s < a->keys; ++s) {
      // cppcheck-suppress uninitvar ; the loop above has set all of them
      value += weight[s] * (long double)element(a, a->v[s * a->ldv + d]);
    }
    out[d] = sum == 0.0L ? 0.0L : value / sum;
  }
}

TEST(golden_is_the_formula) {
  problem_t *p = allocate(1, sizeof *p);
  double golden[ROWS * DV];
  for (size_t i = 0; i < ARRAY_LEN(SCENARIOS); ++i) {
    make_plain(p, 20 + i);
    SCENARIOS[i].change(p);
    assert_int_equal(num_attn_golden(&p->attn, golden), 0);
    const double unit = ldexp(1.0, SCENARIOS[i].exponent);
    double worst = 0.0;
    for (size_t g = 0; g < ROWS; ++g) {
      long double expected[DV];
      naive_row(&p->attn, g, expected);
      for (size_t d = 0; d < DV; ++d) {
        const double difference = fabs((double)(golden[g * DV + d] - expected[d])) / unit;
        worst = difference > worst ? difference : worst;
      }
    }
    // Scores near 1000 are known to 1e-13, and so are their exponentials.
    CHECK(worst < 1e-12, "%s: %.3e", SCENARIOS[i].name, worst);
  }
  free(p);
}

// Strides wider than the rows, and V inside of K's rows.
TEST(golden_and_tiled_take_strides) {
  enum { LDK = DK + 7, LDV = DV + 3 };
  problem_t *p = allocate(1, sizeof *p);
  uint16_t *k = allocate(KEYS * LDK, sizeof *k);
  uint16_t *v = allocate(KEYS * LDV, sizeof *v);
  make_plain(p, 40);
  for (size_t s = 0; s < KEYS; ++s) {
    memcpy(k + s * LDK, p->k + s * DK, DK * sizeof *k);
    memcpy(v + s * LDV, p->v + s * DV, DV * sizeof *v);
  }
  num_attn_t strided = p->attn;
  strided.k = k;
  strided.ldk = LDK;
  strided.v = v;
  strided.ldv = LDV;
  double golden[2][ROWS * DV];
  float tiled[4][ROWS * DV];
  assert_int_equal(num_attn_golden(&p->attn, golden[0]), 0);
  assert_int_equal(num_attn_golden(&strided, golden[1]), 0);
  assert_memory_equal(golden[0], golden[1], sizeof golden[0]);
  assert_int_equal(num_attn_base(&p->attn, NUM_ISA_AUTO, tiled[0]), 0);
  assert_int_equal(num_attn_base(&strided, NUM_ISA_AUTO, tiled[1]), 0);
  assert_memory_equal(tiled[0], tiled[1], sizeof tiled[0]);
  assert_int_equal(num_attn_amla(&p->attn, NUM_ISA_AUTO, 0, tiled[2], NULL), 0);
  assert_int_equal(num_attn_amla(&strided, NUM_ISA_AUTO, 0, tiled[3], NULL), 0);
  assert_memory_equal(tiled[2], tiled[3], sizeof tiled[2]);
  free(p);
  free(k);
  free(v);
}

// ---- Base and AMLA against golden -------------------------------------------------------------

// Errors of x in units of 2^exponent, since num_error's denominator is absolute.
static relative_t scaled_error(const double *golden, const float *x, int exponent) {
  double golden_scaled[ROWS * DV];
  float x_scaled[ROWS * DV];
  for (size_t i = 0; i < ROWS * DV; ++i) {
    golden_scaled[i] = ldexp(golden[i], -exponent);
    x_scaled[i] = ldexpf(x[i], -exponent);
  }
  return relative_error(golden_scaled, x_scaled, ROWS * DV);
}

TEST(tiled_near_golden) {
  problem_t *p = allocate(1, sizeof *p);
  double golden[ROWS * DV];
  float base[ROWS * DV];
  float amla[ROWS * DV];
  for (size_t i = 0; i < ARRAY_LEN(SCENARIOS); ++i) {
    const scenario_t *scenario = &SCENARIOS[i];
    uint32_t guards = 0;
    make_plain(p, 60 + i);
    scenario->change(p);
    assert_int_equal(num_attn_golden(&p->attn, golden), 0);
    assert_int_equal(num_attn_base(&p->attn, NUM_ISA_AUTO, base), 0);
    assert_int_equal(num_attn_amla(&p->attn, NUM_ISA_AUTO, 0, amla, &guards), 0);
    const relative_t base_error = scaled_error(golden, base, scenario->exponent);
    const relative_t amla_error = scaled_error(golden, amla, scenario->exponent);
    printf("%-18s base %.2e, before cast %.2e; amla %.2e, %.2e; guards %x\n", scenario->name, base_error.after,
           base_error.before, amla_error.after, amla_error.before, guards);
    CHECK(base_error.after < LIMIT, "base, %s", scenario->name);
    CHECK(amla_error.after < LIMIT, "amla, %s", scenario->name);
    for (size_t j = 0; j < ROWS * DV; ++j) {
      CHECK(golden[j] != 0.0 || (base[j] == 0.0f && amla[j] == 0.0f), "%s: zero at %zu is %a, %a", scenario->name, j,
            (double)base[j], (double)amla[j]);
    }
  }
  free(p);
}

static uint32_t guards_of(problem_t *p, unsigned flags, float *out) {
  uint32_t guards = 0;
  assert_int_equal(num_attn_amla(&p->attn, NUM_ISA_AUTO, flags, out, &guards), 0);
  return guards;
}

// Each guard is met where it should be, and zero columns are ruined without it.
TEST(guards_are_needed) {
  problem_t *p = allocate(1, sizeof *p);
  float out[ROWS * DV];
  make_plain(p, 80);
  rising(p);
  assert_int_equal(guards_of(p, 0, out), 0);
  masked(p);  // rows that join late get no integer add before they have a value
  assert_int_equal(guards_of(p, 0, out), 0);
  make_plain(p, 82);
  tiny_values(p);
  assert_true((guards_of(p, 0, out) & NUM_GM_GUARD_UNDERFLOW) != 0);
  make_plain(p, 81);
  zero_columns(p);
  assert_int_equal(guards_of(p, 0, out), NUM_GM_GUARD_ZERO);
  assert_int_equal(guards_of(p, NUM_ATTN_RAW_ADD, out), 0);
  int ruined = 0;
  for (size_t i = 0; i < ROWS * DV; ++i) {
    ruined += i % DV % 2 == 1 && !(fabsf(out[i]) < 1e-30f);
  }
  printf("raw add: %d of %d zero outputs ruined\n", ruined, ROWS * DV / 2);
  assert_true(ruined > ROWS * DV / 4);
  free(p);
}

// Splits change the last bits only: as near to the formula as one run over all keys, in every
// scenario; more splits than blocks are one a block.
TEST(splits_near_golden) {
  static const size_t counts[] = {2, 3, 64};
  problem_t *p = allocate(1, sizeof *p);
  double golden[ROWS * DV];
  float base[ROWS * DV];
  float amla[ROWS * DV];
  float whole[ROWS * DV];
  for (size_t i = 0; i < ARRAY_LEN(SCENARIOS) * ARRAY_LEN(counts); ++i) {
    const scenario_t *scenario = &SCENARIOS[i / ARRAY_LEN(counts)];
    make_plain(p, 60 + i);
    scenario->change(p);
    assert_int_equal(num_attn_golden(&p->attn, golden), 0);
    assert_int_equal(num_attn_base(&p->attn, NUM_ISA_AUTO, whole), 0);
    p->attn.splits = counts[i % ARRAY_LEN(counts)];
    assert_int_equal(num_attn_base(&p->attn, NUM_ISA_AUTO, base), 0);
    assert_int_equal(num_attn_amla(&p->attn, NUM_ISA_AUTO, 0, amla, NULL), 0);
    const double base_error = scaled_error(golden, base, scenario->exponent).after;
    const double amla_error = scaled_error(golden, amla, scenario->exponent).after;
    CHECK(base_error < LIMIT, "base, %s, %zu: %g", scenario->name, p->attn.splits, base_error);
    CHECK(amla_error < LIMIT, "amla, %s, %zu: %g", scenario->name, p->attn.splits, amla_error);
    if (strcmp(scenario->name, "plain") == 0) {
      CHECK(memcmp(base, whole, sizeof base) != 0, "%zu splits and none agree", p->attn.splits);
    }
    p->attn.splits = 1;
    assert_int_equal(num_attn_base(&p->attn, NUM_ISA_AUTO, base), 0);
    CHECK(memcmp(base, whole, sizeof base) == 0, "%s: one split is not none", scenario->name);
  }
  free(p);
}

// ---- Base and AMLA against a second transcription ---------------------------------------------

// One row over all of its blocks; every operation spelt out on its own line, in FP32.
typedef struct {
  float m, l, n, c, s16;
  bool first;
  float p[KEYS];
} ref_row_t;

static float ref_capped(float x, float cap) {
  if (x > -cap / 16.0f && x <= cap / 16.0f) {
    volatile float w = x * (float)(-1.0 / (3.0 * (double)cap * (double)cap));
    w = w * x;
    w = w + 1.0f;
    return w * x;
  }
  volatile float y = x * (2.0f / cap);
  y = num_exp32(y) + 1.0f;
  y = 1.0f / y;
  y = y * (-2.0f * cap);
  return y + cap;
}

static void ref_scores(const num_attn_t *a, size_t g, size_t first, size_t count, float *s) {
  for (size_t i = 0; i < count; ++i) {
    float acc = 0.0f;
    for (size_t d = 0; d < a->dk; ++d) {
      acc = fmaf(element(a, a->q[g * a->dk + d]), element(a, a->k[(first + i) * a->ldk + d]), acc);
    }
    volatile float x = acc * a->scale;
    s[i] = !sees(a, g, first + i) ? -INFINITY : a->cap == 0.0f ? x : ref_capped(x, a->cap);
  }
}

// Lane `first` of a tree with so many lanes: its columns, first + 64, ..; then the other halves'.
static float ref_tree(const float *p, size_t count, size_t first, size_t lanes) {
  float sum = 0.0f;
  if (lanes == 64) {
    for (size_t i = first; i < count; i += 64) {
      sum += p[i];
    }
    return sum;
  }
  volatile float low = ref_tree(p, count, first, 2 * lanes);
  return low + ref_tree(p, count, first + lanes, 2 * lanes);
}

// S in r->p becomes P; returns M_up.
static float ref_softmax(const num_attn_t *a, ref_row_t *r, size_t count) {
  const float m_prev = r->m;
  float m_up = 0.0f;
  float sum = 0.0f;
  for (size_t i = 0; i < count; ++i) {
    r->m = fmaxf(r->m, r->p[i]);
  }
  const bool live = isfinite(r->m);
  for (size_t i = 0; i < count; ++i) {
    r->p[i] = live && isfinite(r->p[i]) ? num_exp32(r->p[i] - r->m) : 0.0f;
    sum += r->p[i];
  }
  if (a->row_sum == NUM_ROW_SUM_TREE) {
    sum = ref_tree(r->p, count, 0, 1);
  }
  if (isfinite(m_prev)) {
    m_up = num_exp32(m_prev - r->m);
  }
  volatile float product = r->l * m_up;  // rounded on its own
  r->l = product + sum;
  return m_up;
}

static float ref_dot(const num_attn_t *a, const float *p16, size_t first, size_t count, size_t d) {
  float acc = 0.0f;
  for (size_t i = 0; i < count; ++i) {
    acc = fmaf(p16[i], element(a, a->v[(first + i) * a->ldv + d]), acc);
  }
  return acc;
}

static float to_bf16(float x) { return num_bf16_to_f32(num_bf16_from_f32(x)); }

static float narrowed(const num_attn_t *a, float x) {
  return a->fp16 ? num_fp16_to_f32(num_fp16_from_f32(x)) : to_bf16(x);
}

// fused: flash's way with O, which also loses the sign of zeros in the end.
static void ref_base_row(const num_attn_t *a, size_t g, bool fused, float *o) {
  ref_row_t r = {.m = -INFINITY};
  memset(o, 0, a->dv * sizeof *o);
  for (size_t first = 0; first < a->keys; first += a->block) {
    const size_t count = a->keys - first < a->block ? a->keys - first : a->block;
    ref_scores(a, g, first, count, r.p);
    const float m_up = ref_softmax(a, &r, count);
    for (size_t i = 0; i < count; ++i) {
      r.p[i] = narrowed(a, r.p[i]);
    }
    for (size_t d = 0; d < a->dv; ++d) {
      volatile float scaled = o[d] * m_up;
      const float dot = ref_dot(a, r.p, first, count, d);
      o[d] = fused ? fmaf(m_up, o[d], dot) : scaled + dot;
    }
  }
  for (size_t d = 0; d < a->dv; ++d) {
    volatile float sum = o[d] + (fused ? 0.0f : -0.0f);
    o[d] = r.l == 0.0f ? 0.0f : sum / r.l;
  }
}

static void ref_flash_row(const num_attn_t *a, size_t g, float *o) {
  num_attn_t tree = *a;
  tree.row_sum = NUM_ROW_SUM_TREE;
  ref_base_row(&tree, g, true, o);
}

// The integer N of this block; n, s16 and c move on.
static int32_t ref_rescale(ref_row_t *r) {
  volatile float scaled = -r->m * 0x1.715476p0f;  // LOG2E, 0x3fb8aa3b
  const float n = nearbyintf(scaled);
  volatile float inner = fmaf(n, 0.693359375f, r->m);
  const float s32 = num_exp32(fmaf(n, -2.12194440e-4f, inner));
  const float s16 = to_bf16(s32);
  volatile float c = s16 / s32;
  volatile float ratio = c / r->c;
  volatile float minus_one = ratio - 1.0f;
  volatile float eps = 1.5f * minus_one;
  volatile float dn = n - r->n;
  if (dn < -30.0f) {
    dn = -30.0f;
  }
  volatile float sum = dn + eps;
  sum = sum + 1e-6f;
  r->n = n;
  r->s16 = s16;
  r->c = c;
  return (int32_t)(sum * 8388608.0f);
}

static void ref_amla_row(const num_attn_t *a, size_t g, float *o) {
  ref_row_t r = {.m = -INFINITY, .c = 1.0f, .s16 = 1.0f};
  memset(o, 0, a->dv * sizeof *o);
  for (size_t first = 0; first < a->keys; first += a->block) {
    const size_t count = a->keys - first < a->block ? a->keys - first : a->block;
    const bool was_live = isfinite(r.m);
    ref_scores(a, g, first, count, r.p);
    ref_softmax(a, &r, count);
    const int32_t n = isfinite(r.m) ? ref_rescale(&r) : 0;
    for (size_t i = 0; i < count; ++i) {
      volatile float scaled = r.p[i] * r.s16;
      r.p[i] = narrowed(a, scaled);
    }
    for (size_t d = 0; d < a->dv; ++d) {
      uint32_t bits = num_f32_bits(o[d]);
      if (first > 0 && was_live) {
        bits = num_gm_apply(NUM_GM_RESCALE, bits, (uint32_t)n, NULL);
      }
      o[d] = num_f32_from_bits(bits) + ref_dot(a, r.p, first, count, d);
    }
  }
  volatile float divisor = r.l * r.s16;
  for (size_t d = 0; d < a->dv; ++d) {
    o[d] = r.l == 0.0f ? 0.0f : o[d] / divisor;
  }
}

TEST(tiled_bit_for_bit) {
  static const num_isa_t isas[] = {NUM_ISA_AUTO, NUM_ISA_PORTABLE, NUM_ISA_AVX2, NUM_ISA_AVX512};
  problem_t *p = allocate(1, sizeof *p);
  float base[ROWS * DV];
  float amla[ROWS * DV];
  float flash[ROWS * DV];
  float out[ROWS * DV];
  for (size_t i = 0; i < ARRAY_LEN(SCENARIOS); ++i) {
    make_plain(p, 100 + i);
    SCENARIOS[i].change(p);
    for (size_t g = 0; g < ROWS; ++g) {
      ref_base_row(&p->attn, g, false, base + g * DV);
      ref_flash_row(&p->attn, g, flash + g * DV);
      ref_amla_row(&p->attn, g, amla + g * DV);
    }
    for (size_t j = 0; j < ARRAY_LEN(isas); ++j) {
      if (num_matmul_select(isas[j]) == NULL) {
        continue;
      }
      assert_int_equal(num_attn_base(&p->attn, isas[j], out), 0);
      CHECK(memcmp(out, base, sizeof out) == 0, "base, %s, isa %d", SCENARIOS[i].name, (int)isas[j]);
      assert_int_equal(num_attn_amla(&p->attn, isas[j], 0, out, NULL), 0);
      CHECK(memcmp(out, amla, sizeof out) == 0, "amla, %s, isa %d", SCENARIOS[i].name, (int)isas[j]);
      assert_int_equal(num_attn_flash(&p->attn, isas[j], out), 0);
      CHECK(memcmp(out, flash, sizeof out) == 0, "flash, %s, isa %d", SCENARIOS[i].name, (int)isas[j]);
    }
  }
  free(p);
}

// ---- the rest ---------------------------------------------------------------------------------

TEST(refusals_touch_nothing) {
  problem_t *p = allocate(1, sizeof *p);
  float out = 7.0f;
  make_plain(p, 120);
  p->attn.block = 0;
  assert_int_equal(num_attn_base(&p->attn, NUM_ISA_AUTO, &out), -1);
  assert_int_equal(num_attn_amla(&p->attn, NUM_ISA_AUTO, 0, &out, NULL), -1);
  assert_true(out == 7.0f);
  free(p);
}

TEST(no_keys_gives_zero) {
  problem_t *p = allocate(1, sizeof *p);
  float out[ROWS * DV];
  double golden[ROWS * DV];
  make_plain(p, 121);
  p->attn.keys = 0;
  for (int which = 0; which < 2; ++which) {
    memset(out, 0x5a, sizeof out);
    memset(golden, 0x5a, sizeof golden);
    assert_int_equal(num_attn_golden(&p->attn, golden), 0);
    assert_int_equal(
        which == 0 ? num_attn_base(&p->attn, NUM_ISA_AUTO, out) : num_attn_amla(&p->attn, NUM_ISA_AUTO, 0, out, NULL),
        0);
    for (size_t i = 0; i < ROWS * DV; ++i) {
      assert_true(out[i] == 0.0f && golden[i] == 0.0);
    }
  }
  free(p);
}

TEST(error_measures) {
  const double golden[] = {3.0, -4.0};
  const float off[] = {3.0f, -3.0f};
  const float with_nan[] = {NAN, -4.0f};
  const double zeros[] = {0.0, 0.0};
  const float zeros_f32[] = {0.0f, 0.0f};
  num_error_t e;
  num_error(golden, off, 2, &e);
  assert_true(fabs(e.rel_fro - 0.2) < 1e-9 && e.max_abs == 1.0);
  assert_true(fabs(e.cos_diff - (1.0 - 42.0 / 43.0)) < 1e-15);
  num_error(golden, with_nan, 2, &e);
  assert_true(isnan(e.rel_fro) && isnan(e.max_abs) && isnan(e.cos_diff));
  num_error(zeros, zeros_f32, 2, &e);
  assert_true(e.rel_fro == 0.0 && e.max_abs == 0.0 && e.cos_diff == 0.0);
}

// Small numbers are off by as much as large ones; of zeros the error is absolute, and says so.
TEST(error_has_no_floor) {
  const double zeros[] = {0.0, 0.0};
  num_error_t e;
  for (int exponent = -140; exponent < 120; exponent += 20) {
    const double golden[] = {ldexp(3.0, exponent), ldexp(-4.0, exponent)};
    const float off[] = {(float)golden[0], ldexpf(-3.0f, exponent)};
    num_error(golden, off, 2, &e);
    assert_true(fabs(e.rel_fro - 0.2) < 1e-9 && !e.absolute);
    num_error(zeros, off, 2, &e);
    assert_true(fabs(e.rel_fro / ldexp(sqrt(18.0), exponent) - 1) < 1e-9 && e.absolute);
  }
}

// Scores that are NaNs: FP64 and the contract have NaNs where they go, in a row of nothing else, too, and nowhere else.
TEST(nan_rows) {
  enum { N = 4, KEYS = 6, D = 2 };
  uint16_t q[N * D], k[KEYS * D], v[KEYS * D];
  float base[N * D], amla[N * D], flash[N * D], lse[N];
  double golden[N * D], golden_lse[N];
  for (size_t i = 0; i < KEYS * D; ++i) {
    v[i] = k[i] = num_bf16_from_f32((float)i - 5.0f);
  }
  for (size_t i = 0; i < N * D; ++i) {
    q[i] = num_bf16_from_f32(i == 2 * D ? NAN : (float)i * 0.25f);  // row 2
  }
  const num_attn_t attn = {
      .rows = N, .keys = KEYS, .dk = D, .dv = D, .q = q, .k = k, .ldk = D, .v = v, .ldv = D, .scale = 1.0f, .block = 4};
  assert_int_equal(num_attn_golden_lse(&attn, golden, golden_lse), 0);
  assert_int_equal(num_attn_base(&attn, NUM_ISA_AUTO, base), 0);
  assert_int_equal(num_attn_flash(&attn, NUM_ISA_AUTO, flash), 0);
  assert_int_equal(num_attn_amla_lse(&attn, NUM_ISA_AUTO, 0, amla, lse, NULL), 0);
  for (size_t i = 0; i < N * D; ++i) {
    const bool nan = i / D == 2;
    assert_true(isnan(golden[i]) == nan && isnan(base[i]) == nan && isnan(amla[i]) == nan && isnan(flash[i]) == nan);
    assert_true(isnan(golden_lse[i / D]) == nan && isnan(lse[i / D]) == nan);
  }
}

// Errors of AMLA and Base for scores of up to `size` with small differences, whose maxima jump from block to block.
static void large_scores(float size, num_rng_t *rng, double *amla, double *base, double *largest) {
  enum { N = 3, KEYS = 48, D = 2, DV = 16 };
  uint16_t q[N * D], k[KEYS * D] = {0}, v[KEYS * DV];
  float out[N * DV];
  double golden[N * DV], of_row[N];
  num_error_t e;
  for (size_t i = 0; i < N; ++i) {
    q[i * D] = num_bf16_from_f32(size);
    q[i * D + 1] = num_bf16_from_f32(size < 0x1p24f ? 1.0f : 0.0f);  // beyond, FP32 has no such differences
  }
  for (size_t s = 0; s < KEYS; ++s) {
    const float step = fmaxf(-1.0f, fminf((float)num_rng_normal(rng), 1.0f));
    k[s * D] = s % 8 == 0 ? num_bf16_from_f32(step) : k[(s - 1) * D];
    k[s * D + 1] = num_bf16_from_f32((float)(num_rng_u64(rng) % 4));
  }
  for (size_t i = 0; i < KEYS * DV; ++i) {
    v[i] = num_bf16_from_f32((float)num_rng_normal(rng));
  }
  const num_attn_t attn = {.rows = N,
                           .keys = KEYS,
                           .dk = D,
                           .dv = DV,
                           .q = q,
                           .k = k,
                           .ldk = D,
                           .v = v,
                           .ldv = DV,
                           .scale = 1.0f,
                           .block = 8};
  assert_int_equal(num_attn_golden_more(&attn, golden, NULL, of_row), 0);
  assert_int_equal(num_attn_amla(&attn, NUM_ISA_AUTO, 0, out, NULL), 0);
  num_error(golden, out, N * DV, &e);
  *amla = isfinite(e.rel_fro) ? fmax(*amla, e.rel_fro) : INFINITY;
  assert_int_equal(num_attn_base(&attn, NUM_ISA_AUTO, out), 0);
  num_error(golden, out, N * DV, &e);
  *base = fmax(*base, e.rel_fro);
  *largest = fmax(*largest, of_row[0]);
}

// As docs/amla.md derives it: up to 2^23 AMLA is as good as Base, up to what FP32 loses of n ln 2 + m; far beyond it is
// not.
TEST(score_limit) {
  num_rng_t rng;
  num_rng_seed(&rng, 23);
  double amla = 0, base = 0, largest = 0;
  for (int i = 0; i < 400; ++i) {
    large_scores(0x1.fcp22f, &rng, &amla, &base, &largest);
  }
  printf("scores up to %.3g: AMLA %.3g, Base %.3g\n", largest, amla, base);
  assert_true(largest <= NUM_ATTN_AMLA_LARGEST && largest > 0.99 * NUM_ATTN_AMLA_LARGEST);
  assert_true(amla < base + 3e-4 + 1e-3 && amla < 5e-3);
  amla = base = 0;
  for (int i = 0; i < 400; ++i) {
    large_scores(0x1p30f, &rng, &amla, &base, &largest);
  }
  printf("scores up to %.3g: AMLA %.3g, Base %.3g\n", largest, amla, base);
  assert_true(largest > NUM_ATTN_AMLA_LARGEST && !(amla < 5e-3) && base < 5e-3);
}

TEST(golden_speed) {
  enum { BIG_ROWS = 256, BIG_KEYS = 4096, BIG_DK = 576, BIG_DV = 512 };
  num_rng_t rng;
  num_rng_seed(&rng, 130);
  uint16_t *q = allocate(BIG_ROWS * BIG_DK, sizeof *q);
  uint16_t *kv = allocate(BIG_KEYS * BIG_DK, sizeof *kv);
  double *out = allocate(BIG_ROWS * BIG_DV, sizeof *out);
  fill_normal(q, BIG_ROWS * BIG_DK, 1.0, &rng);
  fill_normal(kv, BIG_KEYS * BIG_DK, 1.0, &rng);
  const num_attn_t attn = mla_problem(BIG_ROWS, BIG_KEYS, BIG_DK, BIG_DV, q, kv);
  const clock_t start = clock();
  assert_int_equal(num_attn_golden(&attn, out), 0);
  printf("golden 256 x 4096 x 576/512: %.2f s\n", (double)(clock() - start) / CLOCKS_PER_SEC);
  free(q);
  free(kv);
  free(out);
}
