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
#include <memory>
#include <string>

#include "core/core.h"
#include "soc/memory/memory.h"

namespace soc {

class attention_engine {
 public:
  virtual ~attention_engine() = default;
  // A LOAD_KV whose row i of n arrives at first + i * duration / n: who.answered(number, cycle)
  // follows when all of them are in.
  virtual void load(mover &who, uint64_t number, const cmd_load_kv_t &command, uint64_t first, uint64_t duration) = 0;
  // An ATTN: who.moved(cycle) follows when its last group has been taken, and
  // who.answered(number, cycle) when its last result has come.
  virtual void attend(mover &who, uint64_t number, const cmd_attn_t &command) = 0;
};

// memory: of its core, which outlives it.
std::unique_ptr<attention_engine> make_attention_engine(const std::string &name, simulation &sim,
                                                        const core_memory_t &memory);

}  // namespace soc

#endif
