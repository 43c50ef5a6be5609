// The Verilated gm_atomic as a gm_unit.  It is driven directly, cycle by cycle, from the slice's
// process: no sc_signal and no sc_clock stand between, which would cost more than the unit itself.
//
// It is Verilated twice, with and without waveforms, so that runs without them do not pay.
// SPDX-License-Identifier: Apache-2.0
#include <climits>
#include <cstring>
#include <type_traits>

#include "Vgm_atomic_soc.h"
#include "Vgm_atomic_traced.h"
#include "soc/gm_slice.h"
#include "waves/verilated_waves.h"

namespace soc {
namespace {

template <typename verilated, bool traced>
class gm_unit_rtl : public gm_unit {
 public:
  gm_unit_rtl(const std::string &name, uint8_t *memory, waves *trace)
      : rtl_(name.c_str()), memory_(memory), waves_(trace) {
    if constexpr (traced) {
      rtl_.trace(&changes_, 99);
      changes_.connect(waves_->port(), UINT_MAX);
      waves_->add_unit([this] { changes_.record(true, false); });
    }
    rtl_.clear_i = 0;
    rtl_.req_valid_i = 0;
    rtl_.rsp_ready_i = 1;
    rtl_.clk_i = 0;
    rtl_.rst_ni = 1;
    rtl_.eval();
    rtl_.rst_ni = 0;   // an edge: the reset is asynchronous
    rtl_.eval();
    rtl_.clk_i = 1;
    rtl_.eval();
    rtl_.clk_i = 0;
    rtl_.rst_ni = 1;
    rtl_.eval();
  }
  ~gm_unit_rtl() override { rtl_.final(); }

  bool tick(const gm_request_t *request, bool &answered) override {
    drive(request);
    rtl_.clk_i = 0;
    rtl_.eval();
    if constexpr (traced) {
      if (waves_->unit_at(now())) {
        changes_.record(false, true);
      }
    }
    const bool taken = request != nullptr && rtl_.req_ready_o;
    answered = rtl_.rsp_valid_o;
    // The memory port: the read sees what was there before this cycle's write.
    uint32_t read[GM_LANES];
    const bool reads = rtl_.mem_re_o;
    if (reads) {
      std::memcpy(read, beat(rtl_.mem_raddr_o), sizeof read);
    }
    if (rtl_.mem_we_o) {
      write();
    }
    rtl_.clk_i = 1;
    rtl_.eval();
    if (reads) {
      std::memcpy(&rtl_.mem_rdata_i[0], read, sizeof read);
    }
    return taken;
  }

  gm_status status() const override {
    return {rtl_.guard_zero_o != 0, rtl_.guard_special_o != 0, rtl_.guard_underflow_o != 0,
            rtl_.guard_overflow_o != 0, rtl_.cnt_guards_o};
  }

 private:
  // cppcheck-suppress CastIntegerToAddressAtReturn ; it is a pointer that is added to
  uint8_t *beat(uint32_t address) { return memory_ + uint64_t{address} * GM_LANES * 4; }

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

  void write() {
    uint8_t *target = beat(rtl_.mem_waddr_o);
    for (unsigned lane = 0; lane < GM_LANES; ++lane) {
      if ((rtl_.mem_wmask_o >> lane) & 1u) {
        const uint32_t word = rtl_.mem_wdata_o[lane];
        std::memcpy(target + lane * 4, &word, 4);
      }
    }
  }

  struct nothing {};
  mutable verilated rtl_;
  std::conditional_t<traced, VerilatedFstC, nothing> changes_;
  uint8_t *memory_;
  waves *waves_;
};

}  // namespace

std::unique_ptr<gm_unit> make_gm_unit_rtl(const std::string &name, uint8_t *memory, waves *trace) {
  if (trace != nullptr) {
    Verilated::traceEverOn(true);
    return std::make_unique<gm_unit_rtl<Vgm_atomic_traced, true>>(name, memory, trace);
  }
  return std::make_unique<gm_unit_rtl<Vgm_atomic_soc, false>>(name, memory, nullptr);
}

}  // namespace soc
