// The Verilated gm_atomic as a gm_unit.  It is driven directly, cycle by cycle, from the slice's
// process: no sc_signal and no sc_clock stand between, which would cost more than the unit itself.
//
// It is Verilated twice, so that runs without waveforms do not pay for them: alone, with waveforms, and
// inside gm_slice_memory.sv, without.
// SPDX-License-Identifier: Apache-2.0
#include <climits>
#include <cstring>

#include "Vgm_atomic_traced.h"
#include "Vgm_slice_memory.h"
#include "Vgm_slice_memory__Dpi.h"
#include "soc/slices/gm_slice.h"
#include "waves/verilated_waves.h"

namespace soc {
namespace {

template <typename verilated>
class gm_unit_rtl : public gm_unit {
 public:
  explicit gm_unit_rtl(const std::string &name) : rtl_(name.c_str()) {}
  ~gm_unit_rtl() override { rtl_.final(); }

  gm_status status() const override {
    return {rtl_.guard_zero_o != 0, rtl_.guard_special_o != 0, rtl_.guard_underflow_o != 0,
            rtl_.guard_overflow_o != 0, rtl_.cnt_guards_o};
  }

 protected:
  void reset() {
    rtl_.clear_i = 0;
    rtl_.req_valid_i = 0;
    rtl_.rsp_ready_i = 1;
    rtl_.rst_ni = 1;
    clock(0);
    rtl_.rst_ni = 0;   // an edge: the reset is asynchronous
    rtl_.eval();
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

class gm_unit_fast : public gm_unit_rtl<Vgm_slice_memory> {
 public:
  gm_unit_fast(const std::string &name, uint8_t *memory) : gm_unit_rtl(name) {
    rtl_.memory_i = reinterpret_cast<uint64_t>(memory);
    reset();
  }

  bool tick(const gm_request_t *request, bool &answered) override {
    drive(request);
    clock(0);
    const bool taken = request != nullptr && rtl_.req_ready_o;
    answered = rtl_.rsp_valid_o;
    clock(1);
    return taken;
  }
};

class gm_unit_traced : public gm_unit_rtl<Vgm_atomic_traced> {
 public:
  gm_unit_traced(const std::string &name, uint8_t *memory, waves &trace)
      : gm_unit_rtl(name), memory_(reinterpret_cast<uint64_t>(memory)), waves_(trace) {
    rtl_.trace(&changes_, 99);
    changes_.connect(waves_.port(), UINT_MAX);
    waves_.add_unit([this] { changes_.record(true, false); });
    reset();
  }

  bool tick(const gm_request_t *request, bool &answered) override {
    drive(request);
    clock(0);
    if (waves_.unit_at(now())) {
      changes_.record(false, true);
    }
    const bool taken = request != nullptr && rtl_.req_ready_o;
    answered = rtl_.rsp_valid_o;
    // The memory port: the read sees what was there before this cycle's write.
    uint32_t read[GM_LANES];
    const bool reads = rtl_.mem_re_o;
    if (reads) {
      gm_read(memory_, rtl_.mem_raddr_o, read);
    }
    if (rtl_.mem_we_o) {
      const svBitVecVal mask = rtl_.mem_wmask_o;
      gm_write(memory_, rtl_.mem_waddr_o, &mask, &rtl_.mem_wdata_o[0]);
    }
    clock(1);
    if (reads) {
      std::memcpy(&rtl_.mem_rdata_i[0], read, sizeof read);
    }
    return taken;
  }

 private:
  VerilatedFstC changes_;
  uint64_t memory_;   // address of its first byte
  waves &waves_;
};

}  // namespace

std::unique_ptr<gm_unit> make_gm_unit_rtl(const std::string &name, uint8_t *memory, waves *trace) {
  if (trace != nullptr) {
    Verilated::traceEverOn(true);
    return std::make_unique<gm_unit_traced>(name, memory, *trace);
  }
  return std::make_unique<gm_unit_fast>(name, memory);
}

}  // namespace soc
