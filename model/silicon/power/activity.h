// Counts the changes of a netlist's nets, by simulating it cycle by cycle.
//
// A cycle: with the clock's edge, flip-flops take what they had at their inputs and the input ports
// what was set; the change runs through the gates until nothing moves.  Two kinds of change of a
// net are counted: that of its settled value from one cycle to the next, which is what is left if
// glitches are not, and every change.
//
// Delays are the library's, of each gate's input and output edge, at the net's load; wires have
// none. Two-valued: flip-flops begin with 0. A glitch that is counted counts as a full swing.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SILICON_POWER_ACTIVITY_H
#define AMALGAM_SILICON_POWER_ACTIVITY_H

#include "silicon/gates/graph.h"

// Counts by net; a port's clock is not counted. `given` [nets] says of which nets anything is
// known.
typedef struct activity {
  size_t nets;
  uint64_t cycles;
  double *settled, *all;  // [nets] changes in these cycles
  uint8_t *given;
} activity_t;

bool activity_alloc(size_t nets, activity_t *activity, base_error_t *error);
void activity_free(activity_t *activity);

// Every net but the constants changes so often a cycle, as OpenSTA's set_power_activity -global has
// it.
void activity_uniform(activity_t *activity, double changes);

typedef enum simulate_delay {
  SIMULATE_INERTIAL,   // a gate swallows pulses that are shorter than its delay
  SIMULATE_TRANSPORT,  // it lets all pass
} simulate_delay_t;

typedef struct simulate simulate_t;

// The graph must outlive it. NULL: error.
simulate_t *simulate_open(const graph_t *graph, simulate_delay_t delay, base_error_t *error);
void simulate_close(simulate_t *simulate);

// bits <= 64 of an input port from bit `first` on, in the next cycle and after it until set anew.
void simulate_set_bits(simulate_t *simulate, const netlist_port_t *port, size_t first, size_t bits, uint64_t value);

// A cycle. activity may be NULL: it is not counted. False: the netlist does not settle, or out of
// memory.
bool simulate_cycle(simulate_t *simulate, activity_t *activity, base_error_t *error);

// Settled values of the last cycle, bits <= 64.
uint64_t simulate_get_bits(const simulate_t *simulate, const netlist_port_t *port, size_t first, size_t bits);

// Time that the last cycle took to settle, ps.
uint64_t simulate_settled_after(const simulate_t *simulate);

// True: the settled values are those that the gates have when evaluated in their order, all of
// them.
bool simulate_check(const simulate_t *simulate);

#endif
