// SPDX-License-Identifier: Apache-2.0
#include "engine/engine_control.h"

#include <stdlib.h>

#include "engine/engine_internal.h"

// A unit that holds its operands in their producers for some cycles and then has a result.
typedef struct step {
  unsigned count;  // cycles spent on the present operands
  bool valid;      // of the result
} step_t;

struct engine_control {
  unsigned lane_stage;
  size_t blocks;
  uint32_t rows_left;  // of the group being streamed
  bool first;          // its first row has not been read
  bool masked;         // it takes mask beats
  bool carries;        // it has a carry
  bool carry_waits;    // its carry has not reached the lanes
  // Bit i: of the row read i cycles ago, not counting stalls.
  uint64_t last;     // it is its group's last
  uint64_t carry;    // it is its group's first, and the group has a carry
  uint64_t triplet;  // bit b: FAU b has a triplet to give
  uint64_t spare;    // and a second one behind it
  step_t divide;
  step_t acc[];  // [blocks], acc[0] unused
};

// Cycles from a key at the FAUs' input until it is in the lanes' accumulators.
static unsigned engine_lane_stage(size_t d) { return 11 + engine_bits(d); }

engine_control_t *engine_control_new(size_t d, size_t blocks) {
  engine_control_t *control = calloc(1, sizeof *control + blocks * sizeof *control->acc);
  if (control != NULL) {
    control->lane_stage = engine_lane_stage(d);
    control->blocks = blocks;
  }
  return control;
}

void engine_control_delete(engine_control_t *control) { free(control); }

// The clock edge of a unit that takes `cycles`; true if it lets its operands go.
static bool step_clock(step_t *step, unsigned cycles, bool operands, bool taken) {
  const bool room = !step->valid || taken;
  const bool done = operands && step->count == cycles - 1 && room;
  step->valid = done || (step->valid && !taken);
  if (done) {
    step->count = 0;
  } else if (operands && step->count < cycles - 1) {
    step->count += 1;
  }
  return done;
}

static bool bit(uint64_t bits, size_t i) { return ((bits >> i) & 1u) != 0; }

// From the output back to the FAUs; the FAUs whose triplets were taken.
static uint64_t clock_chain(engine_control_t *control, bool out_ready) {
  const size_t end = control->blocks - 1;
  uint64_t taken = 0;
  const bool merged = end == 0 ? bit(control->triplet, 0) : control->acc[end].valid;
  bool next = step_clock(&control->divide, ENGINE_DIVIDE_CYCLES, merged, control->divide.valid && out_ready);
  for (size_t b = end; b > 0; --b) {
    const bool before = b == 1 ? bit(control->triplet, 0) : control->acc[b - 1].valid;
    next = step_clock(&control->acc[b], ENGINE_ACC_CYCLES, before && bit(control->triplet, b), next);
    taken |= (uint64_t)next << b;
  }
  return taken | next;
}

engine_outputs_t engine_control_cycle(engine_control_t *control, const engine_inputs_t *inputs) {
  engine_outputs_t outputs = {.out_valid = control->divide.valid};
  const unsigned lanes = control->lane_stage + 1;  // from being read to being in the lanes
  const bool finished = bit(control->last, lanes);
  const bool enable = !finished || control->spare == 0;  // before anything is taken: from registers
  const uint64_t taken = clock_chain(control, inputs->out_ready);
  control->triplet &= ~taken | control->spare;
  control->spare &= ~taken;

  const bool idle = control->rows_left == 0;
  const bool carry_used = enable && bit(control->carry, lanes - 1);
  outputs.q_ready = enable && idle && !(inputs->carry && control->carry_waits && !carry_used);
  const bool accepted = inputs->q_valid && outputs.q_ready;
  if (accepted) {
    control->rows_left = inputs->rows;
    control->first = true;
    control->carries = inputs->carry;
    control->masked = inputs->use_mask;
  }
  const bool wanted = enable && control->rows_left > 0;
  outputs.mask_ready = wanted && control->masked;
  outputs.row = wanted && (!control->masked || inputs->mask_valid);
  if (!enable) {
    return outputs;
  }
  if (finished) {
    control->spare = control->triplet;
    control->triplet = ((uint64_t)1 << control->blocks) - 1;
  }
  control->carry_waits = (accepted && inputs->carry) || (control->carry_waits && !carry_used);
  const bool starts = outputs.row && control->first && control->carries;
  control->rows_left -= outputs.row;
  control->first = control->first && !outputs.row;
  control->last = (control->last | (outputs.row && control->rows_left == 0)) << 1;
  control->carry = (control->carry | starts) << 1;
  return outputs;
}
