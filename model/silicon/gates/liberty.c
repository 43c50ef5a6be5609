// SPDX-License-Identifier: Apache-2.0
#include "silicon/gates/liberty.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/parse.h"

// LARGEST is more than any cell has, in the units here; TEXT_BYTES_MAX is of unpacked text.
static const double LARGEST = 1e9, STEP_LEAST = 1e-12;  // between two points of an axis
enum { TEXT_BYTES_MAX = 1 << 30 };

// The file that is being read, and the part of it that cannot be read, for messages.
typedef struct reader {
  const lib_node_t *library;
  const char *about, *expected;
} reader_t;

static bool refuse(reader_t *r, const char *about, const char *expected) {
  r->about = about;
  r->expected = expected;
  return false;
}

// --- tables -----------------------------------------------------------------------------------

// The lower of the two points to go by, and how far `at` lies between them.
static size_t bracket(size_t points, const double *index, double at, double *part) {
  size_t low = 0;
  *part = 0;
  if (points > 1) {
    while (low + 2 < points && at > index[low + 1]) {
      low += 1;
    }
    *part = (at - index[low]) / (index[low + 1] - index[low]);
  }
  return low;
}

double lib_table_at(const lib_table_t *table, double transition, double load) {
  if (table->points[0] == 0) {
    return 0;
  }
  double a, b;
  const size_t columns = table->points[1];
  const size_t row = bracket(table->points[0], table->index[0], transition, &a);
  const size_t column = bracket(columns, table->index[1], load, &b);
  const double *low = table->value + row * columns + column;
  const double *high = table->points[0] > 1 ? low + columns : low;
  const size_t right = columns > 1 ? 1 : 0;
  return (1 - a) * ((1 - b) * low[0] + b * low[right]) + a * ((1 - b) * high[0] + b * high[right]);
}

static void free_table(lib_table_t *table) {
  free(table->index[0]);
  free(table->index[1]);
  free(table->value);
}

// Numbers of all words. NULL: something else is among them, or one that is absurd, or there are none.
static double *numbers(const lib_node_t *node, size_t *count) {
  double *list = NULL;
  *count = 0;
  for (size_t i = 0; node != NULL && i < node->words; ++i) {
    for (char *at = node->word[i], *end; *at != '\0'; at = end) {
      const double number = strtod(at, &end);
      const bool good = end != at && fabs(number) <= LARGEST;  // and no NaN
      double *more = good ? realloc(list, (*count + 1) * sizeof *list) : NULL;
      if (more == NULL) {
        free(list);
        return NULL;
      }
      list = more;
      list[(*count)++] = number;
      end += strspn(end, " ,\t\r\n");
    }
  }
  return list;
}

static const lib_node_t *find_template(const lib_node_t *library, const lib_node_t *table) {
  static const char *const kinds[] = {"lu_table_template", "power_lut_template"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && table->words > 0; ++i) {
    const lib_node_t *node = NULL;
    while ((node = lib_node_child(library, kinds[i], node)) != NULL) {
      if (node->words > 0 && strcmp(node->word[0], table->word[0]) == 0) {
        return node;
      }
    }
  }
  return NULL;
}

// 0: input transition, 1: load; 2: neither.
static size_t axis_of(const char *variable) {
  static const char *const transitions[] = {"input_net_transition", "input_transition_time", "related_pin_transition"};
  for (size_t i = 0; i < sizeof transitions / sizeof *transitions; ++i) {
    if (strcmp(variable, transitions[i]) == 0) {
      return 0;
    }
  }
  return strcmp(variable, "total_output_net_capacitance") == 0 ? 1 : 2;
}

// Turns [points[1]][points[0]] round.
static bool transpose(lib_table_t *table) {
  const size_t rows = table->points[0], columns = table->points[1];
  double *value = malloc(rows * columns * sizeof *value);
  for (size_t i = 0; value != NULL && i < rows * columns; ++i) {
    value[i] = table->value[i % columns * rows + i / columns];
  }
  free(table->value);
  table->value = value;
  return value != NULL;
}

static bool increasing(const double *list, size_t count) {
  for (size_t i = 1; i < count; ++i) {
    if (!(list[i] - list[i - 1] >= STEP_LEAST)) {
      return false;
    }
  }
  return count > 0 && list[0] >= 0;
}

static bool read_axis(const lib_node_t *node, const lib_node_t *layout, const char *index, size_t axis,
                      lib_table_t *table) {
  const lib_node_t *own = lib_node_child(node, index, NULL);
  table->index[axis] = numbers(own != NULL ? own : lib_node_child(layout, index, NULL), &table->points[axis]);
  return increasing(table->index[axis], table->index[axis] == NULL ? 0 : table->points[axis]);
}

// least: no value is below.
static bool read_table(reader_t *r, const lib_node_t *node, double least, lib_table_t *table) {
  const lib_node_t *layout = find_template(r->library, node);
  const char *first = layout == NULL ? NULL : lib_node_word(layout, "variable_1");
  const char *second = layout == NULL ? NULL : lib_node_word(layout, "variable_2");
  const size_t axis = first == NULL ? 0 : axis_of(first);
  size_t count;
  *table = (lib_table_t){.points = {1, 1}};
  table->value = numbers(lib_node_child(node, "values", NULL), &count);
  bool good = table->value != NULL && axis < 2;
  for (size_t i = 0; good && i < count; ++i) {
    good = table->value[i] >= least;
  }
  if (good && first != NULL) {
    good = read_axis(node, layout, "index_1", axis, table);
  }
  if (good && second != NULL) {
    good = axis_of(second) == 1 - axis && read_axis(node, layout, "index_2", 1 - axis, table);
  }
  good = good && count == table->points[0] * table->points[1];
  return (good && (axis == 0 || second == NULL || transpose(table))) ||
         refuse(r, node->name, "a finite number for each point of axes that rise from 0 or above");
}

// Two tables of a group, by edge. A group may lack one.
static bool read_tables(reader_t *r, const lib_node_t *group, const char *const names[LIB_EDGES], double least,
                        lib_table_t tables[LIB_EDGES]) {
  for (size_t edge = 0; edge < LIB_EDGES; ++edge) {
    const lib_node_t *node = lib_node_child(group, names[edge], NULL);
    if (node != NULL && !read_table(r, node, least, &tables[edge])) {
      return false;
    }
  }
  return true;
}

// --- pins -------------------------------------------------------------------------------------

size_t lib_cell_pin(const lib_cell_t *cell, const char *name) {
  for (size_t i = 0; i < cell->pins; ++i) {
    if (strcmp(cell->pin[i].name, name) == 0) {
      return i;
    }
  }
  return LIB_NO_PIN;
}

static char *copy(const char *text) {
  char *out = malloc(strlen(text) + 1);
  return out == NULL ? NULL : strcpy(out, text);
}

// An arc whose related pins are several counts as one for each; the first is kept, which for delay
// and energy is as good: no library here has such arcs.
static size_t related(const lib_cell_t *cell, const lib_node_t *group) {
  const char *name = lib_node_word(group, "related_pin");
  return name == NULL ? LIB_NO_PIN : lib_cell_pin(cell, name);
}

// Arcs that make an output change, not constraints, clear or preset.
static bool is_delay(const lib_node_t *timing) {
  const char *type = lib_node_word(timing, "timing_type");
  return type == NULL || strcmp(type, "combinational") == 0 || strcmp(type, "rising_edge") == 0;
}

static bool read_arc(reader_t *r, const lib_node_t *timing, const lib_cell_t *cell, lib_pin_t *pin) {
  static const char *const delays[] = {"cell_rise", "cell_fall"};
  static const char *const transitions[] = {"rise_transition", "fall_transition"};
  lib_arc_t *list = realloc(pin->arc, (pin->arcs + 1) * sizeof *list);
  if (list == NULL) {
    return refuse(r, "timing", "memory");
  }
  pin->arc = list;
  lib_arc_t *arc = &list[pin->arcs++];
  const char *sense = lib_node_word(timing, "timing_sense");
  *arc = (lib_arc_t){.from = related(cell, timing), .sense = LIB_NON_UNATE};
  if (sense != NULL && strcmp(sense, "positive_unate") == 0) {
    arc->sense = LIB_POSITIVE;
  } else if (sense != NULL && strcmp(sense, "negative_unate") == 0) {
    arc->sense = LIB_NEGATIVE;
  }
  return (arc->from != LIB_NO_PIN || refuse(r, "timing: related_pin", "a pin of the cell")) &&
         read_tables(r, timing, delays, -LARGEST, arc->delay) &&
         read_tables(r, timing, transitions, 0, arc->transition);
}

// Rise and fall tables may come in groups of their own.
static bool read_power(reader_t *r, const lib_node_t *group, const lib_cell_t *cell, lib_pin_t *pin) {
  static const char *const edges[] = {"rise_power", "fall_power"};
  static const char *const both[] = {"power", "power"};
  lib_power_t *list = realloc(pin->power, (pin->powers + 1) * sizeof *list);
  if (list == NULL) {
    return refuse(r, "internal_power", "memory");
  }
  pin->power = list;
  lib_power_t *power = &list[pin->powers++];
  *power = (lib_power_t){.from = related(cell, group)};
  return read_tables(r, group, edges, -LARGEST, power->energy) &&
         (power->energy[LIB_RISE].points[0] + power->energy[LIB_FALL].points[0] > 0 ||
          read_tables(r, group, both, -LARGEST, power->energy));
}

static void weigh_powers(lib_pin_t *pin) {
  size_t alternatives[LIB_NO_PIN + 1] = {0};
  for (size_t i = 0; i < pin->powers; ++i) {
    alternatives[pin->power[i].from] += 1;
  }
  for (size_t i = 0; i < pin->powers; ++i) {
    pin->power[i].weight = 1.0 / (double)alternatives[pin->power[i].from];
  }
}

typedef struct names {
  const lib_cell_t *cell;
  lib_function_t *function;
} names_t;

static int number_name(void *context, const char *name) {
  const names_t *names = context;
  lib_function_t *function = names->function;
  const size_t pin = lib_cell_pin(names->cell, name);
  for (size_t i = 0; i < function->inputs; ++i) {
    if (function->input[i] == pin) {
      return (int)i;
    }
  }
  if (pin == LIB_NO_PIN || function->inputs == BOOLEAN_INPUTS_MAX) {
    return -1;
  }
  function->input[function->inputs] = pin;
  return (int)function->inputs++;
}

static bool read_function(const lib_cell_t *cell, const char *text, lib_function_t *function) {
  base_error_t unsaid = {""};
  names_t names = {cell, function};
  *function = (lib_function_t){.inputs = 0};
  return boolean_parse(text, number_name, &names, &function->table, &unsaid);
}

static lib_kind_t output_kind(const lib_cell_t *cell, const lib_node_t *ff, const lib_node_t *node,
                              lib_function_t *function) {
  const char *text = lib_node_word(node, "function");
  if (text == NULL || lib_node_child(node, "three_state", NULL) != NULL) {
    return LIB_UNKNOWN;
  }
  for (size_t i = 0; ff != NULL && i < ff->words && i < 2; ++i) {
    if (strcmp(ff->word[i], text) == 0) {
      return i == 0 ? LIB_STATE : LIB_STATE_INVERTED;
    }
  }
  return read_function(cell, text, function) ? LIB_COMBINATIONAL : LIB_UNKNOWN;
}

// A number from 0; 0 if there is none.
static bool read_number(reader_t *r, const lib_node_t *node, const char *name, double *number) {
  const char *word = lib_node_word(node, name);
  *number = 0;
  return word == NULL || (parse_real(word, number) && *number >= 0 && *number <= LARGEST) ||
         refuse(r, name, "a number from 0");
}

static bool read_pin(reader_t *r, const lib_node_t *node, const lib_node_t *ff, const lib_cell_t *cell,
                     lib_pin_t *pin) {
  const char *direction = lib_node_word(node, "direction");
  const bool output = direction != NULL && strcmp(direction, "input") != 0;
  pin->kind = output ? output_kind(cell, ff, node, &pin->function) : LIB_INPUT;
  if (!read_number(r, node, "capacitance", &pin->capacitance)) {
    return false;
  }
  const lib_node_t *group = NULL;
  while (output && (group = lib_node_child(node, "timing", group)) != NULL) {
    if (is_delay(group) && !read_arc(r, group, cell, pin)) {
      return false;
    }
  }
  while ((group = lib_node_child(node, "internal_power", group)) != NULL) {
    if (!read_power(r, group, cell, pin)) {
      return false;
    }
  }
  weigh_powers(pin);
  return true;
}

// --- cells ------------------------------------------------------------------------------------

// A flip-flop that loads on a rising clock; others keep is_flop false, and outputs that are
// unknown.
static void read_flop(const lib_node_t *ff, lib_cell_t *cell) {
  const char *clock = lib_node_word(ff, "clocked_on");
  const char *next = lib_node_word(ff, "next_state");
  const char *clear = lib_node_word(ff, "clear");
  const char *preset = lib_node_word(ff, "preset");
  lib_function_t edge = {.inputs = 0};
  cell->is_flop = clock != NULL && next != NULL && read_function(cell, clock, &edge) && edge.inputs == 1 &&
                  (edge.table & 3) == 2 && read_function(cell, next, &cell->next) &&
                  (clear == NULL || read_function(cell, clear, &cell->clear)) &&
                  (preset == NULL || read_function(cell, preset, &cell->preset));
  cell->clock = cell->is_flop ? edge.input[0] : LIB_NO_PIN;
}

static bool name_pins(reader_t *r, const lib_node_t *node, lib_cell_t *cell) {
  const lib_node_t *pin = NULL;
  cell->pin = calloc(LIB_PINS_MAX, sizeof *cell->pin);
  while (cell->pin != NULL && (pin = lib_node_child(node, "pin", pin)) != NULL) {
    if (pin->words != 1 || cell->pins == LIB_PINS_MAX || lib_cell_pin(cell, pin->word[0]) != LIB_NO_PIN ||
        (cell->pin[cell->pins].name = copy(pin->word[0])) == NULL) {
      return refuse(r, "pin", "at most 32, each with one name of its own");
    }
    cell->pins += 1;
  }
  return cell->pin != NULL || refuse(r, "pin", "memory");
}

static bool read_cell(reader_t *r, const lib_node_t *node, lib_cell_t *cell) {
  const lib_node_t *ff = lib_node_child(node, "ff", NULL);
  *cell = (lib_cell_t){.name = node->words == 0 ? NULL : copy(node->word[0]), .clock = LIB_NO_PIN};
  if (cell->name == NULL) {
    return refuse(r, "cell", "a name");
  }
  if (!name_pins(r, node, cell) || !read_number(r, node, "area", &cell->area) ||
      !read_number(r, node, "cell_leakage_power", &cell->leakage)) {
    return false;
  }
  if (ff != NULL) {
    read_flop(ff, cell);
  }
  const lib_node_t *pin = NULL;
  for (size_t i = 0; i < cell->pins; ++i) {
    pin = lib_node_child(node, "pin", pin);
    if (!read_pin(r, pin, cell->is_flop ? ff : NULL, cell, &cell->pin[i])) {
      return false;
    }
  }
  return true;
}

// --- the library ------------------------------------------------------------------------------

static bool has_unit(const lib_node_t *library, const char *name, const char *unit) {
  const char *word = lib_node_word(library, name);
  return word != NULL && strcmp(word, unit) == 0;
}

static bool check_units(const lib_node_t *library) {
  const lib_node_t *load = lib_node_child(library, "capacitive_load_unit", NULL);
  if (load == NULL || load->words != 2 || strtod(load->word[0], NULL) != 1 ||
      tolower((unsigned char)load->word[1][0]) != 'p') {
    return false;
  }
  return has_unit(library, "time_unit", "1ns") && has_unit(library, "voltage_unit", "1V") &&
         has_unit(library, "leakage_power_unit", "1nW");
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

// A name that two cells have; NULL: there is none.
static const char *repeated(const liberty_t *library, const char **names) {
  for (size_t i = 0; i < library->cells; ++i) {
    names[i] = library->cell[i].name;
  }
  qsort(names, library->cells, sizeof *names, by_name);
  for (size_t i = 1; i < library->cells; ++i) {
    if (strcmp(names[i - 1], names[i]) == 0) {
      return names[i];
    }
  }
  return NULL;
}

static bool check_names(const char *path, const liberty_t *library, base_error_t *error) {
  const char **names = calloc(library->cells + 1, sizeof *names);
  const char *twice = names == NULL ? NULL : repeated(library, names);
  const bool good = names == NULL   ? base_fail(error, "%s: out of memory", path)
                    : twice != NULL ? base_fail(error, "%s: cell %s: given twice", path, twice)
                                    : library->cells > 0 || base_fail(error, "%s: no cells", path);
  free(names);
  return good;
}

static bool read_library(const char *path, const lib_node_t *node, liberty_t *library, base_error_t *error) {
  reader_t r = {.library = node};
  const char *voltage = lib_node_word(node, "nom_voltage");
  if (!check_units(node) || voltage == NULL || !parse_real(voltage, &library->voltage) ||
      !(library->voltage > 0 && library->voltage <= LARGEST)) {
    return base_fail(error, "%s: needs units of 1ns, 1V, 1nW, 1pf, and nom_voltage", path);
  }
  size_t room = 0;
  const lib_node_t *cell = NULL;
  while ((cell = lib_node_child(node, "cell", cell)) != NULL) {
    if (library->cells == room) {
      room = 2 * room + 16;
      lib_cell_t *list = realloc(library->cell, room * sizeof *list);
      if (list == NULL) {
        return base_fail(error, "%s: out of memory", path);
      }
      library->cell = list;
    }
    if (!read_cell(&r, cell, &library->cell[library->cells++])) {
      return base_fail(error, "%s: cell %s: %s: expected %s", path, cell->words > 0 ? cell->word[0] : "?", r.about,
                       r.expected);
    }
  }
  return check_names(path, library, error);
}

// Without its zero. NULL: error says why.
static char *read_all(gzFile file, const char *path, size_t *size, base_error_t *error) {
  size_t room = 1 << 16;
  char *text = malloc(room + 1);
  int got = 0;
  *size = 0;
  while (text != NULL && (got = gzread(file, text + *size, (unsigned)(room - *size))) > 0) {
    *size += (size_t)got;
    if (*size == room) {
      char *larger = room < TEXT_BYTES_MAX ? realloc(text, 2 * room + 1) : NULL;
      if (larger == NULL) {
        break;
      }
      room *= 2;
      text = larger;
    }
  }
  if (text != NULL && got == 0) {
    return text;
  }
  if (text != NULL && got < 0) {
    base_fail(error, "cannot read %s", path);
  } else {
    base_fail(error, "%s: expected at most %d MB of text, and as much memory", path, TEXT_BYTES_MAX >> 20);
  }
  free(text);
  return NULL;
}

static char *read_text(const char *path, base_error_t *error) {
  size_t size;
  gzFile file = gzopen(path, "rb");
  char *text = file == NULL ? NULL : read_all(file, path, &size, error);
  if (file == NULL) {
    base_fail(error, "cannot read %s", path);
  } else if (gzclose(file) != Z_OK && text != NULL) {
    base_fail(error, "cannot read %s: its compressed text is cut", path);
  } else if (text != NULL && memchr(text, '\0', size) != NULL) {
    base_fail(error, "%s: expected Liberty text, got bytes of 0", path);
  } else if (text != NULL) {
    text[size] = '\0';
    return text;
  }
  free(text);
  return NULL;
}

bool liberty_read(const char *path, liberty_t *library, base_error_t *error) {
  lib_text_t tree;
  *library = (liberty_t){.cells = 0};
  char *text = read_text(path, error);
  if (text == NULL) {
    return false;
  }
  bool good = lib_text_parse(text, path, &tree, error);
  free(text);
  if (!good) {
    return false;
  }
  const lib_node_t *node = lib_node_child(&tree.root, "library", NULL);
  good = node == NULL ? base_fail(error, "%s: no library", path) : read_library(path, node, library, error);
  lib_text_free(&tree);
  if (!good) {
    liberty_free(library);
  }
  return good;
}

static void free_pin(lib_pin_t *pin) {
  for (size_t i = 0; i < pin->arcs; ++i) {
    for (size_t edge = 0; edge < LIB_EDGES; ++edge) {
      free_table(&pin->arc[i].delay[edge]);
      free_table(&pin->arc[i].transition[edge]);
    }
  }
  for (size_t i = 0; i < pin->powers; ++i) {
    for (size_t edge = 0; edge < LIB_EDGES; ++edge) {
      free_table(&pin->power[i].energy[edge]);
    }
  }
  free(pin->arc);
  free(pin->power);
  free(pin->name);
}

void liberty_free(liberty_t *library) {
  for (size_t i = 0; i < library->cells; ++i) {
    lib_cell_t *cell = &library->cell[i];
    for (size_t j = 0; j < cell->pins; ++j) {
      free_pin(&cell->pin[j]);
    }
    free(cell->pin);
    free(cell->name);
  }
  free(library->cell);
  *library = (liberty_t){.cells = 0};
}

const lib_cell_t *liberty_cell(const liberty_t *library, const char *name) {
  for (size_t i = 0; i < library->cells; ++i) {
    if (strcmp(library->cell[i].name, name) == 0) {
      return &library->cell[i];
    }
  }
  return NULL;
}

static bool is_buffer(const lib_cell_t *cell) {
  if (cell->pins != 2 || cell->is_flop) {
    return false;
  }
  const size_t in = cell->pin[0].kind == LIB_INPUT ? 0 : 1;
  const lib_pin_t *out = &cell->pin[1 - in];
  return cell->pin[in].kind == LIB_INPUT && out->kind == LIB_COMBINATIONAL && out->function.inputs == 1 &&
         (out->function.table & 3) == 2;
}

const lib_cell_t *liberty_buffer(const liberty_t *library) {
  static const char *const known[] = {"BUFX4", "sky130_fd_sc_hd__buf_4"};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    const lib_cell_t *cell = liberty_cell(library, known[i]);
    if (cell != NULL && is_buffer(cell)) {
      return cell;
    }
  }
  const lib_cell_t *largest = NULL;
  for (size_t i = 0; i < library->cells; ++i) {
    const lib_cell_t *cell = &library->cell[i];
    if (is_buffer(cell) && (largest == NULL || cell->area > largest->area)) {
      largest = cell;
    }
  }
  return largest;
}
