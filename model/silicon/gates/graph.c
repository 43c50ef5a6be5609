// SPDX-License-Identifier: Apache-2.0
#include "silicon/gates/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool no_memory(base_error_t *error) { return base_fail(error, "netlist: out of memory"); }

// --- gates and flip-flops ---------------------------------------------------------------------

static bool is_state(lib_kind_t kind) { return kind == LIB_STATE || kind == LIB_STATE_INVERTED; }

static graph_function_t place(const lib_function_t *function, const uint32_t *net) {
  graph_function_t placed = {.inputs = (uint16_t)function->inputs, .table = function->table};
  for (size_t i = 0; i < function->inputs; ++i) {
    placed.in[i] = net[function->input[i]];
  }
  return placed;
}

static void add_gate(graph_t *graph, size_t cell, size_t pin) {
  const netlist_cell_t *at = &graph->netlist->cell[cell];
  const graph_function_t placed = place(&at->type->pin[pin].function, at->net);
  gate_t *gate = &graph->gate[graph->gates++];
  *gate = (gate_t){.cell = (uint32_t)cell,
                   .pin = (uint16_t)pin,
                   .inputs = placed.inputs,
                   .out = at->net[pin],
                   .table = placed.table};
  memcpy(gate->in, placed.in, sizeof gate->in);
}

static bool add_flop(graph_t *graph, size_t cell, base_error_t *error) {
  const netlist_cell_t *at = &graph->netlist->cell[cell];
  const lib_cell_t *type = at->type;
  flop_t *flop = &graph->flop[graph->flops++];
  *flop = (flop_t){.cell = (uint32_t)cell,
                   .next = place(&type->next, at->net),
                   .clear = place(&type->clear, at->net),
                   .preset = place(&type->preset, at->net)};
  for (size_t i = 0; i < type->pins; ++i) {
    if (is_state(type->pin[i].kind)) {
      flop->q[type->pin[i].kind == LIB_STATE_INVERTED] = at->net[i];
    }
  }
  const uint32_t clock = at->net[type->clock];
  if (graph->clock != NET_0 && graph->clock != clock) {
    return base_fail(error, "netlist: more than one clock");
  }
  graph->clock = clock;
  return true;
}

static bool add_cell(graph_t *graph, size_t cell, base_error_t *error) {
  const lib_cell_t *type = graph->netlist->cell[cell].type;
  const uint32_t *net = graph->netlist->cell[cell].net;
  for (size_t i = 0; i < type->pins; ++i) {
    if (type->pin[i].kind == LIB_UNKNOWN) {
      return base_fail(error, "netlist: pin %s of a cell %s has no function known here", type->pin[i].name, type->name);
    }
    if (type->pin[i].kind == LIB_COMBINATIONAL && net[i] != NET_0) {
      add_gate(graph, cell, i);
    }
  }
  return !type->is_flop || add_flop(graph, cell, error);
}

static bool clock_is_port(const graph_t *graph) {
  bool found = graph->clock == NET_0;
  for (size_t i = 0; i < graph->netlist->ports; ++i) {
    const netlist_port_t *port = &graph->netlist->port[i];
    for (size_t j = 0; j < port->bits; ++j) {
      found = found || (!port->output && port->net[j] == graph->clock);
    }
  }
  return found;
}

static bool collect(graph_t *graph, base_error_t *error) {
  size_t gates = 0, flops = 0;
  for (size_t i = 0; i < graph->netlist->cells; ++i) {
    gates += graph->netlist->cell[i].type->pins;
    flops += graph->netlist->cell[i].type->is_flop;
  }
  graph->gate = calloc(gates + 1, sizeof *graph->gate);
  graph->flop = calloc(flops + 1, sizeof *graph->flop);
  if (graph->gate == NULL || graph->flop == NULL) {
    return no_memory(error);
  }
  for (size_t i = 0; i < graph->netlist->cells; ++i) {
    if (!add_cell(graph, i, error)) {
      return false;
    }
  }
  return clock_is_port(graph) || base_fail(error, "netlist: the clock is no input port");
}

// --- order ------------------------------------------------------------------------------------

typedef struct order {
  uint32_t *driver;  // [nets] 1 + gate, 0: none
  uint8_t *mark;     // [gates] 1: on the stack, 2: placed
  uint32_t *stack;   // gates
  gate_t *sorted;
} order_t;

// Places a gate behind everything that drives it. False: a loop.
static bool place_gate(const graph_t *graph, order_t *o, size_t first, size_t *placed) {
  size_t depth = 0;
  o->stack[depth++] = (uint32_t)first;
  while (depth > 0) {
    const uint32_t at = o->stack[depth - 1];
    const gate_t *gate = &graph->gate[at];
    uint32_t wanted = 0;
    o->mark[at] = 1;
    for (size_t i = 0; i < gate->inputs && wanted == 0; ++i) {
      const uint32_t driver = o->driver[gate->in[i]];
      wanted = driver != 0 && o->mark[driver - 1] != 2 ? driver : 0;
    }
    if (wanted == 0) {
      o->mark[at] = 2;
      o->sorted[(*placed)++] = *gate;
      depth -= 1;
    } else if (o->mark[wanted - 1] == 1) {
      return false;
    } else {
      o->stack[depth++] = wanted - 1;
    }
  }
  return true;
}

static bool sort(graph_t *graph, base_error_t *error) {
  const size_t count = graph->gates + 1;
  order_t o = {calloc(graph->netlist->nets, sizeof *o.driver), calloc(count, 1), malloc(count * sizeof *o.stack),
               malloc(count * sizeof *o.sorted)};
  bool good = o.driver != NULL && o.mark != NULL && o.stack != NULL && o.sorted != NULL;
  if (!good) {
    no_memory(error);
  }
  for (size_t i = 0; good && i < graph->gates; ++i) {
    o.driver[graph->gate[i].out] = (uint32_t)i + 1;
  }
  size_t placed = 0;
  for (size_t i = 0; good && i < graph->gates; ++i) {
    good = o.mark[i] == 2 || place_gate(graph, &o, i, &placed) || base_fail(error, "netlist: a loop of gates");
  }
  if (good) {
    free(graph->gate);
    graph->gate = o.sorted;
    o.sorted = NULL;
  }
  free(o.driver);
  free(o.mark);
  free(o.stack);
  free(o.sorted);
  return good;
}

// --- loads, transitions, delays ---------------------------------------------------------------

static void add_load(graph_t *graph, uint32_t net, double capacitance) {
  graph->load[net] += capacitance + graph->settings.wire;
  graph->fanout[net] += 1;
}

static void compute_loads(graph_t *graph) {
  const netlist_t *netlist = graph->netlist;
  for (size_t i = 0; i < netlist->cells; ++i) {
    const lib_cell_t *type = netlist->cell[i].type;
    for (size_t j = 0; j < type->pins; ++j) {
      const uint32_t net = netlist->cell[i].net[j];
      if (type->pin[j].kind == LIB_INPUT) {
        add_load(graph, net, type->pin[j].capacitance);
      } else {
        graph->load[net] += type->pin[j].capacitance;
      }
    }
  }
  for (size_t i = 0; i < netlist->ports; ++i) {
    for (size_t j = 0; netlist->port[i].output && j < netlist->port[i].bits; ++j) {
      add_load(graph, netlist->port[i].net[j], graph->settings.port_load);
    }
  }
}

static double input_transition(const graph_t *graph, const lib_arc_t *arc, uint32_t net, lib_edge_t edge) {
  const double same = graph->transition[edge][net], other = graph->transition[1 - edge][net];
  switch (arc->sense) {
    case LIB_POSITIVE:
      return same;
    case LIB_NEGATIVE:
      return other;
    default:
      return fmax(same, other);
  }
}

static uint32_t picoseconds(double ns) { return ns < 0.001 ? 1 : (uint32_t)lround(1000 * ns); }

// One arc's part in an output's transition; its delay in ps.
static uint32_t pass_arc(graph_t *graph, const lib_arc_t *arc, const uint32_t *net, uint32_t out, lib_edge_t edge) {
  const double in = input_transition(graph, arc, net[arc->from], edge);
  double *slowest = &graph->transition[edge][out];
  *slowest = fmax(*slowest, lib_table_at(&arc->transition[edge], in, graph->load[out]));
  return picoseconds(lib_table_at(&arc->delay[edge], in, graph->load[out]));
}

static void pass_gate(graph_t *graph, gate_t *gate) {
  const netlist_cell_t *cell = &graph->netlist->cell[gate->cell];
  const lib_pin_t *pin = &cell->type->pin[gate->pin];
  for (size_t i = 0; i < gate->inputs; ++i) {
    gate->delay[i][LIB_RISE] = gate->delay[i][LIB_FALL] = 1;
  }
  for (size_t i = 0; i < pin->arcs; ++i) {
    for (lib_edge_t edge = LIB_RISE; edge < LIB_EDGES; ++edge) {
      const uint32_t delay = pass_arc(graph, &pin->arc[i], cell->net, gate->out, edge);
      for (size_t j = 0; j < gate->inputs; ++j) {
        if (pin->function.input[j] == pin->arc[i].from && delay > gate->delay[j][edge]) {
          gate->delay[j][edge] = delay;
        }
      }
    }
  }
}

static void pass_flop(graph_t *graph, flop_t *flop) {
  const netlist_cell_t *cell = &graph->netlist->cell[flop->cell];
  for (size_t i = 0; i < cell->type->pins; ++i) {
    const lib_pin_t *pin = &cell->type->pin[i];
    uint32_t *delay = flop->delay[pin->kind == LIB_STATE_INVERTED];
    for (size_t j = 0; is_state(pin->kind) && j < pin->arcs; ++j) {
      for (lib_edge_t edge = LIB_RISE; edge < LIB_EDGES; ++edge) {
        if (pin->arc[j].from == cell->type->clock) {
          delay[edge] = pass_arc(graph, &pin->arc[j], cell->net, cell->net[i], edge);
        }
      }
    }
  }
}

static void compute_timing(graph_t *graph) {
  for (size_t i = 0; i < graph->netlist->ports; ++i) {
    const netlist_port_t *port = &graph->netlist->port[i];
    for (size_t j = 0; !port->output && j < port->bits; ++j) {
      graph->transition[LIB_RISE][port->net[j]] = graph->settings.transition;
      graph->transition[LIB_FALL][port->net[j]] = graph->settings.transition;
    }
  }
  for (size_t i = 0; i < graph->flops; ++i) {
    pass_flop(graph, &graph->flop[i]);
  }
  for (size_t i = 0; i < graph->gates; ++i) {
    pass_gate(graph, &graph->gate[i]);
  }
}

// --- build ------------------------------------------------------------------------------------

static bool allocate_nets(graph_t *graph, base_error_t *error) {
  const size_t nets = graph->netlist->nets;
  graph->load = calloc(nets, sizeof *graph->load);
  graph->fanout = calloc(nets, sizeof *graph->fanout);
  graph->transition[LIB_RISE] = calloc(nets, sizeof(double));
  graph->transition[LIB_FALL] = calloc(nets, sizeof(double));
  return (graph->load != NULL && graph->fanout != NULL && graph->transition[LIB_RISE] != NULL &&
          graph->transition[LIB_FALL] != NULL) ||
         no_memory(error);
}

bool graph_build(const netlist_t *netlist, const liberty_t *library, const graph_settings_t *settings, graph_t *graph,
                 base_error_t *error) {
  *graph = (graph_t){.netlist = netlist, .voltage = library->voltage, .settings = *settings};
  const bool good = collect(graph, error) && sort(graph, error) && allocate_nets(graph, error);
  if (!good) {
    graph_free(graph);
    return false;
  }
  compute_loads(graph);
  compute_timing(graph);
  return true;
}

void graph_free(graph_t *graph) {
  free(graph->gate);
  free(graph->flop);
  free(graph->load);
  free(graph->fanout);
  free(graph->transition[LIB_RISE]);
  free(graph->transition[LIB_FALL]);
  *graph = (graph_t){.netlist = NULL};
}
