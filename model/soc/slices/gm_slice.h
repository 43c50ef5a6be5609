// One atomic slice of global memory in the Verilog: takes the beats of several commands, one a
// cycle, through a Verilated gm_atomic unit.  (slice_queue.h knows when it answers, without it.)
//
// What a slice does up to a cycle follows from the beats that arrive by then, so it runs behind the machine's
// clock, many cycles at a time, until somebody asks for an answer.  In which pieces makes no difference.
// Different slices may be used by different threads at the same time.  No SystemC.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_SLICES_GM_SLICE_H
#define AMALGAM_SOC_SLICES_GM_SLICE_H

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "soc/slices/gm_unit.h"
#include "soc/slices/slice_clock.h"
#include "soc/watch/waves.h"

namespace soc {

class scheduler;

// types: with operations of all types.  trace: where its signals go, under the given name, or null. Throws if the
// library that writes them cannot be built.  building (may be null) is called before it is.
std::unique_ptr<gm_unit> make_gm_unit_rtl(const std::string &name, uint8_t *memory, bool types, const scheduler &clock,
                                          waves *trace, const engine_progress_t &building);

class gm_slice {
 public:
  struct beat {
    uint64_t arrival;  // cycle from which the slice may take it
    gm_request_t request;
  };
  struct answer {  // of a command's last beat
    uint64_t cycle, token;
  };
  // Called with each beat taken, if there is anything to call.
  using taken_fn = std::function<void(uint64_t cycle)>;

  gm_slice(const slice_clock &clock, std::unique_ptr<gm_unit> unit, taken_fn taken = nullptr)
      : clock_(clock), unit_(std::move(unit)), taken_(std::move(taken)) {}

  // A command's beats, at least one, in order of arrival, and after all cycles that were advanced to.
  void add(uint64_t token, std::vector<beat> beats);

  // Lets the slice work up to and including cycle now, and appends what was answered.
  void advance(uint64_t now, std::vector<answer> &answers);

  // The cycle in which the command added as token is answered, or an earlier one: no slice is faster, by the
  // latency of gm_atomic.v, but beats of other commands may be taken before.
  uint64_t earliest(uint64_t token) const;

  // The next cycle in which its clock has to run; UINT64_MAX: all is answered.
  uint64_t next() const;

  // Clock cycles that advance(now) would take, about.
  uint64_t behind(uint64_t now) const;

  uint64_t ticks() const { return ticks_; }  // clock cycles so far
  bool was_early() const { return early_; }  // it answered before earliest()
  gm_status status() const { return unit_->status(); }

 private:
  struct stream {
    uint64_t token;
    uint64_t arrival;  // of the next beat
    uint64_t work;     // beats of all requests not yet taken: a RESCALE has many
    size_t next;
    std::vector<beat> beats;
  };
  struct owed {  // an answer
    uint64_t token;
    uint64_t earliest;  // tick
    bool last;          // of its command
  };
  uint64_t next_tick() const;
  void tick(uint64_t tick, std::vector<answer> &answers);
  void took(stream &from, uint64_t tick);
  stream *choose();

  slice_clock clock_;
  std::unique_ptr<gm_unit> unit_;
  taken_fn taken_;
  std::vector<stream> streams_;  // in the order in which they were added
  std::deque<owed> owed_;        // the unit answers in order
  uint64_t from_ = 0;            // the first tick that has not run
  uint64_t ticks_ = 0;
  bool early_ = false;
};

}  // namespace soc

#endif
