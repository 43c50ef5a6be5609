// The command `synth`: area and timing of the RTL in a standard-cell library, by the scripts of synth/.
//
//   synth.c           the command: options, text, JSON
//   synth_script.c    runs the scripts
//   synth_make.c      units side by side, as many as there are processors
//   synth_area.c      the area of a whole design, rolled up from units that are synthesised one by one
//
// Areas are um2 in the library's node. All results are kept in build/synth, or in $AMALGAM_SYNTH, by content.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLI_SYNTH_H
#define CLI_SYNTH_H

#include <cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

// argv[0] is "synth".  Returns the exit code.
int synth(int argc, char **argv);

// --- the flow ---------------------------------------------------------------------------------

enum { SYNTH_PATH_BYTES = 1024, SYNTH_UNIT_BYTES = 64, SYNTH_PARAMS_BYTES = 256 };
#define SYNTH_LIBRARY "/usr/share/qflow/tech/osu018/osu018_stdcells.lib"

typedef struct synth_flow {
  const char *liberty;
  unsigned clock_fo4;              // the period to close
  bool quiet;
  char results[SYNTH_PATH_BYTES];  // folder
  char key[16];                    // of all that results depend on
  // The library
  char name[64];
  double node_nm, fo4_ps, nand2_um2;
} synth_flow_t;

typedef struct synth_settings {
  const char *liberty;             // NULL: SYNTH_LIBRARY
  size_t node;                     // nm, 0: as the library is known for
  unsigned clock_fo4;
  bool quiet;
} synth_settings_t;

// Reads the library.
bool synth_open(const synth_settings_t *settings, synth_flow_t *flow, base_error_t *error);

// Runs synth/NAME.sh with arguments (ended by NULL). The answer is the last line of its output, on
// failure what went wrong; all lines of it, if `all`.
bool synth_script(const char *name, const char *const arguments[], bool all, char *answer,
                  size_t size, base_error_t *error);

// area.json of a unit, to be deleted. params: "D=32 LNS=0". folder may be NULL. Says on stderr when it is
// synthesised.
cJSON *synth_unit(const synth_flow_t *flow, const char *unit, const char *params, bool boxes,
                  char folder[SYNTH_PATH_BYTES], base_error_t *error);

// The params of an object of area.json: "D=32 LNS=0" of {"D": 32, "LNS": 0}.
void synth_params(const cJSON *params, char text[SYNTH_PARAMS_BYTES]);

// What synth/timing.sh says of a unit's netlist, to be deleted.
cJSON *synth_timing(const synth_flow_t *flow, const char *folder, base_error_t *error);

// --- a whole design ---------------------------------------------------------------------------

typedef enum synth_design {
  SYNTH_HFA, SYNTH_FA2, SYNTH_HFA_CORRECTED, SYNTH_FA2_ONEMUL, SYNTH_DESIGNS
} synth_design_t;

typedef enum synth_block {
  SYNTH_DOT,               // dot products
  SYNTH_DIFFERENCES,       // running maximum, difference, quantiser or exponential of the FAUs
  SYNTH_LANES,             // of the FAUs
  SYNTH_ACC,               // merges, as a whole
  SYNTH_DIVISION,          // LogDiv or divider, as a whole
  SYNTH_CONTROL,           // the rest: flags, operand and triplet registers, control
  SYNTH_BLOCKS
} synth_block_t;

extern const char *const synth_design_name[SYNTH_DESIGNS];   // as on the command line
extern const char *const synth_block_name[SYNTH_BLOCKS];     // "dot product"

typedef struct synth_shape {
  synth_design_t design;
  size_t d, blocks, queries, rows;
} synth_shape_t;

typedef struct synth_area {
  double block[SYNTH_BLOCKS];
  double datapath_um2;     // their sum
  double sram_bits;
  double sram_um2;         // by the proxy
  double delay_ps;         // of the slowest unit, without registers' own times
  bool closes;             // every unit the clock
} synth_area_t;

// um2 of a bit of memory: 0.194 at 28 nm, from table IV of the H-FA paper (1.14 and 3.34 mm2 for one
// and four queries over the same 1024 keys and values of 64 numbers), times the square of the nodes.
double synth_bit_um2(double node_nm);

// um2 at 28 nm, by the square of the nodes.
double synth_at_28(const synth_flow_t *flow, double um2);

// Its units are synthesised one after the other, unless synth_make has done it.
bool synth_area(const synth_flow_t *flow, const synth_shape_t *shape, synth_area_t *area,
                base_error_t *error);

// --- side by side -----------------------------------------------------------------------------

enum { SYNTH_WANTS_MAX = 512 };

// A unit that will be asked for.
typedef struct synth_want {
  char unit[SYNTH_UNIT_BYTES], params[SYNTH_PARAMS_BYTES];
  unsigned clock_fo4;
  bool boxes;              // for a roll-up: with all that is inside it
  bool timing;
} synth_want_t;

typedef struct synth_wants {
  synth_want_t list[SYNTH_WANTS_MAX];
  size_t count;
} synth_wants_t;

// Unless it is there; of a full list nothing is added, and it will be synthesised when it is asked for.
void synth_want(synth_wants_t *wants, const synth_want_t *want);

// The units of a whole design at the flow's clock, unless its area is known.
void synth_want_design(synth_wants_t *wants, const synth_flow_t *flow, const synth_shape_t *shape);

// Synthesises all of them, as many at a time as there are processors, in the list's order, and what is
// found inside them; then synth_unit, synth_timing and synth_area only read. The list grows.
bool synth_make(const synth_flow_t *flow, synth_wants_t *wants, base_error_t *error);

#endif
