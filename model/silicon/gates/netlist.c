// SPDX-License-Identifier: Apache-2.0
#include "silicon/gates/netlist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "silicon/gates/json_scan.h"

// Bits of the file are numbered from 2, as nets are here; the file's numbers may have holes.
enum { BITS_MAX = 1 << 26 };
#define OPEN UINT32_MAX                          // no net yet

typedef struct reader {
  json_scan_t scan;
  const char *path;
  const liberty_t *library;
  netlist_t *netlist;
  uint32_t *number;        // of a bit's net, 0: none yet
  size_t numbers;
  size_t room, pins, pin_room;
  size_t *first_pin;       // of each cell
  const lib_cell_t *last_type;
  base_error_t *error;
} reader_t;

static bool no_memory(const reader_t *r) {
  return base_fail(r->error, "%s: out of memory", r->path);
}

static bool net_of_bit(reader_t *r, size_t bit, uint32_t *net) {
  if (bit >= BITS_MAX) {
    return base_fail(r->error, "%s: bit %zu is too large a number", r->path, bit);
  }
  if (bit >= r->numbers) {
    const size_t more = 2 * bit + 1024;
    uint32_t *list = realloc(r->number, more * sizeof *list);
    if (list == NULL) {
      return no_memory(r);
    }
    memset(list + r->numbers, 0, (more - r->numbers) * sizeof *list);
    r->number = list;
    r->numbers = more;
  }
  if (r->number[bit] == 0) {
    r->number[bit] = (uint32_t)r->netlist->nets++;
  }
  *net = r->number[bit];
  return true;
}

// A bit: a number, or "0", "1"; "x" and "z" are taken for 0.
static bool read_bit(reader_t *r, uint32_t *net) {
  r->scan.at += strspn(r->scan.at, " \t\r\n");
  const bool constant = *r->scan.at == '"';
  const long bit = json_number(&r->scan);
  if (constant || bit < NET_FIRST) {
    *net = bit == 1 ? NET_1 : NET_0;
    return constant || base_fail(r->error, "%s: not a bit: %ld", r->path, bit);
  }
  return net_of_bit(r, (size_t)bit, net);
}

static bool read_port_bits(reader_t *r, netlist_port_t *port) {
  for (bool more = json_open(&r->scan, '['); more; more = json_more(&r->scan, ']')) {
    uint32_t *list = realloc(port->net, (port->bits + 1) * sizeof *list);
    if (list == NULL) {
      return no_memory(r);
    }
    port->net = list;
    if (!read_bit(r, &port->net[port->bits++])) {
      return false;
    }
  }
  return true;
}

static bool read_port(reader_t *r) {
  netlist_t *netlist = r->netlist;
  netlist_port_t *list = realloc(netlist->port, (netlist->ports + 1) * sizeof *list);
  if (list == NULL) {
    return no_memory(r);
  }
  netlist->port = list;
  netlist_port_t *port = &list[netlist->ports++];
  const char *name = json_string(&r->scan);
  *port = (netlist_port_t){.name = malloc(strlen(name) + 1)};
  if (port->name == NULL) {
    return no_memory(r);
  }
  strcpy(port->name, name);
  json_colon(&r->scan);
  for (bool more = json_open(&r->scan, '{'); more; more = json_more(&r->scan, '}')) {
    const char *key = json_string(&r->scan);
    json_colon(&r->scan);
    if (strcmp(key, "direction") == 0) {
      port->output = strcmp(json_string(&r->scan), "input") != 0;
    } else if (strcmp(key, "bits") != 0) {
      json_skip(&r->scan);
    } else if (!read_port_bits(r, port)) {
      return false;
    }
  }
  return true;
}

static bool read_ports(reader_t *r) {
  for (bool more = json_open(&r->scan, '{'); more; more = json_more(&r->scan, '}')) {
    if (!read_port(r)) {
      return false;
    }
  }
  return true;
}

static bool find_type(reader_t *r, const char *name) {
  if (r->last_type == NULL || strcmp(r->last_type->name, name) != 0) {
    r->last_type = liberty_cell(r->library, name);
  }
  return r->last_type != NULL ||
         base_fail(r->error, "%s: the library has no cell %s", r->path, name);
}

static netlist_block_t block_of(const char *name) {
  return strstr(name, "u_dot.") != NULL ? NETLIST_DOT
         : strstr(name, "u_lane.") != NULL ? NETLIST_LANES : NETLIST_OTHER;
}

static bool add_cell(reader_t *r, netlist_block_t block) {
  netlist_t *netlist = r->netlist;
  const lib_cell_t *type = r->last_type;
  if (netlist->cells == r->room) {
    const size_t room = 2 * r->room + 1024;
    netlist_cell_t *cells = realloc(netlist->cell, room * sizeof *cells);
    netlist->cell = cells == NULL ? netlist->cell : cells;
    size_t *first = realloc(r->first_pin, room * sizeof *first);
    r->first_pin = first == NULL ? r->first_pin : first;
    if (cells == NULL || first == NULL) {
      return no_memory(r);
    }
    r->room = room;
  }
  if (r->pins + type->pins > r->pin_room) {
    const size_t room = 2 * r->pin_room + 4096;
    uint32_t *pins = realloc(netlist->pins, room * sizeof *pins);
    if (pins == NULL) {
      return no_memory(r);
    }
    netlist->pins = pins;
    r->pin_room = room;
  }
  netlist->cell[netlist->cells] = (netlist_cell_t){.type = type, .block = block};
  r->first_pin[netlist->cells++] = r->pins;
  for (size_t i = 0; i < type->pins; ++i) {
    netlist->pins[r->pins++] = OPEN;
  }
  return true;
}

static bool read_connections(reader_t *r) {
  uint32_t *net = r->netlist->pins + r->first_pin[r->netlist->cells - 1];
  for (bool more = json_open(&r->scan, '{'); more; more = json_more(&r->scan, '}')) {
    const char *name = json_string(&r->scan);
    const size_t pin = lib_cell_pin(r->last_type, name);
    json_colon(&r->scan);
    if (pin == LIB_NO_PIN) {
      return base_fail(r->error, "%s: cell %s has no pin %s", r->path, r->last_type->name, name);
    }
    for (bool bit = json_open(&r->scan, '['); bit; bit = json_more(&r->scan, ']')) {
      if (!read_bit(r, &net[pin])) {
        return false;
      }
    }
  }
  return true;
}

// Yosys puts the type before the connections.
static bool read_cell(reader_t *r) {
  bool typed = false;
  const netlist_block_t block = block_of(json_string(&r->scan));
  json_colon(&r->scan);
  for (bool more = json_open(&r->scan, '{'); more; more = json_more(&r->scan, '}')) {
    const char *key = json_string(&r->scan);
    json_colon(&r->scan);
    if (strcmp(key, "type") == 0) {
      typed = find_type(r, json_string(&r->scan)) && add_cell(r, block);
      if (!typed) {
        return false;
      }
    } else if (strcmp(key, "connections") != 0) {
      json_skip(&r->scan);
    } else if (!typed) {
      return base_fail(r->error, "%s: connections before the cell's type", r->path);
    } else if (!read_connections(r)) {
      return false;
    }
  }
  return true;
}

static bool read_module(reader_t *r) {
  for (bool more = json_open(&r->scan, '{'); more; more = json_more(&r->scan, '}')) {
    const char *key = json_string(&r->scan);
    json_colon(&r->scan);
    if (strcmp(key, "ports") == 0) {
      if (!read_ports(r)) {
        return false;
      }
    } else if (strcmp(key, "cells") != 0) {
      json_skip(&r->scan);
    } else {
      for (bool cell = json_open(&r->scan, '{'); cell; cell = json_more(&r->scan, '}')) {
        if (!read_cell(r)) {
          return false;
        }
      }
    }
  }
  return true;
}

static bool read_modules(reader_t *r) {
  size_t modules = 0;
  for (bool more = json_open(&r->scan, '{'); more; more = json_more(&r->scan, '}')) {
    json_string(&r->scan);
    json_colon(&r->scan);
    if (!read_module(r)) {
      return false;
    }
    modules += 1;
  }
  return modules == 1 || base_fail(r->error, "%s: %zu modules, not one", r->path, modules);
}

static bool read_file(reader_t *r) {
  bool found = false;
  for (bool more = json_open(&r->scan, '{'); more; more = json_more(&r->scan, '}')) {
    const bool wanted = strcmp(json_string(&r->scan), "modules") == 0;
    json_colon(&r->scan);
    if (!wanted) {
      json_skip(&r->scan);
    } else if (!read_modules(r)) {
      return false;
    }
    found = found || wanted;
  }
  return (found && r->scan.good) || base_fail(r->error, "%s: not a netlist in JSON", r->path);
}

// --- what must hold ---------------------------------------------------------------------------

static bool drive(const reader_t *r, uint8_t *driven, uint32_t net) {
  if (net < NET_FIRST || driven[net]) {
    return base_fail(r->error, "%s: net %u has several drivers", r->path, (unsigned)net);
  }
  driven[net] = 1;
  return true;
}

static bool check_drivers(const reader_t *r, uint8_t *driven) {
  const netlist_t *netlist = r->netlist;
  driven[NET_0] = driven[NET_1] = 1;
  for (size_t i = 0; i < netlist->ports; ++i) {
    for (size_t j = 0; !netlist->port[i].output && j < netlist->port[i].bits; ++j) {
      if (!drive(r, driven, netlist->port[i].net[j])) {
        return false;
      }
    }
  }
  for (size_t i = 0; i < netlist->cells; ++i) {
    const netlist_cell_t *cell = &netlist->cell[i];
    for (size_t j = 0; j < cell->type->pins; ++j) {
      const bool input = cell->type->pin[j].kind == LIB_INPUT;
      if (input && cell->net[j] == OPEN) {
        return base_fail(r->error, "%s: an open input %s of a cell %s", r->path,
                         cell->type->pin[j].name, cell->type->name);
      }
      if (!input && cell->net[j] == OPEN) {
        cell->net[j] = NET_0;
      } else if (!input && !drive(r, driven, cell->net[j])) {
        return false;
      }
    }
  }
  for (size_t i = 0; i < netlist->nets; ++i) {
    if (!driven[i]) {
      return base_fail(r->error, "%s: a net without a driver", r->path);
    }
  }
  return true;
}

static bool finish(reader_t *r) {
  netlist_t *netlist = r->netlist;
  for (size_t i = 0; i < netlist->cells; ++i) {
    netlist->cell[i].net = netlist->pins + r->first_pin[i];
  }
  uint8_t *driven = calloc(netlist->nets, 1);
  const bool good = driven == NULL ? no_memory(r) : check_drivers(r, driven);
  free(driven);
  return good;
}

static char *read_text(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return NULL;
  }
  long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  rewind(file);
  char *text = size < 0 ? NULL : malloc((size_t)size + 1);
  if (text != NULL) {
    text[fread(text, 1, (size_t)size, file)] = '\0';
  }
  fclose(file);
  return text;
}

bool netlist_read(const char *path, const liberty_t *library, netlist_t *netlist,
                  base_error_t *error) {
  *netlist = (netlist_t){.nets = NET_FIRST};
  char *text = read_text(path);
  if (text == NULL) {
    return base_fail(error, "cannot read %s", path);
  }
  reader_t r = {.scan = {text, true}, .path = path, .library = library, .netlist = netlist,
                .error = error};
  const bool good = read_file(&r) && finish(&r);
  free(text);
  free(r.number);
  free(r.first_pin);
  if (!good) {
    netlist_free(netlist);
  }
  return good;
}

void netlist_free(netlist_t *netlist) {
  for (size_t i = 0; i < netlist->ports; ++i) {
    free(netlist->port[i].name);
    free(netlist->port[i].net);
  }
  free(netlist->port);
  free(netlist->cell);
  free(netlist->pins);
  *netlist = (netlist_t){.nets = 0};
}

const netlist_port_t *netlist_port(const netlist_t *netlist, const char *name) {
  for (size_t i = 0; i < netlist->ports; ++i) {
    if (strcmp(netlist->port[i].name, name) == 0) {
      return &netlist->port[i];
    }
  }
  return NULL;
}
