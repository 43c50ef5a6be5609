// When an atomic slice of global memory answers, without its data: to the cycle what a gm_atomic
// unit does that is offered, each cycle, the beat that arrived first of those waiting (of several
// that arrived at once, that of the stream added first).
//
//   a beat taken in cycle t is answered in t + 1 + service and the next one is taken in
//   t + service at the earliest; service is 1, or the beats a RESCALE walks
//
// A stream is the share of one command that falls on this slice.  Its beats arrive in order, so
// beats are taken in the order they arrive, whenever streams are added: time is let pass by whole
// runs of beats wherever no other stream's beat comes between.
//
// Not thread-safe.  No SystemC.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_SLICE_QUEUE_H
#define SOC_SLICE_QUEUE_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace soc {

// Beats number first .. first + count - 1 of a command, each needing service cycles.
struct slice_run {
  uint64_t first;
  uint32_t count;     // 1 or more
  uint32_t service;   // 1 or more
};

class slice_queue {
 public:
  // Beat number i of the command's beats arrives in cycle start + i * duration / beats.  runs:
  // those that come to this slice, ascending, at least one.  start must be after now, and now not
  // before that of earlier calls.  token comes back from advance.
  void add(uint64_t now, uint64_t token, uint64_t start, uint64_t duration, uint64_t beats,
           std::vector<slice_run> runs);

  // The cycle of the next stream's last answer if nothing is added before, or an earlier one after
  // the last advance: until a stream's last beat has arrived, waiting for others may delay it, and
  // then this is too low.  Once for each stream at most.  UINT64_MAX: nothing under way.
  uint64_t next() const;

  // Lets the slice work up to and including cycle now and appends the tokens of the streams whose
  // last answer came, in the order of these.
  void advance(uint64_t now, std::vector<uint64_t> &finished);

 private:
  struct stream {
    uint64_t token;
    uint64_t start, duration, beats;
    uint64_t step, step_rest;     // duration / beats
    std::vector<slice_run> runs;
    size_t run;                   // the one under way
    uint64_t left;                // beats of it not yet served
    uint64_t arrival, remainder;  // of its next beat, and of the division behind it
    uint64_t run_last;            // arrival of its last beat
    uint64_t work;                // cycles of service of all beats not yet served
  };
  struct head {                   // of a stream
    uint64_t arrival;             // of the next beat
    uint64_t order;               // of adds
    uint64_t last;                // arrival of the last beat
    size_t slot;                  // of streams_
  };
  struct answer {
    uint64_t cycle, token;
  };

  static bool later(const head &a, const head &b) {
    return a.arrival != b.arrival ? a.arrival > b.arrival : a.order > b.order;
  }
  static uint64_t arrival(const stream &s, uint64_t beat);
  static void enter_run(stream &s);
  void serve(uint64_t until);
  bool serve(stream &s, uint64_t until);
  void serve_whole_run(stream &s);
  void serve_beat(stream &s);
  uint64_t alone_until() const;
  void sink_front(uint64_t arrival);

  std::vector<head> heads_;       // a heap, that of the first beat in front
  std::vector<stream> streams_;
  std::vector<size_t> unused_;    // slots of streams_
  uint64_t order_ = 0;
  std::deque<answer> answers_;    // of streams all served
  uint64_t free_ = 0;             // cycle from which the unit takes the next beat
};

}  // namespace soc

#endif
