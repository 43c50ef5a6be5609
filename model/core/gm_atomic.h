// Cycle model of rtl/gm/gm_atomic.v (LANES 16, ADDR_W 26, LEN_W 10, TAG_W 8, CNT_W 32): the same
// handshakes in the same cycles, the same bits in memory, the same flags and counters.
//
//   request --> waits, walks --> in flight, stages + 2 cycles --> write, tag queued --> response
//
// One call of gm_atomic_tick() is one clock cycle.  What happens in it, in the RTL's terms:
//
//   before the edge   *rsp_valid and *rsp_tag are rsp_valid_o and rsp_tag_o of this cycle; they do
//                     not depend on req or rsp_ready of this cycle.  A response is taken when
//                     *rsp_valid and rsp_ready; until then it stays, with its tag.
//                     req is req_valid_i with its payload, taken in this cycle if and only if
//                     gm_atomic_ready(), asked before the tick, is true.
//                     A request not taken is to be offered again, unchanged.
//   in the tick       mem->read is called for the beat the RTL reads in this cycle (mem_re_o), then
//                     mem->write for the one that it writes (mem_we_o).  They are never the same.
//   after the edge    the public fields below are the RTL's outputs of the next cycle.
//
// Latency and throughput: a one-beat request taken in tick t reads in t+1, writes and answers in
// t + 3 + stages, one a tick if addresses differ.  A beat that reads waits until no older one of its
// address is in flight.  RESCALE of n beats takes no request in the n-1 ticks after t.
// One struct is one unit; calls on different units are independent.  No allocation.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_CORE_GM_ATOMIC_H
#define AMALGAM_CORE_GM_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#include "num/num_gm.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GM_LANES 16  /* 32-bit words in a beat */
#define GM_ADDR_W 26 /* bits of a beat address; a walk wraps there */
#define GM_LEN_W 10
#define GM_TAG_W 8
#define GM_ALU_STAGES 4     /* of the RTL in the chip */
#define GM_MAX_ALU_STAGES 6 /* of any RTL */
// Cycles from a beat's read to its write, the latter included.
#define GM_FLIGHT(stages) ((stages) + 2u)

// Bits beyond the RTL's port widths are ignored, as they would be there.
typedef struct {
  uint32_t op;    // enum num_gm_op; others are answered and write nothing
  uint32_t addr;  // in beats
  uint32_t len;   // RESCALE: beats of the row, 0 counts as 1
  uint32_t tag;
  uint32_t mask;            // bit i enables lane i; RESCALE: of the last beat, the others are full
  uint32_t data[GM_LANES];  // RESCALE: N in data[0]
} gm_request_t;

// Beat storage; addr counts beats.  write changes only the lanes enabled in mask, which is not 0;
// the other lanes of data are undefined.
typedef struct {
  void *ctx;
  void (*read)(void *ctx, uint32_t addr, uint32_t out[GM_LANES]);
  void (*write)(void *ctx, uint32_t addr, uint32_t mask, const uint32_t data[GM_LANES]);
} gm_atomic_mem_t;

typedef struct gm_atomic {
  // Status, may be read at any time between ticks.
  uint32_t guards;      // sticky, NUM_GM_GUARD_*
  uint32_t cnt_beats;   // beats written; all counters wrap
  uint32_t cnt_guards;  // lanes in which a guard fired
  uint32_t cnt_stalls;  // ticks in which a request was offered and not taken

  // Lanes of this instance, 1..GM_LANES.  Set to GM_LANES by reset; lower it right after reset to
  // model a build of the RTL with fewer LANES (lanes above are neither read nor written).
  uint32_t lanes;

  // ALU_STAGES of this instance, 1..GM_MAX_ALU_STAGES.  Set to GM_ALU_STAGES by reset; as lanes.
  uint32_t stages;

  // TYPES of this instance, cleared by reset: has it operations of all types?
  bool types;

  // The pipeline, for the functions below only.
  struct {
    bool valid;
    uint32_t op, addr, tag, mask;
    uint32_t left;  // beats of the request after this one
    uint32_t data[GM_LANES];
  } request;
  // In flight, the beat read in tick n in n modulo GM_FLIGHT.  Its words are computed when it is read:
  // nobody can tell, and nothing that it needs is still to come.
  struct gm_beat {
    bool valid, last;
    uint32_t addr, tag, mask, guards, guarded_lanes;
    uint32_t data[GM_LANES];
  } flight[GM_FLIGHT(GM_MAX_ALU_STAGES)];
  uint32_t now;                                      // of flight
  uint32_t tags[GM_FLIGHT(GM_MAX_ALU_STAGES) + 1u];  // of responses offered, the oldest first
  uint32_t offered;
  uint32_t owed;  // responses issued and not taken
} gm_atomic_t;

// The state after rst_ni: empty, status zero.
void gm_atomic_reset(gm_atomic_t *unit);

// Zeroes guards and counters.  Called after a tick it is clear_i in the cycle of that tick.
void gm_atomic_clear(gm_atomic_t *unit);

// req_ready_o in the cycle that the next tick will run.
bool gm_atomic_ready(const gm_atomic_t *unit);

// No request in flight: a tick without a request would change nothing, so it may be skipped.
bool gm_atomic_idle(const gm_atomic_t *unit);

// One clock cycle, see above.  req is NULL when there is none and is not kept after the call.
// *rsp_tag is written only when *rsp_valid is true.
void gm_atomic_tick(gm_atomic_t *unit, const gm_request_t *req, bool rsp_ready, gm_atomic_mem_t *mem, bool *rsp_valid,
                    uint32_t *rsp_tag);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_CORE_GM_ATOMIC_H
