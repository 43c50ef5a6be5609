// MMAD: products of strips or fractals in L0A and L0B, added up in L0C; of 8-bit integers in S32.
//
//   GM --LOAD_NZ--> L1 --LOAD_A--> L0A --MMAD--> L0C --FIXPIPE--> GM
//                   L1 --LOAD_B--> L0B --^
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "core/commands/command.h"
#include "num/num_format.h"
#include "num/num_isa.h"
#include "num/product/num_matmul.h"

static bool has_integers(const cmd_mmad_t *c) { return c->type == TYPE_S8 || c->type == TYPE_U8; }

bool core_mmad_check(const core_checker_t *check, const cmd_mmad_t *c) {
  return core_below(check, "fractals", c->fractals, 2) && core_one_or_more(check, "m", c->m) &&
         core_one_or_more(check, "n", c->n) && core_one_or_more(check, "k", c->k) &&
         core_below(check, "accumulate", c->accumulate, 2) &&
         core_expect(check, c->type == TYPE_BF16 || c->type == TYPE_F16 || has_integers(c), "type", c->type,
                     "TYPE_BF16, TYPE_F16, TYPE_S8 or TYPE_U8");
}

// Of the right operand; U8 are those of the left one alone.
static uint32_t right_type(const cmd_mmad_t *c) { return c->type == TYPE_U8 ? TYPE_S8 : c->type; }

// Fractals are read whole, whatever is beyond m, n and k in them.
static core_operand_t fractals(core_space_t space, const char *field, uint64_t base, uint32_t rows, uint64_t cols) {
  return core_run(space, false, field, base, core_mul(core_mul(core_strips(rows), cols), CORE_FRACTAL));
}

// Bytes from strip to strip of L0C.
static uint64_t sums_pitch(const cmd_mmad_t *c) { return core_strips(c->m) * CORE_SUMS; }

static size_t operands_in_fractals(const cmd_mmad_t *c, core_operand_t *operand) {
  size_t count = 0;
  operand[count++] = fractals(SPACE_L0A, "l0a", c->l0a, c->m, core_strips_of(c->type, c->k));
  operand[count++] = fractals(SPACE_L0B, "l0b", c->l0b, c->n, core_strips_of(c->type, c->k));
  if (c->accumulate) {
    operand[count++] = core_accumulator_strips(false, c->l0c, sums_pitch(c), c->m, c->n);
  }
  operand[count++] = core_accumulator_strips(true, c->l0c, sums_pitch(c), c->m, c->n);
  return count;
}

size_t core_mmad_operands(const cmd_mmad_t *c, core_operand_t *operand) {
  size_t count = 0;
  if (c->fractals != 0) {
    return operands_in_fractals(c, operand);
  }
  operand[count++] = core_strip_rows(SPACE_L0A, "l0a", c->l0a, c->m, core_strips_of(c->type, c->k));
  operand[count++] = core_strip_rows(SPACE_L0B, "l0b", c->l0b, c->k, core_strips_of(c->type, c->n));
  if (c->accumulate) {
    operand[count++] = core_accumulator(false, c->l0c, c->m, c->n);
  }
  operand[count++] = core_accumulator(true, c->l0c, c->m, c->n);
  return count;
}

static core_shape_t shape_in_fractals(const cmd_mmad_t *c, core_space_t space) {
  const uint64_t strip = core_strips(c->n) * CORE_FRACTAL;
  switch ((unsigned)space) {
    case SPACE_L0A:
      return core_in_fractals(c->type, c->m, c->k, core_strips_of(c->type, c->k) * CORE_FRACTAL, CORE_FRACTAL);
    case SPACE_L0B:
      return core_in_fractals(right_type(c), c->n, c->k, CORE_FRACTAL, strip);
    default:
      return core_in_fractals(has_integers(c) ? TYPE_S32 : TYPE_F32, c->m, c->n, CORE_SUMS, sums_pitch(c));
  }
}

core_shape_t core_mmad_shape(const cmd_mmad_t *c, const core_operand_t *operand) {
  if (c->fractals != 0) {
    return shape_in_fractals(c, operand->access.space);
  }
  switch ((unsigned)operand->access.space) {
    case SPACE_L0A:
      return core_in_strips(c->type, c->m, c->k);
    case SPACE_L0B:
      return core_in_strips(right_type(c), c->k, c->n);
    default:
      return core_in_rows(has_integers(c) ? TYPE_S32 : TYPE_F32, c->m, c->n);
  }
}

size_t core_mmad_sources(const cmd_mmad_t *c, const core_tensor_t *tensors, size_t count, uint64_t row, uint64_t col,
                         core_source_t *source) {
  source[0] = core_row_of(0, tensors, row);
  source[1] = c->fractals != 0 ? core_row_of(1, tensors, col)
                               : (core_source_t){.tensor = 1, .rows = c->k, .col = col, .cols = 1};
  source[2] = core_element(2, row, col);
  return count - 1;
}

uint64_t core_mmad_cycles(const config_t *config, const cmd_mmad_t *c) {
  const config_cube_t *cube = &config->cube;
  const uint64_t depth = has_integers(c) ? cube->mac_k_s8 : cube->mac_k;
  return cube->mmad_startup +
         core_ceil_div(c->m, cube->mac_m) * core_ceil_div(c->k, depth) * core_ceil_div(c->n, cube->mac_n);
}

// Part of a tile that MMAD widens to FP32 at a time.  Chains go on across parts of k: what they
// have reached is an FP32 in L0C.  Integers are widened, too: sums of 128 products of 8 bits are
// exact in FP32, whatever their order.  Rows end with a gap so that they do not all fall into the same
// cache sets.
enum { PART_M = 128, PART_N = 256, PART_K = 128, GAP = 16, LDA = PART_K + GAP, LDB = PART_N + GAP };

// On the stack: thread-local storage would cost each of the many threads of scalar cores its pages.
typedef struct scratch {
  _Alignas(64) float a[PART_M * LDA];       // [m][k]
  _Alignas(64) float b[PART_K * LDB];       // [k][n]
  _Alignas(64) float sum[PART_M * PART_N];  // [m][n], of integers or for fractals
} scratch_t;

typedef void widen_fn(const uint8_t *strip, size_t strip_bytes, size_t rows, size_t cols, float *to, size_t ld);

// [rows][cols] out of strips as rows of FP32; whole strips are written, so ld >= cols rounded up.
NUM_INLINE void widen_strips(const uint8_t *strip, size_t strip_bytes, size_t rows, size_t cols, bool bf16,
                             float *restrict to, size_t ld) {
  for (size_t s = 0; s < (cols + STRIP - 1) / STRIP; ++s) {
    for (size_t r = 0; r < rows; ++r) {
      // Not by way of an array, which GCC stores and waits for; and as a loop, which it makes wider vectors of.
      const uint16_t *in = (const uint16_t *)(const void *)(strip + s * strip_bytes + r * STRIP_ROW);
      float *out = to + r * ld + s * STRIP;
#pragma GCC unroll 1
      for (size_t j = 0; j < STRIP; ++j) {
        out[j] = bf16 ? num_bf16_to_f32(in[j]) : num_fp16_to_f32(in[j]);
      }
    }
  }
}

NUM_CLONES
static void widen_bf16(const uint8_t *strip, size_t strip_bytes, size_t rows, size_t cols, float *to, size_t ld) {
  widen_strips(strip, strip_bytes, rows, cols, true, to, ld);
}

NUM_CLONES
static void widen_fp16(const uint8_t *strip, size_t strip_bytes, size_t rows, size_t cols, float *to, size_t ld) {
  widen_strips(strip, strip_bytes, rows, cols, false, to, ld);
}

NUM_INLINE void widen_bytes(const uint8_t *strip, size_t strip_bytes, size_t rows, size_t cols, bool is_signed,
                            float *to, size_t ld) {
  for (size_t s = 0; s < ceil_div(cols, STRIP_ROW); ++s) {
    for (size_t r = 0; r < rows; ++r) {
      const uint8_t *in = strip + s * strip_bytes + r * STRIP_ROW;
      for (size_t j = 0; j < STRIP_ROW; ++j) {
        to[r * ld + s * STRIP_ROW + j] = is_signed ? (float)(int8_t)in[j] : (float)in[j];
      }
    }
  }
}

NUM_CLONES
static void widen_s8(const uint8_t *strip, size_t strip_bytes, size_t rows, size_t cols, float *to, size_t ld) {
  widen_bytes(strip, strip_bytes, rows, cols, true, to, ld);
}

NUM_CLONES
static void widen_u8(const uint8_t *strip, size_t strip_bytes, size_t rows, size_t cols, float *to, size_t ld) {
  widen_bytes(strip, strip_bytes, rows, cols, false, to, ld);
}

// Sums of a part of k, into S32 that wrap.
NUM_CLONES
static void add_sums(const float *sum, size_t m, size_t n, uint32_t *to, size_t ld, bool accumulate) {
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < n; ++j) {
      const uint32_t part = (uint32_t)(int32_t)sum[i * PART_N + j];
      to[i * ld + j] = accumulate ? to[i * ld + j] + part : part;
    }
  }
}

static widen_fn *widen_of(uint32_t type) {
  return type == TYPE_BF16 ? widen_bf16 : type == TYPE_F16 ? widen_fp16 : type == TYPE_S8 ? widen_s8 : widen_u8;
}

// --- fractals -------------------------------------------------------------------------------------

// A part of the left operand, 16 rows at a time.
static void widen_zz(const cmd_mmad_t *c, const uint8_t *l0a, size_t m0, size_t k0, size_t m, size_t k, float *to) {
  const size_t strips = core_strips_of(c->type, c->k);
  widen_fn *const widen = widen_of(c->type);
  for (size_t r = 0; r < m; r += STRIP) {
    const uint8_t *from = l0a + ((m0 + r) / STRIP * strips + k0 / core_strip_cols(c->type)) * CORE_FRACTAL;
    widen(from, CORE_FRACTAL, smaller(m - r, STRIP), k, to + r * LDA, LDA);
  }
}

// A part of the right operand, 16 columns at a time, which are rows of their fractals.
static void widen_nz(const cmd_mmad_t *c, const uint8_t *l0b, size_t n0, size_t k0, size_t n, size_t k, float *to) {
  const size_t strip_bytes = core_strips(c->n) * CORE_FRACTAL;
  widen_fn *const widen = widen_of(right_type(c));
  float turned[STRIP * LDA];
  for (size_t j = 0; j < n; j += STRIP) {
    const uint8_t *from = l0b + k0 / core_strip_cols(c->type) * strip_bytes + (n0 + j) * STRIP_ROW;
    const size_t cols = smaller(n - j, STRIP);
    widen(from, strip_bytes, cols, k, turned, LDA);
    for (size_t p = 0; p < k; ++p) {
      for (size_t i = 0; i < cols; ++i) {
        to[p * LDB + j + i] = turned[i * LDA + p];
      }
    }
  }
}

// A part of the result from L0C, of FP32.
static void take_sums(const cmd_mmad_t *c, const uint8_t *l0c, size_t m0, size_t n0, size_t m, size_t n, float *sum) {
  for (size_t j = 0; j < n; j += STRIP) {
    const uint8_t *strip = l0c + (n0 + j) / STRIP * sums_pitch(c) + m0 * CORE_SUM_ROW;
    for (size_t i = 0; i < m; ++i) {
      memcpy(sum + i * PART_N + j, strip + i * CORE_SUM_ROW, smaller(n - j, STRIP) * sizeof(float));
    }
  }
}

// And to it: S32 are added up there. Rows of strips are written whole.
static void put_sums(const cmd_mmad_t *c, uint8_t *l0c, size_t m0, size_t n0, size_t m, size_t n, const float *sum,
                     bool accumulate) {
  for (size_t j = 0; j < n; j += STRIP) {
    uint8_t *strip = l0c + (n0 + j) / STRIP * sums_pitch(c) + m0 * CORE_SUM_ROW;
    const size_t cols = smaller(n - j, STRIP);
    for (size_t i = 0; i < m; ++i) {
      uint8_t *row = strip + i * CORE_SUM_ROW;
      if (has_integers(c)) {
        add_sums(sum + i * PART_N + j, 1, cols, (uint32_t *)(void *)row, STRIP, accumulate);
      } else {
        memcpy(row, sum + i * PART_N + j, cols * sizeof(float));
      }
      memset(row + cols * sizeof(float), 0, (STRIP - cols) * sizeof(float));
    }
  }
}

static void multiply_fractals(const core_memory_t *memory, const cmd_mmad_t *c) {
  num_matmul_fn *const matmul = num_matmul_select(NUM_ISA_AUTO);
  uint8_t *l0c = core_at(memory, SPACE_L0C, c->l0c);
  scratch_t scratch;

  for (size_t k0 = 0; k0 < c->k; k0 += PART_K) {
    const size_t k = smaller(c->k - k0, PART_K);
    const bool accumulate = c->accumulate || k0 > 0;
    for (size_t n0 = 0; n0 < c->n; n0 += PART_N) {
      const size_t n = smaller(c->n - n0, PART_N);
      widen_nz(c, core_at(memory, SPACE_L0B, c->l0b), n0, k0, n, k, scratch.b);
      for (size_t m0 = 0; m0 < c->m; m0 += PART_M) {
        const size_t m = smaller(c->m - m0, PART_M);
        const bool goes_on = accumulate && !has_integers(c);
        widen_zz(c, core_at(memory, SPACE_L0A, c->l0a), m0, k0, m, k, scratch.a);
        if (goes_on) {
          take_sums(c, l0c, m0, n0, m, n, scratch.sum);
        }
        matmul(m, n, k, scratch.a, LDA, scratch.b, LDB, scratch.sum, PART_N, goes_on);
        put_sums(c, l0c, m0, n0, m, n, scratch.sum, accumulate);
      }
    }
  }
}

// --- strips ---------------------------------------------------------------------------------------

// Only rows below m and columns below n of the tile are written.
static void multiply_strips(const core_memory_t *memory, const cmd_mmad_t *c) {
  const uint8_t *l0a = core_at(memory, SPACE_L0A, c->l0a);
  const uint8_t *l0b = core_at(memory, SPACE_L0B, c->l0b);
  float *l0c = (float *)(void *)core_at(memory, SPACE_L0C, c->l0c);
  const size_t a_strip = core_round_16(c->m) * STRIP_ROW;
  const size_t b_strip = core_round_16(c->k) * STRIP_ROW;
  const size_t strip = core_strip_cols(c->type);
  const size_t ldc = core_round_16(c->n);
  num_matmul_fn *const matmul = num_matmul_select(NUM_ISA_AUTO);
  widen_fn *const widen_left = widen_of(c->type);
  widen_fn *const widen_right = widen_of(right_type(c));

  scratch_t scratch;

  for (size_t k0 = 0; k0 < c->k; k0 += PART_K) {
    const size_t k = smaller(c->k - k0, PART_K);
    const bool accumulate = c->accumulate || k0 > 0;
    for (size_t n0 = 0; n0 < c->n; n0 += PART_N) {
      const size_t n = smaller(c->n - n0, PART_N);
      widen_right(l0b + n0 / strip * b_strip + k0 * STRIP_ROW, b_strip, k, n, scratch.b, LDB);
      for (size_t m0 = 0; m0 < c->m; m0 += PART_M) {
        const size_t m = smaller(c->m - m0, PART_M);
        float *to = l0c + m0 * ldc + n0;
        widen_left(l0a + k0 / strip * a_strip + m0 * STRIP_ROW, a_strip, m, k, scratch.a, LDA);
        if (has_integers(c)) {
          matmul(m, n, k, scratch.a, LDA, scratch.b, LDB, scratch.sum, PART_N, false);
          add_sums(scratch.sum, m, n, (uint32_t *)(void *)to, ldc, accumulate);
        } else {
          matmul(m, n, k, scratch.a, LDA, scratch.b, LDB, to, ldc, accumulate);
        }
      }
    }
  }
}

void core_mmad_execute(const core_memory_t *memory, const cmd_mmad_t *c) {
  (c->fractals != 0 ? multiply_fractals : multiply_strips)(memory, c);
}
