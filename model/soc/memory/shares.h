// The speed of moves that share several things, each some of them: ports and links between dies.
//
// All are shared max-min fairly: no move could be faster without making one that is no faster slower still.  Moves over
// the same things with the same limit are equally fast at any time, so they are kept as classes, each with one clock of
// bytes served: a move is done when its class's clock has gone on by its bytes.
//
// Moves begin and end at whole cycles: a move ends at the first cycle by whose begin its bytes are through (1e-9 of
// what is left forgiven for rounding), at least one after it began.
//
// Not thread-safe.  No SystemC.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_MEMORY_SHARES_H
#define AMALGAM_SOC_MEMORY_SHARES_H

#include <cstdint>
#include <vector>

namespace soc {

class shares {
 public:
  // One more thing to share, of so many bytes a cycle; returns its number.
  unsigned add(double capacity);

  // A move of bytes over the things of a path.  limit: bytes a cycle, above 0.  token comes back from advance.  now may
  // not go back from call to call, nor go beyond next().  Its rate is known after the next share().
  void begin(uint64_t now, const std::vector<unsigned> &path, uint64_t bytes, double limit, uint64_t token);

  // Lets time pass up to now, which is at most next(), and appends the tokens of the moves that are done, those that
  // began first coming first.
  void advance(uint64_t now, std::vector<uint64_t> &finished);

  // Shares anew, after moves have begun or ended.
  void share();

  // The cycle of the next end of a move by the last share(); UINT64_MAX: nothing is under way.
  uint64_t next() const;

  // Bytes a cycle of all moves over this path.
  double rate(const std::vector<unsigned> &path) const;

 private:
  struct move {
    double end;  // on its class's clock
    uint64_t order, begin, token;
  };
  struct move_class {
    std::vector<unsigned> path;
    double limit;
    double rate = 0, served = 0;
    std::vector<move> moves;  // a heap, the first to end in front
    bool shared = false;
  };

  static bool later(const move &a, const move &b);
  void pass(uint64_t now);
  uint64_t end_of(const move_class &c) const;
  double lowest(unsigned &thing) const;
  void fix(move_class &c, double rate);

  std::vector<double> capacity_;
  std::vector<move_class> classes_;
  uint64_t now_ = 0, order_ = 0;
  std::vector<double> rest_;       // of each thing, while they are shared out, ...
  std::vector<unsigned> unfixed_;  // ... and the moves over it whose rate is still open
};

}  // namespace soc

#endif
