// The attention engine as a whole, in all its arithmetics: how keys are cut into blocks and chunks,
// which keys take part, and what infinities and NaNs do.
// SPDX-License-Identifier: Apache-2.0
#include "num_test_engine.h"

enum { D = 32, KEYS = 300, QUERIES = 3 };

static const struct {
  num_design_t design;
  num_hfa_t hfa;
  double error;  // of 300 Gaussian keys with scores x 4, at most
} DESIGNS[] = {
    {NUM_DESIGN_HFA, HFA, 0.5},
    {NUM_DESIGN_HFA, HFA_CORRECTED, 0.06},
    {NUM_DESIGN_FA2, HFA, 0.06},
    {NUM_DESIGN_EXPMUL, HFA, 0.5},
};

static num_engine_t engine_of(size_t design, size_t blocks, size_t rows) {
  return (num_engine_t){DESIGNS[design].design, DESIGNS[design].hfa, D, blocks, rows};
}

static int setup(void **state) {
  problem_t *p = allocate(1, sizeof *p);
  *p = problem_new(QUERIES, KEYS, D, 4.0, 50);
  *state = p;
  return 0;
}

static int teardown(void **state) {
  problem_free(*state);
  free(*state);
  return 0;
}

// A result to compare others with.
static num_bf16_t *copy_of_out(const problem_t *p) {
  num_bf16_t *copy = allocate(p->queries * p->d, sizeof *copy);
  memcpy(copy, p->out, p->queries * p->d * sizeof *copy);
  return copy;
}

static void check_same(const problem_t *p, const num_bf16_t *expected, const char *what, size_t n) {
  CHECK(memcmp(p->out, expected, p->queries * p->d * sizeof *expected) == 0, "%s %zu", what, n);
}

static void check_all_are(const problem_t *p, num_bf16_t expected, const char *what, size_t n) {
  for (size_t i = 0; i < p->queries * p->d; ++i) {
    CHECK(p->out[i] == expected, "%s %zu, element %zu: %04x", what, n, i, p->out[i]);
  }
}

// ------------------------------------------------------------------ cutting

TEST_WITH(chunks_do_not_show_with_one_block, setup, teardown) {
  problem_t *p = *state;
  for (size_t design = 0; design < ARRAY_LEN(DESIGNS); ++design) {
    num_engine_t engine = engine_of(design, 1, KEYS);
    problem_run(p, &engine, NULL);
    num_bf16_t *whole = copy_of_out(p);
    static const size_t ROWS[] = {1, 2, 7, 64, 128, KEYS - 1, KEYS + 1, 1024};
    for (size_t i = 0; i < ARRAY_LEN(ROWS); ++i) {
      engine.rows = ROWS[i];
      problem_run(p, &engine, NULL);
      check_same(p, whole, "rows", ROWS[i]);
    }
    free(whole);
  }
}

// Blocks and chunks put together from the units: chunk after chunk, block after block.
static void attention_from_units(const num_engine_t *engine, const problem_t *p, size_t query, const uint8_t *valid,
                                 num_bf16_t *out) {
  num_element_t o[2][D + 1];
  num_triplet_t total = {.o = o[0]};
  num_triplet_t part = {.o = o[1]};
  num_engine_clear(engine, &total);
  for (size_t chunk = 0; chunk < p->s; chunk += engine->rows) {
    const size_t end = chunk + engine->rows < p->s ? chunk + engine->rows : p->s;
    const size_t run = (end - chunk + engine->blocks - 1) / engine->blocks;
    for (size_t b = 0; b < engine->blocks; ++b) {
      num_triplet_t *triplet = b == 0 ? &total : &part;
      if (b > 0) {
        num_engine_clear(engine, triplet);
      }
      for (size_t j = chunk + b * run; j < chunk + (b + 1) * run && j < end; ++j) {
        if (valid == NULL || valid[j]) {
          num_engine_fau(engine, p->scaled + query * D, p->k + j * D, p->v + j * D, NULL, 1, triplet);
        }
      }
      if (b > 0) {
        num_engine_acc(engine, &total, &part);
      }
    }
  }
  num_engine_divide(engine, &total, out);
}

static void check_from_units(problem_t *p, const num_engine_t *engine, const uint8_t *valid) {
  problem_run(p, engine, valid);
  for (size_t query = 0; query < p->queries; ++query) {
    num_bf16_t out[D];
    attention_from_units(engine, p, query, valid, out);
    CHECK(memcmp(out, p->out + query * D, sizeof out) == 0, "%zu blocks, %zu rows, %zu keys", engine->blocks,
          engine->rows, p->s);
  }
}

// Lengths that fill all blocks, leave the last ones shorter, or empty.
TEST_WITH(blocks_are_runs_of_keys, setup, teardown) {
  problem_t *p = *state;
  static const size_t LENGTHS[] = {1, 2, 3, 5, 8, 9, 63, 64, 65, 200, KEYS};
  for (size_t design = 0; design < ARRAY_LEN(DESIGNS); ++design) {
    for (size_t blocks = 1; blocks <= 8; blocks *= 2) {
      for (size_t i = 0; i < ARRAY_LEN(LENGTHS); ++i) {
        p->s = LENGTHS[i];
        const num_engine_t one_chunk = engine_of(design, blocks, KEYS);
        const num_engine_t chunks = engine_of(design, blocks, 64);
        check_from_units(p, &one_chunk, NULL);
        check_from_units(p, &chunks, NULL);
      }
    }
  }
}

TEST_WITH(every_cut_is_attention, setup, teardown) {
  problem_t *p = *state;
  for (size_t design = 0; design < ARRAY_LEN(DESIGNS); ++design) {
    for (size_t blocks = 1; blocks <= 8; blocks *= 2) {
      const num_engine_t engine = engine_of(design, blocks, 100);
      problem_run(p, &engine, NULL);
      const double error = problem_error(p, NULL);
      CHECK(error <= DESIGNS[design].error, "design %zu, %zu blocks: %g", design, blocks, error);
    }
  }
}

// ------------------------------------------------------------------ masks

TEST_WITH(masked_keys_do_not_count, setup, teardown) {
  problem_t *p = *state;
  uint8_t valid[KEYS];
  num_rng_t rng;
  num_rng_seed(&rng, 51);
  for (size_t j = 0; j < KEYS; ++j) {
    valid[j] = random_u32(&rng) % 3 != 0 && (j < 128 || j >= 192);  // one chunk without any
  }
  for (size_t design = 0; design < ARRAY_LEN(DESIGNS); ++design) {
    for (size_t blocks = 1; blocks <= 8; blocks *= 2) {
      const num_engine_t engine = engine_of(design, blocks, 64);
      check_from_units(p, &engine, valid);
      const double error = problem_error(p, valid);
      CHECK(error <= DESIGNS[design].error, "design %zu, %zu blocks: %g", design, blocks, error);
    }
  }
}

TEST_WITH(no_key_gives_zero, setup, teardown) {
  problem_t *p = *state;
  const uint8_t none[KEYS] = {0};
  p->k[5] = NUM_BF16_NAN;
  for (size_t design = 0; design < ARRAY_LEN(DESIGNS); ++design) {
    for (size_t blocks = 1; blocks <= 8; blocks *= 2) {
      const num_engine_t engine = engine_of(design, blocks, 64);
      problem_run(p, &engine, none);
      check_all_are(p, 0, "blocks", blocks);
      p->s = 0;
      problem_run(p, &engine, NULL);
      check_all_are(p, 0, "no keys, blocks", blocks);
      p->s = KEYS;
    }
  }
}

// ------------------------------------------------------------------ poison

static void check_poison(problem_t *p, num_bf16_t *where, const uint8_t *valid, bool poisons) {
  static const num_bf16_t BAD[] = {NUM_BF16_NAN, NUM_BF16_NEG_INF, 0x7f80, 0xff81};
  const num_bf16_t good = *where;
  for (size_t design = 0; design < ARRAY_LEN(DESIGNS); ++design) {
    for (size_t blocks = 1; blocks <= 4; blocks *= 4) {
      const num_engine_t engine = engine_of(design, blocks, 128);
      problem_run(p, &engine, valid);
      num_bf16_t *expected = copy_of_out(p);
      for (size_t i = 0; i < ARRAY_LEN(BAD); ++i) {
        *where = BAD[i];
        problem_run(p, &engine, valid);
        if (poisons) {
          check_all_are(p, NUM_BF16_NAN, "poison", i);
        } else {
          check_same(p, expected, "masked poison", i);
        }
        *where = good;
      }
      free(expected);
    }
  }
}

TEST_WITH(one_bad_number_poisons, setup, teardown) {
  problem_t *p = *state;
  check_poison(p, &p->k[0], NULL, true);
  check_poison(p, &p->v[(KEYS - 1) * D + D - 1], NULL, true);
  check_poison(p, &p->k[150 * D + 3], NULL, true);
}

TEST_WITH(a_bad_query_poisons_itself, setup, teardown) {
  problem_t *p = *state;
  for (size_t design = 0; design < ARRAY_LEN(DESIGNS); ++design) {
    const num_engine_t engine = engine_of(design, 4, 128);
    problem_run(p, &engine, NULL);
    num_bf16_t *expected = copy_of_out(p);
    const num_bf16_t good = p->scaled[D + 9];
    p->scaled[D + 9] = NUM_BF16_NAN;
    problem_run(p, &engine, NULL);
    p->scaled[D + 9] = good;
    for (size_t c = 0; c < D; ++c) {
      assert_int_equal(p->out[D + c], NUM_BF16_NAN);
      expected[D + c] = NUM_BF16_NAN;
    }
    check_same(p, expected, "other queries of design", design);
    free(expected);
  }
}

TEST_WITH(masked_bad_numbers_do_not, setup, teardown) {
  problem_t *p = *state;
  uint8_t valid[KEYS];
  memset(valid, 1, sizeof valid);
  valid[0] = valid[150] = valid[KEYS - 1] = 0;
  check_poison(p, &p->k[0], valid, false);
  check_poison(p, &p->v[150 * D + 3], valid, false);
  check_poison(p, &p->v[(KEYS - 1) * D + D - 1], valid, false);
}
