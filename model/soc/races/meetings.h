// The SYNC_ALLs of a machine, and what they hand on from one domain of agents to the others.
//
// Pipes of one kind of core meet again and again: all of them come to the first meeting, then all to the second, and so
// on. Such meetings are a series. What a meeting knows is what any pipe had seen that came to it, of all domains, and
// the next meeting of the series knows no less. Nothing else reaches another domain, so that what an agent has seen
// there follows from how many meetings of each series it has behind it: vector_clock::met.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_RACES_MEETINGS_H
#define AMALGAM_SOC_RACES_MEETINGS_H

#include <array>
#include <cstdint>
#include <vector>

#include "core/core.h"
#include "soc/races/race_detector.h"

namespace soc {

class meetings {
 public:
  // The series of a kind of core's pipe.
  static unsigned series_of(core_kind_t kind, unsigned pipe);

  // Domains are numbered as they come.
  void add_domain() { ++domains_; }
  // A pipe of a domain comes to the next meeting of a series.
  void arrive(unsigned series, unsigned domain, const vector_clock &clock);
  // All have come; for_domain says from then on what the meeting knows.
  void complete(unsigned series);
  vector_clock for_domain(unsigned series, unsigned domain) const;
  // The time up to which somebody of another domain has seen an agent of this one.
  uint32_t seen(const vector_clock &by, unsigned domain, unsigned agent) const;
  // All that an agent of a domain has seen, of all domains: what a SIGNAL hands on.
  all_seen seen_by(const vector_clock &clock, unsigned domain) const;
  // All later accesses are ordered after all earlier ones.
  void forget();

 private:
  using counts = std::array<uint32_t, kSeries>;
  struct meeting {
    std::vector<uint32_t> seen;  // [domain][kAgents]
    counts met{};
    all_seen all() const;
  };
  const meeting *known(unsigned series, const counts &met) const;

  unsigned domains_ = 0;
  std::array<meeting, kSeries> next_;               // to which some have come
  std::array<std::vector<meeting>, kSeries> past_;  // since the last forget
  counts forgotten_{};                              // before them
};

}  // namespace soc

#endif
