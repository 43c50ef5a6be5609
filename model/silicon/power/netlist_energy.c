// netlist_energy: energy of a netlist in which every net changes equally often, for comparison with
// other tools' vectorless estimates.
//
//   netlist_energy LIBERTY NETLIST.json CHANGES PERIOD WIRE PORT TRANSITION
//
//   CHANGES     of every net, a cycle                   PERIOD      ns
//   WIRE, PORT  pF for each input, and output port      TRANSITION  ns, of input ports and clock
//
// Prints one line for each kind, "NAME pJ"; no clock tree.  Exits 2, with one line, on bad input.
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>

#include "base/parse.h"
#include "silicon/power/energy.h"

enum { CHANGES = 3, PERIOD, WIRE, PORT, TRANSITION, WORDS };

static bool print_energy(const netlist_t *netlist, const liberty_t *library, const double number[WORDS],
                         base_error_t *error) {
  const graph_settings_t settings = {number[WIRE], number[PORT], number[TRANSITION]};
  const energy_settings_t no_tree = {.period = number[PERIOD], .buffer_fanout = 2};
  graph_t graph;
  activity_t activity;
  if (!graph_build(netlist, library, &settings, &graph, error)) {
    return false;
  }
  const bool good = activity_alloc(netlist->nets, &activity, error);
  if (good) {
    activity_uniform(&activity, number[CHANGES]);
    const energy_t energy = energy_of(&graph, &activity, true, &no_tree);
    printf("switching %.6g\ninputs %.6g\ninternal %.6g\nclock %.6g\nleakage %.6g\ntotal %.6g\n", energy.switching,
           energy.inputs, energy.internal, energy.clock, energy.leakage, energy.total);
    activity_free(&activity);
  }
  graph_free(&graph);
  return good;
}

static bool run(char **argv, base_error_t *error) {
  double number[WORDS] = {0};
  liberty_t library;
  netlist_t netlist;
  for (size_t i = CHANGES; i < WORDS; ++i) {
    if (!parse_real(argv[i], &number[i]) || number[i] < 0) {
      return base_fail(error, "expected a number that is not negative, got '%s'", argv[i]);
    }
  }
  if (!liberty_read(argv[1], &library, error)) {
    return false;
  }
  bool good = netlist_read(argv[2], &library, &netlist, error);
  if (good) {
    good = print_energy(&netlist, &library, number, error);
    netlist_free(&netlist);
  }
  liberty_free(&library);
  return good;
}

int main(int argc, char **argv) {
  base_error_t error;
  if (argc != WORDS) {
    fprintf(stderr, "netlist_energy LIBERTY NETLIST.json CHANGES PERIOD WIRE PORT TRANSITION\n");
    return BASE_BAD_INPUT;
  }
  return run(argv, &error) ? BASE_OK : base_report(BASE_BAD_INPUT, &error);
}
