// An attention engine behind the pipes LOAD and ATTN: rows of keys go in as they arrive from global
// memory, the queries of an ATTN as groups of NQ, one behind the other, while earlier groups are still
// on their way through; results come out in order.
//
// It has a clock of its own, slower than the cores' as a rule, whose edges fall on the next cycle of
// theirs.  It stands still when nothing is in it.
// SPDX-License-Identifier: Apache-2.0
#ifndef AMALGAM_SOC_ENGINE_ATTENTION_ENGINE_H
#define AMALGAM_SOC_ENGINE_ATTENTION_ENGINE_H

#include <cstdint>
#include <deque>
#include <memory>
#include <systemc>
#include <vector>

#include "core/core.h"
#include "soc/cores/simulation.h"
#include "soc/engine/engine_port.h"

namespace soc {

class pipe;

class attention_engine : public sc_core::sc_module {
 public:
  // memory: of its core.
  attention_engine(sc_core::sc_module_name name, simulation &sim, const core_memory_t &memory);

  // A LOAD_KV whose row i of n arrives at first + i * duration / n: who->answered(number, cycle)
  // follows when all of them are in.
  void load(pipe &who, uint64_t number, const cmd_load_kv_t &command, uint64_t first, uint64_t duration);
  // An ATTN: who->moved(cycle) follows when its last group has been taken, and
  // who->answered(number, cycle) when its last result has come.
  void attend(pipe &who, uint64_t number, const cmd_attn_t &command);

 private:
  struct loading {
    pipe *who;
    uint64_t number;
    cmd_load_kv_t command;
    uint64_t first, duration;
    uint32_t next = 0;  // key
    uint64_t arrival() const { return first + next * duration / command.keys; }
  };
  struct attention {
    pipe *who;
    uint64_t number;
    cmd_attn_t command;
    uint64_t begin;                      // cycle from which it may be taken
    uint32_t offered = 0, answered = 0;  // queries of the groups so far
    uint32_t masked = 0, mask_row = 0;   // those whose mask beats have been taken, and of the next
  };

  void tick();  // SC_METHOD, once a cycle of its clock while there is work
  const engine_row_t *arrived_row();
  void row_written();
  void make_group(const attention &a);
  void make_mask(const attention &a);
  void offer();
  attention *masking();
  void offer_mask();
  void group_taken();
  void mask_taken();
  void result_given();
  uint32_t group_size(const attention &a, uint32_t first) const;
  uint64_t edge(uint64_t tick) const;        // the cores' cycle of a clock edge
  uint64_t next_tick(uint64_t cycle) const;  // the first clock edge after a cycle
  void plan();

  simulation &sim_;
  const core_memory_t &memory_;
  engine_shape_t shape_;
  double ratio_;  // cores' cycles a cycle of this clock
  std::unique_ptr<engine_port> port_;
  uint64_t tick_ = 0;  // number of the clock edge after the last one that was simulated
  std::deque<loading> loads_;
  std::deque<attention> taken_in_, coming_;  // all groups taken, results not; the rest
  bool group_offered_ = false, mask_offered_ = false;
  engine_row_t row_{};
  // The group on offer, and a result.
  engine_group_t group_{};
  std::vector<num_bf16_t> q_;
  std::vector<uint32_t> limit_;
  std::vector<uint8_t> mask_;
  std::vector<num_element_t> carry_elements_, result_elements_;
  std::vector<num_triplet_t> carry_, result_;
  sc_core::sc_event wake_;
};

}  // namespace soc

#endif
