// How fast the moves under way between cores and global memory are, all sharing a die's L2 and HBM.
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
// Time is in whole cycles: a move ends at the first cycle by whose begin its bytes are through
// (1e-9 of rounding forgiven), at least one cycle after it began.
//
// Not thread-safe.  No SystemC.
// SPDX-License-Identifier: Apache-2.0
#ifndef SOC_BANDWIDTH_H
#define SOC_BANDWIDTH_H

#include <cstdint>
#include <map>
#include <queue>
#include <vector>

namespace soc {

class bandwidth {
 public:
  // Bytes a cycle of one die; one object is one die.
  bandwidth(double hbm, double l2);

  // A move of cold bytes, which need HBM, and after them warm ones.  limit: bytes a cycle.  token
  // comes back from finished.  now may not go back from call to call.
  void begin(uint64_t now, uint64_t cold, uint64_t warm, double limit, uint64_t token);

  // The cycle of the next end of a move (or of a move's cold part), UINT64_MAX if nothing is under way.
  uint64_t next() const;

  // Lets time pass up to now, which is at most next(), and appends the tokens of the moves that are
  // done, those that began first coming first.
  void advance(uint64_t now, std::vector<uint64_t> &finished);

 private:
  // (to be filled in)
};

}  // namespace soc

#endif
