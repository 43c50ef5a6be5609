// Layouts against an index formula, MMAD against fmaf chains, and the whole way from GM to GM
// against num_matmul_ref.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "core/tensor.h"
#include "core_test.h"
#include "num/num_gm.h"
#include "num/product/num_matmul.h"

enum { SEED = 20240607 };

static int setup(void **state) {
  fixture_t *f = make_fixture(CORE_CUBE, SEED);
  fill_memory(f);
  *state = f;
  return 0;
}

static const struct {
  uint32_t rows, cols;
} shapes[] = {
    {1, 1},   {1, 16},   {16, 1},   {16, 16}, {17, 15},  {15, 17},
    {31, 33}, {128, 96}, {100, 90}, {5, 576}, {130, 47}, {288, 128},
};

TEST_WITH(load_nz_layout, setup, free_fixture) {
  fixture_t *f = *state;
  for (size_t i = 0; i < ARRAY_LEN(shapes); ++i) {
    const uint32_t rows = shapes[i].rows;
    const uint32_t cols = shapes[i].cols;
    const uint32_t pitch = cols * 2 + (uint32_t)(i % 3) * 10;
    const uint64_t gm = 6 + 2 * i;
    const uint32_t l1 = 32 * (uint32_t)i;
    const command_t c =
        COMMAND_OF(LOAD_NZ, load_nz, MTE2, .gm = GM_BASE + gm, .gm_pitch = pitch, .l1 = l1, .rows = rows, .cols = cols);
    run(CORE_CUBE, &f->memory, &c);
    for (size_t r = 0; r < round_up(rows, 16); ++r) {
      for (size_t col = 0; col < round_up(cols, 16); ++col) {
        const bool inside = r < rows && col < cols;
        put16(f->expected.base[SPACE_L1] + l1, strip_index(rows, r, col),
              inside ? get16(f->memory.base[SPACE_GM] + gm + r * pitch, col) : 0);
      }
    }
    expect_same(&f->memory, &f->expected, "LOAD_NZ");
  }
}

// Strips that lie in GM as they will in L1, columns that pad the last one with them.
TEST_WITH(load_nz_strips, setup, free_fixture) {
  fixture_t *f = *state;
  for (size_t i = 0; i < ARRAY_LEN(shapes); ++i) {
    const uint32_t rows = shapes[i].rows;
    const uint32_t cols = shapes[i].cols;
    const uint32_t pitch = rows * 32 + (uint32_t)(i % 3) * 10;
    const uint64_t gm = 6 + 2 * i;
    const uint32_t l1 = 32 * (uint32_t)i;
    const command_t c = COMMAND_OF(LOAD_NZ, load_nz, MTE2, .gm = GM_BASE + gm, .gm_pitch = pitch, .l1 = l1,
                                   .rows = rows, .cols = cols, .strips = 1);
    run(CORE_CUBE, &f->memory, &c);
    for (size_t r = 0; r < round_up(rows, 16); ++r) {
      for (size_t col = 0; col < round_up(cols, 16); ++col) {
        put16(f->expected.base[SPACE_L1] + l1, strip_index(rows, r, col),
              r < rows ? get16(f->memory.base[SPACE_GM] + gm + col / 16 * pitch + 32 * r, col % 16) : 0);
      }
    }
    expect_same(&f->memory, &f->expected, "LOAD_NZ of strips");
  }
}

// Parts of a matrix of 400 rows in L1; padding rows are zero, padding columns come along from L1.
TEST_WITH(load_a_layout, setup, free_fixture) {
  fixture_t *f = *state;
  const uint32_t l1_rows = 400;
  const uint32_t l1_pitch = l1_rows * 32;
  for (size_t i = 0; i < ARRAY_LEN(shapes); ++i) {
    const uint32_t m = shapes[i].rows;
    const uint32_t k = shapes[i].cols;
    const size_t row0 = i * 3;
    const size_t strip0 = k < 500 ? i % 3 : 0;
    const uint32_t l1 = (uint32_t)(strip0 * l1_pitch + row0 * 32);
    const command_t c = COMMAND_OF(LOAD_A, load_a, MTE1, .l1 = l1, .l1_pitch = l1_pitch, .l0a = 64, .m = m, .k = k);
    run(CORE_CUBE, &f->memory, &c);
    for (size_t r = 0; r < round_up(m, 16); ++r) {
      for (size_t col = 0; col < round_up(k, 16); ++col) {
        put16(f->expected.base[SPACE_L0A] + 64, strip_index(m, r, col),
              r < m ? get16(f->memory.base[SPACE_L1], strip_index(l1_rows, row0 + r, strip0 * 16 + col)) : 0);
      }
    }
    expect_same(&f->memory, &f->expected, "LOAD_A");
  }
}

TEST_WITH(load_b_layout, setup, free_fixture) {
  fixture_t *f = *state;
  const uint32_t l1_rows = 608;
  const uint32_t l1_pitch = l1_rows * 32;
  for (size_t i = 0; i < ARRAY_LEN(shapes) * 2; ++i) {
    const uint32_t k = shapes[i / 2].rows;
    const uint32_t n = shapes[i / 2].cols < 400 ? shapes[i / 2].cols : 400;
    const bool transpose = i % 2 != 0;
    const size_t row0 = i % 5;
    const uint32_t l1 = (uint32_t)(row0 * 32);
    const command_t c = COMMAND_OF(LOAD_B, load_b, MTE1, .l1 = l1, .l1_pitch = l1_pitch, .l0b = 32 * (uint32_t)i,
                                   .k = k, .n = n, .transpose = transpose);
    run(CORE_CUBE, &f->memory, &c);
    for (size_t p = 0; p < round_up(k, 16); ++p) {
      for (size_t col = 0; col < round_up(n, 16); ++col) {
        const uint8_t *l1_matrix = f->memory.base[SPACE_L1];
        uint16_t x = 0;  // rows beyond k, and columns beyond n of a turned matrix
        if (p < k && transpose && col < n) {
          x = get16(l1_matrix, strip_index(l1_rows, row0 + col, p));
        } else if (p < k && !transpose) {
          x = get16(l1_matrix, strip_index(l1_rows, row0 + p, col));
        }
        put16(f->expected.base[SPACE_L0B] + 32 * i, strip_index(k, p, col), x);
      }
    }
    expect_same(&f->memory, &f->expected, transpose ? "LOAD_B transposed" : "LOAD_B");
  }
}

// The same four moves of bytes: 32 of them in a row of a strip.
TEST_WITH(bytes_in_strips, setup, free_fixture) {
  fixture_t *f = *state;
  const uint32_t l1_rows = 400, l1_pitch = l1_rows * 32, to = 64;
  uint8_t *l1 = f->memory.base[SPACE_L1];
  const uint8_t *gm = f->memory.base[SPACE_GM];
  for (size_t i = 0; i < ARRAY_LEN(shapes) * 5; ++i) {
    const uint32_t rows = shapes[i / 5].rows;
    const uint32_t cols = shapes[i / 5].cols < 400 ? shapes[i / 5].cols : 400;
    const uint32_t pitch = (i % 5 == 1 ? rows * 32 : cols) + (uint32_t)(i % 3) * 5;
    const command_t commands[] = {COMMAND_OF(LOAD_NZ, load_nz, MTE2, .gm = GM_BASE + 3, .gm_pitch = pitch, .l1 = to,
                                             .rows = rows, .cols = cols, .element = ELEMENT_8),
                                  COMMAND_OF(LOAD_NZ, load_nz, MTE2, .gm = GM_BASE + 3, .gm_pitch = pitch, .l1 = to,
                                             .rows = rows, .cols = cols, .strips = 1, .element = ELEMENT_8),
                                  COMMAND_OF(LOAD_A, load_a, MTE1, .l1 = 96, .l1_pitch = l1_pitch, .l0a = to, .m = rows,
                                             .k = cols, .element = ELEMENT_8),
                                  COMMAND_OF(LOAD_B, load_b, MTE1, .l1 = 96, .l1_pitch = l1_pitch, .l0b = to, .k = rows,
                                             .n = cols, .element = ELEMENT_8),
                                  COMMAND_OF(LOAD_B, load_b, MTE1, .l1 = 96, .l1_pitch = l1_pitch, .l0b = to, .k = rows,
                                             .n = cols, .transpose = 1, .element = ELEMENT_8)};
    uint8_t *written = f->expected.base[i % 5 < 2 ? SPACE_L1 : i % 5 == 2 ? SPACE_L0A : SPACE_L0B] + to;
    copy_memory(&f->expected, &f->memory);
    for (size_t r = 0; r < round_up(rows, 16); ++r) {
      for (size_t col = 0; col < round_up(cols, 32); ++col) {
        uint8_t x = 0;  // beyond the last row, and in what is not moved by whole rows beyond the last column
        if (r < rows && (col < cols || (i % 5 > 0 && i % 5 < 4))) {
          x = i % 5 == 0   ? gm[3 + r * pitch + col]
              : i % 5 == 1 ? gm[3 + col / 32 * pitch + r * 32 + col % 32]
              : i % 5 < 4  ? l1[96 + byte_index(l1_rows, r, col)]
                           : l1[96 + byte_index(l1_rows, col, r)];
        }
        written[byte_index(rows, r, col)] = x;
      }
    }
    run(CORE_CUBE, &f->memory, &commands[i % 5]);
    expect_same(&f->memory, &f->expected, "bytes");
  }
}

static float widen(uint32_t type, uint16_t bits) {
  return type == TYPE_BF16 ? num_bf16_to_f32(bits) : num_fp16_to_f32(bits);
}

// Finite 16-bit values of either type, a tenth of them zeros of both signs.
static uint16_t random_half(num_rng_t *rng, uint32_t type) {
  if (random_below(rng, 10) == 0) {
    return (uint16_t)(random_below(rng, 2) << 15);
  }
  const float x = (float)num_rng_normal(rng);
  return type == TYPE_BF16 ? num_bf16_from_f32(x) : num_fp16_from_f32(x);
}

// The expected result of an MMAD: chains of fmaf, nothing outside of [m][n].
static void expect_mmad(core_memory_t *expected, const cmd_mmad_t *c) {
  const size_t ldc = round_up(c->n, 16);
  for (size_t i = 0; i < c->m; ++i) {
    for (size_t j = 0; j < c->n; ++j) {
      uint8_t *element = expected->base[SPACE_L0C] + c->l0c + (i * ldc + j) * 4;
      float acc = c->accumulate ? num_f32_from_bits(get32(element, 0)) : 0.0f;
      for (size_t p = 0; p < c->k; ++p) {
        acc = fmaf(widen(c->type, get16(expected->base[SPACE_L0A] + c->l0a, strip_index(c->m, i, p))),
                   widen(c->type, get16(expected->base[SPACE_L0B] + c->l0b, strip_index(c->k, p, j))), acc);
      }
      put32(element, 0, num_f32_bits(acc));
    }
  }
}

TEST_WITH(mmad_is_a_chain, setup, free_fixture) {
  fixture_t *f = *state;
  // The last ones are larger than what the model widens at a time.
  static const struct {
    uint32_t m, n, k;
  } sizes[] = {
      {1, 1, 1},   {16, 16, 16},   {17, 33, 40}, {128, 128, 96},  {5, 100, 1},
      {3, 7, 129}, {130, 40, 200}, {3, 270, 40}, {140, 260, 130},
  };
  for (size_t i = 0; i < ARRAY_LEN(sizes) * 4; ++i) {
    const uint32_t type = i & 1 ? TYPE_F16 : TYPE_BF16;
    const command_t c = COMMAND_OF(MMAD, mmad, M, .l0a = 32, .l0b = 96, .l0c = 32 * (uint32_t)i, .m = sizes[i / 4].m,
                                   .n = sizes[i / 4].n, .k = sizes[i / 4].k, .accumulate = (i & 2) != 0, .type = type);
    for (int space = SPACE_L0A; space <= SPACE_L0B; ++space) {
      for (size_t e = 0; e < f->memory.bytes[space] / 2; ++e) {
        put16(f->memory.base[space], e, random_half(&f->rng, type));
      }
    }
    for (size_t e = 0; e < f->memory.bytes[SPACE_L0C] / 4; ++e) {
      put32(f->memory.base[SPACE_L0C], e, num_f32_bits((float)num_rng_normal(&f->rng)));
    }
    copy_memory(&f->expected, &f->memory);
    run(CORE_CUBE, &f->memory, &c);
    expect_mmad(&f->expected, &c.mmad);
    expect_same(&f->memory, &f->expected, "MMAD");
  }
}

// Sums of integers, which wrap; extremes among the values.
TEST_WITH(mmad_of_integers, setup, free_fixture) {
  fixture_t *f = *state;
  static const struct {
    uint32_t m, n, k;
  } sizes[] = {{1, 1, 1}, {16, 16, 32}, {17, 33, 40}, {128, 128, 256}, {3, 270, 129}, {140, 260, 300}, {5, 100, 1000}};
  for (size_t i = 0; i < ARRAY_LEN(sizes) * 4; ++i) {
    const uint32_t m = sizes[i / 4].m, n = sizes[i / 4].n, k = sizes[i / 4].k;
    const bool is_unsigned = i % 2 != 0;
    const command_t c = COMMAND_OF(MMAD, mmad, M, .l0a = 32, .l0b = 96, .l0c = 64, .m = m, .n = n, .k = k,
                                   .accumulate = (i & 2) != 0, .type = is_unsigned ? TYPE_U8 : TYPE_S8);
    fill_memory(f);
    for (size_t e = 0; e < 4096; ++e) {
      f->memory.base[SPACE_L0A][32 + random_below(&f->rng, 8192)] = is_unsigned ? 255 : 128;
      f->memory.base[SPACE_L0B][96 + random_below(&f->rng, 8192)] = 128;
    }
    copy_memory(&f->expected, &f->memory);
    for (size_t row = 0; row < m; ++row) {
      for (size_t col = 0; col < n; ++col) {
        uint8_t *to = f->expected.base[SPACE_L0C] + 64;
        const size_t at = row * round_up(n, 16) + col;
        uint32_t sum = c.mmad.accumulate ? get32(to, at) : 0;
        for (size_t p = 0; p < k; ++p) {
          const uint8_t left = f->memory.base[SPACE_L0A][32 + byte_index(m, row, p)];
          const int8_t right = (int8_t)f->memory.base[SPACE_L0B][96 + byte_index(k, p, col)];
          sum += (uint32_t)((is_unsigned ? left : (int8_t)left) * right);
        }
        put32(to, at, sum);
      }
    }
    run(CORE_CUBE, &f->memory, &c);
    expect_same(&f->memory, &f->expected, "MMAD of integers");
  }
}

// -0 in L0C and products that are all -0 give -0; one more product, of two paddings, would give +0.
TEST_WITH(mmad_has_no_padding_terms, setup, free_fixture) {
  fixture_t *f = *state;
  memset(f->memory.base[SPACE_L0A], 0, f->memory.bytes[SPACE_L0A]);
  memset(f->memory.base[SPACE_L0B], 0, f->memory.bytes[SPACE_L0B]);
  for (uint32_t k = 1; k < 20; ++k) {
    for (size_t p = 0; p < k; ++p) {
      put16(f->memory.base[SPACE_L0A], strip_index(1, 0, p), 0x8000);  // -0
      put16(f->memory.base[SPACE_L0B], strip_index(k, p, 0), 0x3f80);  // 1
    }
    put32(f->memory.base[SPACE_L0C], 0, 0x80000000u);
    command_t c = COMMAND_OF(MMAD, mmad, M, .m = 1, .n = 1, .k = k, .accumulate = 1, .type = TYPE_BF16);
    run(CORE_CUBE, &f->memory, &c);
    assert_int_equal(get32(f->memory.base[SPACE_L0C], 0), 0x80000000u);
    c.mmad.accumulate = 0;  // +0 + -0 = +0
    run(CORE_CUBE, &f->memory, &c);
    assert_int_equal(get32(f->memory.base[SPACE_L0C], 0), 0);
  }
}

TEST_WITH(fixpipe_stores_casts_and_adds, setup, free_fixture) {
  fixture_t *f = *state;
  static const struct {
    uint32_t type, op, bytes;
  } forms[] = {{TYPE_F32, GM_STORE, 4}, {TYPE_F32, GM_ADD_F32, 4}, {TYPE_BF16, GM_STORE, 2}, {TYPE_F16, GM_STORE, 2}};
  for (size_t i = 0; i < ARRAY_LEN(forms); ++i) {
    for (size_t s = 0; s < ARRAY_LEN(shapes); ++s) {
      const uint32_t m = shapes[s].rows;
      const uint32_t n = shapes[s].cols;
      const uint32_t pitch = n * forms[i].bytes + (uint32_t)(s % 2) * 12;
      const uint64_t gm = forms[i].bytes * 3;
      const command_t c = COMMAND_OF(FIXPIPE, fixpipe, FIX, .l0c = 32, .m = m, .n = n, .gm = GM_BASE + gm,
                                     .gm_pitch = pitch, .type = forms[i].type, .op = forms[i].op);
      run(CORE_CUBE, &f->memory, &c);
      for (size_t r = 0; r < m; ++r) {
        for (size_t col = 0; col < n; ++col) {
          const uint32_t x = get32(f->expected.base[SPACE_L0C] + 32, r * round_up(n, 16) + col);
          uint8_t *row = f->expected.base[SPACE_GM] + gm + r * pitch;
          if (forms[i].op == GM_ADD_F32) {
            put32(row, col, num_f32_add_bits(get32(row, col), x));
          } else if (forms[i].type == TYPE_F32) {
            put32(row, col, x);
          } else if (forms[i].type == TYPE_BF16) {
            put16(row, col, num_bf16_from_f32(num_f32_from_bits(x)));
          } else {
            put16(row, col, num_fp16_from_f32(num_f32_from_bits(x)));
          }
        }
      }
      expect_same(&f->memory, &f->expected, "FIXPIPE");
    }
  }
}

// What FIXPIPE makes of a 32-bit sum, its scale exact in double precision.
static void expect_scaled(uint8_t *to, size_t col, const cmd_fixpipe_t *c, uint32_t bits, float scale) {
  const float sum = c->from == TYPE_S32 ? (float)(int32_t)bits : num_f32_from_bits(bits);
  const float kept = c->relu && !(sum > 0) ? 0 : sum;
  const float value = c->quant == QUANT_NONE ? kept : (float)((double)kept * (double)scale);
  if (c->type == TYPE_S32) {
    put32(to, col, c->relu && (int32_t)bits < 0 ? 0 : bits);
  } else if (c->type == TYPE_F32) {
    put32(to, col, num_f32_bits(kept));
  } else if (c->type == TYPE_F16) {
    put16(to, col, num_fp16_from_f32(value));
  } else if (c->type == TYPE_BF16) {
    put16(to, col, num_bf16_from_f32(value));
  } else {
    const double least = c->type == TYPE_S8 ? -128 : 0, most = c->type == TYPE_S8 ? 127 : 255;
    const double whole = nearbyint(value);
    to[col] = isnan(value) ? 0 : (uint8_t)(int)(whole < least ? least : whole > most ? most : whole);
  }
}

TEST_WITH(fixpipe_scales_and_cuts, setup, free_fixture) {
  fixture_t *f = *state;
  static const struct {
    uint32_t from, type, quant, bytes;
  } forms[] = {{TYPE_S32, TYPE_S32, QUANT_NONE, 4},    {TYPE_S32, TYPE_F16, QUANT_SCALE, 2},
               {TYPE_S32, TYPE_F16, QUANT_COLUMNS, 2}, {TYPE_S32, TYPE_S8, QUANT_COLUMNS, 1},
               {TYPE_S32, TYPE_U8, QUANT_SCALE, 1},    {TYPE_F32, TYPE_S8, QUANT_SCALE, 1},
               {TYPE_F32, TYPE_U8, QUANT_COLUMNS, 1},  {TYPE_F32, TYPE_F32, QUANT_NONE, 4},
               {TYPE_F32, TYPE_BF16, QUANT_NONE, 2},   {TYPE_F32, TYPE_F16, QUANT_NONE, 2}};
  const uint32_t scales = 96;
  for (size_t i = 0; i < ARRAY_LEN(forms) * ARRAY_LEN(shapes) * 2; ++i) {
    const size_t form = i / 2 % ARRAY_LEN(forms), shape = i / 2 / ARRAY_LEN(forms);
    const uint32_t m = shapes[shape].rows, n = shapes[shape].cols;
    const uint32_t pitch = (n + (uint32_t)i % 3) * forms[form].bytes;
    const command_t c = COMMAND_OF(FIXPIPE, fixpipe, FIX, .l0c = 32, .m = m, .n = n, .gm = GM_BASE + 12,
                                   .gm_pitch = pitch, .type = forms[form].type, .from = forms[form].from, .relu = i % 2,
                                   .quant = forms[form].quant, .scale = num_f32_bits(0.37f), .scales = scales);
    // Sums whose results lie around the ends of bytes and half-way between integers; some anything, NaNs among them.
    for (size_t e = 0; e < f->memory.bytes[SPACE_L0C] / 4; ++e) {
      const int32_t small = (int32_t)random_below(&f->rng, 2000) - 1000;
      const uint32_t number = forms[form].from == TYPE_S32 ? (uint32_t)small : num_f32_bits((float)small / 4);
      put32(f->memory.base[SPACE_L0C], e, e % 5 == 0 ? (uint32_t)num_rng_u64(&f->rng) : number);
    }
    for (size_t e = 0; e < n; ++e) {
      put32(f->memory.base[SPACE_L1] + scales, 2 * e, num_f32_bits((float)(1 + e % 7) / (e % 2 ? 8 : 10)));
    }
    copy_memory(&f->expected, &f->memory);
    for (size_t e = 0; e < (size_t)m * n; ++e) {
      const size_t col = e % n;
      const uint8_t *l1 = f->memory.base[SPACE_L1] + scales;
      expect_scaled(f->expected.base[SPACE_GM] + 12 + e / n * pitch, col, &c.fixpipe,
                    get32(f->memory.base[SPACE_L0C] + 32, e / n * round_up(n, 16) + col),
                    num_f32_from_bits(forms[form].quant == QUANT_SCALE ? c.fixpipe.scale : get32(l1, 2 * col)));
    }
    run(CORE_CUBE, &f->memory, &c);
    expect_same(&f->memory, &f->expected, "FIXPIPE with scales");
  }
}

// --- fractals: each layout by a formula of its own, for random shapes -------------------------------

enum { FRACTAL_CASES = 80 };

static size_t up16(size_t x) { return (x + 15) / 16; }

// Byte of A's [r][c] in L0A, of B's [k][n] in L0B, and of C's [r][c] in L0C, with so many columns in 32 bytes.
static size_t at_l0a(size_t k, size_t cols, size_t r, size_t c) {
  return (r / 16 * ((k + cols - 1) / cols) + c / cols) * 512 + r % 16 * 32 + c % cols * (32 / cols);
}
static size_t at_l0b(size_t n, size_t cols, size_t p, size_t c) {
  return (p / cols * up16(n) + c / 16) * 512 + c % 16 * 32 + p % cols * (32 / cols);
}
static size_t at_l0c(size_t m, size_t r, size_t c) {
  return (c / 16 * up16(m) + r / 16) * 1024 + r % 16 * 64 + c % 16 * 4;
}

static uint32_t sum_of(const core_memory_t *memory, const cmd_mmad_t *c, size_t r, size_t col, uint32_t begin) {
  const uint8_t *l0a = memory->base[SPACE_L0A] + c->l0a, *l0b = memory->base[SPACE_L0B] + c->l0b;
  float acc = num_f32_from_bits(begin);
  uint32_t sum = begin;
  for (size_t p = 0; p < c->k; ++p) {
    if (c->type == TYPE_S8 || c->type == TYPE_U8) {
      const uint8_t left = l0a[at_l0a(c->k, 32, r, p)];
      const int8_t right = (int8_t)l0b[at_l0b(c->n, 32, p, col)];
      sum += (uint32_t)((c->type == TYPE_U8 ? left : (int8_t)left) * right);
    } else {
      acc = fmaf(widen(c->type, get16(l0a + at_l0a(c->k, 16, r, p), 0)),
                 widen(c->type, get16(l0b + at_l0b(c->n, 16, p, col), 0)), acc);
    }
  }
  return c->type == TYPE_S8 || c->type == TYPE_U8 ? sum : num_f32_bits(acc);
}

TEST_WITH(mmad_of_fractals, setup, free_fixture) {
  static const uint32_t types[] = {TYPE_F16, TYPE_BF16, TYPE_S8, TYPE_U8};
  fixture_t *f = *state;
  for (size_t i = 0; i < FRACTAL_CASES; ++i) {
    const uint32_t m = 1 + random_below(&f->rng, i % 9 == 0 ? 200 : 40),
                   n = 1 + random_below(&f->rng, i % 7 == 0 ? 300 : 40);
    const uint32_t k = 1 + random_below(&f->rng, i % 5 == 0 ? 300 : 40), type = types[i % 4];
    if (up16(m) * up16(k) > 100 || up16(n) * up16(k) > 100 || up16(m) * up16(n) > 100) {
      continue;
    }
    const command_t c = COMMAND_OF(MMAD, mmad, M, .l0a = 32 * (uint32_t)(i % 4), .l0b = 64, .l0c = 96, .m = m, .n = n,
                                   .k = k, .accumulate = i / 4 % 2, .type = type, .fractals = 1);
    for (int space = SPACE_L0A; space <= SPACE_L0B; ++space) {
      for (size_t e = 0; e < f->memory.bytes[space] / 2; ++e) {
        const bool bytes = type == TYPE_S8 || type == TYPE_U8;
        put16(f->memory.base[space], e, bytes ? (uint16_t)num_rng_u64(&f->rng) : random_half(&f->rng, type));
      }
    }
    for (size_t e = 0; e < f->memory.bytes[SPACE_L0C] / 4; ++e) {
      put32(f->memory.base[SPACE_L0C], e, num_f32_bits((float)num_rng_normal(&f->rng)));
    }
    copy_memory(&f->expected, &f->memory);
    for (size_t r = 0; r < m; ++r) {
      for (size_t col = 0; col < up16(n) * 16; ++col) {
        uint8_t *to = f->expected.base[SPACE_L0C] + 96 + at_l0c(m, r, col);
        put32(to, 0, col < n ? sum_of(&f->memory, &c.mmad, r, col, c.mmad.accumulate ? get32(to, 0) : 0) : 0);
      }
    }
    run(CORE_CUBE, &f->memory, &c);
    expect_same(&f->memory, &f->expected, "MMAD of fractals");
  }
}

TEST_WITH(fractals_from_l1, setup, free_fixture) {
  fixture_t *f = *state;
  for (size_t i = 0; i < FRACTAL_CASES; ++i) {
    const bool turned = i % 2 != 0, bytes = i / 2 % 2 != 0, right = i / 4 % 2 != 0;
    const size_t side = bytes ? 32 : 16, size = turned && bytes ? 1024 : 512;
    const uint32_t from = 32 * random_below(&f->rng, 9), from_pitch = 32 * random_below(&f->rng, 64);
    const uint32_t to = 32 * random_below(&f->rng, 9), to_pitch = (uint32_t)size + 32 * random_below(&f->rng, 64);
    const uint32_t repeats = 1 + random_below(&f->rng, 25);
    const command_t c = COMMAND_OF(LOAD_FRACTALS, load_fractals, MTE1, .l1 = from, .l1_pitch = from_pitch, .l0 = to,
                                   .l0_pitch = to_pitch, .right = right, .repeats = repeats, .transpose = turned,
                                   .element = bytes ? ELEMENT_8 : ELEMENT_16);
    for (size_t b = 0; b < repeats * size; ++b) {
      const size_t each = b / size, in = b % size, width = 32 / side, e = in / width;  // one element
      const size_t source = turned ? (e % side * side + e / side) * width + in % width : in;
      f->expected.base[right ? SPACE_L0B : SPACE_L0A][to + each * to_pitch + in] =
          f->memory.base[SPACE_L1][from + each * from_pitch + source];
    }
    run(CORE_CUBE, &f->memory, &c);
    expect_same(&f->memory, &f->expected, "LOAD_FRACTALS");
  }
}

// The same tile to strips of L1.
static command_t to_l1(const cmd_fixpipe_t *c, uint32_t l1, uint32_t l1_pitch) {
  return COMMAND_OF(FIX_L1, fix_l1, FIX, .l0c = c->l0c, .m = c->m, .n = c->n, .l1 = l1, .l1_pitch = l1_pitch,
                    .type = c->type, .from = c->from, .relu = c->relu, .quant = c->quant, .scale = c->scale,
                    .scales = c->scales, .strip_pitch = c->strip_pitch);
}

// A tile in strips to rows or strips of global memory, or to strips of L1, in all types; and rows to strips.
TEST_WITH(fixpipe_of_strips, setup, free_fixture) {
  static const struct {
    uint32_t from, type, quant, bytes;
  } forms[] = {{TYPE_F32, TYPE_F32, QUANT_NONE, 4},  {TYPE_F32, TYPE_F16, QUANT_NONE, 2},
               {TYPE_F32, TYPE_BF16, QUANT_NONE, 2}, {TYPE_S32, TYPE_S32, QUANT_NONE, 4},
               {TYPE_S32, TYPE_F16, QUANT_SCALE, 2}, {TYPE_S32, TYPE_F16, QUANT_COLUMNS, 2},
               {TYPE_S32, TYPE_S8, QUANT_COLUMNS, 1}};
  fixture_t *f = *state;
  const uint32_t scales = 96;
  for (size_t i = 0; i < FRACTAL_CASES; ++i) {
    const size_t form = i % ARRAY_LEN(forms), bytes = forms[form].bytes, width = bytes == 1 ? 32 : 16;
    const bool l1 = random_below(&f->rng, 3) == 0, nz = l1 || (bytes > 1 && random_below(&f->rng, 2) != 0);
    const bool strips = !nz || random_below(&f->rng, 2) != 0;
    const uint32_t m = 1 + random_below(&f->rng, 90);
    const uint32_t n = nz ? (uint32_t)width * (1 + random_below(&f->rng, 3)) : 1 + random_below(&f->rng, 90);
    const uint32_t tile_pitch = strips ? 64 * (m + random_below(&f->rng, 20)) : 0;
    const uint32_t more = random_below(&f->rng, 9), base = l1 ? 4096 + 32 * more : 12;
    const uint32_t pitch = l1   ? (uint32_t)(width * bytes) * m + 32 * more
                           : nz ? (uint32_t)bytes * (16 * m + more)
                                : (uint32_t)bytes * (n + more);
    command_t c =
        COMMAND_OF(FIXPIPE, fixpipe, FIX, .l0c = 32, .m = m, .n = n, .gm = GM_BASE + base, .gm_pitch = pitch,
                   .type = forms[form].type, .from = forms[form].from, .relu = i % 2, .quant = forms[form].quant,
                   .scale = num_f32_bits(0.37f), .scales = scales, .strip_pitch = tile_pitch, .nz = nz);
    for (size_t e = 0; e < f->memory.bytes[SPACE_L0C] / 4; ++e) {
      const int32_t small = (int32_t)random_below(&f->rng, 2000) - 1000;
      put32(f->memory.base[SPACE_L0C], e,
            forms[form].from == TYPE_S32 ? (uint32_t)small : num_f32_bits((float)small / 7));
    }
    for (size_t e = 0; e < n; ++e) {
      put32(f->memory.base[SPACE_L1] + scales, 2 * e, num_f32_bits((float)(1 + e % 7) / 8));
    }
    copy_memory(&f->expected, &f->memory);
    for (size_t e = 0; e < (size_t)m * n; ++e) {
      const size_t r = e / n, col = e % n;
      const size_t from = strips ? col / 16 * tile_pitch + r * 64 + col % 16 * 4 : (r * round_up(n, 16) + col) * 4;
      uint8_t *to = f->expected.base[l1 ? SPACE_L1 : SPACE_GM] + base +
                    (nz ? col / width * pitch + (r * width + col % width) * bytes : r * pitch + col * bytes);
      expect_scaled(
          to, 0, &c.fixpipe, get32(f->memory.base[SPACE_L0C] + 32 + from, 0),
          num_f32_from_bits(forms[form].quant == QUANT_SCALE ? c.fixpipe.scale
                                                             : get32(f->memory.base[SPACE_L1] + scales, 2 * col)));
    }
    if (l1) {
      c = to_l1(&c.fixpipe, base, pitch);
    }
    run(CORE_CUBE, &f->memory, &c);
    expect_same(&f->memory, &f->expected, "FIXPIPE of strips");
  }
}

// Memory combines what it would have stored, word by word, from rows and from strips.
TEST_WITH(fixpipe_combines, setup, free_fixture) {
  static const struct {
    uint32_t from, type, quant, op;
  } forms[] = {{TYPE_F32, TYPE_F32, QUANT_NONE, GM_ADD_F32},  {TYPE_F32, TYPE_F32, QUANT_NONE, GM_MAX_F32},
               {TYPE_F32, TYPE_F16, QUANT_NONE, GM_ADD_F16},  {TYPE_F32, TYPE_BF16, QUANT_NONE, GM_ADD_BF16},
               {TYPE_F32, TYPE_F16, QUANT_NONE, GM_MIN_F16},  {TYPE_S32, TYPE_S32, QUANT_NONE, GM_ADD_S32_RAW},
               {TYPE_S32, TYPE_S32, QUANT_NONE, GM_MIN_S32},  {TYPE_S32, TYPE_F16, QUANT_COLUMNS, GM_MAX_F16},
               {TYPE_F32, TYPE_S8, QUANT_SCALE, GM_ADD_S8},   {TYPE_S32, TYPE_S8, QUANT_COLUMNS, GM_MAX_S8},
               {TYPE_F32, TYPE_BF16, QUANT_NONE, GM_MAX_BF16}};
  fixture_t *f = *state;
  for (size_t i = 0; i < 20 * ARRAY_LEN(forms); ++i) {
    const size_t form = i % ARRAY_LEN(forms);
    const uint32_t m = 1 + random_below(&f->rng, 40), n = 4 * (1 + random_below(&f->rng, 90));
    const uint32_t words = n * core_type_bits(forms[form].type) / 32;
    const uint32_t pitch = 4 * (words + random_below(&f->rng, 4));
    command_t c = COMMAND_OF(FIXPIPE, fixpipe, FIX, .l0c = 32, .m = m, .n = n, .gm = GM_BASE + 12, .gm_pitch = pitch,
                             .type = forms[form].type, .from = forms[form].from, .relu = i % 2,
                             .quant = forms[form].quant, .scale = num_f32_bits(0.37f), .scales = 96,
                             .strip_pitch = random_below(&f->rng, 2) * 64 * (m + random_below(&f->rng, 20)));
    fill_memory(f);
    core_execute(&f->expected, &c);
    for (uint32_t w = 0; w < m * words; ++w) {
      const size_t at = 12 + w / words * pitch;
      uint8_t *row = f->expected.base[SPACE_GM] + at;
      put32(row, w % words,
            num_gm_apply((enum num_gm_op)forms[form].op, get32(f->memory.base[SPACE_GM] + at, w % words),
                         get32(row, w % words), NULL));
    }
    c.fixpipe.op = forms[form].op;
    run(CORE_CUBE, &f->memory, &c);
    expect_same(&f->memory, &f->expected, "FIXPIPE that combines");
  }
}

// Strips as far apart as a kernel wants them, rows beyond the last left as they are.
TEST_WITH(load_nz_with_a_pitch, setup, free_fixture) {
  fixture_t *f = *state;
  for (size_t i = 0; i < FRACTAL_CASES; ++i) {
    const bool bytes = i % 2 != 0, strips = i / 2 % 2 != 0;
    const size_t width = bytes ? 1 : 2;
    const uint32_t rows = 1 + random_below(&f->rng, 70), cols = 1 + random_below(&f->rng, 200);
    const uint32_t pitch = (uint32_t)((strips ? rows * 32 : cols * width) + width * random_below(&f->rng, 9));
    const uint32_t l1_pitch = 32 * (rows + random_below(&f->rng, 40)), l1 = 32 * random_below(&f->rng, 9);
    const command_t c =
        COMMAND_OF(LOAD_NZ, load_nz, MTE2, .gm = GM_BASE + 6, .gm_pitch = pitch, .l1 = l1, .rows = rows, .cols = cols,
                   .strips = strips, .element = bytes ? ELEMENT_8 : ELEMENT_16, .strip_pitch = l1_pitch);
    const uint8_t *gm = f->memory.base[SPACE_GM] + 6;
    for (size_t b = 0; b < rows * round_up(cols * width, 32); ++b) {
      const size_t r = b / round_up(cols * width, 32), at = b % round_up(cols * width, 32);
      f->expected.base[SPACE_L1][l1 + at / 32 * l1_pitch + r * 32 + at % 32] =
          strips              ? gm[at / 32 * pitch + r * 32 + at % 32]
          : at / width < cols ? gm[r * pitch + at]
                              : 0;
    }
    run(CORE_CUBE, &f->memory, &c);
    expect_same(&f->memory, &f->expected, "LOAD_NZ with a pitch");
  }
}

// C = A x B through every buffer: both matrices loaded whole, tiles of at most 48 x 32 x 48.
static void product_in_gm(fixture_t *f, uint32_t m, uint32_t n, uint32_t k, bool transpose, uint32_t type) {
  enum { TILE_M = 48, TILE_N = 32, TILE_K = 48 };
  const uint64_t a = 0;
  const uint64_t b = 256 << 10;
  const uint64_t out = 512 << 10;
  uint8_t *gm = f->memory.base[SPACE_GM];
  float *wide_a = calloc((size_t)m * k, sizeof *wide_a);
  float *wide_b = calloc((size_t)k * n, sizeof *wide_b);
  float *wide_c = calloc((size_t)m * n, sizeof *wide_c);
  assert_true(wide_a != NULL && wide_b != NULL && wide_c != NULL);
  for (size_t i = 0; i < (size_t)m * k; ++i) {
    put16(gm + a, i, random_half(&f->rng, type));
    wide_a[i] = widen(type, get16(gm + a, i));
  }
  for (size_t p = 0; p < k; ++p) {
    for (size_t j = 0; j < n; ++j) {
      const size_t i = transpose ? j * k + p : p * n + j;
      put16(gm + b, i, random_half(&f->rng, type));
      wide_b[p * n + j] = widen(type, get16(gm + b, i));
    }
  }
  num_matmul_ref(m, n, k, wide_a, k, wide_b, n, wide_c, n, false);

  const uint32_t b_rows = transpose ? n : k;
  const uint32_t b_cols = transpose ? k : n;
  const uint32_t a_pitch = (uint32_t)round_up(m, 16) * 32;  // strip to strip in L1
  const uint32_t b_pitch = (uint32_t)round_up(b_rows, 16) * 32;
  const uint32_t l1_b = 256 << 10;
  const command_t load_a =
      COMMAND_OF(LOAD_NZ, load_nz, MTE2, .gm = GM_BASE + a, .gm_pitch = k * 2, .rows = m, .cols = k);
  const command_t load_b = COMMAND_OF(LOAD_NZ, load_nz, MTE2, .gm = GM_BASE + b, .l1 = l1_b, .gm_pitch = b_cols * 2,
                                      .rows = b_rows, .cols = b_cols);
  run(CORE_CUBE, &f->memory, &load_a);
  run(CORE_CUBE, &f->memory, &load_b);
  for (uint32_t m0 = 0; m0 < m; m0 += TILE_M) {
    for (uint32_t n0 = 0; n0 < n; n0 += TILE_N) {
      const uint32_t tm = m - m0 < TILE_M ? m - m0 : TILE_M;
      const uint32_t tn = n - n0 < TILE_N ? n - n0 : TILE_N;
      for (uint32_t k0 = 0; k0 < k; k0 += TILE_K) {
        const uint32_t tk = k - k0 < TILE_K ? k - k0 : TILE_K;
        const uint32_t b_row0 = transpose ? n0 : k0;
        const uint32_t b_col0 = transpose ? k0 : n0;
        const command_t tile_a =
            COMMAND_OF(LOAD_A, load_a, MTE1, .l1 = k0 / 16 * a_pitch + m0 * 32, .l1_pitch = a_pitch, .m = tm, .k = tk);
        const command_t tile_b = COMMAND_OF(LOAD_B, load_b, MTE1, .l1 = l1_b + b_col0 / 16 * b_pitch + b_row0 * 32,
                                            .l1_pitch = b_pitch, .k = tk, .n = tn, .transpose = transpose);
        const command_t product =
            COMMAND_OF(MMAD, mmad, M, .m = tm, .n = tn, .k = tk, .accumulate = k0 > 0, .type = type);
        run(CORE_CUBE, &f->memory, &tile_a);
        run(CORE_CUBE, &f->memory, &tile_b);
        run(CORE_CUBE, &f->memory, &product);
      }
      const command_t store = COMMAND_OF(FIXPIPE, fixpipe, FIX, .m = tm, .n = tn, .type = TYPE_F32, .gm_pitch = n * 4,
                                         .gm = GM_BASE + out + ((uint64_t)m0 * n + n0) * 4);
      run(CORE_CUBE, &f->memory, &store);
    }
  }
  for (size_t i = 0; i < (size_t)m * n; ++i) {
    CHECK(get32(gm + out, i) == num_f32_bits(wide_c[i]), "%u x %u x %u, element %zu", m, n, k, i);
  }
  free(wide_a);
  free(wide_b);
  free(wide_c);
}

TEST_WITH(products_end_to_end, setup, free_fixture) {
  fixture_t *f = *state;
  static const struct {
    uint32_t m, n, k;
  } sizes[] = {
      {1, 1, 1}, {16, 16, 16}, {48, 32, 48}, {49, 33, 47}, {100, 75, 130}, {7, 200, 90}, {128, 64, 576},
  };
  for (size_t i = 0; i < ARRAY_LEN(sizes) * 4; ++i) {
    product_in_gm(f, sizes[i / 4].m, sizes[i / 4].n, sizes[i / 4].k, (i & 1) != 0, i & 2 ? TYPE_F16 : TYPE_BF16);
  }
}

int main(void) {
  printf("seed %d\n", SEED);
  return test_run(NULL);
}
