// Further operations that a decode step needs of a vector core: square roots, bits and integers, neighbours exchanged,
// casts to E4M3. Against formulas, one element at a time; the whole of UB is compared.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "core_test.h"

enum { SEED = 22, A = 0x0040, B = 0x10000, APART = 0x20000 };

static int setup(void **state) {
  fixture_t *f = make_fixture(CORE_VECTOR, SEED);
  fill_memory(f);
  *state = f;
  return 0;
}

static bool is_nan(uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u; }

// The nearest of all codes, the even one of two as near; beyond the largest, that.
static uint8_t nearest_code(double x) {
  uint8_t best = 0;
  double distance = INFINITY;
  for (unsigned code = 0; code < 0x7f; ++code) {
    const double value = code < 8 ? ldexp(code, -9) : ldexp(8 + code % 8, (int)(code / 8) - 10);
    const double off = fabs(fabs(x) - value);
    if (off < distance || (off == distance && code % 2 == 0)) {
      best = (uint8_t)code;
      distance = off;
    }
  }
  best = isinf(x) ? 0x7e : isnan(x) ? 0x7f : best;
  return (uint8_t)(best | (signbit(x) ? 0x80 : 0));
}

static uint32_t element(uint32_t op, uint32_t a, uint32_t other, uint32_t b) {
  switch (op) {
    case VOP_SQRT:
      return num_f32_bits((float)sqrt((double)num_f32_from_bits(a)));
    case VOP_RSQRT:
      return num_f32_bits((float)(1 / sqrtl((long double)num_f32_from_bits(a))));
    case VOP_RECIP:
      return num_f32_bits((float)(1 / (double)num_f32_from_bits(a)));
    case VOP_ABS:
      return a << 1 >> 1;
    case VOP_AND:
      return a & b;
    case VOP_ADD_S32:
      return (uint32_t)((uint64_t)a + b);
    default:
      return other;
  }
}

static uint32_t operand_b(const uint8_t *ub, const cmd_vec_t *c, size_t r, size_t col) {
  return c->b_kind == OPERAND_TILE  ? get32(ub + c->b + r * c->b_pitch, col)
         : c->b_kind == OPERAND_ROW ? get32(ub + c->b, r)
                                    : c->scalar;
}

static void run_and_compare(fixture_t *f, const command_t *c) {
  char text[256];
  core_disassemble(c, text, sizeof text);
  run(CORE_VECTOR, &f->memory, c);
  for (size_t i = 0; i < f->memory.bytes[SPACE_UB] / 4; ++i) {
    const uint32_t got = get32(f->memory.base[SPACE_UB], i), want = get32(f->expected.base[SPACE_UB], i);
    CHECK(got == want || (is_nan(got) && is_nan(want)), "%s: word at 0x%zx is %08x, not %08x", text, 4 * i, got, want);
  }
}

// Any bits, so that all kinds of numbers come; also in place, with gaps and without, and of each kind of b.
TEST_WITH(elements, setup, free_fixture) {
  static const uint32_t ops[] = {VOP_SQRT, VOP_AND, VOP_ADD_S32, VOP_SWAP, VOP_RSQRT, VOP_RECIP, VOP_ABS};
  fixture_t *f = *state;
  for (uint32_t i = 0; i < 700; ++i) {
    const uint32_t rows = 1 + random_below(&f->rng, 12), cols = 2 * (1 + random_below(&f->rng, 150));
    const uint32_t pitch = (uint32_t)round_up(4 * cols, 32) + (i % 3 == 0 ? 32 : 0);
    const command_t c =
        COMMAND_OF(VEC, vec, V, .op = ops[i % ARRAY_LEN(ops)], .rows = rows, .cols = cols, .dst = i % 5 < 2 ? A : APART,
                   .dst_pitch = pitch, .a = A, .a_pitch = pitch, .b = B, .b_pitch = pitch,
                   .b_kind = i / ARRAY_LEN(ops) % OPERAND_COUNT, .scalar = (uint32_t)num_rng_u64(&f->rng));
    fill_memory(f);
    const uint8_t *ub = f->memory.base[SPACE_UB];
    for (size_t r = 0; r < rows; ++r) {
      for (size_t col = 0; col < cols; ++col) {
        const uint8_t *row = ub + A + r * pitch;
        put32(f->expected.base[SPACE_UB] + c.vec.dst + r * pitch, col,
              element(c.vec.op, get32(row, col), get32(row, col % 2 == 0 ? col + 1 : col - 1),
                      operand_b(ub, &c.vec, r, col)));
      }
    }
    run_and_compare(f, &c);
  }
}

// Zeros of both signs, what is exact and what is not, the ends of the range.
TEST_WITH(functions_of_one_number, setup, free_fixture) {
  fixture_t *f = *state;
  uint8_t *ub = f->memory.base[SPACE_UB];
  static const float x[] = {0, -0.0f, 4, 2, -1, INFINITY, 0x1p-149f, NAN};
  enum { COUNT = ARRAY_LEN(x) };
  static const struct {
    uint32_t op, want[COUNT];
  } functions[] = {
      {VOP_SQRT, {0, 0x80000000u, 0x40000000u, 0x3fb504f3u, 0x7fc00000u, 0x7f800000u, 0x1a3504f3u, 0x7fc00000u}},
      {VOP_RSQRT, {0x7f800000u, 0xff800000u, 0x3f000000u, 0x3f3504f3u, 0x7fc00000u, 0, 0x64b504f3u, 0x7fc00000u}},
      {VOP_RECIP, {0x7f800000u, 0xff800000u, 0x3e800000u, 0x3f000000u, 0xbf800000u, 0, 0x7f800000u, 0x7fc00000u}},
      {VOP_ABS, {0, 0, 0x40800000u, 0x40000000u, 0x3f800000u, 0x7f800000u, 1, 0x7fc00000u}},
  };
  for (size_t k = 0; k < ARRAY_LEN(functions); ++k) {
    memcpy(ub + A, x, sizeof x);
    run(CORE_VECTOR, &f->memory,
        &COMMAND_OF(VEC, vec, V, .op = functions[k].op, .rows = 1, .cols = COUNT, .dst = A, .dst_pitch = 32, .a = A,
                    .a_pitch = 32));
    for (size_t i = 0; i < COUNT; ++i) {
      const uint32_t got = get32(ub + A, i), want = functions[k].want[i];
      CHECK(got == want || (is_nan(got) && is_nan(want)), "operation %u of %g is %08x", functions[k].op, (double)x[i],
            got);
    }
  }
}

// All codes and ties between them, and any numbers; in place the codes take a quarter of the row.
TEST_WITH(casts_to_e4m3, setup, free_fixture) {
  fixture_t *f = *state;
  for (uint32_t i = 0; i < 60; ++i) {
    const uint32_t rows = 1 + random_below(&f->rng, 5), cols = 1 + random_below(&f->rng, 600);
    const uint32_t a_pitch = (uint32_t)round_up(4 * cols, 32), pitch = (uint32_t)round_up(cols, 32);
    const bool in_place = i % 2 != 0;
    const command_t c = COMMAND_OF(VEC, vec, V, .op = VOP_CAST, .rows = rows, .cols = cols, .dst = in_place ? A : APART,
                                   .dst_pitch = in_place ? a_pitch : pitch, .a = A, .a_pitch = a_pitch,
                                   .from = TYPE_F32, .to = TYPE_E4M3);
    fill_memory(f);
    uint8_t *ub = f->memory.base[SPACE_UB];
    for (uint32_t w = 0; w < rows * a_pitch / 4; w += 1 + random_below(&f->rng, 3)) {
      const float size = ldexpf((float)random_below(&f->rng, 64), (int)random_below(&f->rng, 18) - 13);
      put32(ub + A, w, num_f32_bits(random_below(&f->rng, 2) ? size : -size));
    }
    copy_memory(&f->expected, &f->memory);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t col = 0; col < cols; ++col) {
        const float x = num_f32_from_bits(get32(ub + A + r * a_pitch, col));
        f->expected.base[SPACE_UB][c.vec.dst + r * c.vec.dst_pitch + col] = nearest_code((double)x);
      }
    }
    run(CORE_VECTOR, &f->memory, &c);
    expect_same(&f->memory, &f->expected, "cast to E4M3");
  }
}

TEST_WITH(checks, setup, free_fixture) {
  fixture_t *f = *state;
  char error[CORE_ERROR_BYTES];
  command_t c = COMMAND_OF(VEC, vec, V, .op = VOP_SWAP, .rows = 1, .cols = 7, .dst_pitch = 32, .a_pitch = 32);
  assert_false(core_check(CORE_VECTOR, &f->memory, &c, error));
  assert_string_equal(error, "VEC SWAP cols=7: expected an even number");
  c.vec.cols = 8;
  assert_true(core_check(CORE_VECTOR, &f->memory, &c, error));
}

TEST(costs) {
  const config_t config = {.vector = {.repeat_bytes = 256,
                                      .alu_cycles = 2.1,
                                      .alu_startup = 6,
                                      .scalar_cycles = 1,
                                      .scalar_startup = 5,
                                      .div_cycles = 4,
                                      .div_startup = 12,
                                      .cast_cycles = 1.5,
                                      .cast_startup = 10,
                                      .widen_cycles = 99,
                                      .e4m3_native_cycles = 2,
                                      .swap_cycles = 8,
                                      .swap_startup = 3}};
  command_t c = COMMAND_OF(VEC, vec, V, .op = VOP_SQRT, .rows = 2, .cols = 640, .dst_pitch = 2560, .a_pitch = 2560,
                           .b_pitch = 2560);
  assert_int_equal(core_cycles(&config, &c), 12 + 20 * 4);
  c.vec.op = VOP_RSQRT;
  assert_int_equal(core_cycles(&config, &c), 12 + 20 * 4);
  c.vec.op = VOP_RECIP;
  assert_int_equal(core_cycles(&config, &c), 12 + 20 * 4);
  c.vec.op = VOP_ABS;
  assert_int_equal(core_cycles(&config, &c), 5 + 20);
  c.vec.op = VOP_SWAP;
  assert_int_equal(core_cycles(&config, &c), 3 + 20 * 8);
  c.vec.op = VOP_AND;
  assert_int_equal(core_cycles(&config, &c), 6 + 42);
  c.vec.b_kind = OPERAND_SCALAR;
  assert_int_equal(core_cycles(&config, &c), 5 + 20);
  c.vec.op = VOP_CAST;
  c.vec.to = TYPE_E4M3;
  c.vec.dst_pitch = 640;
  assert_int_equal(core_cycles(&config, &c), 10 + 30 + 20);
}
