// The engine as a C model: the golden functions for the bits, engine_control for the cycles.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "engine/engine_control.h"
#include "engine/engine_internal.h"
#include "host/interrupt.h"
#include "host/parallel.h"

typedef struct engine_c {
  engine_t engine;
  size_t threads;
} engine_c_t;

typedef struct work {
  const engine_t *engine;
  const engine_job_t *job;
  const engine_chunk_t *chunk;
  num_triplet_t *triplets;
} work_t;

static void run_query(const work_t *work, size_t i, uint8_t *valid, num_element_t *scratch) {
  const num_engine_t *num = &work->engine->shape.num;
  const engine_job_t *job = work->job;
  const engine_chunk_t *chunk = work->chunk;
  for (size_t j = 0; j < chunk->n; ++j) {
    valid[j] = engine_key_valid(job, i, chunk->first + j);
  }
  num_engine_chunk(num, job->q + i * num->d, job->k + chunk->first * num->d, job->v + chunk->first * num->d, valid,
                   chunk->n, &work->triplets[i], scratch);
  if (chunk->final) {
    num_engine_divide(num, &work->triplets[i], job->out + i * num->d);
  }
}

static bool run_queries(void *context, size_t first, size_t end) {
  const work_t *work = context;
  uint8_t *valid = malloc(work->chunk->n);
  num_element_t *scratch = malloc((work->engine->shape.num.d + 1) * sizeof *scratch);
  const bool good = valid != NULL && scratch != NULL;
  for (size_t i = first; good && i < end && !host_interrupted(); ++i) {
    run_query(work, i, valid, scratch);
  }
  free(valid);
  free(scratch);
  return good;
}

// Counts the cycles in which all groups stream past the chunk, results taken at once.
static bool count_cycles(const engine_t *engine, const engine_job_t *job, const engine_chunk_t *chunk,
                         engine_cycles_t *cycles) {
  engine_control_t *control = engine_control_new(engine->shape.num.d, engine->shape.num.blocks);
  if (control == NULL) {
    return false;
  }
  size_t next = 0;  // the query with which the next group starts
  size_t results = 0;
  const size_t groups = (job->sq + engine->shape.queries - 1) / engine->shape.queries;
  while (results < groups && !host_interrupted()) {
    const bool more = next < job->sq;
    const engine_inputs_t inputs = {.q_valid = more,
                                    .mask_valid = true,
                                    .out_ready = true,
                                    .carry = chunk->carry,
                                    .rows = more ? (uint32_t)engine_group_rows(&engine->shape, job, chunk, next) : 0,
                                    .use_mask = job->mask != NULL};
    const engine_outputs_t outputs = engine_control_cycle(control, &inputs);
    next += more && outputs.q_ready ? engine->shape.queries : 0;
    results += outputs.out_valid;
    cycles->rows += outputs.row;
    cycles->total += 1;
  }
  engine_control_delete(control);
  return true;
}

static bool run_chunk(engine_t *engine, const engine_job_t *job, const engine_chunk_t *chunk, num_triplet_t *triplets,
                      engine_cycles_t *cycles, base_error_t *error) {
  work_t work = {.engine = engine, .job = job, .chunk = chunk, .triplets = triplets};
  if (parallel_for(((const engine_c_t *)engine)->threads, job->sq, run_queries, &work) &&
      count_cycles(engine, job, chunk, cycles)) {
    return true;
  }
  return base_fail(error, "out of memory");
}

static void close_c(engine_t *engine) { free(engine); }

engine_t *engine_open_c(const engine_shape_t *shape, size_t threads, base_error_t *error) {
  if (!engine_shape_check(shape, error)) {
    return NULL;
  }
  engine_c_t *engine = malloc(sizeof *engine);
  if (engine == NULL) {
    base_fail(error, "out of memory");
    return NULL;
  }
  *engine = (engine_c_t){.engine = {.shape = *shape, .run_chunk = run_chunk, .close = close_c}, .threads = threads};
  return &engine->engine;
}
