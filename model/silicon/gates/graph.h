// A netlist as gates of one output each, in an order in which values flow, and flip-flops; the load
// and the transition of every net, and the delay through every gate.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SILICON_GATES_GRAPH_H
#define AMALGAM_SILICON_GATES_GRAPH_H

#include "silicon/gates/netlist.h"

// Facts that a netlist does not have.
typedef struct graph_settings {
  double wire;        // pF, of a net's wire for each input it leads to
  double port_load;   // pF, behind each bit of an output port
  double transition;  // ns, of input ports and of the clock at the flip-flops
} graph_settings_t;

typedef struct gate {
  uint32_t cell;  // of the netlist
  uint16_t pin;   // the output, of the cell's type
  uint16_t inputs;
  uint32_t in[BOOLEAN_INPUTS_MAX], out;
  uint64_t table;                                 // as lib_function_t's
  uint32_t delay[BOOLEAN_INPUTS_MAX][LIB_EDGES];  // ps, >= 1, by the output's edge
} gate_t;

// A function of nets.
typedef struct graph_function {
  uint16_t inputs;
  uint32_t in[BOOLEAN_INPUTS_MAX];
  uint64_t table;
} graph_function_t;

typedef struct flop {
  uint32_t cell;
  graph_function_t next, clear, preset;
  uint32_t q[2];                 // nets of the state and of its inverse; NET_0: not connected
  uint32_t delay[2][LIB_EDGES];  // ps, from the clock, of each
} flop_t;

typedef struct graph {
  const netlist_t *netlist;
  double voltage;
  graph_settings_t settings;
  gate_t *gate;  // a gate is behind those that drive it
  size_t gates;
  flop_t *flop;
  size_t flops;
  uint32_t clock;                 // of all flip-flops, an input port's; NET_0: no flip-flops
  double *load;                   // [nets] pF: pins, wire, port
  uint32_t *fanout;               // [nets] pins and ports that a net leads to
  double *transition[LIB_EDGES];  // [nets] ns, the slowest of the net's driver
} graph_t;

// The netlist must outlive the graph. Refused: latches and other outputs of unknown function, loops
// of gates, several clocks or one that comes from a gate. False: nothing to free.
bool graph_build(const netlist_t *netlist, const liberty_t *library, const graph_settings_t *settings, graph_t *graph,
                 base_error_t *error);
void graph_free(graph_t *graph);

#endif
