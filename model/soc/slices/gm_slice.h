// One atomic slice of global memory in the Verilog: takes the beats of several transfers, one a
// cycle, through a Verilated gm_atomic unit.  (slice_queue.h knows when it answers, without it.)
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_GM_SLICE_H
#define SOC_GM_SLICE_H

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "soc/cores/simulation.h"
#include "soc/slices/gm_unit.h"
#include "soc/slices/slice_clock.h"
#include "soc/watch/waves.h"

namespace soc {

// All beats of one command, on any number of slices.
struct gm_transfer {
  uint64_t pending = 0;        // requests not yet answered
  std::function<void(uint64_t cycle)> done;   // called when pending reaches 0
};

// trace: where its signals go, under the given name, or null. Throws if the library that writes them
// cannot be built.  building (may be null) is called before it is.
std::unique_ptr<gm_unit> make_gm_unit_rtl(const std::string &name, uint8_t *memory, waves *trace,
                                          void (*building)(const char *what));

class gm_slice : public sc_core::sc_module {
 public:
  gm_slice(sc_core::sc_module_name name, simulation &sim, unsigned number, const slice_clock &clock,
           std::unique_ptr<gm_unit> unit);

  struct beat {
    uint64_t arrival;          // cycle from which the slice may take it
    gm_request_t request;
  };
  void add(std::shared_ptr<gm_transfer> transfer, std::vector<beat> beats);
  gm_status status() const { return unit_->status(); }

 private:
  struct stream {
    std::shared_ptr<gm_transfer> transfer;
    std::vector<beat> beats;
    size_t next = 0;
  };
  void tick();                 // SC_METHOD, once a cycle of its clock while there is work
  uint64_t edge(uint64_t cycle) const { return clock_.cycle(clock_.tick(cycle)); }   // the first from a cycle on
  stream *choose();

  simulation &sim_;
  unsigned number_;
  slice_clock clock_;
  std::unique_ptr<gm_unit> unit_;
  std::deque<stream> streams_;                                // in order of arrival
  std::deque<std::shared_ptr<gm_transfer>> unanswered_;       // the unit answers in order
  sc_core::sc_event wake_;
};

}  // namespace soc

#endif
