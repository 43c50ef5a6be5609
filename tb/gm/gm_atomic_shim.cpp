// SPDX-License-Identifier: Apache-2.0
#include "gm_atomic_shim.h"

#include GM_DUT_HEADER
#include "waves/verilated_end.h"

// GM_DUT_HEADER, GM_DUT_CLASS, GM_DUT_LANES, GM_DUT_STAGES and GM_DUT_TYPES come from CMakeLists.txt, one set for each
// build.
struct gm_dut {
  GM_DUT_CLASS rtl;
};

static const uint32_t LANES = GM_DUT_LANES;

extern "C" gm_dut_t *gm_dut_new(uint32_t seed) {
  Verilated::randReset(2);
  Verilated::randSeed(static_cast<int>(seed));
  gm_dut_t *dut = new gm_dut;
  dut->rtl.clk_i = 0;
  dut->rtl.rst_ni = 1;
  dut->rtl.eval();
  return dut;
}

extern "C" void gm_dut_delete(gm_dut_t *dut) {
  verilated_end(dut->rtl);
  delete dut;
}

extern "C" uint32_t gm_dut_lanes(void) { return LANES; }

extern "C" uint32_t gm_dut_stages(void) { return GM_DUT_STAGES; }

extern "C" bool gm_dut_types(void) { return GM_DUT_TYPES != 0; }

static void drive(GM_DUT_CLASS *rtl, const gm_dut_in_t *in) {
  rtl->rst_ni = in->rst_n;
  rtl->clear_i = in->clear;
  rtl->req_valid_i = in->req_valid;
  rtl->req_op_i = static_cast<CData>(in->req.op & (GM_DUT_TYPES != 0 ? 31u : 7u));
  rtl->req_addr_i = in->req.addr & ((1u << GM_ADDR_W) - 1u);
  rtl->req_mask_i = static_cast<SData>(in->req.mask & ((1u << LANES) - 1u));
  rtl->req_len_i = static_cast<SData>(in->req.len & ((1u << GM_LEN_W) - 1u));
  rtl->req_tag_i = static_cast<CData>(in->req.tag & ((1u << GM_TAG_W) - 1u));
  rtl->rsp_ready_i = in->rsp_ready;
  for (uint32_t i = 0; i < LANES; ++i) {
    rtl->req_data_i[i] = in->req.data[i];
    rtl->mem_rdata_i[i] = in->mem_rdata[i];
  }
}

static void sample(GM_DUT_CLASS *rtl, gm_dut_out_t *out) {
  out->req_ready = rtl->req_ready_o;
  out->rsp_valid = rtl->rsp_valid_o;
  out->rsp_tag = rtl->rsp_tag_o;
  out->mem_re = rtl->mem_re_o;
  out->mem_raddr = rtl->mem_raddr_o;
  out->mem_we = rtl->mem_we_o;
  out->mem_waddr = rtl->mem_waddr_o;
  out->mem_wmask = rtl->mem_wmask_o;
  for (uint32_t i = 0; i < LANES; ++i) {
    out->mem_wdata[i] = rtl->mem_wdata_o[i];
  }
  out->guards = (rtl->guard_zero_o ? NUM_GM_GUARD_ZERO : 0u) | (rtl->guard_special_o ? NUM_GM_GUARD_SPECIAL : 0u) |
                (rtl->guard_underflow_o ? NUM_GM_GUARD_UNDERFLOW : 0u) |
                (rtl->guard_overflow_o ? NUM_GM_GUARD_OVERFLOW : 0u);
  out->cnt_beats = rtl->cnt_beats_o;
  out->cnt_guards = rtl->cnt_guards_o;
  out->cnt_stalls = rtl->cnt_stalls_o;
}

extern "C" void gm_dut_settle(gm_dut_t *dut, const gm_dut_in_t *in, gm_dut_out_t *out) {
  dut->rtl.clk_i = 0;
  drive(&dut->rtl, in);
  dut->rtl.eval();
  sample(&dut->rtl, out);
}

extern "C" void gm_dut_edge(gm_dut_t *dut) {
  dut->rtl.clk_i = 1;
  dut->rtl.eval();
}
