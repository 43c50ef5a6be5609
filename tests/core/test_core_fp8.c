// Operations that the FP8 kernel needs of a vector core: casts from E4M3, factors for groups of columns,
// logarithms, column numbers, and gathers by a list.  Against loops over elements and formulas.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "core_test.h"

enum { SEED = 11, ROWS_MAX = 9 };

static int setup(void **state) {
  fixture_t *f = make_fixture(CORE_VECTOR, SEED);
  fill_memory(f);
  *state = f;
  return 0;
}

// The value of an E4M3 code by its definition.
static double e4m3(uint8_t code) {
  const int exponent = code >> 3 & 15;
  const int fraction = code & 7;
  const double magnitude = (code & 127) == 127 ? NAN
                           : exponent == 0     ? ldexp(fraction, -9)
                                               : ldexp(8 + fraction, exponent - 10);
  return (code & 128) != 0 ? -magnitude : magnitude;
}

static bool same_number(uint32_t bits, double x) {
  const float got = num_f32_from_bits(bits);
  return isnan(x) ? isnan(got) : num_f32_bits((float)x) == bits;
}

TEST_WITH(casts_every_code, setup, free_fixture) {
  fixture_t *f = *state;
  uint8_t *ub = f->memory.base[SPACE_UB];
  for (uint32_t i = 0; i < 3 * 256; ++i) {
    ub[i / 256 * 288 + i % 256] = (uint8_t)i;
  }
  const command_t c = COMMAND_OF(VEC, vec, V, .op = VOP_CAST, .rows = 3, .cols = 256, .dst = 0x4000, .dst_pitch = 1056,
                                 .a = 0, .a_pitch = 288, .from = TYPE_E4M3, .to = TYPE_F32, .round = ROUND_NEAREST);
  run(CORE_VECTOR, &f->memory, &c);
  for (uint32_t i = 0; i < 3 * 256; ++i) {
    const uint32_t bits = get32(ub + 0x4000 + i / 256 * 1056, i % 256);
    CHECK(same_number(bits, e4m3((uint8_t)i)), "code 0x%02x gives 0x%08x", i % 256, bits);
  }
  assert_true(same_number(get32(ub + 0x4000, 0x7e), 448.0));
  assert_true(same_number(get32(ub + 0x4000, 0x01), 0x1p-9));
}

TEST_WITH(scales_by_groups, setup, free_fixture) {
  fixture_t *f = *state;
  for (uint32_t cols = 1; cols <= 700; cols += 37) {
    uint8_t *ub = f->memory.base[SPACE_UB];
    const uint32_t rows = 1 + random_below(&f->rng, ROWS_MAX);
    const uint32_t pitch = (uint32_t)round_up(4 * cols, 32) + 32;
    const command_t c = COMMAND_OF(VEC, vec, V, .op = VOP_SCALE, .rows = rows, .cols = cols, .dst = 0x10000,
                                   .dst_pitch = pitch, .a = 0x10000, .a_pitch = pitch, .b = 0x20, .b_pitch = 544,
                                   .b_kind = OPERAND_SCALAR, .scalar = 0x40000000u);
    copy_memory(&f->expected, &f->memory);
    for (uint32_t r = 0; r < rows; ++r) {
      for (uint32_t col = 0; col < cols; ++col) {
        const float factor = num_f32_from_bits(get32(ub + 0x20 + r * 544, col / 128));
        const float x = num_f32_from_bits(get32(ub + 0x10000 + r * pitch, col));
        const float product = x * factor;
        put32(f->expected.base[SPACE_UB] + 0x10000 + r * pitch, col, num_f32_bits(product));
      }
    }
    run(CORE_VECTOR, &f->memory, &c);
    for (uint32_t i = 0; i < 192 * 1024 / 4; ++i) {
      const uint32_t got = get32(ub, i);
      const uint32_t expected = get32(f->expected.base[SPACE_UB], i);
      const bool both_nan = isnan(num_f32_from_bits(got)) && isnan(num_f32_from_bits(expected));
      CHECK(got == expected || both_nan, "%u x %u, word %u", rows, cols, i);
    }
  }
}

TEST_WITH(logarithms, setup, free_fixture) {
  fixture_t *f = *state;
  uint8_t *ub = f->memory.base[SPACE_UB];
  const float special[] = {0.0f, -0.0f, INFINITY, -1.0f, NAN, 1.0f, 0x1p-149f, 0x1.fffffep127f};
  for (uint32_t i = 0; i < 1000; ++i) {
    const uint32_t any = random_below(&f->rng, 0x7f800000u);
    const float x = i < ARRAY_LEN(special) ? special[i] : num_f32_from_bits(any);
    put32(ub, i, num_f32_bits(x));
  }
  const command_t c = COMMAND_OF(VEC, vec, V, .op = VOP_LN, .rows = 1, .cols = 1000, .dst = 0x8000, .dst_pitch = 4000,
                                 .a = 0, .a_pitch = 4000);
  run(CORE_VECTOR, &f->memory, &c);
  for (uint32_t i = 0; i < 1000; ++i) {
    const double x = num_f32_from_bits(get32(ub, i));
    const uint32_t got = get32(ub + 0x8000, i);
    CHECK(same_number(got, log(x)), "ln of %g is 0x%08x", x, got);
  }
}

TEST_WITH(column_numbers, setup, free_fixture) {
  fixture_t *f = *state;
  uint8_t *ub = f->memory.base[SPACE_UB];
  const command_t c = COMMAND_OF(VEC, vec, V, .op = VOP_COLUMN, .rows = 3, .cols = 17, .dst = 64, .dst_pitch = 96);
  run(CORE_VECTOR, &f->memory, &c);
  for (uint32_t i = 0; i < 3 * 17; ++i) {
    assert_true(same_number(get32(ub + 64 + i / 17 * 96, i % 17), i % 17));
  }
  // Rows that lie end to end are rows all the same.
  const command_t packed =
      COMMAND_OF(VEC, vec, V, .op = VOP_COLUMN, .rows = 3, .cols = 8, .dst = 0x1000, .dst_pitch = 32);
  run(CORE_VECTOR, &f->memory, &packed);
  for (uint32_t i = 0; i < 3 * 8; ++i) {
    assert_true(same_number(get32(ub + 0x1000, i), i % 8));
  }
}

// ---- Gathers ----

#define GATHER(...) COMMAND_OF(GATHER_IN, gather_in, MTE2, __VA_ARGS__)

TEST_WITH(gathers_rows, setup, free_fixture) {
  fixture_t *f = *state;
  uint8_t *gm = f->memory.base[SPACE_GM];
  for (uint32_t i = 0; i < 100; ++i) {
    const uint32_t page = i % 2 == 0 ? 1 : 1 + random_below(&f->rng, 7);
    const uint32_t rows = 1 + random_below(&f->rng, 40);
    const uint32_t first = random_below(&f->rng, 50);
    const uint32_t row_bytes = 1 + random_below(&f->rng, 200);
    const uint32_t pitch = row_bytes + random_below(&f->rng, 30);
    const uint32_t ub_pitch = (uint32_t)round_up(row_bytes, 32) + 32 * random_below(&f->rng, 2);
    for (uint32_t j = 0; j < 200; ++j) {
      put32(gm + 0x80, j, random_below(&f->rng, 4) == 0 ? UINT32_MAX : random_below(&f->rng, 300));
    }
    copy_memory(&f->expected, &f->memory);
    const command_t c = GATHER(.gm = GM_BASE + 4096, .gm_pitch = pitch, .list = GM_BASE + 0x80, .first = first,
                               .page = page, .ub = 64, .ub_pitch = ub_pitch, .rows = rows, .row_bytes = row_bytes);
    for (uint32_t r = 0; r < rows; ++r) {
      const uint32_t number = get32(gm + 0x80, (first + r) / page);
      const uint32_t from = number * page + (first + r) % page;
      uint8_t *to = f->expected.base[SPACE_UB] + 64 + r * ub_pitch;
      for (uint32_t byte = 0; byte < row_bytes; ++byte) {
        to[byte] = number == UINT32_MAX ? 0 : gm[4096 + (uint64_t)from * pitch + byte];
      }
    }
    run(CORE_VECTOR, &f->memory, &c);
    expect_same(&f->memory, &f->expected, "GATHER_IN");
  }
}

TEST_WITH(says_where_rows_are, setup, free_fixture) {
  fixture_t *f = *state;
  uint8_t *gm = f->memory.base[SPACE_GM];
  put32(gm, 0, 5);
  put32(gm, 1, UINT32_MAX);
  put32(gm, 2, (uint32_t)-2);
  const command_t c = GATHER(.gm = GM_BASE + 4096, .gm_pitch = 656, .list = GM_BASE, .first = 63, .page = 64,
                             .ub_pitch = 672, .rows = 130, .row_bytes = 656);
  uint64_t address = 0;
  assert_int_equal(core_gather_row(&f->memory, &c.gather_in, 0, &address), CORE_GATHER_ROW);
  assert_int_equal(address, GM_BASE + 4096 + (5 * 64 + 63) * 656);
  assert_int_equal(core_gather_row(&f->memory, &c.gather_in, 1, &address), CORE_GATHER_NOTHING);
  assert_int_equal(core_gather_row(&f->memory, &c.gather_in, 64, &address), CORE_GATHER_NOTHING);
  assert_int_equal(core_gather_row(&f->memory, &c.gather_in, 65, &address), CORE_GATHER_WRONG);
  // A number whose row is beyond 2^32 bytes.
  put32(gm, 0, INT32_MAX);
  assert_int_equal(core_gather_row(&f->memory, &c.gather_in, 0, &address), CORE_GATHER_ROW);
  assert_true(address == GM_BASE + 4096 + (UINT64_C(64) * INT32_MAX + 63) * 656);
}

TEST(accesses) {
  const command_t gather = GATHER(.gm = GM_BASE + 4096, .gm_pitch = 656, .list = GM_BASE + 100, .first = 63, .page = 64,
                                  .ub = 96, .ub_pitch = 672, .rows = 3, .row_bytes = 528);
  core_access_t access[CORE_MAX_ACCESSES];
  assert_int_equal(core_accesses(&gather, access), 2);
  assert_true(access[0].space == SPACE_GM && !access[0].write && access[0].base == GM_BASE + 100 &&
              access[0].rows == 1 && access[0].row_bytes == 8);
  assert_true(access[1].space == SPACE_UB && access[1].write && access[1].base == 96 && access[1].rows == 3 &&
              access[1].pitch == 672 && access[1].row_bytes == 528);
  const command_t scale = COMMAND_OF(VEC, vec, V, .op = VOP_SCALE, .rows = 4, .cols = 300, .dst = 0x4000,
                                     .dst_pitch = 1216, .a = 0x8000, .a_pitch = 1216, .b = 512, .b_pitch = 544);
  assert_int_equal(core_accesses(&scale, access), 3);
  assert_true(access[1].base == 512 && access[1].rows == 4 && access[1].pitch == 544 && access[1].row_bytes == 12);
  const command_t cast = COMMAND_OF(VEC, vec, V, .op = VOP_CAST, .rows = 4, .cols = 300, .dst_pitch = 1216, .a = 0x8000,
                                    .a_pitch = 320, .from = TYPE_E4M3, .to = TYPE_F32);
  assert_int_equal(core_accesses(&cast, access), 2);
  assert_true(access[0].row_bytes == 300 && access[1].row_bytes == 1200);
  const command_t column = COMMAND_OF(VEC, vec, V, .op = VOP_COLUMN, .rows = 1, .cols = 5, .dst = 32, .dst_pitch = 32);
  assert_int_equal(core_accesses(&column, access), 1);
  assert_true(access[0].write && access[0].row_bytes == 20);
}

// ---- Malformed ----

static void expect_message(const fixture_t *f, core_kind_t kind, command_t c, const char *message) {
  char error[CORE_ERROR_BYTES];
  const bool ok = core_check(kind, &f->memory, &c, error);
  CHECK(ok == (message == NULL), "%s", error);
  CHECK(message == NULL || strstr(error, message) != NULL, "'%s', expected '%s'", error, message);
}

TEST_WITH(malformed, setup, free_fixture) {
  const fixture_t *f = *state;
  const command_t good =
      GATHER(.gm = GM_BASE, .gm_pitch = 656, .list = GM_BASE, .page = 1, .ub_pitch = 544, .rows = 16, .row_bytes = 528);
  expect_message(f, CORE_VECTOR, good, NULL);
  command_t c = good;
  c.gather_in.page = 0;
  expect_message(f, CORE_VECTOR, c, "GATHER_IN page=0: expected 1 or more");
  c = good;
  c.gather_in.rows = 0;
  expect_message(f, CORE_VECTOR, c, "rows=0");
  c = good;
  c.gather_in.row_bytes = 0;
  expect_message(f, CORE_VECTOR, c, "row_bytes=0");
  c = good;
  c.gather_in.list += 2;
  expect_message(f, CORE_VECTOR, c, "list=0x4000000002: expected a multiple of 4");
  c = good;
  c.gather_in.first = UINT32_MAX - 14;
  expect_message(f, CORE_VECTOR, c, "first=4294967281: expected places below 2^32");
  c.gather_in.first--;
  expect_message(f, CORE_VECTOR, c, NULL);
  c = good;
  c.gather_in.ub_pitch = 528;
  expect_message(f, CORE_VECTOR, c, "ub_pitch=528: expected a multiple of 32");
  c = good;
  c.gather_in.ub = 0x2e000;
  expect_message(f, CORE_VECTOR, c, "leaves UB");
  expect_message(f, CORE_CUBE, good, "on a cube core: expected a vector core");

  const command_t cast = COMMAND_OF(VEC, vec, V, .op = VOP_CAST, .rows = 1, .cols = 8, .dst_pitch = 32, .a_pitch = 32,
                                    .from = TYPE_E4M3, .to = TYPE_F32, .round = ROUND_TRUNC);
  expect_message(f, CORE_VECTOR, cast, NULL);
  c = cast;
  c.vec.from = TYPE_F32;
  c.vec.to = TYPE_E4M3;
  expect_message(f, CORE_VECTOR, c, "expected ROUND_NEAREST");
  c.vec.from = TYPE_E4M3;
  c.vec.to = TYPE_BF16;
  expect_message(f, CORE_VECTOR, c, "expected TYPE_F32 on one side");

  const command_t scale = COMMAND_OF(VEC, vec, V, .op = VOP_SCALE, .rows = 2, .cols = 512, .dst_pitch = 2048,
                                     .a_pitch = 2048, .b = 512, .b_pitch = 544, .b_kind = OPERAND_COUNT);
  expect_message(f, CORE_VECTOR, scale, NULL);  // b_kind is not looked at
  c = scale;
  c.vec.b = 528;
  expect_message(f, CORE_VECTOR, c, "b=0x210: expected a multiple of 32");
  c = scale;
  c.vec.b = 192 * 1024 - 544;
  expect_message(f, CORE_VECTOR, c, "b=0x2fde0: tile of 560 bytes leaves UB");

  expect_message(f, CORE_CUBE, COMMAND_OF(PAIR_SET, pair_set, FIX, .flag = 15), NULL);
  expect_message(f, CORE_CUBE, COMMAND_OF(PAIR_SET, pair_set, FIX, .flag = 16), "PAIR_SET flag=16: expected 0 to 15");
  expect_message(f, CORE_VECTOR, COMMAND_OF(PAIR_WAIT, pair_wait, MTE3, .flag = 16),
                 "PAIR_WAIT flag=16: expected 0 to 15");
  expect_message(f, CORE_VECTOR, COMMAND_OF(PAIR_WAIT, pair_wait, FIX, .flag = 1), "expected a pipe of a vector core");
}

// ---- Cycles ----

static config_t machine(bool emulated) {
  return (config_t){.soc = {.clock_mhz = 1800, .flag_cycles = 1},
                    .vector = {.load_gbps = 100.9,
                               .repeat_bytes = 256,
                               .alu_cycles = 2.1,
                               .alu_startup = 6,
                               .scalar_cycles = 1,
                               .scalar_startup = 5,
                               .exp_cycles = 2,
                               .exp_startup = 13,
                               .cast_cycles = 1.53,
                               .cast_startup = 10,
                               .widen_cycles = 1,
                               .e4m3_emulated = emulated,
                               .e4m3_native_cycles = 2,
                               .e4m3_emulated_cycles = 7,
                               .group_cycles = 1,
                               .group_startup = 6,
                               .broadcast_cycles = 1,
                               .broadcast_startup = 7}};
}

static uint64_t cycles(bool emulated, command_t c) {
  const config_t config = machine(emulated);
  return core_cycles(&config, &c);
}

TEST(costs) {
  // A row of 512 is 4 repeats of 128 FP16 and 8 of 64 FP32: 4 x 2 + 8 x 1, or 4 x 7 + 8 x 1.
  const command_t cast = COMMAND_OF(VEC, vec, V, .op = VOP_CAST, .rows = 16, .cols = 512, .dst_pitch = 2048,
                                    .a_pitch = 544, .from = TYPE_E4M3, .to = TYPE_F32);
  assert_int_equal(cycles(false, cast), 10 + 16 * (4 * 2 + 8));
  assert_int_equal(cycles(true, cast), 10 + 16 * (4 * 7 + 8));
  // 100 columns: one repeat of 128, two of 64.
  command_t c = cast;
  c.vec.cols = 100;
  assert_int_equal(cycles(false, c), 10 + 16 * (2 + 2));
  // End to end, 16 x 128 bytes: 16 repeats and 32.
  c.vec.cols = 128;
  c.vec.a_pitch = 128;
  c.vec.dst_pitch = 512;
  assert_int_equal(cycles(false, c), 10 + 16 * 2 + 32);
  // Other casts are as they were, emulated or not.
  c = cast;
  c.vec.from = TYPE_BF16;
  c.vec.a_pitch = 1024;
  assert_int_equal(cycles(true, c), 206);  // 10 + 128 * 1.53 = 205.84
  const command_t scale = COMMAND_OF(VEC, vec, V, .op = VOP_SCALE, .rows = 16, .cols = 512, .dst_pitch = 2048,
                                     .a_pitch = 2048, .b_pitch = 544);
  assert_int_equal(cycles(false, scale), 6 + 16 * 8);
  c = scale;
  c.vec.b_kind = OPERAND_SCALAR;
  assert_int_equal(cycles(false, c), 6 + 16 * 8);
  assert_int_equal(
      cycles(false, COMMAND_OF(VEC, vec, V, .op = VOP_LN, .rows = 1, .cols = 64, .dst_pitch = 256, .a_pitch = 256)),
      13 + 2);
  assert_int_equal(cycles(false, COMMAND_OF(VEC, vec, V, .op = VOP_COLUMN, .rows = 1, .cols = 512, .dst_pitch = 2048)),
                   7 + 8);
  // 100.9 GB/s are 56.06 bytes a cycle.
  assert_int_equal(cycles(false, GATHER(.rows = 16, .row_bytes = 528, .page = 1)), 151);
  assert_int_equal(cycles(false, COMMAND_OF(PAIR_WAIT, pair_wait, V, .flag = 1)), 1);
}

TEST(texts) {
  char text[512];
  const command_t gather = GATHER(.gm = GM_BASE + 4096, .gm_pitch = 656, .list = GM_BASE + 100, .first = 63, .page = 64,
                                  .ub = 96, .ub_pitch = 672, .rows = 3, .row_bytes = 528);
  core_disassemble(&gather, text, sizeof text);
  assert_string_equal(text,
                      "GATHER_IN gm=0x4000001000 gm_pitch=656 list=0x4000000064 first=63 "
                      "page=64 ub=0x60 ub_pitch=672 rows=3 row_bytes=528");
  const command_t scale = COMMAND_OF(VEC, vec, V, .op = VOP_SCALE, .rows = 4, .cols = 512, .dst_pitch = 2048, .a = 0x20,
                                     .a_pitch = 2048, .b = 0x200, .b_pitch = 544);
  core_disassemble(&scale, text, sizeof text);
  assert_string_equal(text,
                      "VEC op=SCALE rows=4 cols=512 dst=0x0 dst_pitch=2048 a=0x20 "
                      "a_pitch=2048 b=0x200 b_pitch=544");
  const command_t cast = COMMAND_OF(VEC, vec, V, .op = VOP_CAST, .rows = 4, .cols = 512, .dst_pitch = 2048,
                                    .a_pitch = 544, .from = TYPE_E4M3, .to = TYPE_F32);
  core_disassemble(&cast, text, sizeof text);
  assert_string_equal(text,
                      "VEC op=CAST rows=4 cols=512 dst=0x0 dst_pitch=2048 a=0x0 a_pitch=544 "
                      "from=E4M3 to=F32 round=NEAREST");
  const command_t pair = COMMAND_OF(PAIR_SET, pair_set, MTE3, .flag = 7);
  core_disassemble(&pair, text, sizeof text);
  assert_string_equal(text, "PAIR_SET flag=7");
}
