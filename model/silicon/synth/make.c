// SPDX-License-Identifier: Apache-2.0
#include "silicon/synth/make.h"

#include <stdlib.h>
#include <string.h>

#include "host/jobs.h"

typedef struct make {
  const synth_flow_t *flow;
  synth_wants_t *wants;
  base_error_t error[SYNTH_WANTS_MAX];  // of each
} make_t;

static bool same(const synth_want_t *a, const synth_want_t *b) {
  return strcmp(a->unit, b->unit) == 0 && strcmp(a->params, b->params) == 0 && a->clock_fo4 == b->clock_fo4 &&
         a->boxes == b->boxes && a->timing == b->timing;
}

void synth_want(synth_wants_t *wants, const synth_want_t *want) {
  for (size_t i = 0; i < wants->count; ++i) {
    if (same(&wants->list[i], want)) {
      return;
    }
  }
  if (wants->count < SYNTH_WANTS_MAX) {
    wants->list[wants->count++] = *want;
  }
}

// Wants the units inside a unit, without its memories. Returns how many are new.
static size_t want_boxes(synth_wants_t *wants, const cJSON *area, unsigned clock_fo4) {
  const size_t before = wants->count;
  const cJSON *box;
  cJSON_ArrayForEach(box, cJSON_GetObjectItemCaseSensitive(area, "boxes")) {
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(box, "unit"));
    synth_want_t want = {.clock_fo4 = clock_fo4, .boxes = true};
    if (name != NULL && strlen(name) < sizeof want.unit && strcmp(name, "kv_sram") != 0 &&
        strcmp(name, "ram_1r1w") != 0) {
      strcpy(want.unit, name);
      synth_params(cJSON_GetObjectItemCaseSensitive(box, "params"), want.params);
      synth_want(wants, &want);
    }
  }
  return wants->count - before;
}

static bool make_timing(const synth_flow_t *flow, const char *folder, base_error_t *error) {
  cJSON *timing = synth_timing(flow, folder, error);
  cJSON_Delete(timing);
  return timing != NULL;
}

static bool make_one(void *context, size_t job, jobs_t *jobs) {
  make_t *make = context;
  const synth_want_t *want = &make->wants->list[job];
  synth_flow_t flow = *make->flow;
  char folder[SYNTH_PATH_BYTES];
  flow.clock_fo4 = want->clock_fo4;
  cJSON *area = synth_unit(&flow, want->unit, want->params, want->boxes, folder, &make->error[job]);
  if (area == NULL) {
    return false;
  }
  if (want->boxes) {
    jobs_lock(jobs);
    jobs_add(jobs, want_boxes(make->wants, area, want->clock_fo4));
    jobs_unlock(jobs);
  }
  cJSON_Delete(area);
  return !want->timing || make_timing(&flow, folder, &make->error[job]);
}

bool synth_make(const synth_flow_t *flow, synth_wants_t *wants, base_error_t *error) {
  make_t *make = calloc(1, sizeof *make);
  if (make == NULL) {
    return base_fail(error, "synth: out of memory");
  }
  make->flow = flow;
  make->wants = wants;
  const bool good = jobs_run(wants->count, make_one, make);
  for (size_t i = wants->count; !good && i-- > 0;) {  // of several, the first in the list
    if (make->error[i].text[0] != '\0') {
      *error = make->error[i];
    }
  }
  free(make);
  return good;
}
