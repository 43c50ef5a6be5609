// COPY_IN, COPY_OUT and COPY_L1 against loops over bytes and words.
// SPDX-License-Identifier: Apache-2.0
#include "core_test.h"
#include "num/num_gm.h"

enum { SEED = 7 };

static int setup(void **state) {
  fixture_t *f = make_fixture(CORE_VECTOR, SEED);
  fill_memory(f);
  *state = f;
  return 0;
}

TEST_WITH(copies_rows, setup, free_fixture) {
  fixture_t *f = *state;
  for (int i = 0; i < 100; ++i) {
    const bool in = i % 2 == 0;
    const uint32_t rows = 1 + random_below(&f->rng, 20);
    const uint32_t row_bytes = 1 + random_below(&f->rng, 300);
    const uint32_t ub = 32 * random_below(&f->rng, 100);
    const uint32_t ub_pitch = (uint32_t)round_up(row_bytes, 32) + 32 * random_below(&f->rng, 3);
    const uint64_t gm = random_below(&f->rng, 1000);
    const uint32_t gm_pitch = row_bytes + random_below(&f->rng, 50);
    const command_t copy_in = COMMAND_OF(COPY_IN, copy_in, MTE2, .gm = GM_BASE + gm, .gm_pitch = gm_pitch, .ub = ub,
                                         .ub_pitch = ub_pitch, .rows = rows, .row_bytes = row_bytes);
    const command_t copy_out = COMMAND_OF(COPY_OUT, copy_out, MTE3, .gm = GM_BASE + gm, .gm_pitch = gm_pitch, .ub = ub,
                                          .ub_pitch = ub_pitch, .rows = rows, .row_bytes = row_bytes, .op = GM_STORE);
    run(CORE_VECTOR, &f->memory, in ? &copy_in : &copy_out);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t byte = 0; byte < row_bytes; ++byte) {
        uint8_t *in_ub = &f->expected.base[SPACE_UB][ub + r * ub_pitch + byte];
        uint8_t *in_gm = &f->expected.base[SPACE_GM][gm + r * gm_pitch + byte];
        *(in ? in_ub : in_gm) = in ? *in_gm : *in_ub;
      }
    }
    expect_same(&f->memory, &f->expected, in ? "COPY_IN" : "COPY_OUT");
  }
}

// Row-major to strips; of a strip that is not whole the rest is 0.
TEST_WITH(direct_path, setup, free_fixture) {
  fixture_t *f = *state;
  core_memory_t memory = f->memory;
  const size_t bytes = 512u << 10;
  uint8_t *expected = malloc(bytes);
  assert_non_null(expected);
  memory.bytes[SPACE_L1] = memory.bytes[SPACE_PAIR_L1] = bytes;
  memory.base[SPACE_L1] = malloc(2 * bytes);
  assert_non_null(memory.base[SPACE_L1]);
  memory.base[SPACE_PAIR_L1] = memory.base[SPACE_L1] + bytes;
  random_bytes(&f->rng, memory.base[SPACE_L1], 2 * bytes);
  for (int i = 0; i < 100; ++i) {
    const uint32_t rows = 1 + random_below(&f->rng, 60);
    const uint32_t cols = 1 + random_below(&f->rng, 280);
    const uint32_t strip_rows = (uint32_t)round_up(rows + random_below(&f->rng, 40), 16);
    const uint32_t first = random_below(&f->rng, strip_rows - rows + 1);  // of a larger piece
    const uint32_t ub_pitch = (uint32_t)round_up(cols * 2, 32) + 32 * random_below(&f->rng, 2);
    const uint32_t pair = random_below(&f->rng, 2);
    uint8_t *l1 = memory.base[pair == 0 ? SPACE_L1 : SPACE_PAIR_L1];
    memcpy(expected, l1, bytes);
    const command_t c = COMMAND_OF(COPY_L1, copy_l1, MTE3, .ub = 96, .ub_pitch = ub_pitch, .l1 = 64 + first * 32,
                                   .l1_pitch = strip_rows * 32, .rows = rows, .cols = cols, .pair = pair);
    run(CORE_VECTOR, &memory, &c);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t col = 0; col < round_up(cols, 16); ++col) {
        const uint16_t x = col < cols ? get16(memory.base[SPACE_UB] + 96 + r * ub_pitch, col) : 0;
        put16(expected + 64, strip_index(strip_rows, first + r, col), x);
      }
    }
    assert_memory_equal(l1, expected, bytes);
  }
  expect_same(&f->memory, &f->expected, "COPY_L1");
  free(memory.base[SPACE_L1]);
  free(expected);
}

TEST_WITH(atomics_word_by_word, setup, free_fixture) {
  fixture_t *f = *state;
  for (uint32_t i = 0; i < 100; ++i) {
    const uint32_t op = GM_ADD_F32 + i % (GM_OP_COUNT - GM_ADD_F32);
    const uint32_t rows = 1 + random_below(&f->rng, 20);
    const uint32_t cols = 1 + random_below(&f->rng, 100);
    const uint32_t ub_pitch = (uint32_t)round_up(cols * 4, 32);
    const uint32_t gm_pitch = (cols + random_below(&f->rng, 3)) * 4;
    const command_t c =
        COMMAND_OF(COPY_OUT, copy_out, MTE3, .gm = GM_BASE + 8, .gm_pitch = gm_pitch, .ub = 64,
                   .ub_pitch = op == GM_RESCALE ? 0 : ub_pitch, .rows = rows, .row_bytes = cols * 4, .op = op);
    run(CORE_VECTOR, &f->memory, &c);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t col = 0; col < cols; ++col) {
        uint8_t *word = f->expected.base[SPACE_GM] + 8 + r * gm_pitch + col * 4;
        const uint8_t *ub = f->expected.base[SPACE_UB] + 64;
        const uint32_t x = op == GM_RESCALE ? get32(ub, r) : get32(ub + r * ub_pitch, col);
        put32(word, 0, num_gm_apply((enum num_gm_op)op, get32(word, 0), x, NULL));
      }
    }
    expect_same(&f->memory, &f->expected, "COPY_OUT");
  }
}

// With skip_zero a row of integers that are all 0 is not sent, nor counted; it would change nothing.
TEST(rows_of_zeros) {
  enum { ROWS = 3, COLS = 9, PITCH = 64 };
  core_memory_t memory = make_memory(CORE_VECTOR);
  memset(memory.base[SPACE_UB], 0, ROWS * PITCH);
  put32(memory.base[SPACE_UB] + PITCH, COLS - 1, 1);  // the last element of row 1
  put32(memory.base[SPACE_UB] + PITCH, COLS, 7);      // beyond the row
  command_t c = COMMAND_OF(COPY_OUT, copy_out, MTE3, .gm = GM_BASE, .gm_pitch = PITCH, .ub = 0, .ub_pitch = PITCH,
                           .rows = ROWS, .row_bytes = COLS * 4, .op = GM_ADD_S32, .skip_zero = 1);
  assert_int_equal(core_rows_sent(&memory, &c), 1);
  assert_true(!core_row_sent(&memory, &c.copy_out, 0) && core_row_sent(&memory, &c.copy_out, 1));
  c.copy_out.skip_zero = 0;
  assert_int_equal(core_rows_sent(&memory, &c), ROWS);
  put32(memory.base[SPACE_UB], 2, 5);  // with RESCALE the integers are packed: 0, 0, 5
  c.copy_out.skip_zero = 1;
  c.copy_out.op = GM_RESCALE;
  assert_int_equal(core_rows_sent(&memory, &c), 1);
  assert_true(core_row_sent(&memory, &c.copy_out, 2));
  char error[CORE_ERROR_BYTES];
  assert_true(core_check(CORE_VECTOR, &memory, &c, error));
  c.copy_out.op = GM_ADD_F32;
  assert_true(!core_check(CORE_VECTOR, &memory, &c, error));
  assert_non_null(strstr(error, "skip_zero"));
  free_memory(&memory);
}

int main(void) {
  printf("seed %d\n", SEED);
  return test_run(NULL);
}
