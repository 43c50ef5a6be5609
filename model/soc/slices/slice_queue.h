// The cycles in which an atomic slice of global memory answers, without its data. To the cycle it is a gm_atomic
// unit that is offered, in each cycle of its clock, the beat that arrived first of those waiting (of
// several that arrived at once, that of the stream added first).
//
//   a request taken in tick t reads its first beat in t + 1 at the earliest, then one a tick; a
//   beat waits while another of its address was read in one of the flight ticks before; the next
//   request is taken with the last read, and the answer comes flight ticks after that
//
// A stream is the share of one command that falls on this slice.  Its beats arrive in order, so
// beats are taken in the order they arrive, whenever streams are added.
//
// If no beat can meet another of its address in flight, the order of beats matters only in the cycles in
// which streams end: it is enough to know how many beats arrive in each cycle, which are booked ahead.  Otherwise beats
// are taken one by one.
//
// A run that has a beat in each cycle is booked as if it came at once.  The slice reads a beat a tick and has no more
// ticks than cycles, so it does not reach the end of the run before the run is there, and ends at the same time.  Only
// a question in the middle of such a run has to take off the beats that have not come (behind).
//
// Cycles are those of the cores, ticks those of the slice.
// Not thread-safe.  No SystemC.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_SLICES_SLICE_QUEUE_H
#define AMALGAM_SOC_SLICES_SLICE_QUEUE_H

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
  uint32_t count;    // 1 or more
  uint32_t beats;    // 1 or more
  uint32_t address;  // of the first, in beats
};

class slice_queue {
 public:
  // stages: of the unit's arithmetic, ALU_STAGES of the Verilog.
  explicit slice_queue(const slice_clock &clock = slice_clock(), uint32_t stages = GM_ALU_STAGES);

  // Beat number i of the command's beats arrives in cycle start + i * duration / beats.  runs:
  // those that come to this slice, ascending, at least one.  start must be after now, and now not
  // before that of earlier calls.  token comes back from advance; no other stream under way has it.
  void add(uint64_t now, uint64_t token, uint64_t start, uint64_t duration, uint64_t beats,
           const std::vector<slice_run> &runs);

  // A stream's last answer.
  struct answer {
    uint64_t cycle, token;
  };
  // Lets the slice work up to and including cycle now and appends the last answers that came, in their order.
  void advance(uint64_t now, std::vector<answer> &answers);

  // The cycle of a stream's last answer, or an earlier one: until its last beat has arrived, waiting for others may
  // delay it.  0: it has been given.
  uint64_t earliest(uint64_t token) const;

 private:
  static constexpr uint64_t kBooked = 512;             // cycles that can be booked
  static constexpr uint64_t kMoment = 64;              // cycles from a moment to the next
  static constexpr uint32_t kEnd = UINT32_C(1) << 31;  // beside the beats of a cycle: a stream ends in it
  struct request {
    uint64_t arrival, remainder;  // and of the division behind it; UINT64_MAX: there is none
    uint32_t left;                // requests of its run from this one on
  };
  struct booked_run : slice_run {
    uint64_t booked;  // cycle in which it is booked as one, if the stream is dense and it is before `run`
  };
  struct stream {
    request next;
    uint64_t step, step_rest;  // duration / beats: from one arrival to the next
    uint64_t beats;
    uint32_t address;    // of the next request, if they have turns
    uint32_t length;     // its beats
    uint32_t run;        // it is of
    uint64_t number;     // streams added before
    uint64_t last;       // arrival of the last request
    uint64_t done;       // tick of the last read, once it is over
    uint32_t low, high;  // around its addresses
    bool meets;          // addresses of its own, or of others
    bool over;
    uint64_t token, start, duration;
    std::vector<booked_run> runs;
    bool dense;  // each run has a request in each cycle
  };
  struct end {      // of a stream
    uint64_t last;  // arrival of its last request
    size_t slot;
    uint32_t length;  // beats of that
    uint64_t after;   // beats that arrive with it and are of streams added later that are not dense
  };
  struct turn {  // a stream's next request
    uint64_t arrival, number;
    size_t slot;
    bool operator<(const turn &other) const {  // a heap's front is the largest
      return arrival != other.arrival ? arrival > other.arrival : number > other.number;
    }
  };
  struct flight {  // beats of count addresses up to end, read in a tick each, the last in `last`
    uint64_t last;
    uint32_t end, count;
  };
  struct moment {
    uint64_t cycle, free;  // all that arrived before the cycle was read by this tick
  };

  size_t take_slot();
  static void enter_run(stream &s, uint32_t number);
  static bool pass(const stream &s, request &r);
  static void seek(stream &s, uint64_t cycle);
  bool may_meet(const stream &s) const;
  void serve(uint64_t until);
  void settle();
  uint64_t read_at_once(const end &e) const { return clock_.tick(e.last) + e.length; }
  void finish(size_t slot, uint64_t read);

  void book_ahead(uint64_t until);
  void book(stream &s);
  void mark(uint64_t cycle);
  void book_run(stream &s);
  void note_behind(const stream &s, uint64_t arrival);
  static uint64_t beats_behind(const stream &s, uint64_t served, uint64_t cycle);
  uint64_t behind(uint64_t served, uint64_t cycle, uint64_t number) const;
  void serve_booked(uint64_t stop);
  void end_streams(uint64_t cycle);

  void begin_turns();
  void end_turns();
  void serve_turns(uint64_t until);
  bool serve_turn(stream &s, uint64_t until);
  void wait_turn(size_t slot);
  bool meets_flight(uint32_t address, uint32_t count) const;
  void read(uint32_t address, uint32_t count);
  void take_off(uint32_t end, uint32_t count);

  slice_clock clock_;
  uint64_t flight_;              // ticks from a read to its answer
  std::vector<stream> streams_;  // in slots
  std::vector<size_t> spare_;    // slots
  uint64_t added_ = 0;           // streams
  uint64_t cursor_ = 0;          // all that arrived before it is served
  uint64_t free_ = 0;            // tick of the last read: from then on it takes the next request; see behind()
  std::vector<end> ends_;        // of streams under way, by last, then by adds
  fifo<size_t> over_;            // streams whose beats may be in flight, or are needed to go back to settled_
  fifo<answer> answers_;         // of streams all served

  // Without order: beats that arrive in each cycle from cursor_ to horizon_, and a bit for each cycle that has any.
  std::vector<uint32_t> booked_;
  std::vector<uint64_t> marked_;
  uint64_t horizon_ = 0;

  // With order, while streams may meet.
  bool turns_ = false;
  std::vector<turn> heap_;
  size_t meeting_ = 0;           // streams under way that may meet a beat in flight
  uint64_t met_until_ = 0;       // until this tick, beats in flight of one that is over
  std::vector<flight> flights_;  // as many as flight_, so that all in flight are there; without order, older ones
  size_t oldest_ = 0;            // of these
  moment settled_ = {0, 0};      // what was read before it is in flight no more, or is in flights_
  moment newer_ = {0, 0};
};

}  // namespace soc

#endif
