// A ring of buffers that one pipe fills and another empties, kept in step by flags:
//
//   producer:  ring_wait_free(i)  ... write slot i ...  ring_set_full(i)
//   consumer:  ring_wait_full(i)  ... read slot i  ...  ring_set_free(i)
//
// i counts uses, 0, 1, 2, ...; use i takes slot i % slots.  "Full" covers reading before it is
// written, "free" covers overwriting before it was read.  Every slot has a flag of its own each
// way, so the pipes may be as many uses apart as there are slots.  All slots start free
// (ring_open), and every flag raised is waited for once (ring_drain takes the last ones).
//
// The four handshakes are macros so that the pc in a command, and with it every message about it,
// is the kernel's line.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SW_LIB_RING_H
#define AMALGAM_SW_LIB_RING_H

#include <stdint.h>

#include "hal/hal.h"

typedef struct ring {
  uint8_t producer;  // enum pipe
  uint8_t consumer;  // enum pipe
  uint8_t event;     // flag of slot 0, in both directions; slot i has event + i
  uint8_t slots;
  uint32_t base;   // address of slot 0
  uint32_t bytes;  // from slot to slot
} ring_t;

static inline uint32_t ring_event(const ring_t *ring, uint32_t i) { return ring->event + i % ring->slots; }

static inline uint32_t ring_slot(const ring_t *ring, uint32_t i) { return ring->base + i % ring->slots * ring->bytes; }

#define ring_wait_free(ring, i) wait_flag((ring)->consumer, (ring)->producer, ring_event(ring, i))
#define ring_set_full(ring, i) set_flag((ring)->producer, (ring)->consumer, ring_event(ring, i))
#define ring_wait_full(ring, i) wait_flag((ring)->producer, (ring)->consumer, ring_event(ring, i))
#define ring_set_free(ring, i) set_flag((ring)->consumer, (ring)->producer, ring_event(ring, i))

static inline void ring_open(const ring_t *ring) {
  for (uint32_t i = 0; i < ring->slots; ++i) {
    ring_set_free(ring, i);
  }
}

// After the last use: holds the producer until all slots are free, which leaves no flag up.
static inline void ring_drain(const ring_t *ring) {
  for (uint32_t i = 0; i < ring->slots; ++i) {
    ring_wait_free(ring, i);
  }
}

#endif
