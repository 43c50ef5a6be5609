// gm_atomic alone, Verilated with waveforms: a shared library that engine/build_unit.sh builds.
// SPDX-License-Identifier: Apache-2.0
#include <climits>
#include <memory>

#include "Vunit.h"
#include "soc/slices/gm_pins.h"

namespace soc {
namespace {

class traced_unit : public gm_pins<gm_traced_unit, Vunit> {
 public:
  traced_unit(const char *name, uint8_t *memory, const waves_port_t *port) : gm_pins(name, memory) {
    context_.traceEverOn(true);
    rtl_.trace(&changes_, 99);
    changes_.connect(*port, UINT_MAX);
    reset();
  }

  void settle(const gm_request_t *request) override { settle_pins(request); }
  bool edge(const gm_request_t *request, bool &answered) override { return edge_pins(request, answered); }
  void write(bool all, bool clocked) override { changes_.record(all, clocked); }

 private:
  VerilatedFstC changes_;
};

}  // namespace
}  // namespace soc

extern "C" soc::make_gm_traced_unit_t GM_TRACED_UNIT_SYMBOL;
extern "C" soc::gm_traced_unit *GM_TRACED_UNIT_SYMBOL(const char *name, uint8_t *memory, const waves_port_t *port) {
  return std::make_unique<soc::traced_unit>(name, memory, port).release();
}

// Time comes from the port.
double sc_time_stamp() { return 0.0; }
