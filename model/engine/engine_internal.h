// Shared by the kinds of engine: Verilated RTL, RTL in Icarus, the C model.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_ENGINE_ENGINE_INTERNAL_H
#define AMALGAM_ENGINE_ENGINE_INTERNAL_H

#include <stdio.h>

#include "engine/engine.h"

// Keys first .. first+n-1 of a job, held in the engine: key r of block b is number b * stride + r.
typedef struct engine_chunk {
  size_t first, n, stride;
  bool carry;  // continues the job's triplets; otherwise starts them
  bool final;  // its results are the job's output; otherwise the triplets go on
} engine_chunk_t;

struct engine {
  engine_shape_t shape;
  // Loads a chunk and streams all queries past it; adds to the cycles.
  bool (*run_chunk)(engine_t *engine, const engine_job_t *job, const engine_chunk_t *chunk, num_triplet_t *triplets,
                    engine_cycles_t *cycles, base_error_t *error);
  void (*close)(engine_t *engine);
};

// Keys of the chunk below this number are visible to query i.
static inline size_t engine_limit(const engine_job_t *job, const engine_chunk_t *chunk, size_t i) {
  const size_t limit = job->limit == NULL ? job->s : job->limit[i];
  const size_t past = limit < chunk->first ? 0 : limit - chunk->first;
  return past < chunk->n ? past : chunk->n;
}

static inline bool engine_key_valid(const engine_job_t *job, size_t query, size_t key) {
  return (job->limit == NULL || key < job->limit[query]) && (job->mask == NULL || job->mask[query * job->s + key] != 0);
}

// Rows to stream for a query that sees `limit` keys of the chunk: block 0 has the most of them.
static inline size_t engine_rows(const engine_chunk_t *chunk, size_t limit) {
  const size_t rows = limit < chunk->stride ? limit : chunk->stride;
  return rows == 0 ? 1 : rows;
}

// The most rows any query of the group that starts with `first` needs.
static inline size_t engine_group_rows(const engine_shape_t *shape, const engine_job_t *job,
                                       const engine_chunk_t *chunk, size_t first) {
  size_t rows = 1;
  for (size_t i = first; i < job->sq && i < first + shape->queries; ++i) {
    const size_t needed = engine_rows(chunk, engine_limit(job, chunk, i));
    rows = needed > rows ? needed : rows;
  }
  return rows;
}

// Bits that tell `count` things apart: $clog2 of Verilog.
static inline unsigned engine_bits(size_t count) {
  unsigned bits = 0;
  while (((size_t)1 << bits) < count) {
    ++bits;
  }
  return bits;
}

// The RTL's parameter VARIANT: rtl/attention/README.md, "Arithmetics".
static inline unsigned engine_shape_variant(const engine_shape_t *shape) {
  switch (shape->num.design) {
    case NUM_DESIGN_HFA:
      return (shape->num.hfa.corrected ? 1u : 0u) | (shape->num.hfa.zero_exact ? 2u : 0u);
    case NUM_DESIGN_FA2:
      return shape->one_mul ? 1u : 0u;
    default:
      return 0;
  }
}

bool engine_shape_check(const engine_shape_t *shape, base_error_t *error);

#endif  // AMALGAM_ENGINE_ENGINE_INTERNAL_H
