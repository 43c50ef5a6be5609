// The Verilated attention_engine behind a C interface: the pins, cycle by cycle.
//
// Every shape of the RTL is a shared library of its own, built by build_unit.sh, that exports one
// engine_unit_api_t under the name ENGINE_UNIT_SYMBOL. A cycle is: write the input pins and set what
// is wide, engine_unit_api_t.settle(), look at the outputs, engine_unit_api_t.clock().
//
// Source: rtl/attention/README.md, "Ports".
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_ENGINE_ENGINE_UNIT_H
#define AMALGAM_ENGINE_ENGINE_UNIT_H

#include "num/engine/num_triplet.h"
#include "waves/waves_port.h"

#ifdef __cplusplus
extern "C" {
#endif

// Single pins. Outputs hold after settle().
typedef struct engine_pins {
  bool kv_valid, q_valid, mask_valid, out_ready;   // in
  bool q_ready, mask_ready, out_valid, out_final;  // out
} engine_pins_t;

// A group of NQ queries.
typedef struct engine_group {
  const num_bf16_t *q;         // [NQ,D], scaled
  uint32_t base;               // first row, of every block
  uint32_t rows;               // rows to stream
  uint32_t stride;             // index distance of consecutive blocks
  const uint32_t *limit;       // [NQ], keys below take part
  bool use_mask;               // one mask beat a row
  bool final;                  // divide; else put out the triplets
  const num_triplet_t *carry;  // [NQ], what FAU 0 continues; NULL: nothing
} engine_group_t;

// A key and its value, for one row of one block.
typedef struct engine_row {
  uint32_t block, row;
  const num_bf16_t *k;  // [D]
  const num_bf16_t *v;  // [D]
} engine_row_t;

typedef struct engine_unit engine_unit_t;

typedef struct engine_unit_api {
  // In reset and out of it again. name: of its scope in waveforms, NULL for that of its top module.
  // seed: 0 starts registers at zero, anything else at random values.
  engine_unit_t *(*create)(const char *name, int seed);
  void (*destroy)(engine_unit_t *unit);
  // Input pins low, in reset and out of it again, with whatever is in flight; memories keep their rows.
  void (*reset)(engine_unit_t *unit);
  engine_pins_t *(*pins)(engine_unit_t *unit);
  void (*set_row)(engine_unit_t *unit, const engine_row_t *row);
  void (*set_group)(engine_unit_t *unit, const engine_group_t *group);
  void (*set_mask)(engine_unit_t *unit, const uint8_t *bits);  // [NQ,P], 1: takes part
  // The result that out_valid announces: NQ triplets, whose o[1..D] are BF16 bits with out_final.
  void (*get_result)(engine_unit_t *unit, num_triplet_t *triplets);
  void (*settle)(engine_unit_t *unit);
  void (*clock)(engine_unit_t *unit);
  // For a unit that was built with a trace: declares its signals of up to most_bits, once, and writes the changed ones,
  // or all, in the port's current cycle, after settle(). clocked: the clock runs in this cycle.
  void (*trace)(engine_unit_t *unit, const waves_port_t *port, unsigned most_bits);
  void (*record)(engine_unit_t *unit, bool all, bool clocked);
} engine_unit_api_t;

#define ENGINE_UNIT_SYMBOL engine_unit_api

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_ENGINE_ENGINE_UNIT_H
