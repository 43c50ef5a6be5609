// Slots of rows in gathered arrays (step_routing_t): a core's program reads GATE's choices, and sorts them by
// counting. Slots are found in order of tokens and their places, one after the other:
//
//   routing_read(&routing, &args->routing);
//   for (uint32_t i = 0; i < tokens * top; ++i) {           token i / top, place i % top
//     const uint32_t slot = routing_take(&routing, i);
//     if (slot != ROUTING_ELSEWHERE) ...
//   }
//
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_KERNELS_STEP_ROUTING_H
#define AMALGAM_SW_KERNELS_STEP_ROUTING_H

#include <stdbool.h>

#include "hal/hal.h"
#include "kernels/step/step_args.h"
#include "lib/panic.h"

#define ROUTING_ELSEWHERE UINT32_MAX  // the expert is not here

typedef struct routing {
  const int32_t *chosen;  // in the window
  uint32_t top, first, here;
  // Expert first + e has the slots start[e] to start[e + 1] - 1, until the first routing_take.
  uint32_t start[STEP_MAX_EXPERTS + 1];
} routing_t;

static inline bool routing_used(const step_routing_t *args) { return args->chosen != 0; }

// Holds the program until MTE2 has done its commands so far. Numbers that are none of an expert here count as
// elsewhere.
static inline void routing_read(routing_t *routing, const step_routing_t *args) {
  require(args->here <= STEP_MAX_EXPERTS && args->top >= 1 && args->top <= STEP_MAX_TOP && args->tokens >= 1,
          PANIC_ARGUMENTS);
  const uint32_t choices = args->tokens * args->top, first = args->first, here = args->here;
  read_gm(args->chosen, 4 * choices);
  const int32_t *chosen = hal_gm(args->chosen);
  // cppcheck-suppress ctuuninitvar  ; it is what this fills in
  uint32_t *start = routing->start;
  routing->chosen = chosen;
  routing->top = args->top;
  routing->first = first;
  routing->here = here;
  for (uint32_t e = 0; e <= here; ++e) {
    start[e] = 0;
  }
  for (const int32_t *end = chosen + choices; chosen < end; ++chosen) {  // short: the scalar core's time counts
    const uint32_t expert = (uint32_t)*chosen - first;
    if (expert < here) {
      start[expert + 1]++;
    }
  }
  for (uint32_t e = 0; e < here; ++e) {
    start[e + 1] += start[e];
  }
}

static inline uint32_t routing_rows(const routing_t *routing, uint32_t expert) {
  return routing->start[expert + 1] - routing->start[expert];
}

static inline uint32_t routing_slots(const routing_t *routing) { return routing->start[routing->here]; }

// The slot of the next choice; afterwards only more of these may follow.
static inline uint32_t routing_take(routing_t *routing, uint32_t choice) {
  const uint32_t expert = (uint32_t)routing->chosen[choice] - routing->first;
  return expert < routing->here ? routing->start[expert]++ : ROUTING_ELSEWHERE;
}

#endif
