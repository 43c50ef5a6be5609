// Words of flags in global memory, by which dies wait for each other: what SIGNALs have made of them, when, and what
// was done before.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_CORES_WORDS_H
#define AMALGAM_SOC_CORES_WORDS_H

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "hal/command.h"
#include "soc/cores/pipe_services.h"
#include "soc/races/race_detector.h"

namespace soc {

class words {
 public:
  // A SIGNAL that a word gets at a cycle; SIGNALs come in order of cycles.
  struct signal {
    uint64_t cycle;
    all_seen before;   // that it comes after
    pipe_cause cause;  // the SIGNAL
  };
  struct waiter {
    pipe *who;
    unsigned domain;
    uint32_t least;
  };

  // memory: the word's bytes.  Returns those who have waited for it.
  std::vector<waiter> set(const cmd_signal_t &command, void *memory, const signal &by);
  // The SIGNAL that first made a word this large, of cycle 0 if it was so before; null if none has, and then the waiter
  // is one.
  const signal *await(uint64_t address, const void *memory, const waiter &who);
  // The last one that a word got.
  const signal &last(uint64_t address) const { return words_.at(address).changes.back().by; }
  // A launch begins.
  void forget() { words_.clear(); }

 private:
  struct change {
    uint32_t value;
    signal by;
  };
  struct word {
    std::vector<change> changes;  // the first: what it was
    std::vector<waiter> waiters;
  };
  word &at(uint64_t address, const void *memory);

  std::map<uint64_t, word> words_;  // by address
};

}  // namespace soc

#endif
