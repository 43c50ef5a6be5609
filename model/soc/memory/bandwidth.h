// The speed of moves under way between cores and global memory, which share a die's L2 and HBM.
//
//   move            needs                  at most
//   load, cold      HBM and L2 bandwidth   its pipe's rate
//   load, warm      L2 bandwidth           its pipe's rate
//   store           L2 bandwidth           its pipe's rate
//
// Both are shared max-min fairly: no move could be faster without making one that is no faster
// slower still.  Rates change only when a move begins or ends, and moves of equal needs and equal
// limit are equally fast at any time, so they are kept as classes, each with one clock of bytes
// served: a move is done when its class's clock has gone on by its bytes.
//
// A move stops using bandwidth, and its cold part gives way to its warm one, at any fraction of a
// cycle.  It ends, for the caller, at the first cycle by whose begin its bytes are through (1e-9 of
// its time forgiven for rounding), at least one cycle after it began.
//
// Not thread-safe.  No SystemC.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_MEMORY_BANDWIDTH_H
#define AMALGAM_SOC_MEMORY_BANDWIDTH_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace soc {

class bandwidth {
 public:
  // Bytes a cycle of one die, above 0; one object is one die.
  bandwidth(double hbm, double l2);

  // A move of cold bytes, which need HBM, and after them warm ones.  limit: bytes a cycle, above 0,
  // one of a handful of values in all.  token comes back from advance.  now may not go back from
  // call to call, nor go beyond next().
  void begin(uint64_t now, uint64_t cold, uint64_t warm, double limit, uint64_t token);

  // The cycle of the next end of a move (or of a move's cold part), UINT64_MAX if nothing is under
  // way.
  uint64_t next() const { return due_.empty() ? next_ : now_; }

  // Lets time pass up to now, which is at most next(), and appends the tokens of the moves that are
  // done, those that began first coming first.
  void advance(uint64_t now, std::vector<uint64_t> &finished);

  // Every move under way: its token, the bytes a cycle it gets, and whether they come from HBM.
  void each(const std::function<void(uint64_t token, double rate, bool cold)> &visit) const;

 private:
  struct move {
    double end;      // on its class's clock: where it, or its cold part, is through
    double warm;     // bytes to move after that
    uint64_t order;  // of begins
    uint64_t begin;
    uint64_t token;
  };
  struct move_class {
    double limit;
    bool cold;
    double rate;              // bytes a cycle of each of its moves
    double served;            // the clock: bytes a move has got since the clock was at 0
    uint64_t next;            // cycle of its first end
    std::vector<move> moves;  // a heap, the first to end in front
  };

  static bool later(const move &a, const move &b);
  void push(double limit, bool cold, double bytes, move m);
  void pass(uint64_t now);
  void serve(double cycles);
  void end_first(size_t index);
  size_t first_due(uint64_t cycle) const;
  double left(const move_class &c) const;
  uint64_t end_cycle(const move_class &c) const;
  double level(double capacity, bool all) const;
  void share();
  void predict();

  double hbm_, l2_;
  std::vector<move_class> classes_;
  uint64_t now_ = 0;
  double at_ = 0;  // cycles after now_ that classes_ is at; 0 between calls
  uint64_t next_ = UINT64_MAX;
  uint64_t order_ = 0;
  std::vector<move> due_;  // done and not yet told
};

}  // namespace soc

#endif
