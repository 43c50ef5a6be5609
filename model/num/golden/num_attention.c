// Base and AMLA, block by block, as NUMERICS.md section 4 has them: to be read next to it. Only the
// matrix products, the exponentials and the atomics are calls; they have their own tests.
// SPDX-License-Identifier: Apache-2.0
#include "num/golden/num_attention.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "num/num_exp.h"
#include "num/num_format.h"
#include "num/num_gm.h"

// State of a row that the vector core keeps from block to block.
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
  float *m_up;  // [rows]: Base, of the block at hand
  float *m;     // [rows]: m and l of the splits merged so far
  float *l;
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
  free(w->m_up);
  free(w->m);
  free(w->l);
}

static float *floats(size_t rows, size_t columns) {
  return malloc((rows * columns + 1) * sizeof(float));  // + 1: never a request for nothing
}

static void widen(const num_attn_t *attn, const uint16_t *from, float *to, size_t n) {
  if (attn->fp16) {
    num_fp16_to_f32_n(from, to, n);
  } else {
    num_bf16_to_f32_n(from, to, n);
  }
}

static float element(const num_attn_t *attn, uint16_t bits) {
  return attn->fp16 ? num_fp16_to_f32(bits) : num_bf16_to_f32(bits);
}

// A P as the cube sees it.
static float narrowed(const num_attn_t *attn, float p) {
  return attn->fp16 ? num_fp16_to_f32(num_fp16_from_f32(p)) : num_bf16_to_f32(num_bf16_from_f32(p));
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
  w->o = malloc((attn->rows * attn->dv + 1) * sizeof *w->o);
  w->m_up = floats(attn->rows, 1);
  w->m = floats(attn->rows, 1);
  w->l = floats(attn->rows, 1);
  if (w->row == NULL || w->q == NULL || w->kt == NULL || w->v == NULL || w->p == NULL || w->p16 == NULL ||
      w->t == NULL || w->o == NULL || w->m_up == NULL || w->m == NULL || w->l == NULL) {
    work_free(w);
    return -1;
  }
  widen(attn, attn->q, w->q, attn->rows * attn->dk);
  return 0;
}

// Rows that have seen no block.
static void rows_reset(const num_attn_t *attn, work_t *w) {
  for (size_t g = 0; g < attn->rows; ++g) {
    w->row[g] = (row_t){.m = -INFINITY, .l = 0.0f, .n = 0.0f, .s16 = 1.0f, .c = 1.0f};
  }
  for (size_t i = 0; i < attn->rows * attn->dv; ++i) {
    w->o[i] = num_f32_bits(0.0f);
  }
}

static block_t block_at(const num_attn_t *attn, size_t first) {
  const size_t left = attn->keys - first;
  return (block_t){first, left < attn->block ? left : attn->block};
}

// Splits there are: one a block at most.
static size_t split_count(const num_attn_t *attn) {
  const size_t blocks = (attn->keys + attn->block - 1) / attn->block;
  const size_t splits = attn->splits < blocks ? attn->splits : blocks;
  return splits == 0 ? 1 : splits;
}

// The first key of a split; of split `splits`: the end.
static size_t split_key(const num_attn_t *attn, size_t splits, size_t split) {
  const size_t blocks = (attn->keys + attn->block - 1) / attn->block;
  const size_t key = split * blocks / splits * attn->block;
  return key < attn->keys ? key : attn->keys;
}

// Whose key and value stand at a place; -1: nobody's.
static ptrdiff_t key_at(const num_attn_t *attn, size_t place) {
  return attn->index == NULL ? (ptrdiff_t)place : (ptrdiff_t)attn->index[place];
}

// A place without a key is loaded as zeros.
static void load_block(const num_attn_t *attn, work_t *w, block_t b) {
  for (size_t s = 0; s < b.count; ++s) {
    const ptrdiff_t at = key_at(attn, b.first + s);
    const uint16_t *key = at < 0 ? NULL : attn->k + (size_t)at * attn->ldk;
    for (size_t d = 0; d < attn->dk; ++d) {
      w->kt[d * b.count + s] = key == NULL ? 0.0f : element(attn, key[d]);
    }
    float *value = w->v + s * attn->dv;
    if (at < 0) {
      memset(value, 0, attn->dv * sizeof *value);
    } else {
      widen(attn, attn->v + (size_t)at * attn->ldv, value, attn->dv);
    }
  }
}

// NUMERICS.md section 4.
static float capped(float x, float cap) {
  const float y = x * (2.0f / cap);
  const float e = num_exp32(y) + 1.0f;
  const float scaled = (1.0f / e) * -(2.0f * cap);
  const float w = x * (x * (float)(-1.0 / (3.0 * (double)cap * (double)cap)));
  const float factor = w + 1.0f;
  return x > -cap / 16.0f && !(x > cap / 16.0f) ? factor * x : scaled + cap;
}

// p = (q . k) * scale, capped, -inf where the row does not see the key.
static void scores(const num_attn_t *attn, work_t *w, block_t b) {
  w->matmul(attn->rows, b.count, attn->dk, w->q, attn->dk, w->kt, b.count, w->p, b.count, false);
  for (size_t g = 0; g < attn->rows; ++g) {
    for (size_t s = 0; s < b.count; ++s) {
      const size_t place = b.first + s;
      const bool seen = key_at(attn, place) >= 0 && (attn->seen == NULL || place < attn->seen[g]) &&
                        (attn->visible == NULL || attn->visible[g * attn->keys + place] != 0);
      float *score = &w->p[g * b.count + s];
      *score = *score * attn->scale;
      *score = attn->cap == 0.0f ? *score : capped(*score, attn->cap);
      *score = seen ? *score : -INFINITY;
    }
  }
}

static float chain_sum(const float *p, size_t count) {
  float sum = 0.0f;
  for (size_t s = 0; s < count; ++s) {
    sum = sum + p[s];
  }
  return sum;
}

static float tree_sum(const float *p, size_t count) {
  float lane[64] = {0.0f};
  for (size_t s = 0; s < count; ++s) {
    lane[s % 64] = lane[s % 64] + p[s];
  }
  for (size_t half = 32; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) {
      lane[i] = lane[i] + lane[i + half];
    }
  }
  return lane[0];
}

// Scores to P = exp32(S - m), in place, with m and l brought up to date. Returns M_up. In a row that is not live 0
// takes the place of m: P is 0 where a score is -inf, and a NaN where it is a NaN.
static float softmax_row(num_row_sum_t order, row_t *row, float *p, size_t count) {
  const float m_prev = row->m;
  for (size_t s = 0; s < count; ++s) {
    row->m = p[s] > row->m ? p[s] : row->m;
  }
  const float m = row->m == -INFINITY ? 0.0f : row->m;
  for (size_t s = 0; s < count; ++s) {
    p[s] = p[s] - m;
  }
  num_exp32_n(p, p, count);
  const float m_up = m_prev == -INFINITY ? 0.0f : num_exp32(m_prev - m);
  const float sum = order == NUM_ROW_SUM_TREE ? tree_sum(p, count) : chain_sum(p, count);
  const float l_scaled = row->l * m_up;
  row->l = l_scaled + sum;
  return m_up;
}

static void product(const num_attn_t *attn, work_t *w, block_t b) {
  w->matmul(attn->rows, attn->dv, b.count, w->p16, b.count, w->v, attn->dv, w->t, attn->dv, false);
}

// The blocks of the keys first .. end - 1, Algorithm 1.
static void base_blocks(const num_attn_t *attn, work_t *w, size_t first, size_t end, bool flash) {
  rows_reset(attn, w);
  for (; first < end; first += attn->block) {
    const block_t b = block_at(attn, first);
    load_block(attn, w, b);
    scores(attn, w, b);
    for (size_t g = 0; g < attn->rows; ++g) {
      const float m_up = softmax_row(attn->row_sum, &w->row[g], w->p + g * b.count, b.count);
      for (size_t s = g * b.count; s < (g + 1) * b.count; ++s) {
        w->p16[s] = narrowed(attn, w->p[s]);
      }
      w->m_up[g] = m_up;
    }
    product(attn, w, b);
    for (size_t i = 0; i < attn->rows * attn->dv; ++i) {
      const float o = num_f32_from_bits(w->o[i]);
      const float m_up = w->m_up[i / attn->dv];
      const float scaled = o * m_up;
      w->o[i] = num_f32_bits(flash ? fmaf(o, m_up, w->t[i]) : scaled + w->t[i]);
    }
  }
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

// The blocks of keys, by Algorithm 2.
static void amla_blocks(const num_attn_t *attn, work_t *w, size_t first, size_t end, unsigned flags, uint32_t *guards) {
  const enum num_gm_op add = (flags & NUM_ATTN_RAW_ADD) != 0u ? NUM_GM_ADD_S32_RAW : NUM_GM_ADD_S32;
  rows_reset(attn, w);
  for (; first < end; first += attn->block) {
    const block_t b = block_at(attn, first);
    load_block(attn, w, b);
    scores(attn, w, b);
    for (size_t g = 0; g < attn->rows; ++g) {
      row_t *row = &w->row[g];
      const float m_prev = row->m;
      const bool was_live = m_prev != -INFINITY;  // false in the first block
      softmax_row(attn->row_sum, row, w->p + g * b.count, b.count);
      const int32_t n = rescale_row(row, flags);
      const bool moves = was_live && ((flags & NUM_ATTN_SKIP_NOOP) == 0u || row->m > m_prev);
      for (size_t i = g * attn->dv; moves && i < (g + 1) * attn->dv; ++i) {
        w->o[i] = num_gm_apply(add, w->o[i], (uint32_t)n, guards);
      }
      for (size_t s = g * b.count; s < (g + 1) * b.count; ++s) {
        const float scaled = w->p[s] * row->s16;
        w->p16[s] = narrowed(attn, scaled);
      }
    }
    product(attn, w, b);
    for (size_t i = 0; i < attn->rows * attn->dv; ++i) {
      w->o[i] = num_gm_apply(NUM_GM_ADD_F32, w->o[i], num_f32_bits(w->t[i]), guards);
    }
  }
}

// The factor of a merge for the side with this maximum; m is the maximum of both.
static float merge_factor(float side, float m) { return side == -INFINITY ? 0.0f : num_exp32(side - m); }

// One more split, (row[].m, row[].l, o), onto those before it: (w->m, w->l, sum).
static void merge(const num_attn_t *attn, work_t *w, bool first, float *sum) {
  for (size_t g = 0; g < attn->rows; ++g) {
    const row_t *row = &w->row[g];
    const float m = first || row->m > w->m[g] ? row->m : w->m[g];
    const float a = first ? 0.0f : merge_factor(w->m[g], m);
    const float b = merge_factor(row->m, m);
    const float l_before = w->l[g] * a;
    const float l_here = row->l * b;
    w->m[g] = m;
    w->l[g] = first ? row->l : l_before + l_here;
    for (size_t i = g * attn->dv; i < (g + 1) * attn->dv; ++i) {
      const float here = num_f32_from_bits(w->o[i]);
      const float sum_scaled = sum[i] * a;
      const float here_scaled = here * b;
      sum[i] = first ? here : sum_scaled + here_scaled;
    }
  }
}

// The divisor of row g's output: l, and the sink's part.
static float with_sink(const num_attn_t *attn, size_t g, float m, float l) {
  if (attn->sink == NULL || l == 0.0f) {
    return l;
  }
  const float sink = num_exp32(attn->sink[g] - m);
  return l + sink;
}

static float log_sum(float m, float l) {
  const float ln = num_ln32(l);
  return l == 0.0f ? INFINITY : m + ln;
}

// out = O / l of what was merged.
static void finish_merged(const num_attn_t *attn, const work_t *w, float *out, float *lse) {
  for (size_t g = 0; g < attn->rows; ++g) {
    const float l = with_sink(attn, g, w->m[g], w->l[g]);
    for (size_t i = g * attn->dv; i < (g + 1) * attn->dv; ++i) {
      out[i] = l == 0.0f ? 0.0f : out[i] / l;
    }
    if (lse != NULL) {
      lse[g] = log_sum(w->m[g], w->l[g]);
    }
  }
}

// AMLA's O of a split, from relative to S16 to what Base would have.
static void to_true_scale(const num_attn_t *attn, work_t *w) {
  for (size_t i = 0; i < attn->rows * attn->dv; ++i) {
    w->o[i] = num_f32_bits(num_f32_from_bits(w->o[i]) / w->row[i / attn->dv].s16);
  }
}

// out = O / (l S16), without splits.
static void finish_amla(const num_attn_t *attn, const work_t *w, float *out, float *lse) {
  for (size_t g = 0; g < attn->rows; ++g) {
    const row_t *row = &w->row[g];
    const float divisor = with_sink(attn, g, row->m, row->l) * row->s16;
    for (size_t i = g * attn->dv; i < (g + 1) * attn->dv; ++i) {
      out[i] = row->l == 0.0f ? 0.0f : num_f32_from_bits(w->o[i]) / divisor;
    }
    if (lse != NULL) {
      lse[g] = log_sum(row->m, row->l);
    }
  }
}

// -0 to +0.
static void drop_signs(const num_attn_t *attn, work_t *w) {
  for (size_t i = 0; i < attn->rows * attn->dv; ++i) {
    w->o[i] = num_f32_bits(num_f32_from_bits(w->o[i]) + 0.0f);
  }
}

static int base_or_flash(const num_attn_t *attn, num_isa_t isa, bool flash, float *out_f32) {
  work_t w;
  if (work_init(&w, attn, isa) != 0) {
    return -1;
  }
  const size_t splits = split_count(attn);
  for (size_t split = 0; split < splits; ++split) {
    base_blocks(attn, &w, split_key(attn, splits, split), split_key(attn, splits, split + 1), flash);
    if (flash) {
      drop_signs(attn, &w);
    }
    merge(attn, &w, split == 0, out_f32);
  }
  finish_merged(attn, &w, out_f32, NULL);
  work_free(&w);
  return 0;
}

int num_attn_base(const num_attn_t *attn, num_isa_t isa, float *out_f32) {
  return base_or_flash(attn, isa, false, out_f32);
}

int num_attn_flash(const num_attn_t *attn, num_isa_t isa, float *out_f32) {
  num_attn_t trees = *attn;
  trees.row_sum = NUM_ROW_SUM_TREE;
  return base_or_flash(&trees, isa, true, out_f32);
}

int num_attn_amla(const num_attn_t *attn, num_isa_t isa, unsigned flags, float *out_f32, uint32_t *guards) {
  return num_attn_amla_lse(attn, isa, flags, out_f32, NULL, guards);
}

int num_attn_amla_lse(const num_attn_t *attn, num_isa_t isa, unsigned flags, float *out_f32, float *lse,
                      uint32_t *guards) {
  work_t w;
  if (work_init(&w, attn, isa) != 0) {
    return -1;
  }
  const size_t splits = split_count(attn);
  for (size_t split = 0; split < splits; ++split) {
    amla_blocks(attn, &w, split_key(attn, splits, split), split_key(attn, splits, split + 1), flags, guards);
    if (splits > 1) {
      to_true_scale(attn, &w);
      merge(attn, &w, split == 0, out_f32);
    }
  }
  if (splits > 1) {
    finish_merged(attn, &w, out_f32, lse);
  } else {
    finish_amla(attn, &w, out_f32, lse);
  }
  work_free(&w);
  return 0;
}
