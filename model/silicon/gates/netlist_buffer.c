// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "silicon/gates/netlist.h"

// The pins of all cells are one array; a pin is a place in it.
typedef struct trees {
  netlist_t *netlist;
  const lib_cell_t *buffer;
  size_t in, fanout;  // in: the buffer's input pin; the other one is its output
  size_t pins;        // used
  uint32_t *first;    // [nets + 1] of each net's inputs in sink
  uint32_t *sink;     // pins
  uint32_t *level;    // pins that a level of a tree has to serve
} trees_t;

static bool is_input(const netlist_cell_t *cell, size_t pin) {
  const lib_cell_t *type = cell->type;
  return type->pin[pin].kind == LIB_INPUT && !(type->is_flop && type->clock == pin);
}

// Counts the inputs of each net, or (place not NULL) puts them into sink.
static void each_input(const trees_t *t, uint32_t *count, uint32_t *place) {
  for (size_t i = 0; i < t->netlist->cells; ++i) {
    const netlist_cell_t *cell = &t->netlist->cell[i];
    for (size_t j = 0; j < cell->type->pins; ++j) {
      if (is_input(cell, j) && place == NULL) {
        count[cell->net[j] + 1] += 1;
      } else if (is_input(cell, j)) {
        t->sink[place[cell->net[j]]++] = (uint32_t)(cell->net - t->netlist->pins + (ptrdiff_t)j);
      }
    }
  }
}

// A buffer before count pins. Returns its own input.
static uint32_t add_buffer(trees_t *t, const uint32_t *pins, size_t count) {
  netlist_t *netlist = t->netlist;
  const uint32_t out = (uint32_t)netlist->nets++;
  netlist_cell_t *cell = &netlist->cell[netlist->cells++];
  *cell = (netlist_cell_t){t->buffer, netlist->pins + t->pins, NETLIST_OTHER};
  for (size_t i = 0; i < count; ++i) {
    netlist->pins[pins[i]] = out;
  }
  cell->net[1 - t->in] = out;
  t->pins += 2;
  return (uint32_t)(t->pins - 2 + t->in);
}

static void grow_tree(trees_t *t, uint32_t net) {
  size_t count = t->first[net + 1] - t->first[net];
  memcpy(t->level, t->sink + t->first[net], count * sizeof *t->level);
  while (count > t->fanout) {
    const size_t buffers = (count + t->fanout - 1) / t->fanout;
    for (size_t i = 0; i < buffers; ++i) {
      const size_t begin = i * count / buffers, end = (i + 1) * count / buffers;
      t->level[i] = add_buffer(t, t->level + begin, end - begin);
    }
    count = buffers;
  }
  for (size_t i = 0; i < count; ++i) {
    t->netlist->pins[t->level[i]] = net;
  }
}

// Room for a buffer for each input: more than there can be.
static bool make_room(trees_t *t) {
  netlist_t *netlist = t->netlist;
  for (size_t i = 0; i < netlist->cells; ++i) {
    t->pins += netlist->cell[i].type->pins;
  }
  uint32_t *pins = malloc((3 * t->pins + 1) * sizeof *pins);
  netlist_cell_t *cells = malloc((netlist->cells + t->pins + 1) * sizeof *cells);
  if (pins == NULL || cells == NULL) {
    free(pins);
    free(cells);
    return false;
  }
  memcpy(pins, netlist->pins, t->pins * sizeof *pins);
  for (size_t i = 0; i < netlist->cells; ++i) {
    cells[i] =
        (netlist_cell_t){netlist->cell[i].type, pins + (netlist->cell[i].net - netlist->pins), netlist->cell[i].block};
  }
  free(netlist->pins);
  free(netlist->cell);
  netlist->pins = pins;
  netlist->cell = cells;
  return true;
}

bool netlist_buffer(netlist_t *netlist, const lib_cell_t *buffer, size_t fanout, base_error_t *error) {
  trees_t t = {.netlist = netlist, .buffer = buffer, .fanout = fanout};
  const size_t nets = netlist->nets;
  t.in = buffer->pin[0].kind == LIB_INPUT ? 0 : 1;
  t.first = calloc(nets + 1, sizeof *t.first);
  uint32_t *place = malloc((nets + 1) * sizeof *place);
  bool good = t.first != NULL && place != NULL && make_room(&t);
  t.sink = good ? malloc((t.pins + 1) * sizeof *t.sink) : NULL;
  t.level = good ? malloc((t.pins + 1) * sizeof *t.level) : NULL;
  good = good && t.sink != NULL && t.level != NULL;
  if (good) {
    each_input(&t, t.first, NULL);
    for (size_t i = 0; i < nets; ++i) {
      t.first[i + 1] += t.first[i];
    }
    memcpy(place, t.first, nets * sizeof *place);
    each_input(&t, NULL, place);
    for (uint32_t net = NET_FIRST; net < nets; ++net) {
      if (t.first[net + 1] - t.first[net] > fanout) {
        grow_tree(&t, net);
      }
    }
  }
  free(t.first);
  free(place);
  free(t.sink);
  free(t.level);
  return good || base_fail(error, "netlist: out of memory");
}
