// SPDX-License-Identifier: Apache-2.0
#include "core/gm_atomic.h"

#include <stddef.h>
#include <string.h>

static uint32_t low_bits(uint32_t width) { return width >= 32u ? UINT32_MAX : (1u << width) - 1u; }

static bool is_legal(uint32_t op) { return op <= (uint32_t)NUM_GM_RESCALE; }

// Stage 2 is empty or empties in this cycle: only a last beat waits for its response.
static bool s2_free(const gm_atomic_t *unit, bool rsp_ready) {
  return !unit->s2.valid || !unit->s2.last || rsp_ready;
}

static void accept(gm_atomic_t *unit, const gm_request_t *req) {
  const uint32_t op = req->op & 7u;
  const uint32_t len = req->len & low_bits(GM_LEN_W);
  unit->s1.valid = true;
  unit->s1.op = op;
  unit->s1.addr = req->addr & low_bits(GM_ADDR_W);
  unit->s1.tag = req->tag & low_bits(GM_TAG_W);
  unit->s1.mask = is_legal(op) ? req->mask & low_bits(unit->lanes) : 0u;
  unit->s1.left = op == NUM_GM_RESCALE && len != 0u ? len - 1u : 0u;
  memcpy(unit->s1.data, req->data, sizeof unit->s1.data);
}

// The lanes of mask one by one, to know in how many a guard fires.
static void count_guards(gm_atomic_t *unit, const uint32_t old[GM_LANES]) {
  const enum num_gm_op op = (enum num_gm_op)unit->s1.op;
  for (uint32_t lane = 0; lane < unit->lanes; lane++) {
    if ((unit->s2.mask >> lane & 1u) != 0u) {
      uint32_t guards = 0;
      const uint32_t operand = unit->s1.data[op == NUM_GM_RESCALE ? 0u : lane];
      (void)num_gm_apply(op, old[lane], operand, &guards);
      unit->s2.guards |= guards;
      unit->s2.guarded_lanes += guards != 0u ? 1u : 0u;
    }
  }
}

// The words of s2, all lanes at once because that vectorises.  Guards are rare; only a beat in
// which any lane (even a masked-off one) raises one is looked at lane by lane.
static void compute(gm_atomic_t *unit, const gm_atomic_mem_t *mem) {
  const enum num_gm_op op = (enum num_gm_op)unit->s1.op;
  uint32_t old[GM_LANES];
  uint32_t guards = 0;
  if (op == NUM_GM_STORE) {
    memcpy(unit->s2.data, unit->s1.data, sizeof unit->s2.data);
    return;
  }
  mem->read(mem->ctx, unit->s1.addr, old);
  memcpy(unit->s2.data, old, sizeof unit->s2.data);
  num_gm_apply_n(op, unit->s2.data, unit->s1.data, unit->lanes, &guards);
  if (guards != 0u) {
    count_guards(unit, old);
  }
}

static void advance_s1(gm_atomic_t *unit, const gm_atomic_mem_t *mem) {
  unit->s2.last = unit->s1.left == 0u;
  unit->s2.addr = unit->s1.addr;
  unit->s2.tag = unit->s1.tag;
  unit->s2.mask = unit->s2.last ? unit->s1.mask : low_bits(unit->lanes);
  unit->s2.guards = 0;
  unit->s2.guarded_lanes = 0;
  if (unit->s2.mask != 0u) {
    compute(unit, mem);
  }
  if (unit->s2.last) {
    unit->s1.valid = false;
  } else {
    unit->s1.addr = (unit->s1.addr + 1u) & low_bits(GM_ADDR_W);
    unit->s1.left--;
  }
}

static void retire_s2(gm_atomic_t *unit, const gm_atomic_mem_t *mem) {
  if (unit->s2.mask == 0u) {
    return;
  }
  mem->write(mem->ctx, unit->s2.addr, unit->s2.mask, unit->s2.data);
  unit->guards |= unit->s2.guards;
  unit->cnt_beats++;
  unit->cnt_guards += unit->s2.guarded_lanes;
}

void gm_atomic_reset(gm_atomic_t *unit) {
  memset(unit, 0, sizeof *unit);
  unit->lanes = GM_LANES;
}

void gm_atomic_clear(gm_atomic_t *unit) {
  unit->guards = 0;
  unit->cnt_beats = 0;
  unit->cnt_guards = 0;
  unit->cnt_stalls = 0;
}

bool gm_atomic_ready(const gm_atomic_t *unit, bool rsp_ready) {
  return !unit->s1.valid || (unit->s1.left == 0u && s2_free(unit, rsp_ready));
}

bool gm_atomic_idle(const gm_atomic_t *unit) { return !unit->s1.valid && !unit->s2.valid; }

void gm_atomic_tick(gm_atomic_t *unit, const gm_request_t *req, bool rsp_ready,
                    gm_atomic_mem_t *mem, bool *rsp_valid, uint32_t *rsp_tag) {
  const bool ready = gm_atomic_ready(unit, rsp_ready);
  *rsp_valid = unit->s2.valid && unit->s2.last;
  if (*rsp_valid) {
    *rsp_tag = unit->s2.tag;
  }
  // Stage 2 first: the beat behind it reads what it wrote.
  if (s2_free(unit, rsp_ready)) {
    if (unit->s2.valid) {
      retire_s2(unit, mem);
    }
    unit->s2.valid = unit->s1.valid;
    if (unit->s1.valid) {
      advance_s1(unit, mem);
    }
  }
  if (req != NULL) {
    if (ready) {
      accept(unit, req);
    } else {
      unit->cnt_stalls++;
    }
  }
}
