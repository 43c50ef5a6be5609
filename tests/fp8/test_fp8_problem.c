// Problems over an FP8 cache before any machine sees them: what is made up of them, and that pages,
// lists and masks change nothing in golden and contract but what they stand for.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "test.h"
#include "kernel/fp8/fp8.h"
#include "kernel/fp8/fp8_made_up.h"

enum { BATCH = 3, SEQ_Q = 2, HEADS = 3, CAPACITY = 75, ROWS = BATCH * SEQ_Q * HEADS };

static const int32_t lengths[BATCH] = {75, 0, 33};

static int32_t *copy(const int32_t *from, size_t count) {
  int32_t *to = malloc(count * sizeof *to);
  assert_non_null(to);
  memcpy(to, from, count * sizeof *to);
  return to;
}

static fp8_problem_t make(uint64_t seed, bool pages) {
  const made_up_t made_up = {.distribution = {DISTRIBUTION_NORMAL, 1.0}, .seed = seed};
  base_error_t error;
  fp8_problem_t p = {.batch = BATCH,
                     .seq_q = SEQ_Q,
                     .heads = HEADS,
                     .capacity = CAPACITY,
                     .slots = BATCH * CAPACITY,
                     .block = 32,
                     .scale = 0.125f};
  p.length = copy(lengths, BATCH);
  assert_true(fp8_make_up(&p, &made_up, NUM_FP8_SCALE_AMAX, pages, 2, &error));
  return p;
}

typedef struct results {
  float out[ROWS * FP8_VALUES], lse[ROWS];
} results_t;

static results_t *contract(const fp8_problem_t *p, size_t threads) {
  results_t *r = calloc(1, sizeof *r);
  assert_non_null(r);
  fp8_run_t run = {.kernel.ops = &fp8_ops,
                   .problem = *p,
                   .settings.attention = {.out_f32 = true, .machine.soc.threads = (unsigned)threads}};
  run.contract_lse = r->lse;
  kernel_expected_t expected;
  base_error_t error;
  assert_true(kernel_expected(&run.kernel, false, &expected, &error) && expected.count == ROWS * FP8_VALUES);
  for (size_t i = 0; i < expected.count; ++i) {
    r->out[i] = (float)expected.want[i];
  }
  free(expected.want);
  return r;
}

// Output, and log-sum-exp, of `rows` of each list.
typedef struct golden {
  double out[ROWS * FP8_VALUES], lse[ROWS];
} golden_t;

static golden_t *golden(const fp8_problem_t *p, bool quantised, size_t rows, size_t threads) {
  golden_t *r = calloc(1, sizeof *r);
  assert_non_null(r);
  fp8_run_t run = {.problem = *p, .settings.attention.machine.soc.threads = (unsigned)threads, .golden_lse = r->lse};
  const judge_answer_t answer = quantised ? fp8_answer(&run.kernel) : fp8_answer_unquantised(&run);
  assert_true(judge_fp64(&answer, rows, r->out));
  return r;
}

static bool same(const results_t *a, const results_t *b) { return memcmp(a, b, sizeof *a) == 0; }

static bool is_nothing(const uint8_t *token) {
  for (size_t i = 0; i < NUM_FP8_TOKEN_BYTES; ++i) {
    if (token[i] != 0xff) {
      return false;
    }
  }
  return true;
}

// --- what is made up --------------------------------------------------------------------------

TEST(pages_hold_the_tokens) {
  base_error_t error;
  fp8_problem_t flat = make(1, false);
  fp8_problem_t paged = make(1, true);
  assert_true(fp8_make_pages(&paged, 16, 7, &error));
  assert_int_equal(paged.pages, 5);
  assert_true(paged.slots > (5 + 3) * 16);  // some are nobody's
  uint8_t *used = calloc(paged.slots, 1);
  bool in_order = true;
  for (size_t entry = 0; entry < BATCH; ++entry) {
    for (size_t i = 0; i < (size_t)lengths[entry]; ++i) {
      const size_t slot = fp8_slot(&paged, entry, i);
      assert_true(slot < paged.slots && used[slot] == 0);
      used[slot] = 1;
      in_order = in_order && slot == fp8_slot(&flat, entry, i);
      assert_memory_equal(paged.tokens + slot * NUM_FP8_TOKEN_BYTES,
                          flat.tokens + fp8_slot(&flat, entry, i) * NUM_FP8_TOKEN_BYTES, NUM_FP8_TOKEN_BYTES);
      assert_memory_equal(paged.keys + slot * NUM_FP8_KEY, flat.keys + fp8_slot(&flat, entry, i) * NUM_FP8_KEY,
                          NUM_FP8_KEY * 2);
    }
  }
  assert_false(in_order);
  for (size_t slot = 0; slot < paged.slots; ++slot) {
    assert_int_equal(is_nothing(paged.tokens + slot * NUM_FP8_TOKEN_BYTES), !used[slot]);
  }
  for (size_t i = 0; i < BATCH * paged.pages; ++i) {
    const bool needed = (int32_t)(i % paged.pages * 16) < lengths[i / paged.pages];
    assert_int_equal(paged.block_table[i] >= 0, needed);
  }
  assert_true(is_nothing(flat.tokens + CAPACITY * NUM_FP8_TOKEN_BYTES));
  assert_false(is_nothing(flat.tokens + (CAPACITY - 1) * NUM_FP8_TOKEN_BYTES));
  free(used);
  fp8_free(&flat);
  fp8_free(&paged);
}

static void check_drawn(const fp8_problem_t *p, size_t list) {
  const size_t length = (size_t)lengths[fp8_entry_of(p, list)];
  uint8_t seen[CAPACITY] = {0};
  size_t positions = 0;
  for (size_t i = 0; i < p->topk; ++i) {
    const int32_t index = p->indices[list * p->topk + i];
    assert_true(index >= -1 && index < (int32_t)length);
    if (index >= 0) {
      assert_int_equal(seen[index]++, 0);
      ++positions;
    }
  }
  assert_int_equal(positions, length < p->topk ? length : p->topk);
}

TEST(indices_are_distinct) {
  base_error_t error;
  const size_t counts[] = {1, 20, CAPACITY, 200};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
    fp8_problem_t p = make(2, false);
    assert_true(fp8_make_indices(&p, counts[i], 5, &error));
    assert_int_equal(fp8_lists(&p), BATCH * SEQ_Q);
    for (size_t list = 0; list < fp8_lists(&p); ++list) {
      check_drawn(&p, list);
    }
    fp8_free(&p);
  }
}

// --- what it means ----------------------------------------------------------------------------

static void list_of_all(fp8_problem_t *p) {
  p->topk = CAPACITY;
  p->indices = malloc(BATCH * SEQ_Q * CAPACITY * sizeof *p->indices);
  p->topk_length = copy(lengths, BATCH);
  for (size_t i = 0; i < BATCH * SEQ_Q * CAPACITY; ++i) {
    p->indices[i] = (int32_t)(i % CAPACITY);
  }
}

// Pages, lists of everything and threads leave every bit as it is; a causal list is one with -1s.
TEST(the_same_in_other_words) {
  base_error_t error;
  for (int causal = 0; causal < 2; ++causal) {
    fp8_problem_t dense = make(3, false);
    fp8_problem_t paged = make(3, true);
    fp8_problem_t listed = make(3, false);
    assert_true(fp8_make_pages(&paged, 8, 9, &error));
    list_of_all(&listed);
    dense.causal = paged.causal = listed.causal = causal != 0;
    results_t *a = contract(&dense, 1);
    results_t *b = contract(&paged, 2);
    results_t *c = contract(&listed, 3);
    assert_true(same(a, b));
    assert_true(same(a, c));
    for (size_t i = 0; i < SEQ_Q * HEADS; ++i) {  // entry 1 is empty
      assert_true(isinf(a->lse[SEQ_Q * HEADS + i]) && a->lse[SEQ_Q * HEADS + i] > 0);
      assert_true(a->out[(SEQ_Q * HEADS + i) * FP8_VALUES] == 0.0f);
    }
    for (size_t list = 0; causal != 0 && list < fp8_lists(&listed); list += SEQ_Q) {
      const size_t length = (size_t)lengths[list / SEQ_Q];
      if (length > 0) {
        listed.indices[list * CAPACITY + length - 1] = -1;  // of the first token
      }
    }
    listed.causal = false;
    results_t *d = contract(&listed, 2);
    assert_true(same(a, d));
    free(a);
    free(b);
    free(c);
    free(d);
    fp8_free(&dense);
    fp8_free(&paged);
    fp8_free(&listed);
  }
}

TEST(golden_and_contract_agree) {
  base_error_t error;
  fp8_problem_t p = make(4, true);
  assert_true(fp8_make_pages(&p, 16, 1, &error) && fp8_make_indices(&p, 40, 1, &error));
  const float sink[HEADS] = {1.0f, -INFINITY, 3.0f};
  p.sink = malloc(sizeof sink);
  assert_non_null(p.sink);
  memcpy(p.sink, sink, sizeof sink);
  p.causal = true;
  results_t *r = contract(&p, 2);
  num_error_t error_of;
  golden_t *all = golden(&p, true, HEADS, 2);
  num_error(all->out, r->out, ROWS * FP8_VALUES, &error_of);
  assert_true(error_of.rel_fro < 3e-3);
  for (size_t i = 0; i < ROWS; ++i) {
    assert_true(fabs(all->lse[i] - (double)r->lse[i]) < 1e-5 || all->lse[i] == (double)r->lse[i]);
  }
  // Some rows are the same rows.
  golden_t *some = golden(&p, true, 1, 1);
  fp8_run_t run = {.problem = p};
  const judge_answer_t answer = fp8_answer(&run.kernel);
  for (size_t list = 0; list < fp8_lists(&p); ++list) {
    assert_memory_equal(some->out + list * FP8_VALUES, all->out + judge_row(&answer, 1, list) * FP8_VALUES,
                        FP8_VALUES * sizeof *some->out);
  }
  free(some);
  // The cache that was quantised is another one, but not by much.
  some = golden(&p, false, HEADS, 2);
  num_error(some->out, r->out, ROWS * FP8_VALUES, &error_of);
  assert_true(error_of.rel_fro > 1e-2 && error_of.rel_fro < 0.5);
  free(all);
  free(some);
  free(r);
  fp8_free(&p);
}

TEST(attended_counts) {
  base_error_t error;
  fp8_problem_t p = make(5, false);
  assert_int_equal(fp8_attended(&p), 75 + 33);
  fp8_run_t run = {.problem = p};
  const judge_answer_t answer = fp8_answer(&run.kernel);
  assert_int_equal(judge_rows(&answer, GOLDEN_AUTO), SEQ_Q * HEADS);
  assert_int_equal(judge_rows(&answer, GOLDEN_NONE), 0);
  assert_true(fp8_make_indices(&p, 50, 1, &error));
  assert_int_equal(fp8_attended(&p), 2 * (50 + 33));
  fp8_free(&p);
}
