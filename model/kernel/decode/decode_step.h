// A model on a machine that stays open: steps are launched on it one after the other, and what they leave is read.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_DECODE_DECODE_STEP_H
#define AMALGAM_KERNEL_DECODE_DECODE_STEP_H

#include "kernel/decode/list/decode_list.h"

// Sums of an operation over all steps since decode_machine_forget.
typedef struct decode_sums {
  uint64_t cycles, hbm_read, hbm_write, l2_read;
  double flop, flop_s8;  // in all; of 8-bit integers
} decode_sums_t;

typedef struct decode_machine decode_machine_t;

// Told when an operation of the step under way has ended, before the next one begins; not with timing only.
typedef void decode_ended_t(void *context, decode_machine_t *machine, size_t index);

typedef struct decode_machine_options {
  const decode_settings_t *settings;
  const checkpoint_t *checkpoint;
  size_t experts;  // of a mixture that are here
  decode_limits_t limits;
  uint64_t seed;  // of what is made up
} decode_machine_options_t;

// A process can have one. What options point to must outlive it. NULL: error says why.
decode_machine_t *decode_machine_open(const decode_machine_options_t *options, base_error_t *error);

// At most three look on.
void decode_machine_watch(decode_machine_t *machine, decode_ended_t *ended, void *context);

// tokens [entries][query]. False: the machine has stopped for good, see decode_machine_status. cycles: of all launches
// of the step; own: of its operations.
typedef struct decode_took {
  uint64_t cycles, own;
  size_t launches;
} decode_took_t;
bool decode_machine_step(decode_machine_t *machine, const decode_ask_t *ask, const uint32_t *tokens,
                         decode_took_t *took);
// The same of several parts, tokens one part's behind the other's.
bool decode_machine_parts(decode_machine_t *machine, const decode_ask_t *parts, size_t count, const uint32_t *tokens,
                          decode_took_t *took);

// Fills `places` places of all entries' caches with random numbers: what a model might have left there.
void decode_machine_make_past(decode_machine_t *machine, size_t places);

// A row of a cache in 8 bits: `head` counts heads of keys, then of values, of all entries, of all layers.
typedef struct decode_packed_row {
  uint32_t type;  // TYPE_S8 or TYPE_E4M3
  uint8_t *codes;
  float *scale;
} decode_packed_row_t;
decode_packed_row_t decode_machine_packed(const decode_machine_t *machine, size_t head, size_t place);

// Global memory; of the last step: its list, its logits, rows decode_ask_head_rows, FP32, of shape->logit_pitch bytes
// each.
void *decode_machine_bytes(const decode_machine_t *machine, uint64_t address);
// The same for those who only look on (soc_look).
const void *decode_machine_look(const decode_machine_t *machine, uint64_t address);
const decode_list_t *decode_machine_list(const decode_machine_t *machine);
const float *decode_machine_logits(const decode_machine_t *machine, size_t row);

// By decode_op_t.number, since the last forgetting; the same kind of steps has the same operations.
const decode_sums_t *decode_machine_sums(const decode_machine_t *machine);
void decode_machine_forget(decode_machine_t *machine);

const decode_weights_list_t *decode_machine_weights(const decode_machine_t *machine);
double decode_machine_load_seconds(const decode_machine_t *machine);

// Why a step has failed: SOC_STOPPED, SOC_INTERRUPTED, ..., and the message in error.
soc_status_t decode_machine_status(const decode_machine_t *machine, base_error_t *error);

// The SoC's own books; there are no more steps. Valid until decode_machine_close.
const soc_result_t *decode_machine_result(decode_machine_t *machine);
void decode_machine_close(decode_machine_t *machine);  // may be NULL

// Slots that an operation's routing gives rows to.
size_t decode_machine_slots(const decode_machine_t *machine, const step_routing_t *routing);

#endif
