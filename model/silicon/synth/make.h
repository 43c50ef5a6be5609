// Units side by side, as many as there are processors.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SILICON_SYNTH_MAKE_H
#define AMALGAM_SILICON_SYNTH_MAKE_H

#include "silicon/synth/flow.h"

enum { SYNTH_WANTS_MAX = 512 };

// A unit that will be asked for.
typedef struct synth_want {
  char unit[SYNTH_UNIT_BYTES], params[SYNTH_PARAMS_BYTES];
  unsigned clock_fo4;
  bool boxes;  // for a roll-up: with all that is inside it
  bool timing;
} synth_want_t;

typedef struct synth_wants {
  synth_want_t list[SYNTH_WANTS_MAX];
  size_t count;
} synth_wants_t;

// Unless it is there; of a full list nothing is added, and it will be synthesised when it is asked for.
void synth_want(synth_wants_t *wants, const synth_want_t *want);

// Synthesises all of them, in the list's order, and what is found inside them; then synth_unit and synth_timing
// only read, and so does synth_area (area.h). The list grows.
bool synth_make(const synth_flow_t *flow, synth_wants_t *wants, base_error_t *error);

#endif
