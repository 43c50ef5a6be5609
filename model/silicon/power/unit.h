// The energy of one unit of the attention engine at work: its netlist fed with queries, keys and
// values, its outputs compared with the golden model's.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SILICON_POWER_UNIT_H
#define AMALGAM_SILICON_POWER_UNIT_H

#include "num/engine/num_engine.h"
#include "silicon/power/energy.h"

typedef enum unit_kind {
  UNIT_FAU,
  UNIT_ACC,      // with the triplets of each of the P - 1
  UNIT_DIVIDER,  // LogDiv or divider
  UNIT_CONTROL,  // attention_ctrl
  UNIT_ADDRESS,  // the delay line of the values' addresses
  UNIT_KINDS,
} unit_kind_t;

// A query and its keys, which blocks share as the engine has them: block b has ceil(keys / blocks)
// from b times that on.
typedef struct unit_query {
  const num_bf16_t *q;      // [d] scaled
  const num_bf16_t *k, *v;  // [keys,d]
  size_t keys;
} unit_query_t;

typedef struct unit_stimulus {
  num_design_t arithmetic;
  num_hfa_t hfa;  // of H-FA only
  size_t d, blocks;
  size_t rows;  // of a block's memory
  const unit_query_t *query;
  size_t queries;  // >= 2; FAU i works on the keys of block i mod blocks
} unit_stimulus_t;

// The counts of a unit, and how they were found.
typedef struct unit_work {
  size_t operations;       // keys of an FAU, merges, divisions, rows
  size_t outputs;          // words compared with the golden model
  uint64_t settled_after;  // ps, the longest cycle
} unit_work_t;

// Simulates the netlist. The first group, merge or division is not counted: nets are as nothing
// ever left them before. False: also if an output differs from the golden model's.
bool unit_simulate(const graph_t *graph, unit_kind_t kind, const unit_stimulus_t *stimulus, simulate_delay_t delay,
                   activity_t *activity, unit_work_t *work, base_error_t *error);

#endif
