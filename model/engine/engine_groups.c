// SPDX-License-Identifier: Apache-2.0
#include "engine/engine_groups.h"

#include <stdlib.h>
#include <string.h>

bool engine_groups_open(engine_groups_t *groups, const engine_shape_t *shape, const engine_job_t *job,
                        const engine_chunk_t *chunk, num_triplet_t *triplets) {
  const size_t queries = shape->queries;
  const size_t elements = shape->num.d + 1;
  *groups = (engine_groups_t){.shape = shape,
                              .job = job,
                              .chunk = chunk,
                              .triplets = triplets,
                              .q = malloc(queries * shape->num.d * sizeof(num_bf16_t)),
                              .limit = malloc(queries * sizeof(uint32_t)),
                              .carry = malloc(queries * sizeof(num_triplet_t)),
                              .mask = malloc(queries * shape->num.blocks),
                              .result = malloc(queries * sizeof(num_triplet_t)),
                              .elements = malloc(queries * elements * sizeof(num_element_t))};
  if (groups->q == NULL || groups->limit == NULL || groups->carry == NULL || groups->mask == NULL ||
      groups->result == NULL || groups->elements == NULL) {
    return false;
  }
  for (size_t n = 0; n < queries; ++n) {
    groups->result[n].o = groups->elements + n * elements;
  }
  return true;
}

void engine_groups_close(engine_groups_t *groups) {
  free(groups->q);
  free(groups->limit);
  free(groups->carry);
  free(groups->mask);
  free(groups->result);
  free(groups->elements);
}

engine_row_t engine_groups_row(const engine_groups_t *groups, size_t j) {
  const size_t at = (groups->chunk->first + j) * groups->shape->num.d;
  return (engine_row_t){.block = (uint32_t)(j / groups->chunk->stride),
                        .row = (uint32_t)(j % groups->chunk->stride),
                        .k = groups->job->k + at,
                        .v = groups->job->v + at};
}

engine_group_t engine_groups_make(engine_groups_t *groups, size_t first) {
  const engine_job_t *job = groups->job;
  const engine_chunk_t *chunk = groups->chunk;
  const size_t d = groups->shape->num.d;
  memset(groups->q, 0, groups->shape->queries * d * sizeof *groups->q);
  for (size_t n = 0; n < groups->shape->queries; ++n) {
    const size_t i = first + n;
    const bool exists = i < job->sq;
    if (exists) {
      memcpy(groups->q + n * d, job->q + i * d, d * sizeof *groups->q);
    }
    groups->limit[n] = exists ? (uint32_t)engine_limit(job, chunk, i) : 0;
    groups->carry[n] = groups->triplets[exists ? i : 0];
  }
  return (engine_group_t){.q = groups->q,
                          .rows = (uint32_t)engine_group_rows(groups->shape, job, chunk, first),
                          .stride = (uint32_t)chunk->stride,
                          .limit = groups->limit,
                          .use_mask = job->mask != NULL,
                          .final = chunk->final,
                          .carry = chunk->carry ? groups->carry : NULL};
}

void engine_groups_make_mask(engine_groups_t *groups, size_t first, size_t row) {
  const engine_job_t *job = groups->job;
  const engine_chunk_t *chunk = groups->chunk;
  const size_t blocks = groups->shape->num.blocks;
  for (size_t n = 0; n < groups->shape->queries; ++n) {
    for (size_t b = 0; b < blocks; ++b) {
      const size_t i = first + n;
      const size_t j = b * chunk->stride + row;
      groups->mask[n * blocks + b] = i < job->sq && j < chunk->n && job->mask[i * job->s + chunk->first + j] != 0;
    }
  }
}

void engine_groups_store(engine_groups_t *groups, size_t first) {
  const size_t d = groups->shape->num.d;
  for (size_t n = 0; n < groups->shape->queries && first + n < groups->job->sq; ++n) {
    const num_triplet_t *result = &groups->result[n];
    num_triplet_t *triplet = &groups->triplets[first + n];
    triplet->m = result->m;
    triplet->poison = result->poison;
    if (groups->chunk->final) {
      for (size_t c = 0; c < d; ++c) {
        groups->job->out[(first + n) * d + c] = (num_bf16_t)result->o[c + 1];
      }
    } else {
      memcpy(triplet->o, result->o, (d + 1) * sizeof *result->o);
    }
  }
}
