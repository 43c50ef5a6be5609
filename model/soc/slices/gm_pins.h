// The pins of gm_atomic, of whatever it is Verilated in.  It is driven directly, cycle by cycle: no
// sc_signal and no sc_clock stand between, which would cost more than the unit itself.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_GM_PINS_H
#define SOC_GM_PINS_H

#include <cstring>
#include <string>

#include "soc/slices/gm_unit.h"
#include "waves/verilated_end.h"

namespace soc {

// interface: gm_unit, or what derives from it; verilated: the class that Verilator made.
template <typename interface, typename verilated>
class gm_pins : public interface {
 public:
  explicit gm_pins(const std::string &name) : rtl_(name.c_str()) {}
  ~gm_pins() override { verilated_end(rtl_); }

  gm_status status() const override {
    return {rtl_.guard_zero_o != 0, rtl_.guard_special_o != 0, rtl_.guard_underflow_o != 0,
            rtl_.guard_overflow_o != 0, rtl_.cnt_guards_o};
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

  mutable verilated rtl_;
};

}  // namespace soc

#endif
