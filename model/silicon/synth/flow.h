// Area, timing and netlists of single units of the RTL in a standard-cell library, by the scripts of synth/.
// Results are kept in places_synth() (host/places.h), by content.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SILICON_SYNTH_FLOW_H
#define AMALGAM_SILICON_SYNTH_FLOW_H

#include <cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { SYNTH_PATH_BYTES = 4096, SYNTH_UNIT_BYTES = 64, SYNTH_PARAMS_BYTES = 256 };
#define SYNTH_LIBRARY "/usr/share/qflow/tech/osu018/osu018_stdcells.lib"

typedef struct synth_settings {
  const char *liberty;  // NULL: SYNTH_LIBRARY
  unsigned clock_fo4;   // the period to close
  size_t node;          // nm, 0: as the library is known for
  bool wires;           // timing of tops: with estimated wires, and the constraints' clock
  bool quiet;
} synth_settings_t;

typedef struct synth_flow {
  const char *liberty;
  unsigned clock_fo4;
  bool wires, quiet;
  const char *results;  // folder
  char key[16];         // of all that results depend on
  // The library
  char name[64];
  double node_nm, fo4_ps, nand2_um2;
} synth_flow_t;

// Reads the library. False: error, also if results cannot be kept where they are to be (the tools take few
// characters in a path).
bool synth_open(const synth_settings_t *settings, synth_flow_t *flow, base_error_t *error);

// Runs synth/NAME.sh with arguments (ended by NULL). The answer is the last line of its output, on
// failure what went wrong; all lines of it, if `all`.
bool synth_script(const char *name, const char *const arguments[], bool all, char *answer, size_t size,
                  base_error_t *error);

// area.json of a unit, to be deleted. params: "D=32 LNS=0". folder may be NULL. Says on stderr when it is
// synthesised.
cJSON *synth_unit(const synth_flow_t *flow, const char *unit, const char *params, bool boxes,
                  char folder[SYNTH_PATH_BYTES], base_error_t *error);

// The params of an object of area.json: "D=32 LNS=0" of {"D": 32, "LNS": 0}.
void synth_params(const cJSON *params, char text[SYNTH_PARAMS_BYTES]);

// The timing of a unit's netlist, from synth/timing.sh; to be deleted.
cJSON *synth_timing(const synth_flow_t *flow, const char *folder, base_error_t *error);

// The timing of a whole top, from synth/top.sh, with units mapped to the flow's clock; to be deleted. params: as in
// synth_unit.
cJSON *synth_top(const synth_flow_t *flow, const char *top, const char *params, base_error_t *error);

// The folder with netlist.json of a unit and all that is inside it, made if it is not there. unit: its name and
// parameters, "fau_lane ARITHMETIC=0 VARIANT=0". key: of a flow; NULL: look at what it depends on every time.
bool synth_netlist(const char *liberty, size_t clock_fo4, const char *key, const char *unit,
                   char folder[SYNTH_PATH_BYTES], base_error_t *error);

#endif
