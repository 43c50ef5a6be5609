// The engine's cycles without its arithmetic: what attention_ctrl, the FAUs' control, the ACCs and the
// divider do with valid and ready, cycle by cycle. Cycle-identical with the RTL.
//
// Source: rtl/attention/README.md, "Stages".
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_ENGINE_ENGINE_CONTROL_H
#define AMALGAM_ENGINE_ENGINE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ENGINE_ACC_CYCLES = 3, ENGINE_DIVIDE_CYCLES = 2 };

typedef struct engine_control engine_control_t;

// The inputs in a cycle; rows, carry and use_mask count only with q_valid.
typedef struct engine_inputs {
  bool q_valid, mask_valid, out_ready;
  uint32_t rows;
  bool carry, use_mask;
} engine_inputs_t;

typedef struct engine_outputs {
  bool q_ready, mask_ready, out_valid;
  bool row;  // a row is read in this cycle
} engine_outputs_t;

// NULL if out of memory.
engine_control_t *engine_control_new(size_t d, size_t blocks);
void engine_control_delete(engine_control_t *control);

// One cycle: the outputs that the inputs give, then the clock edge.
engine_outputs_t engine_control_cycle(engine_control_t *control, const engine_inputs_t *inputs);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_ENGINE_ENGINE_CONTROL_H
