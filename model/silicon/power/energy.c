// SPDX-License-Identifier: Apache-2.0
#include "silicon/power/energy.h"

typedef struct sums {
  const graph_t *graph;
  const double *change;  // [nets], of all cycles
  double cycles;
  energy_t *energy;
  double outputs, outputs_without;
} sums_t;

static double per_cycle(const sums_t *s, uint32_t net) { return s->change[net] / s->cycles; }

// Half of what charging the load takes from the supply: the rise's half, or the fall's.
static double half_cv2(const graph_t *graph, double load) { return 0.5 * load * graph->voltage * graph->voltage; }

static double mean_transition(const graph_t *graph, uint32_t net) {
  return (graph->transition[LIB_RISE][net] + graph->transition[LIB_FALL][net]) / 2;
}

static double mean_edge(const lib_power_t *power, double transition, double load) {
  return power->weight *
         (lib_table_at(&power->energy[LIB_RISE], transition, load) +
          lib_table_at(&power->energy[LIB_FALL], transition, load)) /
         2;
}

// Energy of a change of the output, on average over the inputs that make it change.
static double output_energy(const sums_t *s, const netlist_cell_t *cell, size_t out) {
  const lib_pin_t *pin = &cell->type->pin[out];
  double weighted = 0, weights = 0, plain = 0, count = 0;
  for (size_t i = 0; i < pin->powers; ++i) {
    const lib_power_t *power = &pin->power[i];
    if (power->from == LIB_NO_PIN) {
      continue;
    }
    const bool clock = cell->type->is_flop && power->from == cell->type->clock;
    const uint32_t net = cell->net[power->from];
    const double transition = clock ? s->graph->settings.transition : mean_transition(s->graph, net);
    const double energy = mean_edge(power, transition, s->graph->load[cell->net[out]]);
    const double weight = clock ? 1 : per_cycle(s, net);
    weighted += weight * energy;
    weights += weight * power->weight;
    plain += energy;
    count += power->weight;
  }
  return weights > 0 ? weighted / weights : count > 0 ? plain / count : 0;
}

static double passive_energy(const lib_pin_t *pin, double transition) {
  double energy = 0;
  for (size_t i = 0; i < pin->powers; ++i) {
    if (pin->power[i].from == LIB_NO_PIN) {
      energy += mean_edge(&pin->power[i], transition, 0);
    }
  }
  return energy;
}

static void add_cell(sums_t *s, const netlist_cell_t *cell, double period) {
  energy_t *energy = s->energy;
  const lib_cell_t *type = cell->type;
  double *data = &energy->data[cell->block];
  for (size_t i = 0; i < type->pins; ++i) {
    const uint32_t net = cell->net[i];
    const bool clock = type->is_flop && i == type->clock;
    if (clock || net < NET_FIRST) {
      continue;
    }
    const double changes = per_cycle(s, net);
    if (type->pin[i].kind == LIB_INPUT) {
      *data += changes * passive_energy(&type->pin[i], mean_transition(s->graph, net));
      continue;
    }
    const double switching = changes * half_cv2(s->graph, s->graph->load[net]);
    energy->switching += switching;
    *data += switching + changes * output_energy(s, cell, i);
    energy->changes += changes;
    energy->nets += 1;
    s->outputs += changes;
    s->outputs_without += type->pin[i].powers == 0 ? changes : 0;
  }
  if (type->is_flop) {
    const lib_pin_t *pin = &type->pin[type->clock];
    energy->clocked[cell->block] += 2 * passive_energy(pin, s->graph->settings.transition) +
                                    2 * half_cv2(s->graph, pin->capacitance + s->graph->settings.wire);
  }
  energy->leakage += type->leakage * period * 1e-6;  // nW ns
}

static void add_inputs(sums_t *s) {
  const netlist_t *netlist = s->graph->netlist;
  for (size_t i = 0; i < netlist->ports; ++i) {
    for (size_t j = 0; !netlist->port[i].output && j < netlist->port[i].bits; ++j) {
      const uint32_t net = netlist->port[i].net[j];
      if (net != s->graph->clock) {
        s->energy->inputs += per_cycle(s, net) * half_cv2(s->graph, s->graph->load[net]);
      }
    }
  }
}

static size_t input_of(const lib_cell_t *buffer) {
  size_t in = 0;
  while (buffer->pin[in].kind != LIB_INPUT) {
    in += 1;
  }
  return in;
}

// Energy of two changes of one buffer a cycle: its input and the wire to it, and inside. The energy of
// the buffer's load counts with the cells that it drives.
static double buffer_energy(const graph_t *graph, const energy_settings_t *settings, double load) {
  const lib_cell_t *buffer = settings->buffer;
  const lib_pin_t *in = &buffer->pin[input_of(buffer)];
  const lib_pin_t *out = &buffer->pin[1 - input_of(buffer)];
  double inside = passive_energy(in, graph->settings.transition);
  for (size_t i = 0; i < out->powers; ++i) {
    inside += mean_edge(&out->power[i], graph->settings.transition, load);
  }
  return 2 * (inside + half_cv2(graph, in->capacitance + graph->settings.wire));
}

static double tree_energy(const graph_t *graph, const energy_settings_t *settings) {
  double energy = 0, sum = 0;
  for (size_t i = 0; i < graph->flops; ++i) {
    const lib_cell_t *type = graph->netlist->cell[graph->flop[i].cell].type;
    sum += type->pin[type->clock].capacitance + graph->settings.wire;
  }
  const size_t fanout = settings->buffer_fanout;
  for (size_t below = graph->flops; settings->buffer != NULL && below > 1;) {
    const size_t buffers = (below + fanout - 1) / fanout;
    energy += (double)buffers * buffer_energy(graph, settings, sum / (double)buffers);
    sum = (double)buffers * (settings->buffer->pin[input_of(settings->buffer)].capacitance + graph->settings.wire);
    below = buffers;
  }
  return energy;
}

static void count_nets(const graph_t *graph, const activity_t *activity, const double *change, energy_t *energy) {
  size_t nets = 0, unknown = 0, still = 0;
  for (uint32_t i = NET_FIRST; i < activity->nets; ++i) {
    if (i != graph->clock) {
      nets += 1;
      unknown += !activity->given[i];
      still += activity->given[i] && !(change[i] > 0);
    }
  }
  energy->unannotated = nets == 0 ? 0 : (double)unknown / (double)nets;
  energy->still = nets == 0 ? 0 : (double)still / (double)nets;
}

energy_t energy_of(const graph_t *graph, const activity_t *activity, bool glitches, const energy_settings_t *settings) {
  energy_t energy = {0};
  sums_t s = {.graph = graph,
              .change = glitches ? activity->all : activity->settled,
              .cycles = activity->cycles == 0 ? 1 : (double)activity->cycles,
              .energy = &energy};
  for (size_t i = 0; i < graph->netlist->cells; ++i) {
    add_cell(&s, &graph->netlist->cell[i], settings->period);
  }
  for (size_t i = 0; i < NETLIST_BLOCKS; ++i) {
    energy.internal += energy.data[i];
    energy.clock += energy.clocked[i];
  }
  energy.internal -= energy.switching;
  add_inputs(&s);
  energy.tree = tree_energy(graph, settings);
  count_nets(graph, activity, s.change, &energy);
  energy.without_power = s.outputs > 0 ? s.outputs_without / s.outputs : 0;
  energy.total = energy.switching + energy.inputs + energy.internal + energy.clock + energy.tree + energy.leakage;
  return energy;
}
