// Dequantisation, as the kernel that includes this file has it: it may fill in dequant_hooks. Nibbles, scales and zeros
// come from global memory, B goes to the workspace or to L1.
//
//   MTE2   w, scale, zero of a tile --> UB
//   V      B = fp16(scale * (w - zero)), by the ways of enum w4a16_zeros
//   MTE3   B --> the workspace, or the cube core's L1
//
// A tile is dequant_rows x tile_cols.  If phases are sequential, vector core i of n takes the
// tiles i, i + n, ... of all of B.  Else each of the AI core's vector cores makes its share of the
// rows of every piece that its cube core multiplies, in tiles.
//
// FP16 is enough for most zeros: w - zero is exact, so that the product is the only rounding.  Else
// scale * w - scale * zero is one FMA of FP32 operands, both exact, with the result rounded to FP16
// alone (model/num/NUMERICS.md).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_W4A16_W4A16_DEQUANT_IMPL_H
#define AMALGAM_SW_KERNELS_W4A16_W4A16_DEQUANT_IMPL_H

#include <stddef.h>

#include "hal/hal.h"
#include "kernels/w4a16/w4a16_problem.h"
#include "lib/panic.h"
#include "lib/ring.h"

enum { UB_BYTES = W4A16_UB_KB * 1024, UB_ALIGN = 32, IN_SLOTS_MAX = 8, OUT_SLOTS_MAX = 3 };

// The next tile to make.
typedef struct job {
  bool valid;
  uint32_t k, rows, col, cols;  // of B; rows = 0: this core has no part in the piece
  uint32_t use;                 // of UB's slots: jobs with rows before it
  // Sequential: the tile.  Else the piece, where the tile begins in it, and where this core's share
  // ends.
  uint32_t tile;
  w4a16_piece_t piece;
  uint32_t row, row_end;
} job_t;

typedef struct dequant {
  const w4a16_t *problem;
  uint32_t core, cores;     // among all vector cores
  uint32_t sub, subs;       // among those of the AI core
  uint32_t k_tiles, tiles;  // sequential
  ring_t in, out;
  uint32_t room;  // uses of `in` that have a slot, by the frees pushed so far
  // In a slot of `in`: w, then scales, then zeros.  Bytes from row to row and of all.
  uint32_t w_pitch, w_bytes, scale_pitch, scale_bytes;
  uint32_t out_pitch;
  // W4A16_ANY_ZEROS: FP32 forms of w, of the scales, and of -scale * zero.
  uint32_t wide_w, wide_scale, wide_zero;
} dequant_t;

// Rows of the tile that share a scale.
typedef struct segment {
  uint32_t row, rows;
  uint32_t offset;  // of their scale in the slot's scales, FP16
} segment_t;

// Hooks of a kernel, or NULL.
typedef struct w4a16_dequant_hooks {
  // Address of a unit's weights; otherwise there is one product, as the arguments say.
  uint64_t (*w)(const w4a16_t *problem, const w4a16_unit_t *unit);
  uint64_t (*scale)(const w4a16_t *problem, const w4a16_unit_t *unit);
  uint64_t (*zero)(const w4a16_t *problem, const w4a16_unit_t *unit);
  // A tile's scales or zeros come to UB: so many rows, args->n apart in global memory.
  void (*load_scales)(const dequant_t *d, const job_t *job, uint64_t gm, uint32_t ub, uint32_t rows);
  uint32_t scale_copies;  // of a row of them in UB, 0: 1
  void (*scale_half)(const dequant_t *d, const job_t *job, const segment_t *s);
} w4a16_dequant_hooks_t;

static const w4a16_dequant_hooks_t dequant_hooks;

// ---- Places in UB ----

// Groups that so many rows may touch.
static uint32_t groups_of(uint32_t rows, uint32_t group) { return (rows + group - 2) / group + 1; }

static void lay_out(dequant_t *d) {
  const w4a16_args_t *args = &d->problem->args;
  const uint32_t rows = args->dequant_rows;
  const uint32_t cols = args->tile_cols;
  const uint32_t groups = groups_of(rows, args->group);
  d->w_pitch = round_up(cols / 2, UB_ALIGN);
  d->w_bytes = rows * d->w_pitch;
  d->scale_pitch = round_up(2 * cols, UB_ALIGN) * (dequant_hooks.scale_copies != 0 ? dequant_hooks.scale_copies : 1);
  d->scale_bytes = groups * d->scale_pitch;
  d->out_pitch = round_up(2 * cols, UB_ALIGN);
  const uint32_t in_bytes = d->w_bytes + d->scale_bytes * (args->zeros == W4A16_NO_ZEROS ? 1 : 2);
  const uint32_t out_bytes = rows * d->out_pitch;
  const uint32_t wide_bytes = args->zeros == W4A16_ANY_ZEROS ? 2 * out_bytes + 4 * d->scale_bytes : 0;
  // Three slots to leave from, for a store is over 0.3 us after its last byte; two if loads would
  // have less than three.
  const bool roomy = OUT_SLOTS_MAX * (out_bytes + in_bytes) + wide_bytes <= UB_BYTES;
  const uint32_t out_slots = roomy ? OUT_SLOTS_MAX : 2;
  d->wide_w = out_slots * out_bytes;
  d->wide_scale = d->wide_w + 2 * out_bytes;
  d->wide_zero = d->wide_scale + 2 * d->scale_bytes;
  const uint32_t in_base = d->wide_w + wide_bytes;
  require(in_base + 2 * in_bytes <= UB_BYTES, PANIC_ARGUMENTS);
  const uint32_t slots = min_u32(IN_SLOTS_MAX, (UB_BYTES - in_base) / in_bytes);
  d->out = (ring_t){PIPE_V, PIPE_MTE3, 0, (uint8_t)out_slots, 0, out_bytes};
  d->in = (ring_t){PIPE_MTE2, PIPE_V, 0, (uint8_t)slots, in_base, in_bytes};
  d->room = slots;
}

// ---- The walk ----

static bool is_sequential(const dequant_t *d) { return d->problem->args.phases == W4A16_SEQUENTIAL; }

static void settle_tile(const dequant_t *d, job_t *job) {
  const w4a16_args_t *args = &d->problem->args;
  const uint32_t k = job->tile % d->k_tiles;
  const uint32_t col = job->tile / d->k_tiles;
  job->k = k * args->dequant_rows;
  job->rows = tile_length(args->k, args->dequant_rows, k);
  job->col = col * args->tile_cols;
  job->cols = tile_length(args->n, args->tile_cols, col);
}

static void settle_rows(const dequant_t *d, job_t *job) {
  job->k = job->piece.k + job->row;
  job->rows = min_u32(d->problem->args.dequant_rows, job->row_end - job->row);
  job->col = job->piece.unit.col;
  job->cols = job->piece.unit.cols;
}

static void settle_piece(const dequant_t *d, job_t *job) {
  job->valid = job->piece.valid;
  if (job->valid) {
    const uint32_t share = ceil_div(job->piece.rows, d->subs);
    job->row = min_u32(d->sub * share, job->piece.rows);
    job->row_end = min_u32(job->row + share, job->piece.rows);
    settle_rows(d, job);
  }
}

static job_t first_job(const dequant_t *d) {
  job_t job = {.tile = d->core};
  if (is_sequential(d)) {
    job.valid = job.tile < d->tiles;
    if (job.valid) {
      settle_tile(d, &job);
    }
  } else {
    job.piece = w4a16_first_piece(d->problem);
    settle_piece(d, &job);
  }
  return job;
}

static bool starts_piece(const dequant_t *d, const job_t *job) {
  return job->row == min_u32(d->sub * ceil_div(job->piece.rows, d->subs), job->piece.rows);
}

static bool ends_piece(const job_t *job) { return job->row + job->rows == job->row_end; }

static void next_job(const dequant_t *d, job_t *job) {
  job->use += job->rows == 0 ? 0 : 1;
  if (is_sequential(d)) {
    job->tile += d->cores;
    job->valid = job->tile < d->tiles;
    if (job->valid) {
      settle_tile(d, job);
    }
  } else if (!ends_piece(job)) {
    job->row += job->rows;
    settle_rows(d, job);
  } else {
    w4a16_next_piece(d->problem, &job->piece);
    settle_piece(d, job);
  }
}

// ---- MTE2 ----

static void load(const dequant_t *d, const job_t *job) {
  const w4a16_args_t *args = &d->problem->args;
  const w4a16_unit_t *unit = &job->piece.unit;
  const uint64_t w = dequant_hooks.w != NULL ? dequant_hooks.w(d->problem, unit) : args->w;
  const uint64_t scale = dequant_hooks.scale != NULL ? dequant_hooks.scale(d->problem, unit) : args->scale;
  const uint64_t zero = dequant_hooks.zero != NULL ? dequant_hooks.zero(d->problem, unit) : args->zero;
  const uint32_t slot = ring_slot(&d->in, job->use);
  const uint32_t group = job->k / args->group;
  const uint32_t groups = (job->k + job->rows - 1) / args->group - group + 1;
  const uint64_t first = 2 * ((uint64_t)group * args->n + job->col);
  ring_wait_free(&d->in, job->use);
  data_copy_gm_to_ub(.gm = w + ((uint64_t)job->k * args->n + job->col) / 2, .gm_pitch = args->n / 2, .ub = slot,
                     .ub_pitch = d->w_pitch, .rows = job->rows, .row_bytes = job->cols / 2);
  if (dequant_hooks.load_scales != NULL) {
    dequant_hooks.load_scales(d, job, scale + first, slot + d->w_bytes, groups);
  } else {
    data_copy_gm_to_ub(.gm = scale + first, .gm_pitch = 2 * args->n, .ub = slot + d->w_bytes,
                       .ub_pitch = d->scale_pitch, .rows = groups, .row_bytes = 2 * job->cols);
  }
  if (args->zeros != W4A16_NO_ZEROS && dequant_hooks.load_scales != NULL) {
    dequant_hooks.load_scales(d, job, zero + first, slot + d->w_bytes + d->scale_bytes, groups);
  } else if (args->zeros != W4A16_NO_ZEROS) {
    data_copy_gm_to_ub(.gm = zero + first, .gm_pitch = 2 * args->n, .ub = slot + d->w_bytes + d->scale_bytes,
                       .ub_pitch = d->scale_pitch, .rows = groups, .row_bytes = 2 * job->cols);
  }
  ring_set_full(&d->in, job->use);
}

// As many as have a slot, see load_some of the cube cores' part.
static void load_some(const dequant_t *d, job_t *next) {
  while (next->valid && next->use < d->room) {
    if (next->rows != 0) {
      load(d, next);
    }
    next_job(d, next);
  }
}

// ---- V ----

// In FP16, in place.
static void scale_half(const dequant_t *d, const job_t *job, const segment_t *s) {
  const uint32_t slot = ring_slot(&d->in, job->use);
  const uint32_t scale = slot + d->w_bytes + s->offset;
  const uint32_t rows = ring_slot(&d->out, job->use) + s->row * d->out_pitch;
  if (d->problem->args.zeros == W4A16_HALF_ZEROS) {
    vector_op(.op = VOP_SUB, .rows = s->rows, .cols = job->cols, .dst = rows, .dst_pitch = d->out_pitch, .a = rows,
              .a_pitch = d->out_pitch, .b = scale + d->scale_bytes, .from = TYPE_F16, .to = TYPE_F16);
  }
  vector_op(.op = VOP_MUL, .rows = s->rows, .cols = job->cols, .dst = rows, .dst_pitch = d->out_pitch, .a = rows,
            .a_pitch = d->out_pitch, .b = scale, .from = TYPE_F16, .to = TYPE_F16);
}

static void scale_wide(const dequant_t *d, const job_t *job, const segment_t *s) {
  vector_op(.op = VOP_FMA, .rows = s->rows, .cols = job->cols,
            .dst = ring_slot(&d->out, job->use) + s->row * d->out_pitch, .dst_pitch = d->out_pitch,
            .a = d->wide_w + s->row * 2 * d->out_pitch, .a_pitch = 2 * d->out_pitch, .b = d->wide_scale + 2 * s->offset,
            .c = d->wide_zero + 2 * s->offset, .to = TYPE_F16);
}

// w, scales and -scale * zero in FP32, all of them exact.
static void widen(const dequant_t *d, const job_t *job) {
  const w4a16_args_t *args = &d->problem->args;
  const uint32_t slot = ring_slot(&d->in, job->use);
  const uint32_t groups = (job->k + job->rows - 1) / args->group - job->k / args->group + 1;
  const uint32_t pitch = 2 * d->scale_pitch;
  vector_op(.op = VOP_CAST, .rows = job->rows, .cols = job->cols, .dst = d->wide_w, .dst_pitch = 2 * d->out_pitch,
            .a = slot, .a_pitch = d->w_pitch, .from = args->nibbles, .to = TYPE_F32);
  vector_op(.op = VOP_CAST, .rows = groups, .cols = job->cols, .dst = d->wide_scale, .dst_pitch = pitch,
            .a = slot + d->w_bytes, .a_pitch = d->scale_pitch, .from = TYPE_F16, .to = TYPE_F32);
  vector_op(.op = VOP_CAST, .rows = groups, .cols = job->cols, .dst = d->wide_zero, .dst_pitch = pitch,
            .a = slot + d->w_bytes + d->scale_bytes, .a_pitch = d->scale_pitch, .from = TYPE_F16, .to = TYPE_F32);
  vector_op(.op = VOP_MUL, .rows = groups, .cols = job->cols, .dst = d->wide_zero, .dst_pitch = pitch,
            .a = d->wide_zero, .a_pitch = pitch, .b = d->wide_scale, .b_pitch = pitch);
  vector_op(.op = VOP_MUL, .rows = groups, .cols = job->cols, .dst = d->wide_zero, .dst_pitch = pitch,
            .a = d->wide_zero, .a_pitch = pitch, .b_kind = OPERAND_SCALAR,
            .scalar = 0xbf800000u);  // -1
}

static void narrow(const dequant_t *d, const job_t *job) {
  vector_op(.op = VOP_CAST, .rows = job->rows, .cols = job->cols, .dst = ring_slot(&d->out, job->use),
            .dst_pitch = d->out_pitch, .a = ring_slot(&d->in, job->use), .a_pitch = d->w_pitch,
            .from = d->problem->args.nibbles, .to = TYPE_F16);
}

static void compute(dequant_t *d, const job_t *job) {
  const uint32_t group = d->problem->args.group;
  const bool wide = d->problem->args.zeros == W4A16_ANY_ZEROS;
  ring_wait_full(&d->in, job->use);
  ring_wait_free(&d->out, job->use);
  if (wide) {
    widen(d, job);
  } else {
    narrow(d, job);
  }
  segment_t s = {.row = 0};
  for (; s.row < job->rows; s.row += s.rows, s.offset += d->scale_pitch) {
    s.rows = min_u32(job->rows - s.row, group - (job->k + s.row) % group);
    if (wide) {
      scale_wide(d, job, &s);
    } else if (dequant_hooks.scale_half != NULL) {
      dequant_hooks.scale_half(d, job, &s);
    } else {
      scale_half(d, job, &s);
    }
  }
  ring_set_free(&d->in, job->use);
  d->room++;
  ring_set_full(&d->out, job->use);
}

// ---- MTE3 ----

static void store_gm(const dequant_t *d, const job_t *job) {
  const w4a16_t *problem = d->problem;
  const w4a16_args_t *args = &problem->args;
  uint64_t gm = w4a16_b_row(problem, job->k, job->col);
  uint32_t pitch = problem->b_pitch;
  if (!is_sequential(d)) {
    const uint32_t slot = problem->core * W4A16_RING + job->piece.number % W4A16_RING;
    pitch = 2 * args->tile_cols;
    gm = args->b + (uint64_t)slot * W4A16_SLOT + job->row * pitch;
  }
  data_copy_ub_to_gm(.ub = ring_slot(&d->out, job->use), .ub_pitch = d->out_pitch, .gm = gm, .gm_pitch = pitch,
                     .rows = job->rows, .row_bytes = 2 * job->cols, .op = GM_STORE);
}

static void store_l1(const dequant_t *d, const job_t *job) {
  const uint32_t slot = W4A16_B_BASE + job->piece.number % W4A16_B_SLOTS * W4A16_SLOT;
  data_copy_ub_to_l1(.ub = ring_slot(&d->out, job->use), .ub_pitch = d->out_pitch, .l1 = slot + job->row * STRIP_ROW,
                     .l1_pitch = round_up(job->piece.rows, STRIP) * STRIP_ROW, .rows = job->rows, .cols = job->cols);
}

static void store(const dequant_t *d, const job_t *job) {
  const bool sequential = is_sequential(d);
  if (!sequential && starts_piece(d, job) && job->piece.number >= d->problem->slots) {
    cross_core_wait_flag(PIPE_MTE3, FLAG_FREE);
  }
  if (job->rows != 0) {
    ring_wait_full(&d->out, job->use);
    if (d->problem->args.phases == W4A16_DIRECT) {
      store_l1(d, job);
    } else {
      store_gm(d, job);
    }
    ring_set_free(&d->out, job->use);
  }
  if (!sequential && ends_piece(job)) {
    cross_core_set_flag(PIPE_MTE3, FLAG_READY);
  }
}

// ---- The whole ----

static void dequant_open(dequant_t *d, const w4a16_t *problem) {
  const w4a16_args_t *args = &problem->args;
  d->problem = problem;
  d->sub = (uint32_t)hal_read(REG_SUB_INDEX);
  d->subs = (uint32_t)hal_read(REG_SUB_COUNT);
  d->core = problem->core * d->subs + d->sub;
  d->cores = problem->cores * d->subs;
  d->k_tiles = ceil_div(args->k, args->dequant_rows);
  d->tiles = d->k_tiles * problem->n_tiles;
  lay_out(d);
}

// The flags that the cube core still raises for the last pieces.
static void drain_pieces(const dequant_t *d, uint32_t pieces) {
  for (uint32_t i = min_u32(pieces, d->problem->slots); i > 0; --i) {
    cross_core_wait_flag(PIPE_MTE3, FLAG_FREE);
  }
}

static void dequantise(const w4a16_t *problem) {
  dequant_t d;
  dequant_open(&d, problem);
  job_t job = first_job(&d);
  job_t loads = job;
  ring_open(&d.in);
  ring_open(&d.out);
  for (; job.valid; next_job(&d, &job)) {
    load_some(&d, &loads);
    if (job.rows != 0) {
      compute(&d, &job);
    }
    store(&d, &job);
  }
  ring_drain(&d.in);
  ring_drain(&d.out);
  if (is_sequential(&d)) {
    sync_all(PIPE_MTE3);
    cross_core_set_flag(PIPE_MTE3, FLAG_DEQUANTISED);
  } else {
    drain_pieces(&d, job.piece.number);
  }
}

#endif
