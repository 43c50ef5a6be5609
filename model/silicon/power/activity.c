// SPDX-License-Identifier: Apache-2.0
#include "silicon/power/activity.h"

#include <stdlib.h>
#include <string.h>

// --- counts -----------------------------------------------------------------------------------

bool activity_alloc(size_t nets, activity_t *activity, base_error_t *error) {
  *activity = (activity_t){.nets = nets,
                           .settled = calloc(nets, sizeof *activity->settled),
                           .all = calloc(nets, sizeof *activity->all),
                           .given = calloc(nets, 1)};
  if (activity->settled == NULL || activity->all == NULL || activity->given == NULL) {
    activity_free(activity);
    return base_fail(error, "activity: out of memory");
  }
  return true;
}

void activity_free(activity_t *activity) {
  free(activity->settled);
  free(activity->all);
  free(activity->given);
  *activity = (activity_t){.nets = 0};
}

void activity_uniform(activity_t *activity, double changes) {
  activity->cycles = 1;
  for (size_t i = NET_FIRST; i < activity->nets; ++i) {
    activity->settled[i] = activity->all[i] = changes;
    activity->given[i] = 1;
  }
}

// --- simulation -------------------------------------------------------------------------------

// A place that a net leads to: an input of a gate.
typedef struct leaf {
  uint32_t gate;
  uint16_t input;
} leaf_t;

// A change of a net to come; those of one picosecond are a list.
typedef struct event {
  uint32_t net, next;
} event_t;

// The wheel turns once in so many ps; no delay is longer.
enum { WHEEL = 1 << 17, SETTLE_MAX_PS = 4 * WHEEL };

struct simulate {
  const graph_t *graph;
  simulate_delay_t delay;
  leaf_t *leaf;
  uint32_t *first_leaf;  // [nets + 1]
  uint8_t *value;        // [nets] now
  uint8_t *before;       // [nets] settled in the previous cycle
  uint8_t *input;        // [nets] of input ports, in the next cycle
  uint8_t *state;        // [flops]
  uint8_t *next;         // [flops]
  uint8_t *in;           // [gates] bit i: value of input i
  uint8_t *last_in;      // [gates] the input that changed last
  // Changes to come. Inertial: due [nets] is the time of a net's only change, 0 if there is none. Transport:
  // the time of its last change, and `coming` the value after it.
  uint64_t *due;
  uint8_t *coming;
  uint32_t *wheel;  // [WHEEL] 1 + event, 0: none
  event_t *event;
  size_t events, event_room;
  uint32_t free_event;  // 1 + event
  size_t outstanding;
  // Gates and nets of the picosecond under way, and nets that changed in this cycle.
  uint32_t *touched;  // gates
  uint8_t *is_touched;
  size_t touches;
  uint32_t *changed;  // nets
  uint8_t *is_changed;
  size_t changes;
  uint64_t settled_after;
};

static bool function_value(const uint8_t *value, const graph_function_t *function) {
  unsigned at = 0;
  for (size_t i = 0; i < BOOLEAN_INPUTS_MAX && i < function->inputs; ++i) {
    at |= (unsigned)value[function->in[i]] << i;
  }
  return (function->table >> at & 1) != 0;
}

static bool gate_value(const simulate_t *s, size_t gate) {
  return (s->graph->gate[gate].table >> s->in[gate] & 1) != 0;
}

static bool push(simulate_t *s, uint32_t net, uint64_t time) {
  if (s->free_event == 0) {
    const size_t room = 2 * s->event_room + 4096;
    event_t *list = realloc(s->event, room * sizeof *list);
    if (list == NULL) {
      return false;
    }
    s->event = list;
    for (size_t i = s->event_room; i < room; ++i) {
      list[i].next = s->free_event;
      s->free_event = (uint32_t)i + 1;
    }
    s->event_room = room;
  }
  const uint32_t at = s->free_event;
  event_t *event = &s->event[at - 1];
  s->free_event = event->next;
  *event = (event_t){net, s->wheel[time % WHEEL]};
  s->wheel[time % WHEEL] = at;
  s->outstanding += 1;
  return true;
}

// The driver of a net wants it to have this value, from `delay` after now on.
static bool want(simulate_t *s, uint32_t net, bool value, uint64_t now, const uint32_t delay[2]) {
  const uint64_t time = now + delay[value ? LIB_RISE : LIB_FALL];
  if (s->delay == SIMULATE_INERTIAL) {
    if (value == (s->value[net] != 0)) {
      s->due[net] = 0;  // the change to come does not
      return true;
    }
    if (s->due[net] != 0) {
      return true;
    }
    s->due[net] = time;
    return push(s, net, time);
  }
  if (value == (s->coming[net] != 0)) {
    return true;
  }
  s->coming[net] = value;
  s->due[net] = time > s->due[net] ? time : s->due[net] + 1;
  return push(s, net, s->due[net]);
}

static void change(simulate_t *s, uint32_t net, activity_t *activity) {
  s->value[net] ^= 1;
  if (!s->is_changed[net]) {
    s->is_changed[net] = 1;
    s->changed[s->changes++] = net;
  }
  if (activity != NULL) {
    activity->all[net] += 1;
  }
  for (uint32_t i = s->first_leaf[net]; i < s->first_leaf[net + 1]; ++i) {
    const leaf_t leaf = s->leaf[i];
    s->in[leaf.gate] = (uint8_t)(s->in[leaf.gate] ^ 1u << leaf.input);
    s->last_in[leaf.gate] = (uint8_t)leaf.input;
    if (!s->is_touched[leaf.gate]) {
      s->is_touched[leaf.gate] = 1;
      s->touched[s->touches++] = leaf.gate;
    }
  }
}

static bool evaluate_touched(simulate_t *s, uint64_t now) {
  bool good = true;
  for (size_t i = 0; i < s->touches; ++i) {
    const uint32_t at = s->touched[i];
    const gate_t *gate = &s->graph->gate[at];
    s->is_touched[at] = 0;
    good = want(s, gate->out, gate_value(s, at), now, gate->delay[s->last_in[at]]) && good;
  }
  s->touches = 0;
  return good;
}

static bool run_picosecond(simulate_t *s, uint64_t now, activity_t *activity) {
  uint32_t at = s->wheel[now % WHEEL];
  s->wheel[now % WHEEL] = 0;
  while (at != 0) {
    event_t *event = &s->event[at - 1];
    const uint32_t next = event->next, net = event->net;
    event->next = s->free_event;
    s->free_event = at;
    s->outstanding -= 1;
    if (s->delay == SIMULATE_TRANSPORT || s->due[net] == now) {
      if (s->delay == SIMULATE_INERTIAL) {
        s->due[net] = 0;
      }
      s->settled_after = now;
      change(s, net, activity);
    }
    at = next;
  }
  return evaluate_touched(s, now);
}

// Asynchronous clear and preset, as they are now.
static bool flop_holds(const simulate_t *s, const flop_t *flop, bool *state) {
  const bool clear = function_value(s->value, &flop->clear);
  const bool preset = function_value(s->value, &flop->preset);
  *state = preset && !clear;
  return clear || preset;
}

static bool flop_changes(simulate_t *s, size_t i, bool state, uint64_t now) {
  const flop_t *flop = &s->graph->flop[i];
  s->state[i] = state;
  return (flop->q[0] == NET_0 || want(s, flop->q[0], state, now, flop->delay[0])) &&
         (flop->q[1] == NET_0 || want(s, flop->q[1], !state, now, flop->delay[1]));
}

static bool start_cycle(simulate_t *s, activity_t *activity) {
  bool good = true;
  for (size_t i = 0; i < s->graph->flops; ++i) {
    if (s->next[i] != s->state[i]) {
      good = flop_changes(s, i, s->next[i] != 0, 0) && good;
    }
  }
  for (size_t i = 0; i < s->graph->netlist->ports; ++i) {
    const netlist_port_t *port = &s->graph->netlist->port[i];
    for (size_t j = 0; !port->output && j < port->bits; ++j) {
      if (s->input[port->net[j]] != s->value[port->net[j]]) {
        change(s, port->net[j], activity);
      }
    }
  }
  return evaluate_touched(s, 0) && good;
}

// Runs until nothing is to come; from `now` on.
static bool run(simulate_t *s, uint64_t *now, activity_t *activity) {
  bool good = true;
  while (good && s->outstanding > 0 && *now < SETTLE_MAX_PS) {
    *now += 1;
    if (s->wheel[*now % WHEEL] != 0) {
      good = run_picosecond(s, *now, activity);
    }
  }
  return good && s->outstanding == 0;
}

// Flip-flops that are cleared or preset take that state. *some: one changed.
static bool apply_asynchronous(simulate_t *s, uint64_t now, bool *some) {
  bool good = true;
  *some = false;
  for (size_t i = 0; i < s->graph->flops; ++i) {
    bool state;
    if (flop_holds(s, &s->graph->flop[i], &state) && state != (s->state[i] != 0)) {
      good = flop_changes(s, i, state, now) && good;
      *some = true;
    }
  }
  return good;
}

static void end_cycle(simulate_t *s, activity_t *activity) {
  for (size_t i = 0; i < s->graph->flops; ++i) {
    bool state;
    s->next[i] = flop_holds(s, &s->graph->flop[i], &state) ? state : function_value(s->value, &s->graph->flop[i].next);
  }
  for (size_t i = 0; i < s->changes; ++i) {
    const uint32_t net = s->changed[i];
    if (activity != NULL) {
      activity->settled[net] += s->value[net] != s->before[net];
    }
    s->before[net] = s->value[net];
    s->is_changed[net] = 0;
  }
  s->changes = 0;
  if (activity != NULL) {
    activity->cycles += 1;
    memset(activity->given + NET_FIRST, 1, activity->nets - NET_FIRST);
  }
}

bool simulate_cycle(simulate_t *s, activity_t *activity, base_error_t *error) {
  uint64_t now = 0;
  bool some = true;
  s->settled_after = 0;
  if (s->delay == SIMULATE_TRANSPORT) {
    memset(s->due, 0, s->graph->netlist->nets * sizeof *s->due);
  }
  bool good = start_cycle(s, activity);
  while (good && some) {
    good = run(s, &now, activity) && apply_asynchronous(s, now, &some);
  }
  if (!good) {
    return base_fail(error, "simulation: the netlist does not settle");
  }
  end_cycle(s, activity);
  return true;
}

// --- set up -----------------------------------------------------------------------------------

static void fill_leaves(simulate_t *s) {
  const graph_t *graph = s->graph;
  for (size_t i = 0; i < graph->gates; ++i) {
    for (size_t j = 0; j < graph->gate[i].inputs; ++j) {
      s->first_leaf[graph->gate[i].in[j] + 1] += 1;
    }
  }
  for (size_t i = 0; i < graph->netlist->nets; ++i) {
    s->first_leaf[i + 1] += s->first_leaf[i];
  }
  // Filled from the back of each net's part, which leaves first_leaf where it was.
  uint32_t *at = s->touched;  // [nets + gates], free for now
  memcpy(at, s->first_leaf, graph->netlist->nets * sizeof *at);
  for (size_t i = 0; i < graph->gates; ++i) {
    for (size_t j = 0; j < graph->gate[i].inputs; ++j) {
      s->leaf[at[graph->gate[i].in[j]]++] = (leaf_t){(uint32_t)i, (uint16_t)j};
    }
  }
}

// Everything as it is with all inputs and flip-flops 0.
static void settle_at_zero(simulate_t *s) {
  const graph_t *graph = s->graph;
  s->value[NET_1] = 1;
  for (size_t i = 0; i < graph->flops; ++i) {
    if (graph->flop[i].q[1] != NET_0) {
      s->value[graph->flop[i].q[1]] = 1;
    }
  }
  for (size_t i = 0; i < graph->gates; ++i) {
    const gate_t *gate = &graph->gate[i];
    for (size_t j = 0; j < gate->inputs; ++j) {
      s->in[i] = (uint8_t)(s->in[i] | (unsigned)s->value[gate->in[j]] << j);
    }
    s->value[gate->out] = gate_value(s, i);
  }
  memcpy(s->before, s->value, graph->netlist->nets);
  memcpy(s->coming, s->value, graph->netlist->nets);
}

static bool is_long(const uint32_t delay[LIB_EDGES]) { return delay[LIB_RISE] >= WHEEL || delay[LIB_FALL] >= WHEEL; }

static bool short_delays(const graph_t *graph) {
  for (size_t i = 0; i < graph->gates; ++i) {
    for (size_t j = 0; j < graph->gate[i].inputs; ++j) {
      if (is_long(graph->gate[i].delay[j])) {
        return false;
      }
    }
  }
  for (size_t i = 0; i < graph->flops; ++i) {
    for (size_t j = 0; j < 2; ++j) {
      if (is_long(graph->flop[i].delay[j])) {
        return false;
      }
    }
  }
  return true;
}

static bool allocate(simulate_t *s) {
  const graph_t *graph = s->graph;
  const size_t nets = graph->netlist->nets, gates = graph->gates + 1, flops = graph->flops + 1;
  size_t leaves = 1;
  for (size_t i = 0; i < graph->gates; ++i) {
    leaves += graph->gate[i].inputs;
  }
  s->leaf = malloc(leaves * sizeof *s->leaf);
  s->first_leaf = calloc(nets + 1, sizeof *s->first_leaf);
  s->value = calloc(nets, 1);
  s->before = calloc(nets, 1);
  s->input = calloc(nets, 1);
  s->coming = calloc(nets, 1);
  s->is_changed = calloc(nets, 1);
  s->due = calloc(nets, sizeof *s->due);
  s->changed = malloc(nets * sizeof *s->changed);
  s->state = calloc(flops, 1);
  s->next = calloc(flops, 1);
  s->in = calloc(gates, 1);
  s->last_in = calloc(gates, 1);
  s->is_touched = calloc(gates, 1);
  s->touched = malloc((nets + gates) * sizeof *s->touched);
  s->wheel = calloc(WHEEL, sizeof *s->wheel);
  return s->leaf != NULL && s->first_leaf != NULL && s->value != NULL && s->before != NULL && s->input != NULL &&
         s->coming != NULL && s->is_changed != NULL && s->due != NULL && s->changed != NULL && s->state != NULL &&
         s->next != NULL && s->in != NULL && s->last_in != NULL && s->is_touched != NULL && s->touched != NULL &&
         s->wheel != NULL;
}

simulate_t *simulate_open(const graph_t *graph, simulate_delay_t delay, base_error_t *error) {
  if (!short_delays(graph)) {
    base_fail(error, "simulation: a gate is slower than %d ps", WHEEL);
    return NULL;
  }
  simulate_t *s = calloc(1, sizeof *s);
  if (s == NULL) {
    base_fail(error, "simulation: out of memory");
    return NULL;
  }
  s->graph = graph;
  s->delay = delay;
  if (!allocate(s)) {
    simulate_close(s);
    base_fail(error, "simulation: out of memory");
    return NULL;
  }
  fill_leaves(s);
  settle_at_zero(s);
  return s;
}

void simulate_close(simulate_t *s) {
  if (s == NULL) {
    return;
  }
  void *const all[] = {s->leaf,       s->first_leaf, s->value,   s->before, s->input, s->coming,
                       s->is_changed, s->due,        s->changed, s->state,  s->next,  s->in,
                       s->last_in,    s->is_touched, s->touched, s->wheel,  s->event, s};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    free(all[i]);
  }
}

// --- ports ------------------------------------------------------------------------------------

void simulate_set_bits(simulate_t *s, const netlist_port_t *port, size_t first, size_t bits, uint64_t value) {
  for (size_t i = 0; i < bits; ++i) {
    s->input[port->net[first + i]] = value >> i & 1;
  }
}

uint64_t simulate_get_bits(const simulate_t *s, const netlist_port_t *port, size_t first, size_t bits) {
  uint64_t value = 0;
  for (size_t i = 0; i < bits; ++i) {
    value |= (uint64_t)s->value[port->net[first + i]] << i;
  }
  return value;
}

uint64_t simulate_settled_after(const simulate_t *s) { return s->settled_after; }

bool simulate_check(const simulate_t *s) {
  for (size_t i = 0; i < s->graph->gates; ++i) {
    const gate_t *gate = &s->graph->gate[i];
    const graph_function_t function = {
        gate->inputs, {gate->in[0], gate->in[1], gate->in[2], gate->in[3], gate->in[4], gate->in[5]}, gate->table};
    if (function_value(s->value, &function) != (s->value[gate->out] != 0)) {
      return false;
    }
  }
  return true;
}
