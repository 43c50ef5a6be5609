// The area of a whole engine, rolled up from units that are synthesised one by one. Areas are um2 in the
// library's node.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SILICON_SYNTH_AREA_H
#define AMALGAM_SILICON_SYNTH_AREA_H

#include "silicon/synth/make.h"

typedef enum synth_design {
  SYNTH_HFA,
  SYNTH_FA2,
  SYNTH_HFA_CORRECTED,
  SYNTH_FA2_ONEMUL,
  SYNTH_EXPMUL,
  SYNTH_DESIGNS
} synth_design_t;

typedef enum synth_block {
  SYNTH_DOT,          // dot products
  SYNTH_DIFFERENCES,  // running maximum, difference and its factor: quantiser, exponential or power, of the FAUs
  SYNTH_LANES,        // of the FAUs
  SYNTH_ACC,          // merges, as a whole
  SYNTH_DIVISION,     // LogDiv or divider, as a whole
  SYNTH_CONTROL,      // the rest: flags, operand and triplet registers, control
  SYNTH_BLOCKS
} synth_block_t;

extern const char *const synth_design_name[SYNTH_DESIGNS];  // as on the command line
extern const char *const synth_block_name[SYNTH_BLOCKS];    // "dot product"

// Parameters of the RTL's modules: rtl/attention/README.md, "Arithmetics".
size_t synth_arithmetic(synth_design_t design);
size_t synth_variant(synth_design_t design);

typedef struct synth_shape {
  synth_design_t design;
  size_t d, blocks, queries, rows;
} synth_shape_t;

typedef struct synth_area {
  double block[SYNTH_BLOCKS];
  double datapath_um2;  // their sum
  double sram_bits;
  double sram_um2;  // by the proxy
  double delay_ps;  // of the slowest unit, without registers' own times
  bool closes;      // every unit the clock
} synth_area_t;

// um2 of a bit of memory: 0.194 at 28 nm, from table IV of the H-FA paper (1.14 and 3.34 mm2 for one
// and four queries over the same 1024 keys and values of 64 numbers), times the square of the nodes.
double synth_bit_um2(double node_nm);

// um2 at 28 nm, by the square of the nodes.
double synth_at_28(const synth_flow_t *flow, double um2);

// Its units are synthesised one after the other, unless synth_make has done it.
bool synth_area(const synth_flow_t *flow, const synth_shape_t *shape, synth_area_t *area, base_error_t *error);

// Its units, at the flow's clock, unless its area is known: for synth_make.
void synth_want_design(synth_wants_t *wants, const synth_flow_t *flow, const synth_shape_t *shape);

#endif
