// gm_atomic alone, Verilated with waveforms: a shared library that engine/build_unit.sh builds.
// SPDX-License-Identifier: Apache-2.0
#include <climits>
#include <memory>

#include "Vunit.h"
#include "soc/slices/gm_memory.h"
#include "soc/slices/gm_pins.h"

namespace soc {
namespace {

class traced_unit : public gm_pins<gm_traced_unit, Vunit> {
 public:
  traced_unit(const char *name, uint8_t *memory, const waves_port_t *port)
      : gm_pins(name), memory_(memory) {
    rtl_.trace(&changes_, 99);
    changes_.connect(*port, UINT_MAX);
    reset();
  }

  void settle(const gm_request_t *request) override {
    drive(request);
    clock(0);
  }

  void write(bool all, bool clocked) override { changes_.record(all, clocked); }

  bool edge(const gm_request_t *request, bool &answered) override {
    const bool taken = request != nullptr && rtl_.req_ready_o;
    answered = rtl_.rsp_valid_o;
    // The memory port: the read sees what was there before this cycle's write.
    uint32_t read[GM_LANES];
    const bool reads = rtl_.mem_re_o;
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

 private:
  VerilatedFstC changes_;
  uint8_t *memory_;
};

}  // namespace
}  // namespace soc

extern "C" soc::make_gm_traced_unit_t GM_TRACED_UNIT_SYMBOL;
extern "C" soc::gm_traced_unit *GM_TRACED_UNIT_SYMBOL(const char *name, uint8_t *memory,
                                                      const waves_port_t *port) {
  Verilated::traceEverOn(true);
  return std::make_unique<soc::traced_unit>(name, memory, port).release();
}

// Time comes from the port.
double sc_time_stamp() { return 0.0; }
