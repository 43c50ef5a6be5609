// SPDX-License-Identifier: Apache-2.0
#include "core/gm_atomic.h"

#include <stddef.h>
#include <string.h>

static uint32_t low_bits(uint32_t width) { return width >= 32u ? UINT32_MAX : (1u << width) - 1u; }

static bool is_legal(const gm_atomic_t *unit, uint32_t op) {
  return op <= (uint32_t)(unit->types ? NUM_GM_MIN_S8 : NUM_GM_RESCALE);
}

static uint32_t flight_of(const gm_atomic_t *unit) { return GM_FLIGHT(unit->stages); }

static void accept(gm_atomic_t *unit, const gm_request_t *req) {
  const uint32_t op = req->op & (unit->types ? 31u : 7u);
  const uint32_t len = req->len & low_bits(GM_LEN_W);
  unit->request.valid = true;
  unit->request.op = op;
  unit->request.addr = req->addr & low_bits(GM_ADDR_W);
  unit->request.tag = req->tag & low_bits(GM_TAG_W);
  unit->request.mask = is_legal(unit, op) ? req->mask & low_bits(unit->lanes) : 0u;
  unit->request.left = op == NUM_GM_RESCALE && len != 0u ? len - 1u : 0u;
  memcpy(unit->request.data, req->data, sizeof unit->request.data);
}

// A beat that reads needs all older ones of its address out of flight.
static bool conflicts(const gm_atomic_t *unit) {
  if (!is_legal(unit, unit->request.op) || unit->request.op == NUM_GM_STORE) {
    return false;
  }
  for (uint32_t i = 0; i < flight_of(unit); ++i) {
    if (unit->flight[i].valid && unit->flight[i].addr == unit->request.addr) {
      return true;
    }
  }
  return false;
}

static bool issues(const gm_atomic_t *unit) {
  const bool credit = unit->owed < flight_of(unit) + 1u || unit->request.left != 0u;
  return unit->request.valid && credit && !conflicts(unit);
}

// The lanes of mask one by one, to know in how many a guard fires.
static void count_guards(const gm_atomic_t *unit, struct gm_beat *beat, const uint32_t old[GM_LANES]) {
  const enum num_gm_op op = (enum num_gm_op)unit->request.op;
  for (uint32_t lane = 0; lane < unit->lanes; ++lane) {
    if ((beat->mask >> lane & 1u) != 0u) {
      uint32_t guards = 0;
      const uint32_t operand = unit->request.data[op == NUM_GM_RESCALE ? 0u : lane];
      (void)num_gm_apply(op, old[lane], operand, &guards);
      beat->guards |= guards;
      beat->guarded_lanes += guards != 0u ? 1u : 0u;
    }
  }
}

// The words of a beat, all lanes at once because that vectorises.  Guards are rare; only a beat in
// which any lane (even a masked-off one) raises one is looked at lane by lane.
static void compute(const gm_atomic_t *unit, struct gm_beat *beat, const gm_atomic_mem_t *mem) {
  const enum num_gm_op op = (enum num_gm_op)unit->request.op;
  uint32_t old[GM_LANES];
  uint32_t guards = 0;
  if (op == NUM_GM_STORE) {
    memcpy(beat->data, unit->request.data, sizeof beat->data);
    return;
  }
  mem->read(mem->ctx, beat->addr, old);
  memcpy(beat->data, old, sizeof beat->data);
  num_gm_apply_n(op, beat->data, unit->request.data, unit->lanes, &guards);
  if (guards != 0u) {
    count_guards(unit, beat, old);
  }
}

// The request's next beat takes off.
static void issue(gm_atomic_t *unit, struct gm_beat *beat, const gm_atomic_mem_t *mem) {
  beat->valid = true;
  beat->last = unit->request.left == 0u;
  beat->addr = unit->request.addr;
  beat->tag = unit->request.tag;
  beat->mask = beat->last ? unit->request.mask : low_bits(unit->lanes);
  beat->guards = 0;
  beat->guarded_lanes = 0;
  if (is_legal(unit, unit->request.op)) {
    compute(unit, beat, mem);
  }
  if (beat->last) {
    unit->request.valid = false;
    unit->owed++;
  } else {
    unit->request.addr = (unit->request.addr + 1u) & low_bits(GM_ADDR_W);
    unit->request.left--;
  }
}

static void retire(gm_atomic_t *unit, const struct gm_beat *beat, const gm_atomic_mem_t *mem) {
  if (beat->mask == 0u) {
    return;
  }
  mem->write(mem->ctx, beat->addr, beat->mask, beat->data);
  unit->guards |= beat->guards;
  unit->cnt_beats++;
  unit->cnt_guards += beat->guarded_lanes;
}

// The oldest response is taken.
static void take(gm_atomic_t *unit) {
  unit->offered--;
  unit->owed--;
  memmove(unit->tags, unit->tags + 1, unit->offered * sizeof unit->tags[0]);
}

void gm_atomic_reset(gm_atomic_t *unit) {
  memset(unit, 0, sizeof *unit);
  unit->lanes = GM_LANES;
  unit->stages = GM_ALU_STAGES;
}

void gm_atomic_clear(gm_atomic_t *unit) {
  unit->guards = 0;
  unit->cnt_beats = 0;
  unit->cnt_guards = 0;
  unit->cnt_stalls = 0;
}

bool gm_atomic_ready(const gm_atomic_t *unit) {
  return !unit->request.valid || (unit->request.left == 0u && issues(unit));
}

bool gm_atomic_idle(const gm_atomic_t *unit) {
  bool idle = !unit->request.valid && unit->owed == 0u;
  for (uint32_t i = 0; i < flight_of(unit); ++i) {
    idle = idle && !unit->flight[i].valid;
  }
  return idle;
}

void gm_atomic_tick(gm_atomic_t *unit, const gm_request_t *req, bool rsp_ready, gm_atomic_mem_t *mem, bool *rsp_valid,
                    uint32_t *rsp_tag) {
  const uint32_t flight = flight_of(unit);
  const bool ready = gm_atomic_ready(unit);
  const bool issued = issues(unit);
  // The beat in the place that the new one takes has been in flight for as long as it takes.
  struct gm_beat *beat = &unit->flight[unit->now];
  const struct gm_beat writes = *beat;
  *rsp_valid = unit->offered != 0u;
  *rsp_tag = *rsp_valid ? unit->tags[0] : *rsp_tag;
  beat->valid = false;
  if (issued) {
    issue(unit, beat, mem);
  }
  if (writes.valid) {
    retire(unit, &writes, mem);
  }
  if (*rsp_valid && rsp_ready) {
    take(unit);
  }
  unit->now = (unit->now + 1u) % flight;
  // The one that writes in the next tick is answered there.
  beat = &unit->flight[unit->now];
  if (beat->valid && beat->last) {
    unit->tags[unit->offered++] = beat->tag;
  }
  if (req != NULL) {
    if (ready) {
      accept(unit, req);
    } else {
      unit->cnt_stalls++;
    }
  }
}
