// A library of standard cells, as far as function, load, delay and energy need it, from Liberty
// text.
//
// Units here: capacitance pF, time ns, energy pJ, leakage nW, voltage V, area as in the library;
// libraries in other units are refused.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SILICON_GATES_LIBERTY_H
#define AMALGAM_SILICON_GATES_LIBERTY_H

#include "silicon/gates/boolean.h"
#include "silicon/gates/liberty_text.h"

// Value over input transition (axis 0) and load (axis 1).
typedef struct lib_table {
  size_t points[2];  // 1: the axis does not matter; 0: there is no table
  double *index[2];
  double *value;  // [points[0]][points[1]]
} lib_table_t;

// Linear between the points and, with the slope of the nearest two, beyond them. 0 without a table.
double lib_table_at(const lib_table_t *table, double transition, double load);

typedef enum lib_edge { LIB_RISE, LIB_FALL, LIB_EDGES } lib_edge_t;

typedef enum lib_sense { LIB_POSITIVE, LIB_NEGATIVE, LIB_NON_UNATE } lib_sense_t;

enum { LIB_PINS_MAX = 32, LIB_NO_PIN = LIB_PINS_MAX };

// The arc from pin `from` to an output: combinational, or a flip-flop's clock.
typedef struct lib_arc {
  size_t from;
  lib_sense_t sense;
  lib_table_t delay[LIB_EDGES], transition[LIB_EDGES];  // by the output's edge
} lib_arc_t;

// Energy inside the cell when a pin rises or falls: an output because of pin `from`; an input
// (from: LIB_NO_PIN) on its own.  Conditions (`when`) are not kept: of n alternatives for the same
// pins each has weight 1 / n.
typedef struct lib_power {
  size_t from;
  double weight;
  lib_table_t energy[LIB_EDGES];
} lib_power_t;

// Bit i of table: the value when input[j] has bit j of i.
typedef struct lib_function {
  size_t inputs;
  size_t input[BOOLEAN_INPUTS_MAX];  // pins of the cell
  uint64_t table;
} lib_function_t;

typedef enum lib_kind {
  LIB_INPUT,
  LIB_COMBINATIONAL,  // output with a function
  LIB_STATE,          // output that is a flip-flop's state
  LIB_STATE_INVERTED,
  LIB_UNKNOWN,  // output without a function that is known here: latch, three-state, ...
} lib_kind_t;

typedef struct lib_pin {
  char *name;
  lib_kind_t kind;
  double capacitance;
  lib_function_t function;
  lib_arc_t *arc;
  size_t arcs;
  lib_power_t *power;
  size_t powers;
} lib_pin_t;

typedef struct lib_cell {
  char *name;
  double area, leakage;
  lib_pin_t *pin;
  size_t pins;
  bool is_flop;  // loaded with next when clock rises
  size_t clock;
  lib_function_t next, clear, preset;  // without inputs and table 0: never cleared, preset
} lib_cell_t;

typedef struct liberty {
  double voltage;
  lib_cell_t *cell;
  size_t cells;
} liberty_t;

// Plain text, or compressed by gzip. False: nothing to free.
bool liberty_read(const char *path, liberty_t *library, base_error_t *error);
void liberty_free(liberty_t *library);

// NULL: there is none.
const lib_cell_t *liberty_cell(const liberty_t *library, const char *name);

// The buffer to drive many inputs with: the first one known here by name, else the largest cell
// with one input and one output of the same value. NULL: there is none.
const lib_cell_t *liberty_buffer(const liberty_t *library);

// LIB_NO_PIN: there is none.
size_t lib_cell_pin(const lib_cell_t *cell, const char *name);

#endif
