// A repeat of an instruction: its blocks are brought side by side, computed, and put to their places.
// SPDX-License-Identifier: Apache-2.0
#include "core/vector/instruction.h"

#include <stdalign.h>

static bool is_dense(const core_lanes_operand_t *o, uint64_t bytes) {
  return o->block == CORE_VECTOR_BLOCK || bytes <= CORE_VECTOR_BLOCK;
}

// The first bytes of a repeat's blocks, where they are if they lie end to end, or in buffer.
static const uint8_t *read_blocks(const uint8_t *from, const core_lanes_operand_t *o, uint64_t bytes, uint8_t *buffer) {
  uint8_t *to = buffer;
  if (is_dense(o, bytes)) {
    return from;
  }
  for (; bytes >= CORE_VECTOR_BLOCK; bytes -= CORE_VECTOR_BLOCK, from += o->block, to += CORE_VECTOR_BLOCK) {
    memcpy(to, from, CORE_VECTOR_BLOCK);
  }
  memcpy(to, from, bytes);
  return buffer;
}

static void write_blocks(uint8_t *to, const core_lanes_operand_t *o, uint64_t bytes, const uint8_t *buffer) {
  if (is_dense(o, bytes)) {
    memcpy(to, buffer, bytes);
    return;
  }
  for (; bytes >= CORE_VECTOR_BLOCK; bytes -= CORE_VECTOR_BLOCK, to += o->block, buffer += CORE_VECTOR_BLOCK) {
    memcpy(to, buffer, CORE_VECTOR_BLOCK);
  }
  memcpy(to, buffer, bytes);
}

// Of lanes with gaps: no byte of the others, which another pipe may be writing.
static void write_lanes(uint8_t *to, const core_lanes_operand_t *o, const core_lane_mask_t *mask, uint32_t lanes,
                        const uint8_t *buffer) {
  const uint32_t bytes = core_type_bits(o->type) / 8;
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    const uint32_t at = lane * bytes;
    if (core_lane(mask, lane)) {
      memcpy(to + at / CORE_VECTOR_BLOCK * o->block + at % CORE_VECTOR_BLOCK, buffer + at, bytes);
    }
  }
}

// Operands that all lie end to end are as one long repeat, if nothing is read where another lane has written.
static bool is_flat(const cmd_vinst_t *c, const core_lanes_operand_t *operand, size_t count, uint64_t n) {
  const core_lane_mask_t mask = core_vinst_mask(c);
  const core_lanes_operand_t *to = &operand[count - 1];
  if (core_lanes_used(&mask) != core_vinst_lanes(c) || !core_is_prefix(&mask)) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    const core_lanes_operand_t *o = &operand[i];
    const uint64_t bytes = n * core_type_bits(o->type) / 8, written = n * core_type_bits(to->type) / 8;
    if (o->reach != REACH_LANES || o->block != CORE_VECTOR_BLOCK ||
        o->repeat != (uint64_t)core_vinst_lanes(c) * core_type_bits(o->type) / 8 ||
        (o->base == to->base && o->type != to->type) ||
        (o->base != to->base && o->base < to->base + written && to->base < o->base + bytes)) {
      return false;
    }
  }
  return true;
}

typedef struct run {
  uint8_t *ub;
  const core_lanes_operand_t *operand;
  size_t count;  // of operands
  bool has_b;    // else a stands in its place
  void (*compute)(const core_lanes_t *t);
  core_lanes_t lanes;
} run_t;

// A repeat's operand, in buffer unless it lies end to end; dst always.
static void read_operand(run_t *r, const core_lanes_operand_t *o, uint64_t number, const core_lane_mask_t *lanes,
                         uint8_t *buffer) {
  const core_lane_mask_t mask = core_reached(o, lanes);
  const uint64_t bytes = o->reach == REACH_TILE ? o->group * CORE_VECTOR_BLOCK
                                                : (uint64_t)core_lanes_used(&mask) * core_type_bits(o->type) / 8;
  const uint8_t *from = read_blocks(r->ub + o->base + number * o->repeat, o, bytes, buffer);
  switch (o->field[0]) {
    case 'a':
      r->lanes.a = from;
      break;
    case 'b':
      r->lanes.b = from;
      break;
    case 'c':
      r->lanes.bits = from;
      break;
    default:
      memmove(buffer, from, bytes);
  }
}

static void run_repeat(run_t *r, uint64_t number, const core_lane_mask_t *lanes) {
  alignas(64) uint8_t buffer[CORE_VINST_OPERANDS][2 * CORE_REPEAT];
  const core_lanes_operand_t *to = &r->operand[r->count - 1];
  uint8_t *dst = buffer[CORE_VINST_OPERANDS - 1], *at = r->ub + to->base + number * to->repeat;
  r->lanes.a = dst;
  for (size_t i = 0; i + 1 < r->count; ++i) {
    read_operand(r, &r->operand[i], number, lanes, r->operand[i].field[0] == 'd' ? dst : buffer[i]);
  }
  if (!r->has_b) {
    r->lanes.b = r->lanes.a;
  }
  r->lanes.n = core_lanes_used(lanes);
  r->lanes.mask = lanes;
  r->lanes.dst = dst;
  r->compute(&r->lanes);
  const core_lane_mask_t mask = core_reached(to, lanes);
  const uint32_t used = core_lanes_used(&mask);
  if (to->reach == REACH_TILE) {
    write_blocks(at, to, to->group * CORE_VECTOR_BLOCK, dst);
  } else if (core_is_prefix(&mask)) {
    write_blocks(at, to, (uint64_t)used * core_type_bits(to->type) / 8, dst);
  } else {
    write_lanes(at, to, &mask, used, dst);
  }
}

// All at once.
static void run_flat(run_t *r, uint64_t n) {
  r->lanes.n = n;
  r->lanes.dst = r->ub + r->operand[r->count - 1].base;
  r->lanes.a = r->ub + r->operand[0].base;  // dst itself, if nothing is read
  r->lanes.b = r->ub + r->operand[r->has_b].base;
  r->compute(&r->lanes);
}

// The whole result, of what the operands were.
static void run_once(run_t *r, const cmd_vinst_t *c) {
  alignas(64) uint8_t result[CORE_ONCE];
  uint8_t *dst = r->ub + r->operand[r->count - 1].base;
  const uint64_t bytes = r->operand[r->count - 1].group;
  memcpy(result, dst, bytes);
  r->lanes.command = c;
  r->lanes.ub = r->ub;
  r->lanes.dst = result;
  r->compute(&r->lanes);
  memcpy(dst, result, bytes);
}

void core_vinst_run(uint8_t *ub, const cmd_vinst_t *c, const core_lanes_operand_t *operand, size_t count,
                    void (*compute)(const core_lanes_t *t)) {
  run_t r = {.ub = ub,
             .operand = operand,
             .count = count,
             .compute = compute,
             .lanes = {.type = c->type, .to = c->to, .mode = c->mode, .scalar = c->scalar}};
  const uint64_t repeats = core_vinst_repeats(c);
  const uint64_t all = c->count > 0 ? c->count : repeats * core_vinst_lanes(c);
  if (core_vinst_once(c)) {
    run_once(&r, c);
    return;
  }
  r.has_b = r.count > 1 && r.operand[1].field[0] == 'b';
  if (is_flat(c, r.operand, r.count, all)) {
    run_flat(&r, all);
    return;
  }
  const core_lane_mask_t mask = core_vinst_mask(c), rest = core_first_lanes(core_vinst_rest(c));
  for (uint64_t i = 0; i < repeats; ++i) {
    run_repeat(&r, i, &mask);
  }
  if (core_vinst_rest(c) > 0) {
    run_repeat(&r, repeats, &rest);
  }
}
