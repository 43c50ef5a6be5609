// Operations of a decode step: against formulas in FP64 with a bound, and, where the order of operations is the
// contract, against the same written otherwise.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "hal/command.h"
#include "num/num_fp8.h"
#include "num/golden/num_step.h"
#include "num_test.h"

static float *normals(num_rng_t *rng, size_t n, double scale) {
  float *x = allocate(n, sizeof *x);
  for (size_t i = 0; i < n; ++i) {
    x[i] = (float)(num_rng_normal(rng) * scale);
  }
  return x;
}

static double value_of(uint32_t type, const void *y, size_t i) {
  switch (type) {
    case TYPE_F16:
      return (double)num_fp16_to_f32(((const num_fp16_t *)y)[i]);
    case TYPE_BF16:
      return (double)num_bf16_to_f32(((const num_bf16_t *)y)[i]);
    default:
      return (double)((const float *)y)[i];
  }
}

// Half of a last place, relative, and what FP32 adds before.
static double bound_of(uint32_t type) { return 1e-6 + (type == TYPE_F16 ? 0x1p-11 : type == TYPE_BF16 ? 0x1p-8 : 0); }

// Lane `first` of a tree of so many lanes: its columns 64 apart, then the other half's lane, if there is one.
static float lane(const float *x, size_t cols, size_t first, size_t lanes) {
  if (lanes < 64) {
    const float low = lane(x, cols, first, 2 * lanes);
    return first + lanes < cols ? low + lane(x, cols, first + lanes, 2 * lanes) : low;
  }
  float sum = x[first];
  for (size_t i = first + 64; i < cols; i += 64) {
    sum += x[i];
  }
  return sum;
}

TEST(row_sums) {
  num_rng_t rng;
  num_rng_seed(&rng, 1);
  for (size_t cols = 1; cols < 8000; cols += cols < 140 ? 1 : 373) {
    float *x = normals(&rng, cols, 3);
    float want = 0;
    double exact = 0, size = 0;
    for (size_t i = 0; i < cols; i += 2048) {
      const float part = lane(x + i, cols - i < 2048 ? cols - i : 2048, 0, 1);
      want = i == 0 ? part : want + part;
    }
    for (size_t i = 0; i < cols; ++i) {
      exact += (double)x[i];
      size += fabs((double)x[i]);
    }
    CHECK(same_f32(num_step_row_sum(x, cols), want), "%zu columns", cols);
    assert_true(fabs((double)want - exact) <= 3e-6 * size);
    free(x);
  }
}

TEST(embed) {
  enum { VOCAB = 9, COLS = 21, STRIDE = 32 };
  static const int32_t tokens[] = {3, 0, 8, 3};
  uint16_t table[VOCAB * STRIDE];
  float x[ARRAY_LEN(tokens) * COLS];
  for (size_t i = 0; i < ARRAY_LEN(table); ++i) {
    table[i] = (uint16_t)(0x3000 + 7 * i);
  }
  for (uint32_t type = TYPE_BF16; type <= TYPE_F16; ++type) {
    num_step_embed(tokens, ARRAY_LEN(tokens), table, STRIDE, type, COLS, 1.0f, x);
    for (size_t i = 0; i < ARRAY_LEN(x); ++i) {
      const uint16_t bits = table[(size_t)tokens[i / COLS] * STRIDE + i % COLS];
      assert_true((double)x[i] == value_of(type, &bits, 0));
    }
  }
}

static void check_norm(num_rng_t *rng, size_t rows, size_t cols, bool with_delta, bool in_place, uint32_t type) {
  const size_t stride = in_place ? cols : cols + 5;
  float *x = normals(rng, rows * stride, 2);
  float *delta = normals(rng, rows * cols, 2);
  float *weight = normals(rng, cols, 1);
  float *out = in_place ? x : allocate(rows * cols, sizeof *out);
  float *before = allocate(rows * stride, sizeof *before);
  uint32_t *y = allocate(rows * (cols + 3), sizeof *y);
  memcpy(before, x, rows * stride * sizeof *x);
  num_step_norm(x, stride, with_delta ? delta : NULL, weight, 1e-5f, rows, cols, out, type, y, cols + 3);
  for (size_t r = 0; r < rows; ++r) {
    double squares = 0;
    for (size_t i = 0; i < cols; ++i) {
      const float sum = with_delta ? before[r * stride + i] + delta[r * cols + i] : before[r * stride + i];
      assert_true(same_f32(out[r * cols + i], sum));
      squares += (double)sum * (double)sum;
    }
    const double scale = 1 / sqrt(squares / (double)cols + 1e-5);
    for (size_t i = 0; i < cols; ++i) {
      const double want = (double)out[r * cols + i] * scale * (double)weight[i];
      const double got = value_of(type, y, r * (cols + 3) + i);
      CHECK(fabs(got - want) <= bound_of(type) * fabs(want) + 0x1p-25, "%zu of %zu: %g, not %g", i, cols, got, want);
    }
  }
  if (!in_place) {
    free(out);
  }
  free(x);
  free(delta);
  free(weight);
  free(before);
  free(y);
}

TEST(norms) {
  static const size_t cols[] = {1, 7, 64, 100, 2048, 2049, 7168};
  num_rng_t rng;
  num_rng_seed(&rng, 2);
  for (size_t i = 0; i < ARRAY_LEN(cols); ++i) {
    for (unsigned kind = 0; kind < 12; ++kind) {
      check_norm(&rng, 1 + i % 3, cols[i], kind % 2 != 0, kind / 2 % 2 != 0,
                 kind / 4 == 0   ? TYPE_F16
                 : kind / 4 == 1 ? TYPE_BF16
                                 : TYPE_F32);
    }
  }
}

// A row of zeros, of infinities, and with a NaN.
TEST(norm_special) {
  float x[70] = {0}, weight[70], y[70];
  for (size_t i = 0; i < 70; ++i) {
    weight[i] = 1;
  }
  assert_true(num_step_scale(x, 70, 0x1p-20f) == 0x1p10f);
  num_step_norm(x, 70, NULL, weight, 1e-6f, 1, 70, NULL, TYPE_F32, y, 70);
  assert_true(y[3] == 0);
  x[5] = INFINITY;
  num_step_norm(x, 70, NULL, weight, 1e-6f, 1, 70, NULL, TYPE_F32, y, 70);
  assert_true(y[4] == 0 && isnan(y[5]));
  x[5] = NAN;
  num_step_norm(x, 70, NULL, weight, 1e-6f, 1, 70, NULL, TYPE_F32, y, 70);
  assert_true(isnan(y[4]));
}

// By complex numbers: a pair times e^(i angle).
static double rotated(const double *x, size_t i, size_t position, size_t rope) {
  const double angle = (double)position * pow(10000, -2.0 * (double)(i / 2) / (double)rope);
  return i % 2 == 0 ? x[i] * cos(angle) - x[i + 1] * sin(angle) : x[i - 1] * sin(angle) + x[i] * cos(angle);
}

// Turns of pairs of columns, without scaling.
static const double *turns(size_t rope) {
  static double turn[32];
  for (size_t i = 0; i < rope / 2; ++i) {
    turn[i] = pow(10000.0, -2.0 * (double)i / (double)rope);
  }
  return turn;
}

TEST(rope) {
  enum { TOKENS = 3, HEADS = 2, ROPE = 64, Q_HEAD = 80, OUT_HEAD = 100 };
  num_rng_t rng;
  num_rng_seed(&rng, 3);
  num_fp16_t q[TOKENS * HEADS * Q_HEAD];
  num_bf16_t out[TOKENS * HEADS * OUT_HEAD];
  float angles[TOKENS * 2 * ROPE];
  for (size_t i = 0; i < ARRAY_LEN(q); ++i) {
    q[i] = num_fp16_from_f32((float)num_rng_normal(&rng));
  }
  memset(out, 0xff, sizeof out);
  for (size_t t = 0; t < TOKENS; ++t) {
    num_step_angles(777 * t, ROPE, turns(ROPE), 1.0, angles + t * 2 * ROPE);
  }
  num_step_rope(q, (num_step_rows_t){HEADS * Q_HEAD, Q_HEAD}, angles, TOKENS, HEADS, ROPE, out,
                (num_step_rows_t){HEADS * OUT_HEAD, OUT_HEAD});
  for (size_t h = 0; h < TOKENS * HEADS; ++h) {
    double x[ROPE];
    for (size_t i = 0; i < ROPE; ++i) {
      x[i] = value_of(TYPE_F16, q, h * Q_HEAD + i);
    }
    for (size_t i = 0; i < OUT_HEAD; ++i) {
      const double got = value_of(TYPE_BF16, out, h * OUT_HEAD + i);
      assert_true(i < ROPE ? fabs(got - rotated(x, i, 777 * (h / HEADS), ROPE)) <= 0x1p-8 * fabs(got) + 1e-6
                           : isnan(got));
    }
  }
}

// A cache in BF16 is near the formula, and one in FP8 is what num_fp8_encode makes of that. Places between
// stay as they are.
TEST(cache) {
  enum { TOKENS = 6, OF_ENTRY = 2, PAST = 3, PLACES = 7, LATENT = 512, ROPE = 64, STRIDE = 600, KEY = LATENT + ROPE };
  num_rng_t rng;
  num_rng_seed(&rng, 4);
  float *kv = normals(&rng, TOKENS * STRIDE, 3), *weight = normals(&rng, LATENT, 1);
  float angles[TOKENS * 2 * ROPE];
  for (size_t t = 0; t < TOKENS; ++t) {
    num_step_angles(PAST + t % OF_ENTRY, ROPE, turns(ROPE), 1.0, angles + t * 2 * ROPE);
  }
  num_step_cache_t shape = {NUM_STEP_BF16, TOKENS, OF_ENTRY, PAST, LATENT, ROPE, PLACES * 2 * KEY, 2 * KEY};
  num_bf16_t *keys = allocate(3 * PLACES * KEY, sizeof *keys);
  memset(keys, 0xff, 3 * PLACES * KEY * sizeof *keys);
  num_step_cache(&shape, kv, STRIDE, weight, 1e-6f, angles, (uint8_t *)keys);
  size_t written = 0;
  for (size_t p = 0; p < 3 * PLACES; ++p) {
    const num_bf16_t *key = keys + p * KEY;
    if (p % PLACES < PAST || p % PLACES >= PAST + OF_ENTRY) {
      assert_true(key[0] == 0xffff && key[KEY - 1] == 0xffff);
      continue;
    }
    const size_t t = p / PLACES * OF_ENTRY + p % PLACES - PAST;
    double x[KEY], squares = 0;
    for (size_t i = 0; i < KEY; ++i) {
      x[i] = (double)kv[t * STRIDE + i];
      squares += i < LATENT ? x[i] * x[i] : 0;
    }
    for (size_t i = 0; i < KEY; ++i) {
      const double want = i < LATENT ? x[i] / sqrt(squares / LATENT + 1e-6) * (double)weight[i]
                                     : rotated(x + LATENT, i - LATENT, p % PLACES, ROPE);
      assert_true(fabs(value_of(TYPE_BF16, key, i) - want) <= (0x1p-8 + 1e-6) * fabs(want) + 1e-6);
    }
    ++written;
  }
  assert_int_equal(written, TOKENS);
  for (unsigned kind = 0; kind < 2; ++kind) {
    uint8_t *codes = allocate(3 * PLACES, NUM_FP8_TOKEN_BYTES), want[NUM_FP8_TOKEN_BYTES];
    memset(codes, 0xff, (size_t)3 * PLACES * NUM_FP8_TOKEN_BYTES);
    shape.kind = kind == 0 ? NUM_STEP_FP8 : NUM_STEP_FP8_UE8M0;
    shape.place_bytes = NUM_FP8_TOKEN_BYTES;
    shape.batch_bytes = PLACES * NUM_FP8_TOKEN_BYTES;
    num_step_cache(&shape, kv, STRIDE, weight, 1e-6f, angles, codes);
    for (size_t p = 0; p < 3 * PLACES; ++p) {
      memset(want, 0xff, sizeof want);
      if (p % PLACES >= PAST && p % PLACES < PAST + OF_ENTRY) {
        num_fp8_encode(kind == 0 ? NUM_FP8_SCALE_AMAX : NUM_FP8_SCALE_UE8M0, keys + p * KEY, want, 1);
      }
      assert_memory_equal(codes + p * NUM_FP8_TOKEN_BYTES, want, sizeof want);
    }
    free(codes);
  }
  free(kv);
  free(weight);
  free(keys);
}

TEST(swiglu) {
  enum { ROWS = 3, COLS = 333, STRIDE = 700 };
  num_rng_t rng;
  num_rng_seed(&rng, 5);
  num_fp16_t in[ROWS * STRIDE], out[ROWS * COLS];
  for (size_t i = 0; i < ARRAY_LEN(in); ++i) {
    in[i] = num_fp16_from_f32((float)(num_rng_normal(&rng) * 6));
  }
  in[0] = 0xfbff;  // -65504: e^65504 overflows
  in[1] = 0x7bff;
  in[2] = 0x0000;
  num_step_swiglu(&(num_step_swiglu_t){.type = TYPE_F16}, in, STRIDE, ROWS, COLS, out, COLS);
  for (size_t i = 0; i < ARRAY_LEN(out); ++i) {
    const double g = value_of(TYPE_F16, in, i / COLS * STRIDE + i % COLS);
    const double u = value_of(TYPE_F16, in, i / COLS * STRIDE + COLS + i % COLS);
    const double want = g / (1 + exp(-g)) * u, got = value_of(TYPE_F16, out, i);
    assert_true(fabs(want) > 65000 || fabs(got - want) <= (0x1p-11 + 1e-6) * fabs(want) + 0x1p-25);
  }
}

// Experts of groups that do not count are no choice: the groups of more than `kept` others that are better.
static void limit_groups(const num_step_gate_t *gate, bool coarse, double *choice) {
  double score[512];
  const size_t size = gate->groups == 0 ? gate->experts : gate->experts / gate->groups;
  for (size_t g = 0; g < gate->groups; ++g) {
    double most = -INFINITY, second = -INFINITY;
    for (size_t e = g * size; e < (g + 1) * size; ++e) {
      second = fmax(second, fmin(most, choice[e]));
      most = fmax(most, choice[e]);
    }
    score[g] = gate->sigmoid ? most + second : most;
  }
  for (size_t g = 0; g < gate->groups; ++g) {
    size_t before = 0;
    for (size_t o = 0; o < gate->groups; ++o) {
      const double near = coarse ? 1e-6 : 0.0;
      before += score[o] > score[g] + near || (coarse && o < g && score[o] > score[g] - near);
    }
    for (size_t e = g * size; before >= gate->kept && e < (g + 1) * size; ++e) {
      choice[e] = -INFINITY;
    }
  }
}

// The FP64 way: sort all by choice, lower numbers first.
static void check_gate(num_rng_t *rng, const num_step_gate_t *gate, bool with_bias, bool coarse) {
  float *logits = normals(rng, gate->tokens * gate->experts, 2), *bias = normals(rng, gate->experts, 0.3);
  int32_t *chosen = allocate(gate->tokens * gate->top, sizeof *chosen);
  float *weights = allocate(gate->tokens * gate->top, sizeof *weights);
  for (size_t i = 0; coarse && i < gate->tokens * gate->experts; ++i) {
    logits[i] = rintf(logits[i]);  // many are equal
    bias[i % gate->experts] = rintf(bias[i % gate->experts]);
  }
  num_step_gate(gate, logits, with_bias ? bias : NULL, chosen, weights);
  for (size_t t = 0; t < gate->tokens; ++t) {
    double score[512], choice[512], sum = 0, chosen_sum = 0, most = -INFINITY;
    const float *row = logits + t * gate->experts;
    for (size_t e = 0; e < gate->experts; ++e) {
      most = fmax(most, (double)row[e]);
    }
    for (size_t e = 0; e < gate->experts; ++e) {
      score[e] = gate->sigmoid ? 1 / (1 + exp(-(double)row[e])) : exp((double)row[e] - most);
      sum += score[e];
    }
    for (size_t e = 0; e < gate->experts; ++e) {
      score[e] = gate->sigmoid ? score[e] : score[e] / sum;
      choice[e] = score[e] + (with_bias ? (double)bias[e] : 0);
    }
    limit_groups(gate, coarse, choice);
    for (size_t j = 0; j < gate->top; ++j) {
      const size_t e = (size_t)chosen[t * gate->top + j];
      size_t better = 0, before = 0;
      assert_true(e < gate->experts);
      for (size_t o = 0; o < gate->experts; ++o) {
        better += choice[o] > choice[e] + 1e-6;
        before += choice[o] > choice[e] - 1e-6 && (choice[o] > choice[e] + 1e-6 || (coarse ? o < e : o == e));
      }
      CHECK(better <= j && before <= j + !coarse, "token %zu: place %zu has %zu", t, j, e);
      chosen_sum += score[e];
    }
    for (size_t j = 0; j < gate->top; ++j) {
      const double want = score[chosen[t * gate->top + j]] * (double)gate->scale / (gate->normalise ? chosen_sum : 1);
      assert_true(fabs((double)weights[t * gate->top + j] - want) <= 2e-6 * want);
      for (size_t i = 0; i < j; ++i) {
        assert_true(chosen[t * gate->top + i] != chosen[t * gate->top + j]);
      }
    }
  }
  free(logits);
  free(bias);
  free(chosen);
  free(weights);
}

TEST(gates) {
  num_rng_t rng;
  num_rng_seed(&rng, 6);
  static const struct {
    size_t experts, top, groups, kept;
  } sizes[] = {{1, 1, 1, 1},    {8, 2, 0, 0},   {8, 2, 4, 2},   {64, 6, 1, 1},
               {100, 16, 0, 0}, {160, 6, 8, 3}, {256, 8, 8, 4}, {512, 8, 2, 1}};
  for (size_t i = 0; i < ARRAY_LEN(sizes); ++i) {
    for (unsigned kind = 0; kind < 16; ++kind) {
      const num_step_gate_t gate = {20,   sizes[i].experts, sizes[i].top, kind % 2 != 0, kind / 2 % 2 != 0,
                                    2.5f, sizes[i].groups,  sizes[i].kept};
      check_gate(&rng, &gate, kind / 4 % 2 != 0, kind / 8 != 0);
    }
  }
}

TEST(gate_special) {
  const num_step_gate_t gate = {3, 4, 2, true, false, 1, 1, 1};
  const float logits[] = {0, 0, 0, 0, NAN, 1, 2, 3, 0, NAN, INFINITY, -INFINITY};
  int32_t chosen[6];
  float weights[6];
  num_step_gate(&gate, logits, NULL, chosen, weights);
  assert_true(chosen[0] == 0 && chosen[1] == 1 && weights[1] == 0.5f);
  assert_true(chosen[2] == INT32_MAX && chosen[3] == INT32_MAX);
  assert_true(chosen[4] == 2 && weights[4] == 1 && chosen[5] == 0 && weights[5] == 0.5f);
}

// Slots by counting: an expert's first is the number of choices of lower ones.
TEST(routing) {
  num_rng_t rng;
  num_rng_seed(&rng, 7);
  for (unsigned round = 0; round < 200; ++round) {
    enum { TOKENS = 40, TOP = 3, EXPERTS = 11 };
    int32_t chosen[TOKENS * TOP], slot[TOKENS * TOP];
    size_t begin[EXPERTS + 1];
    const size_t first = round % 4, here = round % 3 == 0 ? EXPERTS - first : 5;
    for (size_t i = 0; i < ARRAY_LEN(chosen); ++i) {
      chosen[i] = random_u32(&rng) % 50 == 0 ? INT32_MAX : (int32_t)(random_u32(&rng) % (round % 5 + 2));
    }
    num_step_route(&(num_step_routing_t){chosen, TOKENS, TOP, first, here}, slot, begin);
    for (size_t i = 0; i < ARRAY_LEN(chosen); ++i) {
      const int32_t e = chosen[i];
      size_t before = 0;
      for (size_t o = 0; o < ARRAY_LEN(chosen); ++o) {
        before += chosen[o] >= (int32_t)first && (chosen[o] < e || (o < i && chosen[o] == e));
      }
      const bool is_here = e >= (int32_t)first && e < (int32_t)(first + here);
      assert_int_equal(slot[i], is_here ? (int32_t)before : -1);
      assert_true(!is_here || (begin[e - (int32_t)first] <= before && before < begin[e - (int32_t)first + 1]));
    }
    assert_int_equal(begin[0], 0);
  }
}

TEST(gather_and_combine) {
  enum { TOKENS = 5, TOP = 2, COLS = 35, STRIDE = 48, SLOTS = 8 };
  static const int32_t chosen[] = {2, 5, 1, 2, 9, 1, 9, 0, 5, 2};  // 0 and 9 are not here
  num_rng_t rng;
  num_rng_seed(&rng, 8);
  const num_step_routing_t r = {chosen, TOKENS, TOP, 1, 6};
  int32_t slot[TOKENS * TOP];
  size_t begin[7];
  num_step_route(&r, slot, begin);
  assert_int_equal(begin[6], 7);
  num_fp16_t x[TOKENS * STRIDE], out[SLOTS * STRIDE];
  for (size_t i = 0; i < ARRAY_LEN(x); ++i) {
    x[i] = (num_fp16_t)i;
  }
  memset(out, 0xff, sizeof out);
  num_step_gather(&r, slot, x, COLS, STRIDE, out);
  static const size_t token_of[] = {1, 2, 0, 1, 4, 0, 4};
  for (size_t i = 0; i < ARRAY_LEN(out); ++i) {
    assert_int_equal(out[i], i / STRIDE < 7 && i % STRIDE < COLS ? token_of[i / STRIDE] * STRIDE + i % STRIDE : 0xffff);
  }
  float *y = normals(&rng, SLOTS * COLS, 1), *weights = normals(&rng, TOKENS * TOP, 1);
  float *shared = normals(&rng, TOKENS * COLS, 1), sum[TOKENS * COLS];
  for (unsigned with = 0; with < 2; ++with) {
    num_step_combine(&r, slot, y, weights, with != 0 ? shared : NULL, COLS, sum);
    for (size_t i = 0; i < ARRAY_LEN(sum); ++i) {
      double want = with != 0 ? (double)shared[i] : 0;
      for (size_t j = i / COLS * TOP; j < (i / COLS + 1) * TOP; ++j) {
        want += slot[j] < 0 ? 0 : (double)weights[j] * (double)y[(size_t)slot[j] * COLS + i % COLS];
      }
      assert_true(fabs((double)sum[i] - want) <= 1e-6);
      assert_true(i / COLS != 3 || same_f32(sum[i], with != 0 ? shared[i] : 0.0f));  // nobody of its is here
    }
  }
  free(y);
  free(weights);
  free(shared);
}

TEST(argmax) {
  static const struct {
    float x[5];
    int32_t want;
  } rows[] = {{{1, 3, 2, 3, 0}, 1},
              {{-5, -4, -4, -9, -4}, 1},
              {{NAN, 1, NAN, 2, NAN}, 3},
              {{NAN, NAN, NAN, NAN, NAN}, 0},
              {{-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY}, 0},
              {{0, -0.0f, INFINITY, INFINITY, 1}, 2},
              {{-0.0f, 0, -1, 0, -0.0f}, 0}};
  for (size_t i = 0; i < ARRAY_LEN(rows); ++i) {
    int32_t out;
    num_step_argmax(rows[i].x, 5, 1, 5, &out);
    CHECK(out == rows[i].want, "row %zu: %d", i, out);
  }
}
