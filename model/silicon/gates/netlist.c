// SPDX-License-Identifier: Apache-2.0
#include "silicon/gates/netlist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"

// Bits of the file are numbered from 2, as nets are here; the file's numbers may have holes.
enum { BITS_MAX = 1 << 26 };
#define OPEN UINT32_MAX  // no net yet

typedef struct reader {
  const char *path;
  const liberty_t *library;
  netlist_t *netlist;
  uint32_t *number;  // of a bit's net, 0: none yet
  size_t numbers;
  size_t room, pins, pin_room;
  size_t *first_pin;  // of each cell
  const lib_cell_t *last_type;
  base_error_t *error;
} reader_t;

static bool no_memory(const reader_t *r) { return base_fail(r->error, "%s: out of memory", r->path); }

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
static bool read_bit(reader_t *r, const cJSON *bit, uint32_t *net) {
  const char *constant = cJSON_GetStringValue(bit);
  if (constant != NULL) {
    *net = strcmp(constant, "1") == 0 ? NET_1 : NET_0;
    return true;
  }
  if (!cJSON_IsNumber(bit) || !(bit->valuedouble >= NET_FIRST && bit->valuedouble < BITS_MAX)) {
    return base_fail(r->error, "%s: not a bit: %g", r->path, cJSON_IsNumber(bit) ? bit->valuedouble : 0);
  }
  return net_of_bit(r, (size_t)bit->valuedouble, net);
}

static bool read_port(reader_t *r, const cJSON *given, netlist_port_t *port) {
  const cJSON *bits = cJSON_GetObjectItemCaseSensitive(given, "bits"), *bit;
  const char *direction = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(given, "direction"));
  *port = (netlist_port_t){.name = strdup(given->string),
                           .output = direction == NULL || strcmp(direction, "input") != 0,
                           .net = calloc((size_t)cJSON_GetArraySize(bits) + 1, sizeof *port->net)};
  if (port->name == NULL || port->net == NULL) {
    return no_memory(r);
  }
  cJSON_ArrayForEach(bit, bits) {
    if (!read_bit(r, bit, &port->net[port->bits++])) {
      return false;
    }
  }
  return true;
}

static bool read_ports(reader_t *r, const cJSON *ports) {
  const cJSON *port;
  r->netlist->port = calloc((size_t)cJSON_GetArraySize(ports) + 1, sizeof *r->netlist->port);
  if (r->netlist->port == NULL) {
    return no_memory(r);
  }
  cJSON_ArrayForEach(port, ports) {
    if (!read_port(r, port, &r->netlist->port[r->netlist->ports++])) {
      return false;
    }
  }
  return true;
}

static bool find_type(reader_t *r, const cJSON *cell) {
  const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(cell, "type"));
  if (name == NULL) {
    return base_fail(r->error, "%s: a cell without a type", r->path);
  }
  if (r->last_type == NULL || strcmp(r->last_type->name, name) != 0) {
    r->last_type = liberty_cell(r->library, name);
  }
  return r->last_type != NULL || base_fail(r->error, "%s: the library has no cell %s", r->path, name);
}

static netlist_block_t block_of(const char *name) {
  return strstr(name, "u_dot.") != NULL ? NETLIST_DOT : strstr(name, "u_lane.") != NULL ? NETLIST_LANES : NETLIST_OTHER;
}

static bool add_cell(reader_t *r, netlist_block_t block) {
  netlist_t *netlist = r->netlist;
  const lib_cell_t *type = r->last_type;
  if (netlist->cells == r->room) {
    const size_t room = 2 * r->room + 1024;
    netlist_cell_t *cells = realloc(netlist->cell, room * sizeof *cells);
    if (cells == NULL) {
      return no_memory(r);
    }
    netlist->cell = cells;
    size_t *first = realloc(r->first_pin, room * sizeof *first);
    if (first == NULL) {
      return no_memory(r);
    }
    r->first_pin = first;
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

static bool read_connections(reader_t *r, const cJSON *connections) {
  uint32_t *net = r->netlist->pins + r->first_pin[r->netlist->cells - 1];
  const cJSON *connection, *bit;
  cJSON_ArrayForEach(connection, connections) {
    const size_t pin = lib_cell_pin(r->last_type, connection->string);
    if (pin == LIB_NO_PIN) {
      return base_fail(r->error, "%s: cell %s has no pin %s", r->path, r->last_type->name, connection->string);
    }
    cJSON_ArrayForEach(bit, connection) {
      if (!read_bit(r, bit, &net[pin])) {
        return false;
      }
    }
  }
  return true;
}

static bool read_cells(reader_t *r, const cJSON *cells) {
  const cJSON *cell;
  cJSON_ArrayForEach(cell, cells) {
    if (!find_type(r, cell) || !add_cell(r, block_of(cell->string)) ||
        !read_connections(r, cJSON_GetObjectItemCaseSensitive(cell, "connections"))) {
      return false;
    }
  }
  return true;
}

static bool read_root(reader_t *r, const cJSON *root) {
  const cJSON *modules = cJSON_GetObjectItemCaseSensitive(root, "modules");
  if (!cJSON_IsObject(modules)) {
    return base_fail(r->error, "%s: not a netlist in JSON", r->path);
  }
  if (cJSON_GetArraySize(modules) != 1) {
    return base_fail(r->error, "%s: %d modules, not one", r->path, cJSON_GetArraySize(modules));
  }
  const cJSON *module = modules->child;
  return read_ports(r, cJSON_GetObjectItemCaseSensitive(module, "ports")) &&
         read_cells(r, cJSON_GetObjectItemCaseSensitive(module, "cells"));
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
        return base_fail(r->error, "%s: an open input %s of a cell %s", r->path, cell->type->pin[j].name,
                         cell->type->name);
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

bool netlist_read(const char *path, const liberty_t *library, netlist_t *netlist, base_error_t *error) {
  *netlist = (netlist_t){.nets = NET_FIRST};
  if (access(path, R_OK) != 0) {
    return base_fail(error, "cannot read %s", path);
  }
  cJSON *root = json_read(path);
  reader_t r = {.path = path, .library = library, .netlist = netlist, .error = error};
  const bool read = read_root(&r, root);
  cJSON_Delete(root);
  const bool good = read && finish(&r);
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
