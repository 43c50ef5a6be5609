// A collective operation of the dies of a system (sw/kernels/collective): each is a rank with made-up numbers, and what
// each has at the end is compared, bit for bit, with a plain loop over ranks.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_KERNEL_COLLECTIVE_COLLECTIVE_H
#define AMALGAM_KERNEL_COLLECTIVE_COLLECTIVE_H

#include "config/system.h"
#include "kernel/kernel.h"
#include "kernels/collective/collective_args.h"

typedef struct collective_request {
  kernel_machine_t machine;  // of one die
  system_t system;           // of as many dies as take part
  const char *system_name;   // for people
  enum collective_op op;
  unsigned type;   // TYPE_F32 or TYPE_F16; of bytes otherwise
  uint64_t bytes;  // of all-reduce's array; of reduce-scatter's and all-to-all's input; of all-gather's result
  uint64_t seed;
} collective_request_t;

typedef struct collective_run {
  kernel_run_t kernel;
  kernel_machine_t machine;
  collective_request_t request;
  collective_args_t args;
  soc_buffer_t *buffer;  // four of each rank: in, out, scratch, flags
  size_t buffers;
  uint8_t **in, **out;  // [ranks]; NULL with timing only
  char (*name)[24];     // of buffers
  void *zeros;          // flags at first
} collective_run_t;

// "all-reduce"
const char *collective_name(enum collective_op op);

// Keeps the first dies of a system: those that take part.  False: it has not as many.
bool collective_dies(system_t *system, uint64_t dies, base_error_t *error);

// False: the request makes no sense, or there is no memory.
bool collective_prepare(const collective_request_t *request, collective_run_t *run, base_error_t *error);

// Bytes of a result over the time, times what has to cross a link of a rank at least: "bus bandwidth", GB/s.
double collective_bus_gbps(const collective_run_t *run);

extern const kernel_ops_t collective_ops;

#endif
