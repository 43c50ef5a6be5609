// V0: keys out of the FP8 cache.  A tile is 16 tokens; in UB:
//
//   raw ring  4 or 7 x 10.5 KB  MTE2 -> V -> MTE3  codes and scales [16][544 bytes], RoPE [16][128 bytes]
//   work      32 KB             V only             FP32, [16][512]
//
// The raw ring is behind V1's tiles.  With few rows V waits for the latency of these loads: V1 then
// has tiles of half as many rows, and leaves the ring the room.
//
// V leaves BF16 values in a slot of the out ring; MTE3 stores these and the RoPE, which is as it
// was.  On the direct path MTE3 puts both into L1, and stores the values for C2.
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/fp8/fp8_keys_walk.h"
#include "kernels/fp8/fp8_vector.h"
#include "lib/ring.h"
#include "lib/tiling.h"

enum {
  CODES_BYTES = FP8_ROPE_AT,  // of a token: codes and scales
  CODES_PITCH = 544,
  ROPE_BYTES = FP8_TOKEN_BYTES - FP8_ROPE_AT,
  RAW_ROPE = KEYS_ROWS * CODES_PITCH,  // in a slot
  RAW_SLOT = RAW_ROPE + KEYS_ROWS * ROPE_BYTES,
  RAW_SLOTS = 4,
  RAW_MORE_SLOTS = 7,  // with half of V1's rows
  RAW_EVENT = 8,
  WORK_PITCH = 4 * FP8_CODES,
  VALUES_PITCH = 2 * FP8_CODES,
};
_Static_assert((int)UB_END + KEYS_ROWS * WORK_PITCH <= ATTENTION_UB_KB * 1024, "UB is too small");
_Static_assert(RAW_SLOTS *RAW_SLOT <= (int)TILES_OWN &&
                   RAW_MORE_SLOTS * RAW_SLOT <= (int)TILES_OWN + TILE_SLOTS * TILE_BYTES / 2,
               "tokens do not fit behind V1's tiles");
_Static_assert(KEYS_ROWS *VALUES_PITCH <= (int)OUT_SLOT, "values do not fit in an out slot");

// ---- Loads: MTE2 ----

// Tokens of the tile: bytes at .. at + bytes - 1 of each to UB.
static inline void load_part(const keys_walk_t *walk, uint32_t rows, uint32_t at, uint32_t bytes, uint32_t ub,
                             uint32_t ub_pitch) {
  const uint64_t tokens = walk->tokens + at;
  const uint32_t place = walk->place_before + walk->at;
  if (walk->list != 0) {
    data_gather_gm_to_ub(.gm = tokens, .gm_pitch = FP8_TOKEN_BYTES, .list = walk->list, .first = place,
                         .page = walk->page, .ub = ub, .ub_pitch = ub_pitch, .rows = rows, .row_bytes = bytes);
  } else {
    data_copy_gm_to_ub(.gm = tokens + (uint64_t)place * FP8_TOKEN_BYTES, .gm_pitch = FP8_TOKEN_BYTES, .ub = ub,
                       .ub_pitch = ub_pitch, .rows = rows, .row_bytes = bytes);
  }
}

static void load_tile(const fp8_core_t *core, const keys_walk_t *walk) {
  const uint32_t slot = ring_slot(&core->raw_full, walk->use);
  const uint32_t rows = tile_rows(walk);
  ring_wait_free(&core->raw_back, walk->use);
  if (!walk->none) {
    load_part(walk, rows, 0, CODES_BYTES, slot, CODES_PITCH);
    load_part(walk, rows, FP8_ROPE_AT, ROPE_BYTES, slot + RAW_ROPE, ROPE_BYTES);
  }
  ring_set_full(&core->raw_full, walk->use);
}

// A slot is waited for only when what frees it has been pushed.
void fp8_keys_load(vector_core_t *vector) {
  fp8_core_t *core = fp8_core(vector);
  keys_walk_t *load = &core->load;
  while (load->turn < core->vector.problem->turns && load->use < core->use.use + core->raw_full.slots) {
    if (load->first < load->end) {
      load_tile(core, load);
    }
    next_tile(core, load);
  }
}

// ---- V and MTE3 ----

// To BF16 in a slot of the out ring, which is waited for when it is needed.
static void convert(uint32_t slot, uint32_t use, uint32_t rows) {
  vector_op(.op = VOP_CAST, .rows = rows, .cols = FP8_CODES, .dst = UB_END, .dst_pitch = WORK_PITCH, .a = slot,
            .a_pitch = CODES_PITCH, .from = TYPE_E4M3, .to = TYPE_F32, .round = ROUND_NEAREST);
  vector_op(.op = VOP_SCALE, .rows = rows, .cols = FP8_CODES, .dst = UB_END, .dst_pitch = WORK_PITCH, .a = UB_END,
            .a_pitch = WORK_PITCH, .b = slot + FP8_SCALES_AT, .b_pitch = CODES_PITCH);
  ring_wait_free(&out_ring, use);
  vector_op(.op = VOP_CAST, .rows = rows, .cols = FP8_CODES, .dst = ring_slot(&out_ring, use),
            .dst_pitch = VALUES_PITCH, .a = UB_END, .a_pitch = WORK_PITCH, .from = TYPE_F32, .to = TYPE_BF16,
            .round = ROUND_NEAREST);
}

// Keys of a list without places.
static void clear(uint32_t slot, uint32_t use, uint32_t rows) {
  ring_wait_free(&out_ring, use);
  vector_op(.op = VOP_BROADCAST, .rows = rows, .cols = VALUES_PITCH / 4, .dst = ring_slot(&out_ring, use),
            .dst_pitch = VALUES_PITCH, by_scalar(F32_ZERO));
  vector_op(.op = VOP_BROADCAST, .rows = rows, .cols = ROPE_BYTES / 4, .dst = slot + RAW_ROPE, .dst_pitch = ROPE_BYTES,
            by_scalar(F32_ZERO));
}

#if FP8_DIRECT
// Into a slot of the direct ring, of this AI core or of the pair's other one.
static inline void copy_tile(const fp8_core_t *core, const keys_walk_t *walk, uint32_t rows, uint32_t slot,
                             uint32_t out, uint32_t pair) {
  const fp8_problem_t *problem = problem_of(core);
  const uint32_t pitch = problem->direct_keys * STRIP_ROW;
  const uint32_t row = walk->at - walk->part * problem->direct_keys;
  const uint32_t l1 = fp8_direct_slot(problem, walk->parts) + row * STRIP_ROW;
  data_copy_ub_to_l1(.ub = slot + RAW_ROPE, .ub_pitch = ROPE_BYTES, .l1 = l1 + FP8_CODES / 16 * pitch,
                     .l1_pitch = pitch, .rows = rows, .cols = FP8_DK - FP8_CODES, .pair = pair);
  data_copy_ub_to_l1(.ub = out, .ub_pitch = VALUES_PITCH, .l1 = l1, .l1_pitch = pitch, .rows = rows, .cols = FP8_CODES,
                     .pair = pair);
}

// The part is in L1, as far as this core is concerned.
static void part_in_l1(const fp8_core_t *core) {
  cross_core_set_flag(PIPE_MTE3, FLAG_K_READY);
  if (problem_of(core)->args->crossover) {
    pair_set_flag(PIPE_MTE3, FLAG_K_READY);
  }
}

// Stores the part of a tile that C1 needs elsewhere than with the values: all of it in L1.
static inline void store_for_scores(const fp8_core_t *core, const keys_walk_t *walk, uint32_t rows, uint32_t slot,
                                    uint32_t out) {
  copy_tile(core, walk, rows, slot, out, 0);
  if (problem_of(core)->args->crossover) {
    copy_tile(core, walk, rows, slot, out, 1);
  }
  if (last_tile(walk)) {
    part_in_l1(core);
  }
}
#else
// Stores the part of a tile that C1 needs elsewhere than with the values: its RoPE, behind them.
static inline void store_for_scores(const fp8_core_t *core, const keys_walk_t *walk, uint32_t rows, uint32_t slot,
                                    uint32_t out) {
  (void)out;
  const uint64_t panels = walk->slot + 2 * FP8_CODES * core->vector.problem->args.block;
  data_copy_ub_to_gm(.ub = slot + RAW_ROPE, .ub_pitch = ROPE_BYTES, .gm = panels + ROPE_BYTES * walk->at,
                     .gm_pitch = ROPE_BYTES, .rows = rows, .row_bytes = ROPE_BYTES, .op = GM_STORE);
}
#endif

// RoPE first, or what goes to L1: the slot of the raw ring has other use.
static inline void store_tile(const fp8_core_t *core, const keys_walk_t *walk, uint32_t rows, uint32_t slot,
                              uint32_t out) {
  const uint32_t panel = 2 * FP8_GROUP * core->vector.problem->args.block;
  uint64_t gm = walk->slot + 2 * FP8_GROUP * walk->at;
  store_for_scores(core, walk, rows, slot, out);
  ring_set_free(&core->raw_back, walk->use);
  for (uint32_t ub = out; ub < out + VALUES_PITCH; ub += 2 * FP8_GROUP) {
    data_copy_ub_to_gm(.ub = ub, .ub_pitch = VALUES_PITCH, .gm = gm, .gm_pitch = 2 * FP8_GROUP, .rows = rows,
                       .row_bytes = 2 * FP8_GROUP, .op = GM_STORE);
    gm += panel;
  }
}

static void use_tile(fp8_core_t *core, const keys_walk_t *walk) {
  const uint32_t rows = tile_rows(walk);
  const uint32_t slot = ring_slot(&core->raw_full, walk->use);
  const uint32_t use = core->vector.out++;

  ring_wait_full(&core->raw_full, walk->use);
  if (!walk->none) {
    convert(slot, use, rows);
  } else {
    clear(slot, use, rows);
  }
  ring_set_full(&out_ring, use);
  ring_wait_full(&out_ring, use);
  store_tile(core, walk, rows, slot, ring_slot(&out_ring, use));
  ring_set_free(&out_ring, use);
}

#if FP8_DIRECT
// A slot of the direct ring: the cube cores must have read what was there before.
static void wait_for_slot(const fp8_core_t *core) {
  cross_core_wait_flag(PIPE_MTE3, FLAG_K_FREE);
  if (problem_of(core)->args->crossover) {
    pair_wait_flag(PIPE_MTE3, FLAG_K_FREE);
  }
}
#endif

// Steps before a part's first tile.
static void before_part(const fp8_core_t *core, const keys_walk_t *walk) {
#if FP8_DIRECT
  if (walk->parts >= problem_of(core)->direct_slots) {
    wait_for_slot(core);
  }
#endif
  if (part_before(core, walk) == 0 && walk->turn >= FP8_KV_SLOTS) {
    // The slot still holds K_j-FP8_KV_SLOTS: the cube cores must have loaded it.
    cross_core_wait_flag(PIPE_MTE3, FLAG_KV_FREE);
    if (problem_of(core)->args->crossover) {
      pair_wait_flag(PIPE_MTE3, FLAG_KV_FREE);
    }
  }
}

// A tile, with what has to come before a block's first and after its last.
static void push_tile(fp8_core_t *core) {
  const keys_walk_t *walk = &core->use;
  if (walk->at == walk->first) {
    before_part(core, walk);
  }
  if (walk->first < walk->end) {
    use_tile(core, walk);
  }
#if FP8_DIRECT
  if (walk->first == walk->end) {
    part_in_l1(core);
  }
#endif
  if (last_tile(walk) && last_part(core, walk)) {
    cross_core_set_flag(PIPE_MTE3, FLAG_KV_READY);
    if (problem_of(core)->args->crossover) {
      pair_set_flag(PIPE_MTE3, FLAG_KV_READY);
    }
  }
}

// Up to a tile of a turn's block, or to its end.
static void push_until(fp8_core_t *core, uint32_t turn, uint32_t tile) {
  keys_walk_t *walk = &core->use;
  while (walk->turn < core->vector.problem->turns &&
         (walk->turn < turn || (walk->turn == turn && walk->tiles < tile))) {
    fp8_keys_load(&core->vector);
    push_tile(core);
    next_tile(core, walk);
  }
}

void fp8_keys_open(vector_core_t *vector) {
  fp8_core_t *core = fp8_core(vector);
  const bool few = core->vector.problem->group_rows <= ATTENTION_TILE / 2;
  const uint32_t rows = few ? SCORE_ROWS / 2 : SCORE_ROWS;
  const uint32_t slot = TILE_SLOT - (SCORE_ROWS - rows) * (TILE_BYTES / SCORE_ROWS + 4);
  const uint8_t slots = few ? RAW_MORE_SLOTS : RAW_SLOTS;
  core->score_rows = rows;
  core->vector.tile_full.bytes = core->vector.tile_done.bytes = core->vector.tile_back.bytes = slot;
  core->raw_full = (ring_t){PIPE_MTE2, PIPE_V, RAW_EVENT, slots, TILE_SLOTS * slot, RAW_SLOT};
  core->raw_back = (ring_t){PIPE_MTE2, PIPE_MTE3, RAW_EVENT, slots, TILE_SLOTS * slot, RAW_SLOT};
}

void fp8_keys_start(vector_core_t *vector) {
  fp8_core_t *core = fp8_core(vector);
  ring_open(&core->raw_back);
  core->load.place = attention_first_place(core->vector.problem);
  core->load.turn = core->load.use = 0;
#if FP8_DIRECT
  core->load.parts = 0;
#endif
  enter_block(core, &core->load);
  core->use = core->load;
  push_until(core, FP8_AHEAD, 0);
}

// A chunk's number among those of its V1, and how many these are.
static uint32_t chunk_number(const fp8_core_t *core, const vector_walk_t *walk) { return walk->row / core->score_rows; }
static uint32_t chunk_count(const fp8_core_t *core, const vector_walk_t *walk) {
  return max_u32(1, ceil_div(walk->rows, core->score_rows));
}

#if FP8_DIRECT
// V0(t + FP8_AHEAD), as far as the ring takes it before C1 of that turn, spread over V1(t)
// and before its end.
void fp8_keys_before(vector_core_t *vector, const vector_walk_t *walk) {
  fp8_core_t *core = fp8_core(vector);
  if (walk->turn.stage != STAGE_SCORES) {
    return;
  }
  const uint32_t turn = walk->turn.block + FP8_AHEAD;
  const uint32_t tiles = ceil_div(core->use.end - core->use.first, KEYS_ROWS);
  const uint32_t most = problem_of(core)->direct_slots * max_u32(1, tiles);
  push_until(core, turn, most * (chunk_number(core, walk) + 1) / chunk_count(core, walk));
}

// If C1(t + FP8_AHEAD) comes before C2(t) and needs no O: everything that it needs.
void fp8_keys_before_rescale(vector_core_t *vector) {
  fp8_core_t *core = fp8_core(vector);
  if (core->vector.problem->args.preload == FP8_AHEAD) {
    push_until(core, core->vector.at->turn.block + FP8_AHEAD + 1, 0);
  }
}

// The rest.
void fp8_keys_after(vector_core_t *vector, const vector_walk_t *walk) {
  fp8_core_t *core = fp8_core(vector);
  if (walk->turn.stage == STAGE_SCORES && chunk_number(core, walk) + 1 == chunk_count(core, walk)) {
    push_until(core, walk->turn.block + FP8_AHEAD + 1, 0);
  }
}
#else
void fp8_keys_before(vector_core_t *vector, const vector_walk_t *walk) {
  (void)vector;
  (void)walk;
}

void fp8_keys_before_rescale(vector_core_t *vector) { (void)vector; }

// V0(t + FP8_AHEAD), as far as V1(t) has come.
void fp8_keys_after(vector_core_t *vector, const vector_walk_t *walk) {
  fp8_core_t *core = fp8_core(vector);
  if (walk->turn.stage != STAGE_SCORES) {
    return;
  }
  const uint32_t turn = walk->turn.block + FP8_AHEAD;
  const uint32_t chunks = chunk_count(core, walk);
  const uint32_t done = chunk_number(core, walk) + 1;
  if (done == chunks) {
    push_until(core, turn + 1, 0);
    return;
  }
  push_until(core, turn, 0);
  const uint32_t tiles = ceil_div(core->use.end - core->use.first, KEYS_ROWS);
  push_until(core, turn, tiles * done / chunks);
}
#endif

void fp8_keys_close(const vector_core_t *vector) {
  const fp8_core_t *core = fp8_core_const(vector);
  ring_drain(&core->raw_back);
#if FP8_DIRECT
  for (uint32_t i = 0; i < min_u32(problem_of(core)->direct_slots, core->use.parts); ++i) {
    wait_for_slot(core);
  }
#endif
}
