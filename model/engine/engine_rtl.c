// The engine as Verilated RTL, driven pin by pin.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "engine/engine_internal.h"
#include "engine/engine_library.h"

typedef struct engine_rtl {
  engine_t engine;
  engine_library_t library;
  const engine_unit_api_t *api;  // of the library
  engine_unit_t *unit;
  engine_pins_t *pins;
} engine_rtl_t;

// One chunk's groups on their way in, its results on their way out.
typedef struct stream {
  engine_rtl_t *rtl;
  const engine_job_t *job;
  const engine_chunk_t *chunk;
  num_triplet_t *triplets;
  size_t next, mask_next, done;  // queries: of the group to offer, of the mask beat, of the result
  size_t mask_row;
  num_bf16_t *q;                 // [NQ,D], of the group on offer
  uint32_t *limit;               // [NQ]
  num_triplet_t *carry;          // [NQ]
  num_triplet_t *result;         // [NQ]
  num_element_t *elements;       // behind result
  uint8_t *mask;                 // [NQ,P]
} stream_t;

// Cycles without a result, a row or a group after which the RTL is taken for stuck.
enum { PATIENCE = 10000 };

static void tick(engine_rtl_t *rtl) {
  rtl->api->settle(rtl->unit);
  rtl->api->clock(rtl->unit);
}

static void load(engine_rtl_t *rtl, const engine_job_t *job, const engine_chunk_t *chunk) {
  const size_t d = rtl->engine.shape.num.d;
  rtl->pins->kv_valid = true;
  for (size_t j = 0; j < chunk->n; ++j) {
    const engine_row_t row = {.block = (uint32_t)(j / chunk->stride),
                              .row = (uint32_t)(j % chunk->stride),
                              .k = job->k + (chunk->first + j) * d,
                              .v = job->v + (chunk->first + j) * d};
    rtl->api->set_row(rtl->unit, &row);
    tick(rtl);
  }
  rtl->pins->kv_valid = false;
}

// Puts the next group on the pins. Queries past the last one see no key.
static void offer_group(stream_t *stream) {
  const engine_rtl_t *rtl = stream->rtl;
  const engine_shape_t *shape = &rtl->engine.shape;
  const engine_job_t *job = stream->job;
  const size_t d = shape->num.d;
  memset(stream->q, 0, shape->queries * d * sizeof *stream->q);
  for (size_t n = 0; n < shape->queries; ++n) {
    const size_t i = stream->next + n;
    const bool exists = i < job->sq;
    if (exists) {
      memcpy(stream->q + n * d, job->q + i * d, d * sizeof *stream->q);
    }
    stream->limit[n] = exists ? (uint32_t)engine_limit(job, stream->chunk, i) : 0;
    stream->carry[n] = stream->triplets[exists ? i : 0];
  }
  const engine_group_t group = {
      .q = stream->q,
      .rows = (uint32_t)engine_group_rows(&rtl->engine, job, stream->chunk, stream->next),
      .stride = (uint32_t)stream->chunk->stride,
      .limit = stream->limit,
      .use_mask = job->mask != NULL,
      .final = stream->chunk->final,
      .carry = stream->chunk->carry ? stream->carry : NULL};
  rtl->api->set_group(rtl->unit, &group);
}

static void offer_mask(stream_t *stream) {
  const engine_shape_t *shape = &stream->rtl->engine.shape;
  const engine_chunk_t *chunk = stream->chunk;
  for (size_t n = 0; n < shape->queries; ++n) {
    for (size_t b = 0; b < shape->num.blocks; ++b) {
      const size_t i = stream->mask_next + n;
      const size_t j = b * chunk->stride + stream->mask_row;
      stream->mask[n * shape->num.blocks + b] =
          i < stream->job->sq && j < chunk->n &&
          stream->job->mask[i * stream->job->s + chunk->first + j] != 0;
    }
  }
  stream->rtl->api->set_mask(stream->rtl->unit, stream->mask);
}

static void next_mask_row(stream_t *stream) {
  const size_t rows =
      engine_group_rows(&stream->rtl->engine, stream->job, stream->chunk, stream->mask_next);
  stream->mask_row += 1;
  if (stream->mask_row == rows) {
    stream->mask_row = 0;
    stream->mask_next += stream->rtl->engine.shape.queries;
  }
}

static void take_result(stream_t *stream) {
  const engine_shape_t *shape = &stream->rtl->engine.shape;
  const size_t d = shape->num.d;
  stream->rtl->api->get_result(stream->rtl->unit, stream->result);
  for (size_t n = 0; n < shape->queries && stream->done + n < stream->job->sq; ++n) {
    const num_triplet_t *result = &stream->result[n];
    num_triplet_t *triplet = &stream->triplets[stream->done + n];
    triplet->m = result->m;
    triplet->poison = result->poison;
    if (stream->chunk->final) {
      for (size_t c = 0; c < d; ++c) {
        stream->job->out[(stream->done + n) * d + c] = (num_bf16_t)result->o[c + 1];
      }
    } else {
      memcpy(triplet->o, result->o, (d + 1) * sizeof *result->o);
    }
  }
  stream->done += shape->queries;
}

// One cycle; true if anything moved.
static bool cycle(stream_t *stream, engine_cycles_t *cycles) {
  engine_rtl_t *rtl = stream->rtl;
  engine_pins_t *pins = rtl->pins;
  pins->q_valid = stream->next < stream->job->sq;
  pins->mask_valid = stream->job->mask != NULL && stream->mask_next < stream->job->sq;
  pins->out_ready = true;
  rtl->api->settle(rtl->unit);
  const bool accepted = pins->q_valid && pins->q_ready;
  const bool masked = pins->mask_valid && pins->mask_ready;
  const bool answered = pins->out_valid;
  if (answered) {
    take_result(stream);
  }
  rtl->api->clock(rtl->unit);
  if (accepted) {
    cycles->rows +=
        engine_group_rows(&rtl->engine, stream->job, stream->chunk, stream->next);
    stream->next += rtl->engine.shape.queries;
    if (stream->next < stream->job->sq) {
      offer_group(stream);
    }
  }
  if (masked) {
    next_mask_row(stream);
    if (stream->mask_next < stream->job->sq) {
      offer_mask(stream);
    }
  }
  cycles->total += 1;
  return accepted || masked || answered;
}

static bool run_stream(stream_t *stream, engine_cycles_t *cycles) {
  offer_group(stream);
  if (stream->job->mask != NULL) {
    offer_mask(stream);
  }
  for (size_t quiet = 0; stream->done < stream->job->sq && quiet < PATIENCE + stream->chunk->n;) {
    quiet = cycle(stream, cycles) ? 0 : quiet + 1;
  }
  stream->rtl->pins->q_valid = false;
  return stream->done >= stream->job->sq;
}

static void free_stream(stream_t *stream) {
  free(stream->q);
  free(stream->limit);
  free(stream->carry);
  free(stream->result);
  free(stream->elements);
  free(stream->mask);
}

static bool make_stream(stream_t *stream) {
  const engine_shape_t *shape = &stream->rtl->engine.shape;
  const size_t queries = shape->queries;
  stream->q = malloc(queries * shape->num.d * sizeof *stream->q);
  stream->limit = malloc(queries * sizeof *stream->limit);
  stream->carry = malloc(queries * sizeof *stream->carry);
  stream->result = malloc(queries * sizeof *stream->result);
  stream->elements = malloc(queries * (shape->num.d + 1) * sizeof *stream->elements);
  stream->mask = malloc(queries * shape->num.blocks);
  if (stream->q == NULL || stream->limit == NULL || stream->carry == NULL ||
      stream->result == NULL || stream->elements == NULL || stream->mask == NULL) {
    return false;
  }
  for (size_t n = 0; n < queries; ++n) {
    stream->result[n].o = stream->elements + n * (shape->num.d + 1);
  }
  return true;
}

static bool run_chunk(engine_t *engine, const engine_job_t *job, const engine_chunk_t *chunk,
                      num_triplet_t *triplets, engine_cycles_t *cycles, char *message,
                      size_t size) {
  stream_t stream = {.rtl = (engine_rtl_t *)engine, .job = job, .chunk = chunk,
                     .triplets = triplets};
  bool good = make_stream(&stream);
  if (!good) {
    snprintf(message, size, "out of memory");
  } else {
    load(stream.rtl, job, chunk);
    good = run_stream(&stream, cycles);
    if (!good) {
      snprintf(message, size, "the RTL stopped answering after %zu of %zu queries", stream.done,
               job->sq);
    }
  }
  free_stream(&stream);
  return good;
}

static void close_rtl(engine_t *engine) {
  engine_rtl_t *rtl = (engine_rtl_t *)engine;
  rtl->api->destroy(rtl->unit);
  engine_library_close(&rtl->library);
  free(rtl);
}

engine_t *engine_open_rtl(const engine_shape_t *shape, const char *trace,
                          void (*progress)(const char *what), char *message, size_t size) {
  engine_rtl_t *rtl = calloc(1, sizeof *rtl);
  if (rtl == NULL) {
    snprintf(message, size, "out of memory");
    return NULL;
  }
  rtl->engine = (engine_t){.shape = *shape, .run_chunk = run_chunk, .close = close_rtl};
  if (!engine_library_open(shape, trace != NULL, progress, &rtl->library, message, size)) {
    free(rtl);
    return NULL;
  }
  rtl->api = rtl->library.api;
  rtl->unit = rtl->api->create(trace, 0);
  rtl->pins = rtl->api->pins(rtl->unit);
  return &rtl->engine;
}
