// The interface to a waveform file for a Verilated unit, which may be in a shared library of its own.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_WAVES_WAVES_PORT_H
#define AMALGAM_WAVES_WAVES_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct waves_declared {
  const char *name;  // full, "slice0.gm_atomic.req_op_i"; array elements as "x[3]"
  unsigned bits;
  bool bus;  // has a range [msb:lsb]
  int msb, lsb;
  unsigned direction;  // enum fstVarDir
  uint32_t same_as;    // a signal that it is another name of, or 0
  bool clock;          // up from the begin of each cycle that is written, down in its middle
} waves_declared_t;

typedef struct waves_port {
  void *waves;
  // Returns the signal's number, 0 if it is not traced.
  uint32_t (*declare)(void *waves, const waves_declared_t *signal);
  // Room for so many words in the current cycle: for each change the signal's number and its value,
  // lowest word first.
  uint32_t *(*room)(void *waves, size_t words);
  void (*done)(void *waves, uint32_t *end);
  // The clock has risen in this cycle.
  void (*clock)(void *waves, uint32_t signal);
} waves_port_t;

#ifdef __cplusplus
}
#endif

#endif
