// A flat netlist of a library's cells, as Yosys' write_json leaves it.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SILICON_GATES_NETLIST_H
#define AMALGAM_SILICON_GATES_NETLIST_H

#include <stdint.h>

#include "silicon/gates/liberty.h"

// Nets are numbered; these two are the constants, and every netlist has them. Others have one
// driver: an output of a cell, or an input port.
enum { NET_0, NET_1, NET_FIRST };

typedef struct netlist_port {
  char *name;
  bool output;
  uint32_t *net;  // [bits], lowest first
  size_t bits;
} netlist_port_t;

// The part of the design that a cell belongs to, by the instances in its name.
typedef enum netlist_block {
  NETLIST_OTHER,
  NETLIST_DOT,    // u_dot: the dot product
  NETLIST_LANES,  // u_lane
  NETLIST_BLOCKS,
} netlist_block_t;

typedef struct netlist_cell {
  const lib_cell_t *type;
  uint32_t *net;  // by the type's pin; NET_0 at an output that is not connected
  netlist_block_t block;
} netlist_cell_t;

typedef struct netlist {
  size_t nets;
  netlist_port_t *port;
  size_t ports;
  netlist_cell_t *cell;
  size_t cells;
  uint32_t *pins;  // what the cells' net point into
} netlist_t;

// The library must outlive the netlist. The file holds one module. Refused: cells that the library
// lacks, inputs that are open, nets with no or several drivers. False: nothing to free.
bool netlist_read(const char *path, const liberty_t *library, netlist_t *netlist, base_error_t *error);
void netlist_free(netlist_t *netlist);

// Nets that lead to more than `fanout` (>= 2) inputs get a tree of buffers, as evenly filled as can
// be, in the order of the cells; clocks do not. Synthesis has left them as they are, for layout to
// deal with. False: out of memory, and the netlist is as it was.
bool netlist_buffer(netlist_t *netlist, const lib_cell_t *buffer, size_t fanout, base_error_t *error);

// NULL: there is none of that name.
const netlist_port_t *netlist_port(const netlist_t *netlist, const char *name);

#endif
