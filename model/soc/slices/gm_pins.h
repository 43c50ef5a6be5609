// The pins of gm_atomic and the memory behind them, whatever it was Verilated with.  It is driven directly, cycle by
// cycle: no sc_signal and no sc_clock stand between, which would cost more than the unit itself.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_SLICES_GM_PINS_H
#define AMALGAM_SOC_SLICES_GM_PINS_H

#include <cstring>
#include <string>

#include "soc/slices/gm_memory.h"
#include "soc/slices/gm_unit.h"
#include "waves/verilated_end.h"

namespace soc {

// A slice is evaluated where it is. Verilator would start threads, before its first model, that nothing is ever given
// to.
struct gm_context : VerilatedContext {
  gm_context() { threads(1); }
};

// interface: gm_unit, or what derives from it; verilated: the class that Verilator made.
template <typename interface, typename verilated>
class gm_pins : public interface {
 public:
  // memory: of which each beat is GM_LANES words
  gm_pins(const std::string &name, uint8_t *memory) : rtl_(&context_, name.c_str()), memory_(memory) {}
  ~gm_pins() override { verilated_end(rtl_); }

  gm_status status() const override {
    return {rtl_.guard_zero_o != 0, rtl_.guard_special_o != 0, rtl_.guard_underflow_o != 0, rtl_.guard_overflow_o != 0,
            rtl_.cnt_guards_o};
  }

 protected:
  void reset() {
    rtl_.clear_i = 0;
    rtl_.req_valid_i = 0;
    rtl_.rsp_ready_i = 1;
    rtl_.rst_ni = 0;
    clock(0);
    clock(1);
    rtl_.rst_ni = 1;
    clock(0);
  }

  // Up to the clock's rising edge, and this.
  void settle_pins(const gm_request_t *request) {
    drive(request);
    clock(0);
  }

  bool edge_pins(const gm_request_t *request, bool &answered) {
    const bool taken = request != nullptr && rtl_.req_ready_o;
    answered = rtl_.rsp_valid_o;
    // The read sees what was there before this cycle's write, and the unit in the next cycle.
    const bool reads = rtl_.mem_re_o;
    uint32_t read[GM_LANES];
    if (reads) {
      read_beat(memory_, rtl_.mem_raddr_o, read);
    }
    if (rtl_.mem_we_o) {
      write_beat(memory_, rtl_.mem_waddr_o, rtl_.mem_wmask_o, &rtl_.mem_wdata_o[0]);
    }
    clock(1);
    if (reads) {
      std::memcpy(&rtl_.mem_rdata_i[0], read, sizeof read);
    }
    return taken;
  }

  gm_context context_;  // of its own: waveforms are those of all models of a context
  mutable verilated rtl_;

 private:
  void clock(uint8_t level) {
    rtl_.clk_i = level;
    rtl_.eval();
  }

  void drive(const gm_request_t *request) {
    rtl_.req_valid_i = request != nullptr;
    if (request != nullptr) {
      rtl_.req_op_i = static_cast<uint8_t>(request->op);
      rtl_.req_addr_i = request->addr;
      rtl_.req_len_i = static_cast<uint16_t>(request->len);
      rtl_.req_mask_i = static_cast<uint16_t>(request->mask);
      rtl_.req_tag_i = static_cast<uint8_t>(request->tag);
      std::memcpy(&rtl_.req_data_i[0], request->data, sizeof request->data);
    }
  }

  uint8_t *memory_;
};

}  // namespace soc

#endif
