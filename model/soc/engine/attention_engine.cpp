// SPDX-License-Identifier: Apache-2.0
#include "soc/engine/attention_engine.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <vector>

#include "hal/registers.h"
#include "soc/cores/scheduler.h"
#include "soc/cores/simulation.h"
#include "soc/engine/engine_port.h"

namespace soc {
namespace {

std::vector<num_triplet_t> triplets(size_t count, size_t elements, std::vector<num_element_t> &storage) {
  storage.resize(count * elements);
  std::vector<num_triplet_t> all(count);
  for (size_t i = 0; i < count; ++i) {
    all[i].o = storage.data() + i * elements;
  }
  return all;
}

engine_shape_t shape_of(const simulation &sim) {
  engine_shape_t shape = {};
  shape.num = sim.options.engine_num;
  shape.num.blocks = sim.config.engine.blocks;
  shape.num.rows = sim.config.engine.rows;
  shape.queries = sim.config.engine.queries;
  return shape;
}

class queued_engine final : public attention_engine, public task {
 public:
  queued_engine(const std::string &name, simulation &sim, const core_memory_t &memory);

  void load(mover &who, uint64_t number, const cmd_load_kv_t &command, uint64_t first, uint64_t duration) override;
  void attend(mover &who, uint64_t number, const cmd_attn_t &command) override;
  void run(uint64_t now) override;  // once a cycle of its clock while there is work

 private:
  struct loading {
    mover *who;
    uint64_t number;
    cmd_load_kv_t command;
    uint64_t first, duration;
    uint32_t next = 0;  // key
    uint64_t arrival() const { return first + next * duration / command.keys; }
  };
  struct attention {
    mover *who;
    uint64_t number;
    cmd_attn_t command;
    uint64_t begin;                      // cycle from which it may be taken
    uint32_t offered = 0, answered = 0;  // queries of the groups so far
    uint32_t masked = 0, mask_row = 0;   // those whose mask beats have been taken, and of the next
  };

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
  uint64_t planned_ = UINT64_MAX;  // cycle of the earliest event there is
};

queued_engine::queued_engine(const std::string &name, simulation &sim, const core_memory_t &memory)
    : sim_(sim),
      memory_(memory),
      shape_(shape_of(sim)),
      ratio_(sim.config.soc.clock_mhz / sim.config.engine.clock_mhz),
      q_(shape_.queries * shape_.num.d),
      limit_(shape_.queries),
      mask_(shape_.queries * shape_.num.blocks) {
  const bool rtl = sim.options.engine == SOC_ENGINE_RTL && !sim.options.timing_only;
  port_ = rtl ? make_engine_rtl(shape_, sim.options.building, name, sim.trace.get()) : make_engine_c(shape_);
  carry_ = triplets(shape_.queries, shape_.num.d + 1, carry_elements_);
  result_ = triplets(shape_.queries, shape_.num.d + 1, result_elements_);
}

// --- time -------------------------------------------------------------------------------------

// A product that misses a whole number by rounding alone is that number.
uint64_t queued_engine::edge(uint64_t tick) const {
  return static_cast<uint64_t>(std::ceil(static_cast<double>(tick) * ratio_ * (1 - 1e-15)));
}

uint64_t queued_engine::next_tick(uint64_t cycle) const {
  auto tick = static_cast<uint64_t>(static_cast<double>(cycle) / ratio_);
  while (edge(tick) <= cycle) {
    ++tick;
  }
  return tick;
}

// The next edge at which there is something to do, if there is.
void queued_engine::plan() {
  uint64_t tick = std::max(tick_, next_tick(sim_.clock.now()));
  if (coming_.empty() && taken_in_.empty()) {
    if (loads_.empty()) {
      return;
    }
    tick = std::max(tick, next_tick(loads_.front().arrival() - 1));
  }
  const uint64_t next = edge(tick);
  if (next < planned_) {
    planned_ = next;
    sim_.clock.at(next, *this);
  }
}

void queued_engine::run(uint64_t now) {
  if (now != planned_) {
    return;  // an earlier one has done its work
  }
  planned_ = UINT64_MAX;
  tick_ = next_tick(now);
  offer();
  offer_mask();
  const engine_row_t *row = arrived_row();
  engine_port::handshakes done;
  {
    stopwatch watch(sim_.result.rtl_seconds);
    done = port_->tick(row, now);
    sim_.result.rtl_cycles += port_->has_data();
  }
  if (row != nullptr) {
    row_written();
  }
  if (done.result) {
    result_given();
  }
  if (done.mask) {
    mask_taken();
  }
  if (done.group) {
    group_taken();
  }
  if (!sim_.stopped()) {
    plan();
  }
}

// --- keys -------------------------------------------------------------------------------------

void queued_engine::load(mover &who, uint64_t number, const cmd_load_kv_t &command, uint64_t first, uint64_t duration) {
  loads_.push_back({&who, number, command, first, duration});
  plan();
}

// A row a cycle, in order.
const engine_row_t *queued_engine::arrived_row() {
  if (loads_.empty() || loads_.front().arrival() > sim_.clock.now()) {
    return nullptr;
  }
  const loading &l = loads_.front();
  const cmd_load_kv_t &c = l.command;
  const auto at = [&](uint64_t address, uint64_t pitch) {
    return reinterpret_cast<const num_bf16_t *>(memory_.base[SPACE_GM] + (address - GM_BASE) + l.next * pitch);
  };
  row_ = {l.next / c.stride, c.row + l.next % c.stride, at(c.k_gm, c.k_pitch), at(c.v_gm, c.v_pitch)};
  return &row_;
}

void queued_engine::row_written() {
  loading &l = loads_.front();
  if (++l.next == l.command.keys) {
    mover *who = l.who;
    const uint64_t number = l.number;
    loads_.pop_front();
    who->answered(number, edge(tick_));
  }
}

// --- queries ----------------------------------------------------------------------------------

void queued_engine::attend(mover &who, uint64_t number, const cmd_attn_t &command) {
  coming_.push_back({&who, number, command, sim_.clock.now()});
  plan();
}

uint32_t queued_engine::group_size(const attention &a, uint32_t first) const {
  return std::min(static_cast<uint32_t>(shape_.queries), a.command.queries - first);
}

// The group on offer; queries past the last one see no key.
void queued_engine::make_group(const attention &a) {
  const cmd_attn_t &c = a.command;
  const uint32_t first = a.offered;
  const uint32_t count = group_size(a, first);
  group_ = {};
  group_.rows = core_attn_rows(&c, first, shape_.queries);
  group_.carry = c.carry != 0 ? carry_.data() : nullptr;
  group_.use_mask = c.mask_mode == MASK_BITS;
  if (!port_->has_data()) {
    return;
  }
  std::fill(q_.begin(), q_.end(), num_bf16_t{0});
  std::memcpy(q_.data(), memory_.base[SPACE_EB] + c.q + uint64_t{first} * c.dim * sizeof q_[0],
              uint64_t{count} * c.dim * sizeof q_[0]);
  for (uint32_t n = 0; n < shape_.queries; ++n) {
    limit_[n] = n < count ? core_attn_limit(&c, first + n) : 0;
    if (c.carry != 0) {
      core_triplet_get(&memory_, &c, first + std::min(n, count - 1), &carry_[n]);
    }
  }
  group_.q = q_.data();
  group_.base = c.row;
  group_.stride = c.stride;
  group_.limit = limit_.data();
  group_.final = c.final != 0;
}

// The mask beat of a row: bit [query][block].
void queued_engine::make_mask(const attention &a) {
  const cmd_attn_t &c = a.command;
  const size_t blocks = shape_.num.blocks;
  const uint32_t count = group_size(a, a.masked);
  for (size_t n = 0; port_->has_data() && n < shape_.queries; ++n) {
    for (size_t b = 0; b < blocks; ++b) {
      const size_t key = b * c.stride + a.mask_row;
      mask_[n * blocks + b] = n < count && key < c.keys && core_attn_key(&memory_, &c, a.masked + n, key);
    }
  }
}

void queued_engine::offer() {
  if (!group_offered_ && !coming_.empty() && coming_.front().begin < sim_.clock.now()) {
    make_group(coming_.front());
    port_->offer_group(&group_);
    group_offered_ = true;
  }
}

// The command whose mask beats are next: the first one with some left, since those of a command's last
// group may come when all its groups have been taken.
queued_engine::attention *queued_engine::masking() {
  const auto wants = [this](const attention &a) {
    return a.command.mask_mode == MASK_BITS && a.masked < a.command.queries && a.begin < sim_.clock.now();
  };
  const auto taken = std::find_if(taken_in_.begin(), taken_in_.end(), wants);
  if (taken != taken_in_.end()) {
    return &*taken;
  }
  return !coming_.empty() && wants(coming_.front()) ? &coming_.front() : nullptr;
}

void queued_engine::offer_mask() {
  const attention *a = mask_offered_ ? nullptr : masking();
  if (a != nullptr) {
    make_mask(*a);
    port_->offer_mask(mask_.data());
    mask_offered_ = true;
  }
}

void queued_engine::group_taken() {
  attention &a = coming_.front();
  a.offered += group_size(a, a.offered);
  port_->offer_group(nullptr);
  group_offered_ = false;
  if (a.offered == a.command.queries) {
    mover *who = a.who;
    taken_in_.push_back(a);
    coming_.pop_front();
    who->moved(edge(tick_));
  }
}

void queued_engine::mask_taken() {
  attention &a = *masking();
  if (++a.mask_row == core_attn_rows(&a.command, a.masked, shape_.queries)) {
    a.mask_row = 0;
    a.masked += group_size(a, a.masked);
  }
  port_->offer_mask(nullptr);
  mask_offered_ = false;
}

void queued_engine::result_given() {
  attention &a = taken_in_.empty() ? coming_.front() : taken_in_.front();
  const cmd_attn_t &c = a.command;
  const uint32_t count = group_size(a, a.answered);
  if (port_->has_data()) {
    port_->result(result_.data());
    for (uint32_t n = 0; n < count; ++n) {
      const uint64_t query = a.answered + n;
      if (c.final == 0) {
        core_triplet_put(&memory_, &c, query, &result_[n]);
        continue;
      }
      auto *out = reinterpret_cast<num_bf16_t *>(memory_.base[SPACE_EB] + c.out) + query * c.dim;
      std::copy_n(result_[n].o + 1, c.dim, out);
    }
  }
  a.answered += count;
  if (a.answered == c.queries) {
    mover *who = a.who;
    const uint64_t number = a.number;
    taken_in_.pop_front();
    who->answered(number, edge(tick_));
  }
}

}  // namespace

std::unique_ptr<attention_engine> make_attention_engine(const std::string &name, simulation &sim,
                                                        const core_memory_t &memory) {
  return std::make_unique<queued_engine>(name, sim, memory);
}

}  // namespace soc
