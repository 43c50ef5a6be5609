// The SoC as SystemC sees it: one module, whose process takes the machine's events at SystemC's time.
//
// SystemC's kernel builds its modules once and keeps them until the process ends.  So there is one module in a
// process, and machines come and go in it, each with a clock that begins at 0: the module drives one at a time.
// SystemC's nanosecond stands for one cycle of the cores' clock, so that all times are integers.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_CORES_SOC_MODULE_H
#define AMALGAM_SOC_CORES_SOC_MODULE_H

#include <cstdint>
#include <systemc>

#include "soc/cores/scheduler.h"

namespace soc {

class soc_module : public sc_core::sc_module {
 public:
  explicit soc_module(sc_core::sc_module_name name);

  // Has SystemC's kernel run until nothing of this machine moves, or its run has ended.
  void run(scheduler &machine);
  // The one of this process.
  static soc_module &of_process();

 private:
  void step();  // SC_METHOD

  scheduler *machine_ = nullptr;  // that runs
  uint64_t begin_ = 0;            // SystemC's cycle that is the machine's 0
  sc_core::sc_event begun_;
};

}  // namespace soc

#endif
