// PACK and UNPACK: a cache of keys and values in 8 bits, with a scale for each row.
//
//   PACK    slot: rows in BF16 | X, WORK: FP32, V's own | slot: codes | slot: scales, 32 bytes each
//           largest, lost, scales: one FP32 a row
//   UNPACK  slot: codes | slot: scales | X | slot: rows in BF16
//
// A maximum passes over NaNs, so `lost` keeps them: 0 times each element, added up, is 0 or a NaN.
// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>

#include "kernels/step/vector/step_vector.h"

enum {
  ELEMENTS = 8192,  // of a tile
  SLOTS = 2,
  ROWS_MAX = 64,
  COLUMN = 4 * ROWS_MAX,
  COLS_MULTIPLE = 32,
  LANES = 64,
  SPREAD = UB_ALIGN,  // a scale, by itself
  X = 0,
  WORK = X + 4 * ELEMENTS,
  CODES = WORK + 4 * ELEMENTS,
  HALVES = CODES + SLOTS * ELEMENTS,
  SCALES = HALVES + SLOTS * 2 * ELEMENTS,
  LARGEST = SCALES + SLOTS * SPREAD * ROWS_MAX,
  LOST = LARGEST + COLUMN,
  SCALE = LOST + COLUMN,
  TINY = 0x0d800000,  // 2^-100
  F32_127 = 0x42fe0000,
  F32_448 = 0x43e00000,
};
_Static_assert(SCALE + COLUMN <= UB_BYTES, "UB is too small");

// Rows of a tile, of all that there are: `first` of all, `row` of its span. All of a span lie at one pitch.
typedef struct tile {
  uint32_t first, rows, row, span;
} tile_t;

static tile_t tile_from(uint32_t first, uint32_t end, uint32_t most, uint32_t span) {
  const uint32_t row = first % span;
  return (tile_t){first, min_u32(min_u32(most, end - first), span - row), row, first / span};
}

static void check(uint32_t cols, uint32_t type) {
  require(cols >= COLS_MULTIPLE && cols <= STEP_MAX_HEAD && cols % COLS_MULTIPLE == 0 &&
              (type == TYPE_S8 || type == TYPE_E4M3),
          PANIC_ARGUMENTS);
}

static uint32_t tile_rows(uint32_t cols) { return min_u32(ROWS_MAX, ELEMENTS / cols); }

#define over_rows(operation, to, with, ...)                                                                  \
  vector_op(.op = (operation), .rows = 1, .cols = tile->rows, .dst = (to), .dst_pitch = COLUMN, .a = (with), \
            .a_pitch = COLUMN, __VA_ARGS__)

// ---- PACK ----

static const ring_t halves_in = {PIPE_MTE2, PIPE_V, 0, SLOTS, HALVES, 2 * ELEMENTS};
static const ring_t codes_out = {PIPE_V, PIPE_MTE3, 0, SLOTS, CODES, ELEMENTS};
static const ring_t scales_out = {PIPE_V, PIPE_MTE3, SLOTS, SLOTS, SCALES, SPREAD *ROWS_MAX};

// Rows that lie side by side are a span; if none do, those of a group are.
static uint32_t pack_span(const step_pack_args_t *args) { return args->run == 1 ? args->rows : args->run; }

static void load_halves(const step_pack_args_t *args, const tile_t *tile, uint32_t use) {
  const uint32_t bytes = 2 * args->cols;
  ring_wait_free(&halves_in, use);
  const uint32_t group = tile->first / args->rows, row = tile->first % args->rows;
  data_copy_gm_to_ub(.gm = args->x + group * args->x_group + (uint64_t)row * bytes, .gm_pitch = bytes,
                     .ub = ring_slot(&halves_in, use), .ub_pitch = bytes, .rows = tile->rows, .row_bytes = bytes);
  ring_set_full(&halves_in, use);
}

// Each row's scale, at SCALE.
static void find_scales(const step_pack_args_t *args, const tile_t *tile) {
  const uint32_t cols = args->cols, pitch = 4 * cols;
  vector_op(.op = VOP_ABS, .rows = tile->rows, .cols = cols, .dst = WORK, .dst_pitch = pitch, .a = X, .a_pitch = pitch);
  vector_op(.op = VOP_ROW_MAX, .rows = tile->rows, .cols = cols, .dst = LARGEST, .a = WORK, .a_pitch = pitch);
  vector_op(.op = VOP_MUL, .rows = tile->rows, .cols = cols, .dst = WORK, .dst_pitch = pitch, .a = WORK,
            .a_pitch = pitch, by_scalar(0));
  vector_op(.op = VOP_ROW_TREE, .rows = tile->rows, .cols = cols, .dst = LOST, .a = WORK, .a_pitch = pitch);
  over_rows(VOP_MAX, SCALE, LARGEST, by_scalar(TINY));
  over_rows(VOP_DIV, SCALE, SCALE, by_scalar(args->type == TYPE_S8 ? F32_127 : F32_448));
  over_rows(VOP_ADD, SCALE, SCALE, .b = LOST, .b_pitch = COLUMN);
}

// X / scale, as codes.
static void make_codes(const step_pack_args_t *args, const tile_t *tile, uint32_t to) {
  const uint32_t count = tile->rows * args->cols, pitch = 4 * args->cols;
  vector_op(.op = VOP_DIV, .rows = tile->rows, .cols = args->cols, .dst = X, .dst_pitch = pitch, .a = X,
            .a_pitch = pitch, by_row(SCALE));
  if (args->type == TYPE_S8) {
    vector_instruction(.op = VI_CAST, .type = TYPE_F32, .to = TYPE_S8, .mode = VECTOR_RINT, .count = count, .dst = to,
                       .dst_step = VECTOR_STEP(1, LANES / UB_ALIGN), .a = X,
                       .a_step = VECTOR_STEP(1, 4 * LANES / UB_ALIGN));
  } else {
    vector_op(.op = VOP_CAST, .rows = 1, .cols = count, .dst = to, .dst_pitch = count, .a = X, .a_pitch = 4 * count,
              .from = TYPE_F32, .to = TYPE_E4M3);
  }
}

static void pack_tile(const step_pack_args_t *args, const tile_t *tile, uint32_t use) {
  const uint32_t cols = args->cols, half = ring_slot(&halves_in, use);
  ring_wait_full(&halves_in, use);
  vector_op(.op = VOP_CAST, .rows = tile->rows, .cols = cols, .dst = X, .dst_pitch = 4 * cols, .a = half,
            .a_pitch = 2 * cols, .from = TYPE_BF16, .to = TYPE_F32);
  ring_set_free(&halves_in, use);
  find_scales(args, tile);
  ring_wait_free(&codes_out, use);
  make_codes(args, tile, ring_slot(&codes_out, use));
  ring_set_full(&codes_out, use);
  ring_wait_free(&scales_out, use);
  vector_op(.op = VOP_BROADCAST, .rows = tile->rows, .cols = SPREAD / 4, .dst = ring_slot(&scales_out, use),
            .dst_pitch = SPREAD, by_row(SCALE));
  ring_set_full(&scales_out, use);
}

static void store_tile(const step_pack_args_t *args, const tile_t *tile, uint32_t use) {
  const bool single = args->run == 1;
  const uint32_t of_group = args->rows / pack_span(args), group = tile->span / of_group;
  const uint64_t run = single ? tile->row : tile->span % of_group, row = single ? 0 : tile->row;
  ring_wait_full(&codes_out, use);
  data_copy_ub_to_gm(.ub = ring_slot(&codes_out, use), .ub_pitch = args->cols,
                     .gm = args->out + group * args->out_group + run * args->out_run + row * args->cols,
                     .gm_pitch = single ? (uint32_t)args->out_run : args->cols, .rows = tile->rows,
                     .row_bytes = args->cols, .op = GM_STORE);
  ring_set_free(&codes_out, use);
  ring_wait_full(&scales_out, use);
  data_copy_ub_to_gm(.ub = ring_slot(&scales_out, use), .ub_pitch = SPREAD,
                     .gm = args->scale + group * args->scale_group + run * args->scale_run + 4 * row,
                     .gm_pitch = single ? (uint32_t)args->scale_run : 4, .rows = tile->rows, .row_bytes = 4,
                     .op = GM_STORE);
  ring_set_free(&scales_out, use);
}

void step_pack_vector(const step_pack_args_t *args) {
  check(args->cols, args->type);
  require(args->run >= 1 && args->rows % args->run == 0, PANIC_ARGUMENTS);
  const share_t share = share_of(args->groups * args->rows);
  const uint32_t most = tile_rows(args->cols), span = pack_span(args);
  uint32_t first = share.first, loads = 0;
  ring_open(&halves_in);
  ring_open(&codes_out);
  ring_open(&scales_out);
  for (uint32_t next = first, use = 0; next < share.end; ++use) {
    for (; first < share.end && loads < use + SLOTS; ++loads) {
      const tile_t ahead = tile_from(first, share.end, most, span);
      load_halves(args, &ahead, loads);
      first += ahead.rows;
    }
    const tile_t tile = tile_from(next, share.end, most, span);
    pack_tile(args, &tile, use);
    store_tile(args, &tile, use);
    next += tile.rows;
  }
  ring_drain(&halves_in);
  ring_drain(&codes_out);
  ring_drain(&scales_out);
}

// ---- UNPACK ----

static const ring_t codes_in = {PIPE_MTE2, PIPE_V, 0, SLOTS, CODES, ELEMENTS};
static const ring_t scales_in = {PIPE_MTE2, PIPE_V, SLOTS, SLOTS, SCALES, SPREAD *ROWS_MAX};
static const ring_t halves_out = {PIPE_V, PIPE_MTE3, 0, SLOTS, HALVES, 2 * ELEMENTS};

static void load_codes(const step_unpack_args_t *args, const tile_t *tile, uint32_t use) {
  const uint64_t group = tile->span / args->runs, run = tile->span % args->runs;
  ring_wait_free(&codes_in, use);
  data_copy_gm_to_ub(.gm = args->x + group * args->x_group + run * args->x_run + (uint64_t)tile->row * args->cols,
                     .gm_pitch = args->cols, .ub = ring_slot(&codes_in, use), .ub_pitch = args->cols,
                     .rows = tile->rows, .row_bytes = args->cols);
  ring_set_full(&codes_in, use);
  ring_wait_free(&scales_in, use);
  data_copy_gm_to_ub(.gm = args->scale + group * args->scale_group + run * args->scale_run + 4 * (uint64_t)tile->row,
                     .gm_pitch = COLUMN, .ub = ring_slot(&scales_in, use), .ub_pitch = COLUMN, .rows = 1,
                     .row_bytes = 4 * tile->rows);
  ring_set_full(&scales_in, use);
}

static void widen_codes(const step_unpack_args_t *args, const tile_t *tile, uint32_t from) {
  const uint32_t count = tile->rows * args->cols;
  if (args->type == TYPE_S8) {
    vector_instruction(.op = VI_CAST, .type = TYPE_S8, .to = TYPE_F32, .mode = VECTOR_RINT, .count = count, .dst = X,
                       .dst_step = VECTOR_STEP(1, 4 * LANES / UB_ALIGN), .a = from,
                       .a_step = VECTOR_STEP(1, LANES / UB_ALIGN));
    pipe_barrier(PIPE_V);  // an instruction of lanes does not hold those behind it
  } else {
    vector_op(.op = VOP_CAST, .rows = 1, .cols = count, .dst = X, .dst_pitch = 4 * count, .a = from, .a_pitch = count,
              .from = TYPE_E4M3, .to = TYPE_F32);
  }
}

static void unpack_tile(const step_unpack_args_t *args, const tile_t *tile, uint32_t use) {
  const uint32_t cols = args->cols, pitch = 4 * cols, half = ring_slot(&halves_out, use);
  ring_wait_full(&codes_in, use);
  widen_codes(args, tile, ring_slot(&codes_in, use));
  ring_set_free(&codes_in, use);
  ring_wait_full(&scales_in, use);
  vector_op(.op = VOP_MUL, .rows = tile->rows, .cols = cols, .dst = X, .dst_pitch = pitch, .a = X, .a_pitch = pitch,
            by_row(ring_slot(&scales_in, use)));
  ring_set_free(&scales_in, use);
  ring_wait_free(&halves_out, use);
  vector_op(.op = VOP_CAST, .rows = tile->rows, .cols = cols, .dst = half, .dst_pitch = 2 * cols, .a = X,
            .a_pitch = pitch, .from = TYPE_F32, .to = TYPE_BF16);
  ring_set_full(&halves_out, use);
}

static void store_halves(const step_unpack_args_t *args, const tile_t *tile, uint32_t use) {
  const uint64_t group = tile->span / args->runs, run = tile->span % args->runs;
  const uint32_t bytes = 2 * args->cols;
  ring_wait_full(&halves_out, use);
  data_copy_ub_to_gm(.ub = ring_slot(&halves_out, use), .ub_pitch = bytes,
                     .gm = args->out + group * args->out_group + run * args->out_run + (uint64_t)tile->row * bytes,
                     .gm_pitch = bytes, .rows = tile->rows, .row_bytes = bytes, .op = GM_STORE);
  ring_set_free(&halves_out, use);
}

void step_unpack_vector(const step_unpack_args_t *args) {
  check(args->cols, args->type);
  require(args->run >= 1 && args->runs >= 1, PANIC_ARGUMENTS);
  const share_t share = share_of(args->groups * args->runs * args->run);
  const uint32_t most = tile_rows(args->cols);
  uint32_t first = share.first, loads = 0;
  ring_open(&codes_in);
  ring_open(&scales_in);
  ring_open(&halves_out);
  for (uint32_t next = first, use = 0; next < share.end; ++use) {
    for (; first < share.end && loads < use + SLOTS; ++loads) {
      const tile_t ahead = tile_from(first, share.end, most, args->run);
      load_codes(args, &ahead, loads);
      first += ahead.rows;
    }
    const tile_t tile = tile_from(next, share.end, most, args->run);
    unpack_tile(args, &tile, use);
    store_halves(args, &tile, use);
    next += tile.rows;
  }
  ring_drain(&codes_in);
  ring_drain(&scales_in);
  ring_drain(&halves_out);
}
