// Every vector operation against one element at a time, on tiles of all shapes, in place and not.
// The whole of UB is compared, so that a byte written beside the tile is seen too.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "core_test.h"

enum { SEED = 4711 };

static const struct {
  uint32_t rows, cols;
} shapes[] = {
    {1, 1}, {1, 7}, {3, 8}, {8, 16}, {9, 63}, {2, 64}, {17, 65}, {5, 200}, {16, 128}, {3, 513}, {33, 24}, {6, 256},
};

static int setup(void **state) {
  *state = make_fixture(CORE_VECTOR, SEED);
  return 0;
}

// Gaussian values, one in eight something special.
static uint32_t random_word(num_rng_t *rng) {
  static const uint32_t special[] = {0x00000000u, 0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0x00000001u,
                                     0x807fffffu, 0x3f000000u, 0x3fc00000u, 0x40200000u, 0x4f000000u, 0xcf000000u,
                                     0x4effffffu, 0xcf000001u, 0x7f7fffffu, 0xff7fffffu};
  if (random_below(rng, 8) == 0) {
    return special[random_below(rng, ARRAY_LEN(special))];
  }
  return num_f32_bits((float)(num_rng_normal(rng) * 8.0));
}

static void fill_ub(fixture_t *f) {
  for (size_t i = 0; i < f->memory.bytes[SPACE_UB] / 4; ++i) {
    put32(f->memory.base[SPACE_UB], i, random_word(&f->rng));
  }
}

static bool is_nan(uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u; }

// Runs the command and compares all of UB with expected, where any NaN is as good as another.
static void run_and_compare(fixture_t *f, const command_t *c) {
  run(CORE_VECTOR, &f->memory, c);
  for (size_t i = 0; i < f->memory.bytes[SPACE_UB] / 4; ++i) {
    const uint32_t got = get32(f->memory.base[SPACE_UB], i);
    const uint32_t want = get32(f->expected.base[SPACE_UB], i);
    if (got != want && !(is_nan(got) && is_nan(want))) {
      char text[256];
      core_disassemble(c, text, sizeof text);
      CHECK(false, "%s: word at 0x%zx is %08x, not %08x", text, i * 4, got, want);
    }
  }
}

static uint32_t element(const cmd_vec_t *c, uint32_t xb, uint32_t yb, uint32_t zb) {
  const float x = num_f32_from_bits(xb);
  const float y = num_f32_from_bits(yb);
  const float z = num_f32_from_bits(zb);
  switch (c->op) {
    case VOP_ADD:
      return num_f32_bits(x + y);
    case VOP_SUB:
      return num_f32_bits(x - y);
    case VOP_MUL:
      return num_f32_bits(x * y);
    case VOP_DIV:
      return num_f32_bits(x / y);
    case VOP_MAX:
      return x > y ? xb : yb;
    case VOP_MIN:
      return x < y ? xb : yb;
    case VOP_FMA:
      return num_f32_bits(fmaf(x, y, z));
    case VOP_EXP:
      return num_f32_bits((float)exp((double)x));
    case VOP_BROADCAST:
      return yb;
    default:
      fail();
      return 0;
  }
}

// b of element [r][col], from the memory before the command.
static uint32_t operand_b(const uint8_t *ub, const cmd_vec_t *c, size_t r, size_t col) {
  switch (c->b_kind) {
    case OPERAND_TILE:
      return get32(ub + c->b + r * c->b_pitch, col);
    case OPERAND_ROW:
      return get32(ub + c->b, r);
    default:
      return c->scalar;
  }
}

static bool is_sum_or_product(uint32_t op) { return op <= VOP_EXP || op == VOP_BROADCAST; }

TEST_WITH(arithmetic, setup, free_fixture) {
  fixture_t *f = *state;
  enum { APART, OVER_A, OVER_B, PLACES };
  for (uint32_t op = 0; op < VOP_COUNT; ++op) {
    if (!is_sum_or_product(op)) {
      continue;
    }
    for (uint32_t i = 0; i < ARRAY_LEN(shapes) * OPERAND_COUNT * PLACES * 2; ++i) {
      const uint32_t rows = shapes[i % ARRAY_LEN(shapes)].rows;
      const uint32_t cols = shapes[i % ARRAY_LEN(shapes)].cols;
      const uint32_t kind = i / ARRAY_LEN(shapes) % OPERAND_COUNT;
      const uint32_t place = i / ARRAY_LEN(shapes) / OPERAND_COUNT % PLACES;
      const bool gap = i / ARRAY_LEN(shapes) / OPERAND_COUNT / PLACES != 0;
      if ((place == OVER_B && kind != OPERAND_TILE) || (op == VOP_BROADCAST && kind == OPERAND_TILE)) {
        continue;
      }
      const uint32_t pitch = (uint32_t)round_up(cols * 4, 32) + (gap ? 32 : 0);
      const uint32_t a = 0x0020;
      const uint32_t b = 0x8000;
      const uint32_t dst = place == APART ? 0x18000 : place == OVER_A ? a : b;
      const command_t c = COMMAND_OF(VEC, vec, V, .op = op, .rows = rows, .cols = cols, .dst = dst, .dst_pitch = pitch,
                                     .a = a, .a_pitch = pitch, .b = b, .b_pitch = pitch, .c = 0x10000,
                                     .c_pitch = pitch + 32, .b_kind = kind, .scalar = random_word(&f->rng));
      fill_ub(f);
      copy_memory(&f->expected, &f->memory);
      const uint8_t *before = f->memory.base[SPACE_UB];
      for (size_t r = 0; r < rows; ++r) {
        for (size_t col = 0; col < cols; ++col) {
          put32(f->expected.base[SPACE_UB] + dst + r * pitch, col,
                element(&c.vec, get32(before + a + r * pitch, col), operand_b(before, &c.vec, r, col),
                        get32(before + 0x10000 + r * (pitch + 32), col)));
        }
      }
      run_and_compare(f, &c);
    }
  }
}

// Lane `first` of a tree of so many lanes, which there is: its columns, 64 apart, then the other half's lane, if
// there is one.
static float tree(const uint8_t *row, size_t cols, size_t first, size_t lanes) {
  if (lanes < 64) {
    const float low = tree(row, cols, first, 2 * lanes);
    return first + lanes < cols ? low + tree(row, cols, first + lanes, 2 * lanes) : low;
  }
  float sum = num_f32_from_bits(get32(row, first));
  for (size_t col = first + 64; col < cols; col += 64) {
    sum += num_f32_from_bits(get32(row, col));
  }
  return sum;
}

TEST_WITH(reductions, setup, free_fixture) {
  fixture_t *f = *state;
  for (uint32_t i = 0; i < ARRAY_LEN(shapes) * 24; ++i) {
    const uint32_t rows = shapes[i / 24].rows;
    const uint32_t cols = shapes[i / 24].cols;
    static const uint32_t ops[] = {VOP_ROW_MAX, VOP_ROW_SUM, VOP_ROW_TREE};
    const uint32_t op = ops[i % 3];
    const uint32_t pitch = (uint32_t)round_up(cols * 4, 32) + 32 * (i % 3);
    const command_t c =
        COMMAND_OF(VEC, vec, V, .op = op, .rows = rows, .cols = cols, .dst = 0x20000, .a = 64, .a_pitch = pitch);
    fill_ub(f);
    if (i % 4 >= 2) {  // no NaN, small values and zeros of both signs
      for (size_t w = 0; w < f->memory.bytes[SPACE_UB] / 4; ++w) {
        const uint32_t sign = random_below(&f->rng, 2) << 31;
        put32(f->memory.base[SPACE_UB], w, random_below(&f->rng, 3) == 0 ? sign : 0x80000000u | 0x3f000000u);
      }
    }
    copy_memory(&f->expected, &f->memory);
    for (size_t r = 0; r < rows; ++r) {
      const uint8_t *row = f->memory.base[SPACE_UB] + 64 + r * pitch;
      float fold = num_f32_from_bits(get32(row, 0));
      for (size_t col = 1; col < cols; ++col) {
        const float x = num_f32_from_bits(get32(row, col));
        fold = op == VOP_ROW_SUM ? fold + x : x > fold ? x : fold;
      }
      fold = op == VOP_ROW_TREE ? tree(row, cols, 0, 1) : fold;
      put32(f->expected.base[SPACE_UB] + 0x20000, r, num_f32_bits(fold));
    }
    run_and_compare(f, &c);
  }
}

// (2^24 + 1) + 1 = 2^24 from the left; any tree would find the 2.
TEST_WITH(sum_is_a_left_fold, setup, free_fixture) {
  fixture_t *f = *state;
  memset(f->memory.base[SPACE_UB], 0, f->memory.bytes[SPACE_UB]);
  put32(f->memory.base[SPACE_UB], 0, num_f32_bits(0x1p24f));
  for (size_t i = 1; i < 101; ++i) {
    put32(f->memory.base[SPACE_UB], i, num_f32_bits(1.0f));
  }
  const command_t c =
      COMMAND_OF(VEC, vec, V, .op = VOP_ROW_SUM, .rows = 1, .cols = 101, .dst = 0x1000, .a = 0, .a_pitch = 512);
  run(CORE_VECTOR, &f->memory, &c);
  assert_int_equal(get32(f->memory.base[SPACE_UB] + 0x1000, 0), num_f32_bits(0x1p24f));
  // A row of -0 sums to -0: the fold starts from the first element, not from +0.
  for (size_t i = 0; i < 101; ++i) {
    put32(f->memory.base[SPACE_UB], i, 0x80000000u);
  }
  run(CORE_VECTOR, &f->memory, &c);
  assert_int_equal(get32(f->memory.base[SPACE_UB] + 0x1000, 0), 0x80000000u);
}

static void put_bit(uint8_t *bytes, size_t i, bool bit) {
  bytes[i / 8] = (uint8_t)((bytes[i / 8] & ~(1u << (i % 8))) | ((unsigned)bit << (i % 8)));
}

TEST_WITH(comparisons, setup, free_fixture) {
  fixture_t *f = *state;
  for (uint32_t i = 0; i < ARRAY_LEN(shapes) * OPERAND_COUNT * 8; ++i) {
    const uint32_t rows = shapes[i / 8 % ARRAY_LEN(shapes)].rows;
    const uint32_t cols = shapes[i / 8 % ARRAY_LEN(shapes)].cols;
    const uint32_t op = i % 2 ? VOP_CMP_GT : VOP_CMP_EQ;
    const bool in_place = i % 8 == 7;
    const uint32_t pitch = (uint32_t)round_up(cols * 4, 32);
    const uint32_t mask_pitch = in_place ? pitch : (uint32_t)round_up((cols + 7) / 8, 32);
    const uint32_t dst = in_place ? 0 : 0x20000;
    const command_t c = COMMAND_OF(VEC, vec, V, .op = op, .rows = rows, .cols = cols, .dst = dst,
                                   .dst_pitch = mask_pitch, .a = 0, .a_pitch = pitch, .b = 0x10000, .b_pitch = pitch,
                                   .b_kind = i / 8 / ARRAY_LEN(shapes), .scalar = 0x3f000000u);
    fill_ub(f);
    for (size_t w = 0; w < 0x4000; w += 3) {  // some equal ones
      put32(f->memory.base[SPACE_UB], w, get32(f->memory.base[SPACE_UB] + 0x10000, w));
    }
    copy_memory(&f->expected, &f->memory);
    const uint8_t *before = f->memory.base[SPACE_UB];
    for (size_t r = 0; r < rows; ++r) {
      for (size_t col = 0; col < round_up(cols, 8); ++col) {
        bool bit = false;  // those that fill the last byte
        if (col < cols) {
          const float x = num_f32_from_bits(get32(before + r * pitch, col));
          const float y = num_f32_from_bits(operand_b(before, &c.vec, r, col));
          bit = op == VOP_CMP_GT ? x > y : x == y;
        }
        put_bit(f->expected.base[SPACE_UB] + dst + r * mask_pitch, col, bit);
      }
    }
    run(CORE_VECTOR, &f->memory, &c);
    expect_same(&f->memory, &f->expected, "comparison");
  }
}

TEST_WITH(selection, setup, free_fixture) {
  fixture_t *f = *state;
  for (uint32_t i = 0; i < ARRAY_LEN(shapes) * OPERAND_COUNT * 6; ++i) {
    const uint32_t rows = shapes[i / 6 % ARRAY_LEN(shapes)].rows;
    const uint32_t cols = shapes[i / 6 % ARRAY_LEN(shapes)].cols;
    const uint32_t kind = i / 6 / ARRAY_LEN(shapes);
    const uint32_t pitch = (uint32_t)round_up(cols * 4, 32) + 32 * (i % 2);
    const uint32_t mask_pitch = (uint32_t)round_up((cols + 7) / 8, 32);
    const uint32_t dst = i % 3 == 0 ? 0x18000 : i % 3 == 1 || kind != OPERAND_TILE ? 0 : 0x8000;
    const command_t c = COMMAND_OF(VEC, vec, V, .op = VOP_SELECT, .rows = rows, .cols = cols, .dst = dst,
                                   .dst_pitch = pitch, .a = 0, .a_pitch = pitch, .b = 0x8000, .b_pitch = pitch,
                                   .c = 0x10000, .c_pitch = mask_pitch, .b_kind = kind, .scalar = 0xff800000u);
    fill_ub(f);
    random_bytes(&f->rng, f->memory.base[SPACE_UB] + 0x10000, 0x8000);
    copy_memory(&f->expected, &f->memory);
    const uint8_t *before = f->memory.base[SPACE_UB];
    for (size_t r = 0; r < rows; ++r) {
      for (size_t col = 0; col < cols; ++col) {
        const uint8_t *mask = before + 0x10000 + r * mask_pitch;
        const bool bit = (mask[col / 8] >> (col % 8) & 1) != 0;
        put32(f->expected.base[SPACE_UB] + dst + r * pitch, col,
              bit ? get32(before + r * pitch, col) : operand_b(before, &c.vec, r, col));
      }
    }
    run(CORE_VECTOR, &f->memory, &c);
    expect_same(&f->memory, &f->expected, "SELECT");
  }
}

static int32_t to_s32(double x, bool nearest) {
  const double whole = nearest ? rint(x) : trunc(x);
  if (isnan(whole)) {
    return 0;
  }
  return whole >= 2147483647.0 ? INT32_MAX : whole <= -2147483648.0 ? INT32_MIN : (int32_t)whole;
}

TEST_WITH(casts, setup, free_fixture) {
  fixture_t *f = *state;
  static const struct {
    uint32_t from, to, round;
  } forms[] = {
      {TYPE_F32, TYPE_BF16, ROUND_NEAREST}, {TYPE_F32, TYPE_F16, ROUND_NEAREST}, {TYPE_F32, TYPE_S32, ROUND_NEAREST},
      {TYPE_F32, TYPE_S32, ROUND_TRUNC},    {TYPE_F32, TYPE_F32, ROUND_NEAREST}, {TYPE_BF16, TYPE_F32, ROUND_NEAREST},
      {TYPE_F16, TYPE_F32, ROUND_TRUNC},    {TYPE_S32, TYPE_F32, ROUND_NEAREST},
  };
  for (uint32_t i = 0; i < ARRAY_LEN(forms) * ARRAY_LEN(shapes) * 4; ++i) {
    const uint32_t from = forms[i / 4 % ARRAY_LEN(forms)].from;
    const uint32_t to = forms[i / 4 % ARRAY_LEN(forms)].to;
    const uint32_t round = forms[i / 4 % ARRAY_LEN(forms)].round;
    const uint32_t rows = shapes[i / 4 / ARRAY_LEN(forms)].rows;
    const uint32_t cols = shapes[i / 4 / ARRAY_LEN(forms)].cols;
    const bool in_place = i % 4 >= 2;
    const bool from_half = from == TYPE_BF16 || from == TYPE_F16;
    const bool to_half = to == TYPE_BF16 || to == TYPE_F16;
    const uint32_t wide = (uint32_t)round_up(cols * 4, 32) + 32 * (i % 2);
    const uint32_t narrow = in_place ? wide : (uint32_t)round_up(cols * 2, 32);
    const uint32_t a_pitch = from_half ? narrow : wide;
    const uint32_t dst_pitch = to_half ? narrow : wide;
    const uint32_t dst = in_place ? 32 : 0x18000;
    const command_t c =
        COMMAND_OF(VEC, vec, V, .op = VOP_CAST, .rows = rows, .cols = cols, .dst = dst, .dst_pitch = dst_pitch, .a = 32,
                   .a_pitch = a_pitch, .from = from, .to = to, .round = round, .b_kind = 99);
    fill_ub(f);
    if (from != TYPE_F32) {
      random_bytes(&f->rng, f->memory.base[SPACE_UB], 0x18000);
    }
    copy_memory(&f->expected, &f->memory);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t col = 0; col < cols; ++col) {
        const uint8_t *row = f->memory.base[SPACE_UB] + 32 + r * a_pitch;
        uint8_t *out = f->expected.base[SPACE_UB] + dst + r * dst_pitch;
        const float x = from == TYPE_BF16  ? num_bf16_to_f32(get16(row, col))
                        : from == TYPE_F16 ? num_fp16_to_f32(get16(row, col))
                        : from == TYPE_S32 ? (float)(int32_t)get32(row, col)
                                           : num_f32_from_bits(get32(row, col));
        if (to == TYPE_BF16) {
          put16(out, col, num_bf16_from_f32(x));
        } else if (to == TYPE_F16) {
          put16(out, col, num_fp16_from_f32(x));
        } else if (to == TYPE_S32) {
          put32(out, col, (uint32_t)to_s32((double)x, round == ROUND_NEAREST));
        } else {
          put32(out, col, num_f32_bits(from == TYPE_F32 ? rintf(x) : x));
        }
      }
    }
    run_and_compare(f, &c);
  }
}

// Into both types, onto the nibbles themselves as well.
TEST_WITH(nibbles, setup, free_fixture) {
  fixture_t *f = *state;
  for (uint32_t i = 0; i < 32; ++i) {
    const bool is_signed = i % 2 == 0;
    const bool wide = i / 2 % 2 == 0;
    const uint32_t rows = 1 + random_below(&f->rng, 12);
    const uint32_t cols = 8 * (1 + random_below(&f->rng, 80));
    const uint32_t size = wide ? 4 : 2;
    const uint32_t dst = i / 4 % 2 == 0 ? 0x18000 : 64;
    const uint32_t pitch = (uint32_t)round_up(cols * size, 32) + 32 * random_below(&f->rng, 2);
    const command_t c =
        COMMAND_OF(VEC, vec, V, .op = VOP_CAST, .rows = rows, .cols = cols, .dst = dst, .dst_pitch = pitch, .a = 64,
                   .a_pitch = pitch, .from = is_signed ? TYPE_S4 : TYPE_U4, .to = wide ? TYPE_F32 : TYPE_F16);
    random_bytes(&f->rng, f->memory.base[SPACE_UB], f->memory.bytes[SPACE_UB]);
    copy_memory(&f->expected, &f->memory);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t col = 0; col < cols; ++col) {
        const uint32_t word = get32(f->memory.base[SPACE_UB] + 64 + r * pitch, col / 8);
        const uint32_t nibble = word >> (4 * (col % 8)) & 15;
        const float x = (float)(is_signed && nibble > 7 ? (int)nibble - 16 : (int)nibble);
        uint8_t *out = f->expected.base[SPACE_UB] + dst + r * pitch;
        if (wide) {
          put32(out, col, num_f32_bits(x));
        } else {
          put16(out, col, num_fp16_from_f32(x));
        }
      }
    }
    run(CORE_VECTOR, &f->memory, &c);
    expect_same(&f->memory, &f->expected, "CAST of nibbles");
  }
}

// The FP16 numbers on both sides of an FP64 one, and the nearer of them; ties to even.
static uint16_t nearest_half(double x) {
  const uint16_t sign = signbit(x) ? 0x8000 : 0;
  uint16_t below = 0;
  for (uint16_t bit = 0x4000; bit != 0; bit /= 2) {
    const uint16_t tried = below | bit;
    if (tried <= 0x7c00 && (tried == 0x7c00 ? 65536.0 : (double)num_fp16_to_f32(tried)) <= fabs(x)) {
      below = tried;
    }
  }
  if (isnan(x) || isinf(x) || below == 0x7c00) {
    return isnan(x) ? 0x7e00 : sign | 0x7c00;
  }
  const double low = (double)num_fp16_to_f32(below);
  const double high = below == 0x7bff ? 65536.0 : (double)num_fp16_to_f32((uint16_t)(below + 1));
  const double middle = (low + high) / 2;
  const bool up = fabs(x) > middle || (fabs(x) == middle && below % 2 == 1);
  return (uint16_t)(sign | (below + (up ? 1 : 0)));
}

static bool same_half(uint16_t got, uint16_t want) {
  const bool nan = (got & 0x7fff) > 0x7c00 && (want & 0x7fff) > 0x7c00;
  return got == want || nan;
}

// Each operation rounds once: FP64 holds every sum and product of two FP16 numbers. b is a tile or one
// row for all rows; dst is apart, or a.
TEST_WITH(half_arithmetic, setup, free_fixture) {
  fixture_t *f = *state;
  static const uint32_t ops[] = {VOP_ADD, VOP_SUB, VOP_MUL};
  for (uint32_t i = 0; i < 3 * ARRAY_LEN(shapes) * 4; ++i) {
    const uint32_t op = ops[i % 3];
    const uint32_t rows = shapes[i / 3 % ARRAY_LEN(shapes)].rows;
    const uint32_t cols = shapes[i / 3 % ARRAY_LEN(shapes)].cols;
    const bool in_place = i / 3 / ARRAY_LEN(shapes) % 2 == 1;
    const uint32_t pitch = (uint32_t)round_up(cols * 2, 32) + 32;
    const uint32_t b_pitch = i / 3 / ARRAY_LEN(shapes) / 2 == 0 ? pitch : 0;
    const uint32_t dst = in_place ? 0x20 : 0x18000;
    const command_t c =
        COMMAND_OF(VEC, vec, V, .op = op, .rows = rows, .cols = cols, .dst = dst, .dst_pitch = pitch, .a = 0x20,
                   .a_pitch = pitch, .b = 0x10000, .b_pitch = b_pitch, .from = TYPE_F16, .to = TYPE_F16);
    random_bytes(&f->rng, f->memory.base[SPACE_UB], f->memory.bytes[SPACE_UB]);
    copy_memory(&f->expected, &f->memory);
    const uint8_t *before = f->expected.base[SPACE_UB];
    run(CORE_VECTOR, &f->memory, &c);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t col = 0; col < cols; ++col) {
        const double x = (double)num_fp16_to_f32(get16(before + 0x20 + r * pitch, col));
        const double y = (double)num_fp16_to_f32(get16(before + 0x10000 + r * b_pitch, col));
        const double exact = op == VOP_ADD ? x + y : op == VOP_SUB ? x - y : x * y;
        const uint16_t got = get16(f->memory.base[SPACE_UB] + dst + r * pitch, col);
        CHECK(same_half(got, nearest_half(exact)), "%a op %u %a: %04x, not %04x", x, op, y, got, nearest_half(exact));
      }
    }
    for (size_t r = 0; r < rows; ++r) {  // nothing beside the tile
      memcpy(f->expected.base[SPACE_UB] + dst + r * pitch, f->memory.base[SPACE_UB] + dst + r * pitch, cols * 2);
    }
    expect_same(&f->memory, &f->expected, "FP16");
  }
}

// FMA to FP16 where FP64 holds the exact value: small integers times FP16 numbers, and sums that FP32
// would round onto a tie.
TEST_WITH(half_fma, setup, free_fixture) {
  fixture_t *f = *state;
  enum { COUNT = 4096, A = 0, B_AT = 0x4000, C_AT = 0x8000, DST = 0xc000 };
  for (int turn = 0; turn < 6; ++turn) {
    uint8_t *ub = f->memory.base[SPACE_UB];
    for (size_t i = 0; i < COUNT; ++i) {
      const int q = (int)random_below(&f->rng, 24) - 8;
      float scale = num_fp16_to_f32((uint16_t)(random_below(&f->rng, 0x7c00)));
      float zero = num_fp16_to_f32((uint16_t)(random_below(&f->rng, 0x4c00)));
      if (turn % 2 == 1) {  // just beside a tie: 1 + 2^-11, and a little
        scale = 1;
        zero = -0x1p-11f + (random_below(&f->rng, 2) ? 0x1p-24f : -0x1p-24f);
      }
      put32(ub + A, i, num_f32_bits((float)q));
      put32(ub + B_AT, i, num_f32_bits(scale));
      put32(ub + C_AT, i, num_f32_bits(-(scale * zero)));
    }
    const command_t c = COMMAND_OF(VEC, vec, V, .op = VOP_FMA, .rows = 1, .cols = COUNT, .dst = DST, .a = A, .b = B_AT,
                                   .c = C_AT, .to = TYPE_F16);
    run(CORE_VECTOR, &f->memory, &c);
    for (size_t i = 0; i < COUNT; ++i) {
      const double x = (double)num_f32_from_bits(get32(ub + A, i));
      const double y = (double)num_f32_from_bits(get32(ub + B_AT, i));
      const double z = (double)num_f32_from_bits(get32(ub + C_AT, i));
      CHECK(same_half(get16(ub + DST, i), nearest_half(x * y + z)), "fma(%a, %a, %a): %04x", x, y, z,
            get16(ub + DST, i));
    }
  }
}

int main(void) {
  printf("seed %d\n", SEED);
  return test_run(NULL);
}
