// The engine as Verilated RTL, driven pin by pin.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "engine/engine_groups.h"
#include "engine/engine_library.h"
#include "host/interrupt.h"

typedef struct engine_rtl {
  engine_t engine;
  engine_library_t library;
  const engine_unit_api_t *api;  // of the library
  engine_waves_t waves;
  uint64_t cycle;  // of the clock so far
  bool recording;  // the cycle before was in the window
  engine_unit_t *unit;
  engine_pins_t *pins;
} engine_rtl_t;

// One chunk's groups on their way in, its results on their way out.
typedef struct stream {
  engine_rtl_t *rtl;
  engine_groups_t groups;
  size_t next, mask_next, done;  // queries: of the group on offer, the mask beat, the next result
  uint32_t rows;                 // of the group on offer
  size_t mask_row;
} stream_t;

// Cycles, beside those of one group, in which nothing moves and the RTL is taken for stuck.
enum { PATIENCE = 10000 };

// --- the clock ---------------------------------------------------------------------------------

static void record(engine_rtl_t *rtl) {
  const engine_waves_t *to = &rtl->waves;
  const bool inside = rtl->cycle >= to->from && rtl->cycle <= to->to;
  if (inside) {
    waves_at(to->waves, rtl->cycle);
    rtl->api->record(rtl->unit, !rtl->recording, true);
  }
  rtl->recording = inside;
}

// The outputs for the inputs that are set; advance() ends the cycle.
static void settle(engine_rtl_t *rtl) {
  rtl->api->settle(rtl->unit);
  if (rtl->waves.waves != NULL) {
    record(rtl);
  }
}

static void advance(engine_rtl_t *rtl) {
  rtl->api->clock(rtl->unit);
  rtl->cycle += 1;
}

// --- a chunk ----------------------------------------------------------------------------------

static void load(stream_t *stream) {
  engine_rtl_t *rtl = stream->rtl;
  rtl->pins->kv_valid = true;
  for (size_t j = 0; j < stream->groups.chunk->n && !host_interrupted(); ++j) {
    const engine_row_t row = engine_groups_row(&stream->groups, j);
    rtl->api->set_row(rtl->unit, &row);
    settle(rtl);
    advance(rtl);
  }
  rtl->pins->kv_valid = false;
}

static void offer_group(stream_t *stream) {
  stream->rtl->pins->q_valid = stream->next < stream->groups.job->sq;
  if (stream->rtl->pins->q_valid) {
    const engine_group_t group = engine_groups_make(&stream->groups, stream->next);
    stream->rows = group.rows;
    stream->rtl->api->set_group(stream->rtl->unit, &group);
  }
}

static void offer_mask(stream_t *stream) {
  const engine_job_t *job = stream->groups.job;
  stream->rtl->pins->mask_valid = job->mask != NULL && stream->mask_next < job->sq;
  if (stream->rtl->pins->mask_valid) {
    engine_groups_make_mask(&stream->groups, stream->mask_next, stream->mask_row);
    stream->rtl->api->set_mask(stream->rtl->unit, stream->groups.mask);
  }
}

static void next_mask_row(stream_t *stream) {
  const engine_shape_t *shape = &stream->rtl->engine.shape;
  stream->mask_row += 1;
  if (stream->mask_row == engine_group_rows(shape, stream->groups.job, stream->groups.chunk, stream->mask_next)) {
    stream->mask_row = 0;
    stream->mask_next += shape->queries;
  }
}

// One cycle; true if anything moved.
static bool cycle(stream_t *stream, engine_cycles_t *cycles) {
  engine_rtl_t *rtl = stream->rtl;
  engine_pins_t *pins = rtl->pins;
  settle(rtl);
  const bool accepted = pins->q_valid && pins->q_ready;
  const bool masked = pins->mask_valid && pins->mask_ready;
  const bool answered = pins->out_valid;
  if (answered) {
    rtl->api->get_result(rtl->unit, stream->groups.result);
    engine_groups_store(&stream->groups, stream->done);
    stream->done += rtl->engine.shape.queries;
  }
  advance(rtl);
  if (accepted) {
    cycles->rows += stream->rows;
    stream->next += rtl->engine.shape.queries;
    offer_group(stream);
  }
  if (masked) {
    next_mask_row(stream);
    offer_mask(stream);
  }
  cycles->total += 1;
  return accepted || masked || answered;
}

static bool run_stream(stream_t *stream, engine_cycles_t *cycles) {
  const size_t patience = PATIENCE + stream->groups.chunk->n;
  stream->rtl->pins->out_ready = true;
  offer_group(stream);
  offer_mask(stream);
  size_t quiet = 0;
  while (stream->done < stream->groups.job->sq && quiet < patience && !host_interrupted()) {
    quiet = cycle(stream, cycles) ? 0 : quiet + 1;
  }
  return quiet < patience;
}

static bool run_chunk(engine_t *engine, const engine_job_t *job, const engine_chunk_t *chunk, num_triplet_t *triplets,
                      engine_cycles_t *cycles, base_error_t *error) {
  stream_t stream = {.rtl = (engine_rtl_t *)engine};
  bool good = engine_groups_open(&stream.groups, &engine->shape, job, chunk, triplets);
  if (!good) {
    base_fail(error, "out of memory");
  } else {
    load(&stream);
    good = run_stream(&stream, cycles);
    if (!good) {
      base_fail(error, "the RTL stopped answering after %zu of %zu queries", stream.done, job->sq);
    }
  }
  engine_groups_close(&stream.groups);
  return good;
}

static void close_rtl(engine_t *engine) {
  engine_rtl_t *rtl = (engine_rtl_t *)engine;
  rtl->api->destroy(rtl->unit);
  engine_library_close(&rtl->library);
  free(rtl);
}

// Declares the unit's signals and creates the file.
static bool begin_waves(engine_rtl_t *rtl, engine_trace_t trace, base_error_t *error) {
  char why[WAVES_MESSAGE_BYTES] = "";
  waves_t *waves = rtl->waves.waves;
  if (waves == NULL) {
    return true;
  }
  rtl->api->trace(rtl->unit, waves_port(waves), engine_trace_bits(trace));
  return waves_begin(waves, why) || base_fail(error, "%s", why);
}

engine_t *engine_open_rtl(const engine_shape_t *shape, const engine_waves_t *waves, engine_progress_t progress,
                          base_error_t *error) {
  engine_rtl_t *rtl = calloc(1, sizeof *rtl);
  if (rtl == NULL) {
    base_fail(error, "out of memory");
    return NULL;
  }
  rtl->engine = (engine_t){.shape = *shape, .run_chunk = run_chunk, .close = close_rtl};
  const engine_trace_t trace = waves == NULL       ? ENGINE_UNTRACED
                               : waves->everything ? ENGINE_TRACE_ALL
                                                   : ENGINE_TRACE_OUTLINE;
  if (!engine_library_open(shape, trace, progress, &rtl->library, error)) {
    free(rtl);
    return NULL;
  }
  rtl->api = rtl->library.api;
  rtl->unit = rtl->api->create(NULL, 0);
  rtl->pins = rtl->api->pins(rtl->unit);
  if (waves != NULL) {
    rtl->waves = *waves;
  }
  if (!begin_waves(rtl, trace, error)) {
    close_rtl(&rtl->engine);
    return NULL;
  }
  return &rtl->engine;
}
