// A gm_atomic unit in the Verilog, one clock cycle at a time.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_SLICES_GM_UNIT_H
#define AMALGAM_SOC_SLICES_GM_UNIT_H

#include <cstdint>

#include "core/gm_atomic.h"
#include "waves/waves_port.h"

namespace soc {

struct gm_status {
  bool zero, special, underflow, overflow;  // sticky
  uint64_t guard_lanes;
};

class gm_unit {
 public:
  virtual ~gm_unit() = default;
  // Runs one cycle, offering a request (or none); true if the unit takes it.  answered says that
  // a response came out in this cycle.
  virtual bool tick(const gm_request_t *request, bool &answered) = 0;
  virtual gm_status status() const = 0;
};

// One that writes its signals to waveforms. It is in a shared library, built when first asked for
// (engine/engine_library.h): compiling what follows its signals takes longer than the rest of the SoC.
class gm_traced_unit {
 public:
  virtual ~gm_traced_unit() = default;
  // The two halves of gm_unit::tick(): up to the clock's rising edge, and this.
  virtual void settle(const gm_request_t *request) = 0;
  virtual bool edge(const gm_request_t *request, bool &answered) = 0;
  // Writes the signals that have changed, or all of them, once settled. clocked: the clock runs in this cycle.
  virtual void write(bool all, bool clocked) = 0;
  virtual gm_status status() const = 0;
};

// The library's one symbol: a unit of this name, on a memory of which each beat is GM_LANES words.
// port must outlive it.
using make_gm_traced_unit_t = gm_traced_unit *(const char *name, uint8_t *memory, const waves_port_t *port);
#define GM_TRACED_UNIT_SYMBOL make_gm_traced_unit

}  // namespace soc

#endif
