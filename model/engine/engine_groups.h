// A chunk's queries as the groups, mask beats and results of the engine's ports.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_ENGINE_ENGINE_GROUPS_H
#define AMALGAM_ENGINE_ENGINE_GROUPS_H

#include "engine/engine_internal.h"
#include "engine/engine_unit.h"

typedef struct engine_groups {
  const engine_shape_t *shape;
  const engine_job_t *job;
  const engine_chunk_t *chunk;
  num_triplet_t *triplets;  // [sq], of the job
  // One group's worth of each.
  num_bf16_t *q;            // [NQ,D]
  uint32_t *limit;          // [NQ]
  num_triplet_t *carry;     // [NQ]
  uint8_t *mask;            // [NQ,P]
  num_triplet_t *result;    // [NQ], for the engine to fill
  num_element_t *elements;  // behind result
} engine_groups_t;

// False if out of memory; engine_groups_close() either way.
bool engine_groups_open(engine_groups_t *groups, const engine_shape_t *shape, const engine_job_t *job,
                        const engine_chunk_t *chunk, num_triplet_t *triplets);
void engine_groups_close(engine_groups_t *groups);

// Key j of the chunk, with its place in the memory.
engine_row_t engine_groups_row(const engine_groups_t *groups, size_t j);

// The group that starts with query `first`; queries past the last one see no key. Points into groups.
engine_group_t engine_groups_make(engine_groups_t *groups, size_t first);

// The mask beat of that group's row, in groups->mask.
void engine_groups_make_mask(engine_groups_t *groups, size_t first, size_t row);

// Stores groups->result as that group's output, or triplets if the chunk is not the last.
void engine_groups_store(engine_groups_t *groups, size_t first);

#endif  // AMALGAM_ENGINE_ENGINE_GROUPS_H
