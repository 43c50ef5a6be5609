// Base and AMLA, block by block, as NUMERICS.md section 4 has them: to be read next to it. Only the
// matrix products, the exponentials and the atomics are calls; they have their own tests.
// SPDX-License-Identifier: Apache-2.0
#include "num/num_attention.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "num/num_exp.h"
#include "num/num_format.h"
#include "num/num_gm.h"

// What the vector core keeps of a row from block to block.
typedef struct {
  float m;    // running maximum of the scores; -inf: not live, no finite score so far
  float l;    // running sum of the unrounded P, relative to m
  float n;    // AMLA: O is kept relative to 2^-n ...
  float s16;  // ... times this, the BF16 remainder
  float c;    // AMLA: what rounding the remainder to BF16 did
} row_t;

typedef struct {
  num_matmul_fn *matmul;
  row_t *row;   // [rows]
  float *q;     // [rows, dk]
  float *kt;    // [dk, block]: this block's keys, transposed
  float *v;     // [block, dv]: this block's values
  float *p;     // [rows, block]: scores, then P
  float *p16;   // [rows, block]: P as the cube sees it, BF16 values
  float *t;     // [rows, dv]: P16 . V
  uint32_t *o;  // [rows, dv]: O, as the bits in global memory
} work_t;

// A block is the keys first .. first + count - 1. Its rows in kt and p are count long.
typedef struct {
  size_t first;
  size_t count;
} block_t;

static void work_free(work_t *w) {
  free(w->row);
  free(w->q);
  free(w->kt);
  free(w->v);
  free(w->p);
  free(w->p16);
  free(w->t);
  free(w->o);
}

static float *floats(size_t rows, size_t columns) {
  return malloc((rows * columns + 1) * sizeof(float));  // + 1: never a request for nothing
}

// Returns 0, or -1 with nothing left allocated.
static int work_init(work_t *w, const num_attn_t *attn, num_isa_t isa) {
  *w = (work_t){0};
  w->matmul = num_matmul_select(isa);
  if (w->matmul == NULL || attn->block == 0) {
    return -1;
  }
  const size_t block = attn->block < attn->keys ? attn->block : attn->keys;
  w->row = malloc((attn->rows + 1) * sizeof *w->row);
  w->q = floats(attn->rows, attn->dk);
  w->kt = floats(attn->dk, block);
  w->v = floats(block, attn->dv);
  w->p = floats(attn->rows, block);
  w->p16 = floats(attn->rows, block);
  w->t = floats(attn->rows, attn->dv);
  w->o = calloc(attn->rows * attn->dv + 1, sizeof *w->o);  // O = +0
  if (w->row == NULL || w->q == NULL || w->kt == NULL || w->v == NULL || w->p == NULL ||
      w->p16 == NULL || w->t == NULL || w->o == NULL) {
    work_free(w);
    return -1;
  }
  for (size_t g = 0; g < attn->rows; g++) {
    w->row[g] = (row_t){.m = -INFINITY, .l = 0.0f, .n = 0.0f, .s16 = 1.0f, .c = 1.0f};
  }
  num_bf16_to_f32_n(attn->q, w->q, attn->rows * attn->dk);
  return 0;
}

static block_t block_at(const num_attn_t *attn, size_t first) {
  const size_t left = attn->keys - first;
  return (block_t){first, left < attn->block ? left : attn->block};
}

static void load_block(const num_attn_t *attn, work_t *w, block_t b) {
  for (size_t s = 0; s < b.count; s++) {
    const uint16_t *key = attn->k + (b.first + s) * attn->ldk;
    for (size_t d = 0; d < attn->dk; d++) {
      w->kt[d * b.count + s] = num_bf16_to_f32(key[d]);
    }
    num_bf16_to_f32_n(attn->v + (b.first + s) * attn->ldv, w->v + s * attn->dv, attn->dv);
  }
}

// p = (q . k) * scale, -inf where the row does not see the key.
static void scores(const num_attn_t *attn, work_t *w, block_t b) {
  w->matmul(attn->rows, b.count, attn->dk, w->q, attn->dk, w->kt, b.count, w->p, b.count, false);
  for (size_t g = 0; g < attn->rows; g++) {
    for (size_t s = 0; s < b.count; s++) {
      const bool seen = attn->visible == NULL || attn->visible[g * attn->keys + b.first + s] != 0;
      float *score = &w->p[g * b.count + s];
      *score = seen ? *score * attn->scale : -INFINITY;
    }
  }
}

// Scores to P = exp32(S - m), in place, with m and l brought up to date. Returns M_up.
static float softmax_row(row_t *row, float *p, size_t count) {
  const float m_prev = row->m;
  for (size_t s = 0; s < count; s++) {
    row->m = p[s] > row->m ? p[s] : row->m;
  }
  if (row->m == -INFINITY) {  // not live
    for (size_t s = 0; s < count; s++) {
      p[s] = 0.0f;
    }
    return 0.0f;
  }
  for (size_t s = 0; s < count; s++) {
    p[s] = p[s] - row->m;
  }
  num_exp32_n(p, p, count);
  const float m_up = m_prev == -INFINITY ? 0.0f : num_exp32(m_prev - row->m);
  float sum = 0.0f;
  for (size_t s = 0; s < count; s++) {
    sum = sum + p[s];
  }
  const float l_scaled = row->l * m_up;
  row->l = l_scaled + sum;
  return m_up;
}

static void product(const num_attn_t *attn, work_t *w, block_t b) {
  w->matmul(attn->rows, attn->dv, b.count, w->p16, b.count, w->v, attn->dv, w->t, attn->dv, false);
}

int num_attn_base(const num_attn_t *attn, num_isa_t isa, float *out_f32) {
  work_t w;
  if (work_init(&w, attn, isa) != 0) {
    return -1;
  }
  float *o = out_f32;
  for (size_t i = 0; i < attn->rows * attn->dv; i++) {
    o[i] = 0.0f;
  }
  for (size_t first = 0; first < attn->keys; first += attn->block) {
    const block_t b = block_at(attn, first);
    load_block(attn, &w, b);
    scores(attn, &w, b);
    for (size_t g = 0; g < attn->rows; g++) {
      const float m_up = softmax_row(&w.row[g], w.p + g * b.count, b.count);
      for (size_t s = g * b.count; s < (g + 1) * b.count; s++) {
        w.p16[s] = num_bf16_to_f32(num_bf16_from_f32(w.p[s]));
      }
      for (size_t i = g * attn->dv; i < (g + 1) * attn->dv; i++) {
        o[i] = o[i] * m_up;
      }
    }
    product(attn, &w, b);
    for (size_t i = 0; i < attn->rows * attn->dv; i++) {
      o[i] = o[i] + w.t[i];
    }
  }
  for (size_t i = 0; i < attn->rows * attn->dv; i++) {
    const float l = w.row[i / attn->dv].l;
    o[i] = l == 0.0f ? 0.0f : o[i] / l;
  }
  work_free(&w);
  return 0;
}

// Lines 6 to 12 of Algorithm 2 for a row whose m is up to date: n, S16 and c, and from their old
// values the integer to be added to O. Returns 0 for a row that is not live.
static int32_t rescale_row(row_t *row, unsigned flags) {
  const float log2e = num_f32_from_bits(0x3fb8aa3bu);
  if (row->m == -INFINITY) {
    return 0;
  }
  const float n = rintf(-row->m * log2e);
  const float s32 = num_exp32(fmaf(n, -2.12194440e-4f, fmaf(n, 0.693359375f, row->m)));
  const float s16 = num_bf16_to_f32(num_bf16_from_f32(s32));
  const float c = (flags & NUM_ATTN_PRINTED_C) != 0u ? s32 / s16 : s16 / s32;
  const float ratio = c / row->c;
  const float eps = (flags & NUM_ATTN_NO_COMPENSATION) != 0u ? 0.0f : 1.5f * (ratio - 1.0f);
  const float dn = fmaxf(n - row->n, -30.0f);
  const float sum = dn + eps;
  const float exponent = sum + 1e-6f;
  row->n = n;
  row->s16 = s16;
  row->c = c;
  return num_f32_to_s32_trunc(exponent * 0x1p23f);
}

int num_attn_amla(const num_attn_t *attn, num_isa_t isa, unsigned flags, float *out_f32,
                  uint32_t *guards) {
  const enum num_gm_op add = (flags & NUM_ATTN_RAW_ADD) != 0u ? NUM_GM_ADD_S32_RAW : NUM_GM_ADD_S32;
  work_t w;
  if (work_init(&w, attn, isa) != 0) {
    return -1;
  }
  for (size_t first = 0; first < attn->keys; first += attn->block) {
    const block_t b = block_at(attn, first);
    load_block(attn, &w, b);
    scores(attn, &w, b);
    for (size_t g = 0; g < attn->rows; g++) {
      row_t *row = &w.row[g];
      const bool was_live = row->m != -INFINITY;  // false in the first block
      softmax_row(row, w.p + g * b.count, b.count);
      const int32_t n = rescale_row(row, flags);
      for (size_t i = g * attn->dv; was_live && i < (g + 1) * attn->dv; i++) {
        w.o[i] = num_gm_apply(add, w.o[i], (uint32_t)n, guards);
      }
      for (size_t s = g * b.count; s < (g + 1) * b.count; s++) {
        const float scaled = w.p[s] * row->s16;
        w.p16[s] = num_bf16_to_f32(num_bf16_from_f32(scaled));
      }
    }
    product(attn, &w, b);
    for (size_t i = 0; i < attn->rows * attn->dv; i++) {
      w.o[i] = num_gm_apply(NUM_GM_ADD_F32, w.o[i], num_f32_bits(w.t[i]), guards);
    }
  }
  for (size_t i = 0; i < attn->rows * attn->dv; i++) {
    const row_t *row = &w.row[i / attn->dv];
    const float divisor = row->l * row->s16;
    out_f32[i] = row->l == 0.0f ? 0.0f : num_f32_from_bits(w.o[i]) / divisor;
  }
  work_free(&w);
  return 0;
}
