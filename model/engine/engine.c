// A job, cut into chunks.
// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

#include <stdlib.h>

#include "engine/engine_internal.h"
#include "host/interrupt.h"

enum { MOST_ELEMENTS = 1024, MOST_BLOCKS = 32, MOST_QUERIES = 16, MOST_ROWS = 1 << 20 };

bool engine_shape_check(const engine_shape_t *shape, base_error_t *error) {
  const num_engine_t *num = &shape->num;
  if (num->d < 2 || num->d > MOST_ELEMENTS) {
    return base_fail(error, "head dimension %zu: 2 to %d are possible", num->d, MOST_ELEMENTS);
  }
  if (num->blocks < 1 || num->blocks > MOST_BLOCKS) {
    return base_fail(error, "%zu blocks: 1 to %d are possible", num->blocks, MOST_BLOCKS);
  }
  if (shape->queries < 1 || shape->queries > MOST_QUERIES) {
    return base_fail(error, "%zu queries at a time: 1 to %d are possible", shape->queries, MOST_QUERIES);
  }
  if (num->rows < num->blocks || num->rows > MOST_ROWS || num->rows % num->blocks != 0) {
    return base_fail(error, "%zu rows of keys: a multiple of the %zu blocks, up to %d, is expected", num->rows,
                     num->blocks, MOST_ROWS);
  }
  return true;
}

void engine_close(engine_t *engine) {
  if (engine != NULL) {
    engine->close(engine);
  }
}

// Empty triplets for all queries; NULL if out of memory.
static num_triplet_t *make_triplets(const engine_t *engine, size_t sq) {
  const size_t elements = engine->shape.num.d + 1;
  num_triplet_t *triplets = malloc(sq * sizeof *triplets);
  num_element_t *o = malloc(sq * elements * sizeof *o);
  if (triplets == NULL || o == NULL) {
    free(triplets);
    free(o);
    return NULL;
  }
  for (size_t i = 0; i < sq; ++i) {
    triplets[i].o = o + i * elements;
    num_engine_clear(&engine->shape.num, &triplets[i]);
  }
  return triplets;
}

static size_t count_keys(const engine_job_t *job) {
  size_t keys = 0;
  for (size_t i = 0; i < job->sq; ++i) {
    for (size_t j = 0; j < job->s; ++j) {
      keys += engine_key_valid(job, i, j);
    }
  }
  return keys;
}

bool engine_attention(engine_t *engine, const engine_job_t *job, engine_cycles_t *cycles, base_error_t *error) {
  const num_engine_t *num = &engine->shape.num;
  num_triplet_t *triplets = make_triplets(engine, job->sq);
  if (triplets == NULL) {
    return base_fail(error, "out of memory");
  }
  *cycles = (engine_cycles_t){.keys = count_keys(job)};
  bool good = true;
  for (size_t first = 0; good && first < job->s; first += num->rows) {
    const size_t n = job->s - first < num->rows ? job->s - first : num->rows;
    const engine_chunk_t chunk = {.first = first,
                                  .n = n,
                                  .stride = (n + num->blocks - 1) / num->blocks,
                                  .carry = first > 0,
                                  .final = first + n == job->s};
    good = engine->run_chunk(engine, job, &chunk, triplets, cycles, error);
    if (host_interrupted()) {
      good = base_fail(error, "interrupted");
    }
    cycles->load += n;
    cycles->groups += (job->sq + engine->shape.queries - 1) / engine->shape.queries;
  }
  free(triplets[0].o);
  free(triplets);
  return good;
}
