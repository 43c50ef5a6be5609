// An attention engine to run: its RTL, Verilated, or the C model with the same bits and cycles.
//
// engine_open() gives one of some shape; the RTL of a shape is built when it is first asked for, by
// Verilator and the C++ compiler, and kept for later runs (engine/build_unit.sh). engine_attention()
// loads keys and values chunk by chunk, streams the queries past them in groups, and collects the
// results; between chunks the triplets are carried.
//
// Source: rtl/README.md; num/engine/num_engine.h for the order of keys.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_ENGINE_ENGINE_H
#define AMALGAM_ENGINE_ENGINE_H

#include "base/error.h"
#include "num/engine/num_engine.h"
#include "waves/waves.h"

#ifdef __cplusplus
extern "C" {
#endif

// Told what a build of RTL is waited for; tell may be NULL.
typedef struct engine_progress {
  void (*tell)(void *context, const char *what);
  void *context;
} engine_progress_t;

typedef struct engine_shape {
  num_engine_t num;  // design, arithmetic, D, P, N; N must be a multiple of P
  size_t queries;    // NQ, queries side by side
  bool one_mul;      // FA-2: one multiplier a lane
  bool axi;          // of RTL: behind its buses (rtl/axi), which take more cycles
} engine_shape_t;

// Arrays in C order, the caller's.
typedef struct engine_job {
  size_t sq, s;         // queries and keys, at least 1 each
  const num_bf16_t *q;  // [sq,d], scaled
  const num_bf16_t *k;  // [s,d]
  const num_bf16_t *v;  // [s,d]
  const uint8_t *mask;  // [sq,s], 1: the key takes part; NULL: all do
  const size_t *limit;  // [sq], query i sees keys 0 .. limit[i]-1; NULL: all
  num_bf16_t *out;      // [sq,d]
} engine_job_t;

typedef struct engine_cycles {
  uint64_t load;    // keys and values into the engine, one row a cycle, before each chunk
  uint64_t total;   // from the first group's acceptance to the last result, over all chunks,
                    // with the chunk's keys loaded
  uint64_t rows;    // of these, rows streamed: cycles in which keys entered the FAUs
  uint64_t keys;    // pairs of a query and a key that took part
  uint64_t groups;  // groups of queries, over all chunks
} engine_cycles_t;

typedef struct engine engine_t;

// Waveforms of the RTL.
typedef struct engine_waves {
  waves_t *waves;     // not begun yet
  bool everything;    // else an outline, control and streams up to 64 bits wide
  uint64_t from, to;  // cycles of the engine's clock, 0 the first in which a key is loaded
} engine_waves_t;

// waves: NULL, or where the RTL's signals go. progress (may be NULL) is told what a build is
// waiting for. NULL on failure, with one line in error.
engine_t *engine_open_rtl(const engine_shape_t *shape, const engine_waves_t *waves, engine_progress_t progress,
                          base_error_t *error);

// The RTL in Icarus: hundreds of times slower, no waveforms; for cross-checks.
engine_t *engine_open_icarus(const engine_shape_t *shape, base_error_t *error);

// The C model. threads: how many may compute at once.
engine_t *engine_open_c(const engine_shape_t *shape, size_t threads, base_error_t *error);

void engine_close(engine_t *engine);

// Writes job->out and cycles. False on failure (out of memory; RTL that does not answer; told to
// stop), with one line in error.
__attribute__((warn_unused_result)) bool engine_attention(engine_t *engine, const engine_job_t *job,
                                                          engine_cycles_t *cycles, base_error_t *error);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_ENGINE_ENGINE_H
