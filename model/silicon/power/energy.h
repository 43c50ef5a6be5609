// Energy per cycle of a netlist, from how often its nets change.
//
//   switching   1/2 C V^2 for each change of a net a cell drives: pins, wire, ports
//   inputs      the same of nets that input ports drive, but the clock's
//   internal    the library's internal power: of an output, at its load and the related input's
//               transition, weighted by how often each related input changes; of an input by itself
//   clock       clock pins of the flip-flops and their wire, a rise and a fall each cycle, and what
//               the library has for the edges inside the flip-flop
//   tree        an estimated clock tree: buffers, each for so many of the level below, up to one
//   leakage     over the period
//
// The library's energies of rise and fall are averaged: in the long run there are as many of each.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SILICON_POWER_ENERGY_H
#define AMALGAM_SILICON_POWER_ENERGY_H

#include "silicon/power/activity.h"

typedef struct energy_settings {
  double period;             // ns; only leakage depends on it
  const lib_cell_t *buffer;  // of the clock tree; NULL: there is no tree
  size_t buffer_fanout;      // >= 2
} energy_settings_t;

// pJ a cycle.
typedef struct energy {
  double switching, inputs, internal, clock, tree, leakage;
  double total;
  double data[NETLIST_BLOCKS];     // of switching and internal
  double clocked[NETLIST_BLOCKS];  // of clock
  double changes;                  // of the nets that are not input ports', a cycle, their sum
  double nets;                     // how many of those there are
  double unannotated;              // share of nets, but the clock, of unknown activity: 0 .. 1
  double still;                    // share of them that never change
  double without_power;            // share of outputs' changes with no internal power in the library
} energy_t;

// glitches: count every change, not only settled ones.
energy_t energy_of(const graph_t *graph, const activity_t *activity, bool glitches, const energy_settings_t *settings);

#endif
