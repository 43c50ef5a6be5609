// Made-up inputs and the golden of an attention problem: the same bits for any number of threads,
// and a sample of rows is what the full golden has in these rows.
// SPDX-License-Identifier: Apache-2.0
#include "cli_test.h"
#include "host/parallel.h"
#include "kernel/attention/attention.h"
#include "num/num_rng.h"

enum { BATCH = 5, ROWS = 70, KEYS = 90, DK = 24, DV = 16 };

static attention_problem_t shape(void) {
  return (attention_problem_t){.batch = BATCH,
                               .seq_q = 2,
                               .heads = ROWS / 2,
                               .rows = ROWS,
                               .keys = KEYS,
                               .dk = DK,
                               .dv = DV,
                               .block = 16,
                               .scale = 0.2f};
}

static made_up_t normal(double width, uint64_t seed) {
  return (made_up_t){.distribution = {DISTRIBUTION_NORMAL, width}, .seed = seed};
}

static attention_problem_t made_up(const made_up_t *from) {
  attention_problem_t problem = shape();
  base_error_t error;
  assert_true(attention_make_up(&problem, from, &error));
  return problem;
}

// Entries first .. end - 1 are made.
static bool hold(void *context, size_t first, size_t end) {
  const attention_problem_t *problem = context;
  for (size_t entry = first; entry < end; ++entry) {
    attention_hold(problem, entry);
  }
  return true;
}

TEST(parallel_covers_all) {
  assert_in_range(parallel_host_threads(), 1, PARALLEL_MAX_THREADS);
  const made_up_t from = normal(1.5, 7);
  attention_problem_t one = made_up(&from);
  hold(&one, 0, BATCH);
  for (size_t threads = 0; threads <= PARALLEL_MAX_THREADS + 1; ++threads) {
    attention_problem_t more = made_up(&from);
    assert_true(parallel_for(threads, BATCH, hold, &more));
    assert_memory_equal(more.q, one.q, BATCH * ROWS * DK * sizeof *one.q);
    assert_memory_equal(more.k, one.k, BATCH * KEYS * DK * sizeof *one.k);
    attention_free(&more);
  }
  attention_free(&one);
}

TEST(streams_of_arrays) {
  const made_up_t from = normal(1.5, 7);
  attention_problem_t problem = made_up(&from);
  hold(&problem, 0, BATCH);
  uint16_t want[KEYS * DK];
  for (size_t entry = 0; entry < BATCH; ++entry) {
    num_rng_normal_bf16(7, 2 * entry, 0, ROWS * DK, 1.5, want);
    assert_memory_equal(problem.q + entry * ROWS * DK, want, ROWS * DK * sizeof *want);
    num_rng_normal_bf16(7, 2 * entry + 1, 0, KEYS * DK, 1.5, want);
    assert_memory_equal(problem.k + entry * KEYS * DK, want, KEYS * DK * sizeof *want);
  }
  attention_free(&problem);

  const made_up_t uniform = {.distribution = {DISTRIBUTION_UNIFORM, 3.0}, .seed = 8};
  problem = made_up(&uniform);
  attention_hold(&problem, 1);
  num_rng_uniform_bf16(8, 3, 0, KEYS * DK, 3.0, want);
  assert_memory_equal(problem.k + KEYS * DK, want, sizeof want);
  attention_free(&problem);
}

TEST(too_large_is_refused) {
  const made_up_t from = normal(1.0, 0);
  attention_problem_t problem = shape();
  base_error_t error;
  problem.keys = (size_t)1 << 30;
  assert_false(attention_make_up(&problem, &from, &error));
  assert_contains(error.text, "made-up inputs");
  attention_free(&problem);
}

TEST(rows_are_spread) {
  attention_run_t run = {.problem = shape()};
  const judge_answer_t answer = attention_answer(&run.kernel);
  for (size_t per_entry = 1; per_entry <= ROWS; ++per_entry) {
    for (size_t entry = 0; entry < BATCH; ++entry) {
      size_t before = 0;
      for (size_t i = 0; i < per_entry; ++i) {
        const size_t row = judge_row(&answer, per_entry, entry * per_entry + i) - entry * ROWS;
        assert_true(row < ROWS && (i == 0 || row > before));
        assert_true(per_entry != ROWS || row == i);
        // One in each of per_entry parts of the rows, as equal as whole numbers allow.
        assert_true(row + 1 > i * ROWS / per_entry && row * per_entry < (i + 1) * ROWS);
        before = row;
      }
    }
  }
  // Different ones in different entries.
  assert_true(judge_row(&answer, 2, 0) != judge_row(&answer, 2, 2) - ROWS);
}

static size_t judged(const attention_problem_t *problem, golden_choice_t choice) {
  attention_run_t run = {.problem = *problem};
  const judge_answer_t answer = attention_answer(&run.kernel);
  return judge_rows(&answer, choice);
}

TEST(how_many_rows) {
  attention_problem_t p = shape();
  assert_int_equal(judged(&p, GOLDEN_NONE), 0);
  assert_int_equal(judged(&p, GOLDEN_AUTO), ROWS);
  assert_int_equal(judged(&p, GOLDEN_SAMPLE), ROWS);  // within 2 GFLOP anyway

  p.batch = 1;
  p.rows = 256;
  p.dk = 576;
  p.dv = 512;
  p.keys = 7180;  // 3.9998 GFLOP
  assert_int_equal(judged(&p, GOLDEN_AUTO), 256);
  assert_int_equal(judged(&p, GOLDEN_SAMPLE), 128);
  p.keys = 7181;  // 4.0004
  assert_int_equal(judged(&p, GOLDEN_AUTO), 127);
  assert_int_equal(judged(&p, GOLDEN_FULL), 256);

  p.batch = 96;  // one row of each takes 3.4 GFLOP
  p.keys = 16384;
  assert_int_equal(judged(&p, GOLDEN_AUTO), 2);
  p.rows = 1;
  assert_int_equal(judged(&p, GOLDEN_SAMPLE), 1);
}

TEST(sample_is_part_of_full) {
  static const size_t samples[] = {1, 2, 7, 33, 69, ROWS};
  const made_up_t from = normal(1.5, 9);
  attention_run_t run = {.problem = made_up(&from)};
  for (int masked = 0; masked < 2; ++masked) {
    if (masked) {
      run.problem.visible = malloc(ROWS * KEYS);
      for (size_t i = 0; i < ROWS * KEYS; ++i) {
        run.problem.visible[i] = i * 7 % 11 > i / KEYS % 11;
      }
    }
    judge_answer_t answer = attention_answer(&run.kernel);
    static double full[BATCH][ROWS][DV];
    static double sample[BATCH * ROWS * DV];
    for (size_t entry = 0; entry < BATCH; ++entry) {
      const num_attn_t attn = attention_num(&run.problem, entry);
      attention_hold(&run.problem, entry);
      assert_int_equal(num_attn_golden(&attn, full[entry][0]), 0);
      attention_let_go(&run.problem, entry);
    }
    for (size_t s = 0; s < sizeof samples / sizeof *samples; ++s) {
      for (answer.threads = 1; answer.threads <= 3; ++answer.threads) {
        memset(sample, 0, sizeof sample);
        assert_true(judge_fp64(&answer, samples[s], sample));
        for (size_t i = 0; i < BATCH * samples[s]; ++i) {
          const size_t row = judge_row(&answer, samples[s], i);
          assert_memory_equal(sample + i * DV, full[row / ROWS][row % ROWS], sizeof full[0][0]);
        }
      }
    }
  }
  attention_free(&run.problem);
}
