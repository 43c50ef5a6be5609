// When an atomic slice of global memory answers, without its data: to the cycle what a gm_atomic
// unit does that is offered, in each cycle of its clock, the beat that arrived first of those waiting (of
// several that arrived at once, that of the stream added first).
//
//   a request taken in tick t reads its first beat in t + 1 at the earliest, then one a tick; a
//   beat waits while another of its address was read in one of the flight ticks before; the next
//   request is taken with the last read, and the answer comes flight ticks after that
//
// A stream is the share of one command that falls on this slice.  Its beats arrive in order, so
// beats are taken in the order they arrive, whenever streams are added.
//
// Cycles are those of the cores, ticks those of the slice.
// Not thread-safe.  No SystemC.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_SLICE_QUEUE_H
#define SOC_SLICE_QUEUE_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/gm_atomic.h"
#include "soc/cores/fifo.h"
#include "soc/slices/slice_clock.h"

namespace soc {

// Requests number first .. first + count - 1 of a command, each of beats beats that follow those of
// the request before.
struct slice_run {
  uint64_t first;
  uint32_t count;     // 1 or more
  uint32_t beats;     // 1 or more
  uint32_t address;   // of the first, in beats
};

class slice_queue {
 public:
  // stages: of the unit's arithmetic, ALU_STAGES of the Verilog.
  explicit slice_queue(const slice_clock &clock = slice_clock(), uint32_t stages = GM_ALU_STAGES);

  // Beat number i of the command's beats arrives in cycle start + i * duration / beats.  runs:
  // those that come to this slice, ascending, at least one.  start must be after now, and now not
  // before that of earlier calls.  token comes back from advance.
  void add(uint64_t now, uint64_t token, uint64_t start, uint64_t duration, uint64_t beats,
           const std::vector<slice_run> &runs);

  // The cycle of the next stream's last answer if nothing is added before, or an earlier one after
  // the last advance: until a stream's last beat has arrived, waiting for others may delay it, and
  // then this is too low.  Once for each stream at most.  UINT64_MAX: nothing under way.
  uint64_t next() const { return next_; }

  // Lets the slice work up to and including cycle now and appends the tokens of the streams whose
  // last answer came, in the order of these.
  void advance(uint64_t now, std::vector<uint64_t> &finished);

 private:
  static constexpr uint64_t kWheel = 64;   // cycles
  struct stream {
    uint64_t arrival, remainder;  // of the next request, and of the division behind it
    uint64_t step, step_rest;     // duration / beats: from one arrival to the next
    uint64_t beats;
    uint32_t address;             // of the next request
    uint32_t left;                // requests of the run under way not yet served
    uint32_t length;              // beats of each
    uint32_t run;
    uint64_t work;                // beats of all requests not yet served; 0: the stream is over
    uint32_t last_length;         // beats of the last request
    uint32_t low, high;           // around its addresses
    bool meets;                   // addresses of its own, or of others
    size_t moves_to;              // slot, while slots are being renumbered
    uint64_t token, start, duration;
    std::vector<slice_run> runs;
  };
  struct end {                    // of a stream
    uint64_t last;                // arrival of its last beat
    size_t slot;
  };
  struct answer {
    uint64_t cycle, token;
  };
  struct flight {                 // beats of count addresses up to end, read in a tick each, the last in `last`
    uint64_t last;
    uint32_t end, count;
  };

  static uint64_t arrival(const stream &s, uint64_t beat) { return s.start + beat * s.duration / s.beats; }
  static void enter_run(stream &s, uint32_t number);
  static void advance(stream &s);
  void renumber();
  void await(size_t slot);
  void mark(size_t slot, uint64_t cycle);
  void bring_near();
  uint64_t next_due();
  void serve(uint64_t until);
  void serve_cycle(uint64_t cycle, uint64_t until);
  bool serve(stream &s, uint64_t until);
  void finish(size_t slot);
  bool meets_flight(uint32_t address, uint32_t count) const;
  void read(uint32_t address, uint32_t count);
  void take_off(uint32_t end, uint32_t count);
  bool may_meet(const stream &s) const;
  void predict();

  // Streams in slots, those added first in the lower ones.
  std::vector<stream> streams_;
  size_t used_ = 0;               // slots; those of streams that are over are used again after renumber()
  // Which streams have their next beat in which of the kWheel cycles from cursor_ on: a bit a stream in words_ words a
  // cycle, and a bit for each cycle that has any.
  size_t words_ = 1;
  std::vector<uint64_t> due_;
  uint64_t marked_ = 0;
  std::vector<uint64_t> far_;     // and which have it later
  uint64_t far_first_ = UINT64_MAX;   // the first of these
  uint64_t cursor_ = 0;           // all that arrived before it is served
  std::vector<end> ends_;         // by last, then by adds
  fifo<answer> answers_;          // of streams all served
  uint64_t next_ = UINT64_MAX;    // next()
  slice_clock clock_;
  uint64_t free_ = 0;             // tick of the last read: from then on it takes the next request
  std::vector<flight> flights_;   // as many as there are ticks from a read to its answer, so that all in flight are there
  size_t oldest_ = 0;             // of these
  size_t meeting_ = 0;            // streams under way that may meet a beat in flight; as a rule there are none, ...
  uint64_t met_until_ = 0;        // ... and until this tick beats in flight of one that is over
};

}  // namespace soc

#endif
