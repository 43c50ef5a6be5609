// Collectives by stores to other dies, on vector cores.  Each core takes the same bytes of every part on all ranks, so
// that it meets its like on the other dies alone, by a word of flags in which they count.
//
//   all-gather, all-to-all   each rank stores into every other's result
//   reduce-scatter           each rank stores into every other's scratch; the rank whose part it is adds them up, in
//   the
//                            order of ranks
//   all-reduce               likewise, and stores the sum into every rank's result: two shots
//
// SPDX-License-Identifier: Apache-2.0
#include "hal/hal.h"
#include "kernels/collective/collective_args.h"
#include "lib/panic.h"
#include "lib/ring.h"
#include "lib/tiling.h"

enum {
  PIECE = 16 * 1024,  // bytes that are moved or added at a time
  MOVE_SLOTS = 3,
  SUM_SLOTS = 4,
  OUT_SLOTS = 2,
  MOVE_EVENT = 0,
  SUM_EVENT = MOVE_SLOTS,
  OUT_EVENT = 0,  // of other pipes
  SENT = 0,       // phases: of parts, and of sums
  SUMMED = 1,
};

typedef struct rank {
  const collective_args_t *args;
  uint64_t window;
  uint32_t rank, ranks;
  uint32_t core, cores;
  ring_t moves, sums, outs;
  uint32_t moved, summed, stored;  // uses of these rings
} rank_t;

// Bytes of a part that are this core's.
typedef struct share {
  uint64_t begin, bytes;  // begin: from the array's first
} share_t;

static share_t share_of(const rank_t *r, uint32_t part) {
  const collective_args_t *args = r->args;
  const uint64_t slice =
      (args->part + (uint64_t)r->cores * COLLECTIVE_ALIGN - 1) / r->cores / COLLECTIVE_ALIGN * COLLECTIVE_ALIGN;
  const uint64_t first = r->core * slice, begin = part * args->part + first;
  const uint64_t end = (part + 1) * args->part < args->bytes ? (part + 1) * args->part : args->bytes;
  if (first >= args->part || begin >= end) {
    return (share_t){begin, 0};
  }
  const uint64_t last = first + slice < args->part ? begin + slice : (part + 1) * args->part;
  return (share_t){begin, (last < end ? last : end) - begin};
}

static uint64_t at(const rank_t *r, uint32_t die, uint64_t address) { return address + die * r->window; }

// The word in which a rank's core of this number counts the others that are done with a phase.
static uint64_t word(const rank_t *r, uint32_t phase, uint32_t of) {
  return at(r, of, r->args->flags) + 4 * ((uint64_t)phase * r->cores + r->core);
}

// --- moves ------------------------------------------------------------------------------------

static void move_piece(rank_t *r, uint64_t from, uint64_t to, uint32_t bytes) {
  const uint32_t use = r->moved++;
  ring_wait_free(&r->moves, use);
  data_copy_gm_to_ub(.gm = from, .gm_pitch = bytes, .ub = ring_slot(&r->moves, use), .ub_pitch = PIECE, .rows = 1,
                     .row_bytes = bytes);
  ring_set_full(&r->moves, use);
  ring_wait_full(&r->moves, use);
  data_copy_ub_to_gm(.ub = ring_slot(&r->moves, use), .ub_pitch = PIECE, .gm = to, .gm_pitch = bytes, .rows = 1,
                     .row_bytes = bytes, .op = GM_STORE);
  ring_set_free(&r->moves, use);
}

static uint32_t piece_of(uint64_t bytes, uint64_t done) {
  return bytes - done < PIECE ? (uint32_t)(bytes - done) : PIECE;
}

static void move(rank_t *r, uint64_t from, uint64_t to, uint64_t bytes) {
  for (uint64_t done = 0; done < bytes; done += PIECE) {
    move_piece(r, from + done, to + done, piece_of(bytes, done));
  }
}

static void tell(const rank_t *r, uint32_t phase, uint32_t to) {
  if (to != r->rank) {
    signal_add(PIPE_MTE3, word(r, phase, to), 1);
  }
}

// The others have stored what is theirs to store here.
static void meet_others(const rank_t *r, uint32_t phase) {
  await_word(PIPE_MTE2, word(r, phase, r->rank), r->ranks - 1);
}

// --- parts for others -------------------------------------------------------------------------

// The next rank first, this one last.
static uint32_t peer(const rank_t *r, uint32_t step) { return (r->rank + 1 + step) % r->ranks; }

static void all_gather(rank_t *r) {
  const share_t mine = share_of(r, r->rank);
  const uint64_t from = at(r, r->rank, r->args->in) + mine.begin - r->rank * r->args->part;
  for (uint32_t step = 0; step < r->ranks; ++step) {
    move(r, from, at(r, peer(r, step), r->args->out) + mine.begin, mine.bytes);
    tell(r, SENT, peer(r, step));
  }
  meet_others(r, SENT);
}

// Part p of this rank becomes part `rank` of rank p: all have the same length here.
static void all_to_all(rank_t *r) {
  for (uint32_t step = 0; step < r->ranks; ++step) {
    const share_t theirs = share_of(r, peer(r, step));
    const uint64_t within = theirs.begin - peer(r, step) * r->args->part;
    move(r, at(r, r->rank, r->args->in) + theirs.begin,
         at(r, peer(r, step), r->args->out) + r->rank * r->args->part + within, theirs.bytes);
    tell(r, SENT, peer(r, step));
  }
  meet_others(r, SENT);
}

static void scatter(rank_t *r) {
  for (uint32_t step = 0; step + 1 < r->ranks; ++step) {
    const uint32_t to = peer(r, step);
    const share_t theirs = share_of(r, to);
    move(r, at(r, r->rank, r->args->in) + theirs.begin,
         at(r, to, r->args->scratch) + r->rank * r->args->part + theirs.begin - to * r->args->part, theirs.bytes);
    tell(r, SENT, to);
  }
  meet_others(r, SENT);
}

// --- sums -------------------------------------------------------------------------------------

static void load_summand(rank_t *r, uint64_t from, uint32_t bytes) {
  const uint32_t use = r->summed++;
  ring_wait_free(&r->sums, use);
  data_copy_gm_to_ub(.gm = from, .gm_pitch = bytes, .ub = ring_slot(&r->sums, use), .ub_pitch = PIECE, .rows = 1,
                     .row_bytes = bytes);
  ring_set_full(&r->sums, use);
  ring_wait_full(&r->sums, use);
}

static void add(const rank_t *r, uint32_t sum, uint32_t a, uint32_t b, uint32_t bytes) {
  vector_op(.op = VOP_ADD, .rows = 1, .cols = bytes / (r->args->type == TYPE_F32 ? 4 : 2), .dst = sum,
            .dst_pitch = PIECE, .a = a, .a_pitch = PIECE, .b = b, .b_pitch = PIECE, .from = r->args->type,
            .to = r->args->type);
}

// Of a piece of this rank's part, so many bytes after the part's first: rank 0 and 1, and each next one.
static uint32_t sum_piece(rank_t *r, uint64_t within, uint32_t bytes) {
  const uint32_t out = r->stored++, sum = ring_slot(&r->outs, out);
  ring_wait_free(&r->outs, out);
  for (uint32_t i = 0; i < r->ranks; ++i) {
    const uint64_t part = i == r->rank ? r->args->in : r->args->scratch;
    load_summand(r, at(r, r->rank, part) + i * r->args->part + within, bytes);
    if (i > 0) {
      add(r, sum, i == 1 ? ring_slot(&r->sums, r->summed - 2) : sum, ring_slot(&r->sums, r->summed - 1), bytes);
    }
    if (i == 1) {
      ring_set_free(&r->sums, r->summed - 2);
    }
    if (i > 0) {
      ring_set_free(&r->sums, r->summed - 1);
    }
  }
  ring_set_full(&r->outs, out);
  return out;
}

static void store_sum(const rank_t *r, uint32_t out, uint64_t to, uint32_t bytes) {
  data_copy_ub_to_gm(.ub = ring_slot(&r->outs, out), .ub_pitch = PIECE, .gm = to, .gm_pitch = bytes, .rows = 1,
                     .row_bytes = bytes, .op = GM_STORE);
}

static void reduce(rank_t *r, bool to_all) {
  const share_t mine = share_of(r, r->rank);
  const uint64_t within = mine.begin - r->rank * r->args->part;
  for (uint64_t done = 0; done < mine.bytes; done += PIECE) {
    const uint32_t bytes = piece_of(mine.bytes, done);
    const uint32_t out = sum_piece(r, within + done, bytes);
    ring_wait_full(&r->outs, out);
    for (uint32_t step = 0; to_all && step < r->ranks; ++step) {
      store_sum(r, out, at(r, peer(r, step), r->args->out) + mine.begin + done, bytes);
    }
    if (!to_all) {
      store_sum(r, out, at(r, r->rank, r->args->out) + within + done, bytes);
    }
    ring_set_free(&r->outs, out);
  }
}

static void all_reduce(rank_t *r) {
  reduce(r, true);
  for (uint32_t step = 0; step < r->ranks; ++step) {
    tell(r, SUMMED, peer(r, step));
  }
  meet_others(r, SUMMED);
}

// --- the kernel -------------------------------------------------------------------------------

static void open_rank(rank_t *r) {
  const uint32_t subs = (uint32_t)hal_read(REG_SUB_COUNT);
  *r = (rank_t){.args = hal_gm(hal_read(REG_ARGS)),
                .window = hal_read(REG_DIE_WINDOW),
                .rank = (uint32_t)hal_read(REG_DIE_INDEX),
                .ranks = (uint32_t)hal_read(REG_DIE_COUNT),
                .core = (uint32_t)(hal_read(REG_CORE_INDEX) * subs + hal_read(REG_SUB_INDEX)),
                .cores = (uint32_t)hal_read(REG_CORE_COUNT) * subs,
                .moves = {PIPE_MTE2, PIPE_MTE3, MOVE_EVENT, MOVE_SLOTS, 0, PIECE},
                .sums = {PIPE_MTE2, PIPE_V, SUM_EVENT, SUM_SLOTS, MOVE_SLOTS * PIECE, PIECE},
                .outs = {PIPE_V, PIPE_MTE3, OUT_EVENT, OUT_SLOTS, (MOVE_SLOTS + SUM_SLOTS) * PIECE, PIECE}};
  require(r->ranks > 1 && r->args->op < COLLECTIVE_OPS, PANIC_ARGUMENTS);
  ring_open(&r->moves);
  ring_open(&r->sums);
  ring_open(&r->outs);
}

static void close_rank(const rank_t *r) {
  ring_drain(&r->moves);
  ring_drain(&r->sums);
  ring_drain(&r->outs);
}

void vector_main(void) {
  rank_t r;
  open_rank(&r);
  switch ((enum collective_op)r.args->op) {
    case COLLECTIVE_ALL_GATHER:
      all_gather(&r);
      break;
    case COLLECTIVE_ALL_TO_ALL:
      all_to_all(&r);
      break;
    case COLLECTIVE_REDUCE_SCATTER:
      scatter(&r);
      reduce(&r, false);
      break;
    default:
      scatter(&r);
      all_reduce(&r);
  }
  close_rank(&r);
}
