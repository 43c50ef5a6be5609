// C view of the Verilated gm_atomic: pins as plain integers, the clock in two halves.
//
// A cycle: gm_dut_settle() with this cycle's inputs, look at the outputs, gm_dut_edge().
// Compiled once for each build of the unit (LANES, ALU_STAGES, TYPES), see CMakeLists.txt.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_TB_GM_GM_ATOMIC_SHIM_H
#define AMALGAM_TB_GM_GM_ATOMIC_SHIM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/gm_atomic.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gm_dut gm_dut_t;

// Arrays have GM_LANES words; those beyond the unit's lanes are not used.
typedef struct {
  bool rst_n, clear;
  bool req_valid;
  gm_request_t req;
  bool rsp_ready;
  uint32_t mem_rdata[GM_LANES];
} gm_dut_in_t;

typedef struct {
  bool req_ready;
  bool rsp_valid;
  uint32_t rsp_tag;
  bool mem_re;
  uint32_t mem_raddr;
  bool mem_we;
  uint32_t mem_waddr, mem_wmask;
  uint32_t mem_wdata[GM_LANES];
  uint32_t guards;  // NUM_GM_GUARD_*
  uint32_t cnt_beats, cnt_guards, cnt_stalls;
} gm_dut_out_t;

// A unit with random values in all registers, clock low.  The caller owns it.
gm_dut_t *gm_dut_new(uint32_t seed);
void gm_dut_delete(gm_dut_t *dut);

uint32_t gm_dut_lanes(void);
uint32_t gm_dut_stages(void);  // of its ALU
bool gm_dut_types(void);       // has it operations of all types?

// Drives the inputs with the clock low and samples the outputs.
void gm_dut_settle(gm_dut_t *dut, const gm_dut_in_t *in, gm_dut_out_t *out);

// The rising edge, inputs as last driven.
void gm_dut_edge(gm_dut_t *dut);

#ifdef __cplusplus
}
#endif

#endif  // AMALGAM_TB_GM_GM_ATOMIC_SHIM_H
