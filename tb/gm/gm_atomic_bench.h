// Test bench around a Verilated gm_atomic: three machines in lock-step.
//
//   stimulus --+--> RTL (gm_atomic_shim.h)      with its own memory   } compared every cycle:
//              +--> cycle model (core/gm_atomic) with its own memory  } handshakes, tags, writes,
//              status
//              +--> reference: num_gm_apply() at acceptance, in order; compared when all is done
//
// The bench owns the clock: gm_bench_cycle() runs one.  The first difference ends the run (failed).
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TB_GM_GM_ATOMIC_BENCH_H
#define AMALGAM_TB_GM_GM_ATOMIC_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "gm_atomic_shim.h"
#include "num/num_rng.h"

// Requests may touch the last and the first GM_BENCH_HALF beats of the address space, so that high
// address bits and the wrap of a walk are exercised with a small memory.
enum { GM_BENCH_HALF = 2048, GM_BENCH_BEATS = 2 * GM_BENCH_HALF, GM_BENCH_FIFO = 16 };

typedef struct {
  uint32_t beat[GM_BENCH_BEATS][GM_LANES];
} gm_bench_memory_t;

typedef struct {
  gm_dut_t *dut;
  gm_dut_in_t in;
  gm_atomic_t model;
  num_rng_t rng;

  gm_bench_memory_t rtl_memory, model_memory, ref_memory;
  uint32_t ref_guards, ref_beats, ref_guarded;  // since the last gm_bench_clear_next
  bool cleared;

  bool model_read;  // the model's read and its write of this cycle
  uint32_t model_raddr;
  bool model_wrote;
  uint32_t model_waddr, model_wmask;
  uint32_t model_wdata[GM_LANES];

  uint32_t tags[GM_BENCH_FIFO];  // expected responses, in order
  uint32_t tag_head, tag_count;

  uint64_t cycles, accepted, answered;
  bool failed;
  FILE *record;  // NULL: none; else each cycle's pins, for icarus/gm_atomic_replay.v
} gm_bench_t;

// The events of a cycle.
typedef struct {
  bool accepted, answered;
} gm_bench_event_t;

// Makes a unit with random register values, resets it and fills all three memories alike.
// record may be NULL; the caller closes it.
void gm_bench_init(gm_bench_t *bench, uint64_t seed, FILE *record);
void gm_bench_free(gm_bench_t *bench);

// One clock cycle, offering req (NULL: none).
gm_bench_event_t gm_bench_cycle(gm_bench_t *bench, const gm_request_t *req, bool rsp_ready);

// Asserts clear_i in the next cycle.
void gm_bench_clear_next(gm_bench_t *bench);

// Runs until nothing is in flight, then compares memories and totals.
void gm_bench_finish(gm_bench_t *bench);

// Drops and raises rst_ni between clock edges, with whatever is in flight.
void gm_bench_reset(gm_bench_t *bench);

// Reports a difference and marks the bench as failed.
void gm_bench_fail(gm_bench_t *bench, const char *what, uint32_t rtl, uint32_t expected);

#endif  // AMALGAM_TB_GM_GM_ATOMIC_BENCH_H
