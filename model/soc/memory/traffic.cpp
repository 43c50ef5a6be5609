// The moves between cores and global memory: how long they take, and what they cost HBM and L2.
//
//   load    begins --bytes at the rate of pipe, L2 and HBM--> moved, and there a latency later
//   store   begins --bytes at the rate of pipe and L2-------> moved, and visible a latency later
//   atomic  as a store, and its beats go to the slices (slices/atomics.h); it is visible a latency after the
//           last slice has answered
//
// Each die has an HBM and an L2 of its own; the arrays that a core uses are taken to be in its die's
// memory.  Slices are those of the whole machine.
//
// In a system each array is in one die's memory, and so are its slices. Moves to and from another die's go over links
// (links.h), and are through a latency of the links later than at home, loads two: one for the request. They are in the
// books of that die's L2 and HBM, whose bandwidth is left to that die's own moves.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/estimate.h"
#include "hal/registers.h"
#include "soc/cores/scheduler.h"
#include "soc/cores/simulation.h"
#include "soc/memory/bandwidth.h"
#include "soc/memory/gm.h"
#include "soc/memory/l2_cache.h"
#include "soc/memory/links.h"
#include "soc/memory/memory.h"
#include "soc/slices/atomics.h"

namespace soc {
namespace {

// --- a die's HBM and L2 -----------------------------------------------------------------------

class die : public task {
 public:
  die(simulation &sim, unsigned index, uint64_t memory)
      : sim_(sim),
        index_(index),
        bandwidth_(config_bytes_per_cycle(&sim.config, sim.config.gm.hbm_gbps) * sim.config.gm.hbm_efficiency,
                   config_bytes_per_cycle(&sim.config, sim.config.gm.l2_gbps)),
        l2_(uint64_t{sim.config.gm.l2_mb} << 20, memory) {
    for (watcher *w : sim_.watchers) {
      w->add_die(index);
    }
  }

  l2_cache &l2() { return l2_; }

  void begin(mover &who, uint64_t now, uint64_t cold, uint64_t warm, double limit) {
    advance(now);
    bandwidth_.begin(now, cold, warm, limit, reinterpret_cast<uint64_t>(&who));
    tell(now);
    plan();
  }

  void run(uint64_t now) override {
    if (now == planned_) {
      planned_ = UINT64_MAX;
    }
    advance(now);
    tell(now);
    plan();
  }

 private:
  void advance(uint64_t now) {
    while (bandwidth_.next() <= now) {
      const uint64_t end = bandwidth_.next();
      finished_.clear();
      bandwidth_.advance(end, finished_);
      for (const uint64_t token : finished_) {
        reinterpret_cast<mover *>(token)->moved(end);
      }
    }
  }
  void plan() {
    const uint64_t next = bandwidth_.next();
    if (next < planned_) {
      planned_ = next;
      sim_.clock.at(next, *this);
    }
  }

  // The part of all.
  void tell(uint64_t now) {
    if (!sim_.watched()) {
      return;
    }
    die_load load;
    bandwidth_.each([&load](uint64_t token, double rate, bool cold) {
      load.moves.push_back({reinterpret_cast<const mover *>(token)->track(), rate});
      load.hbm += cold ? rate : 0;
      load.l2 += rate;
    });
    for (watcher *w : sim_.watchers) {
      w->bandwidth(index_, load, now);
    }
  }

  simulation &sim_;
  unsigned index_;
  bandwidth bandwidth_;
  l2_cache l2_;
  uint64_t planned_ = UINT64_MAX;  // the earliest event there is
  std::vector<uint64_t> finished_;
};

// --- moves ------------------------------------------------------------------------------------

class traffic final : public memory {
 public:
  traffic(simulation &sim, global_memory &gm);

  course begin(mover &who, unsigned die, const core_memory_t &buffers, const command_t &command, uint64_t number,
               uint64_t now) override;
  void apply(const core_memory_t &buffers, const command_t &command) override {
    const uint64_t gm = command.header.opcode_ == OP_FIXPIPE ? command.fixpipe.gm : command.copy_out.gm;
    slices_of(gm_.home(gm, 0)).apply(buffers, command);
  }
  uint64_t written_back() const override;
  void report(soc_result_t &result) const override;

 private:
  void warm_up();
  void warm_up_system();
  bool aligned(const core_access_t &gm) const;
  struct gathered {
    uint32_t count;  // of rows that are read
    uint64_t cold;   // bytes of them that are not in L2
    double share;    // of the pipe's rate
  };
  gathered gather(l2_cache &l2, const core_memory_t &buffers, const cmd_gather_in_t &command);
  uint64_t address_of(const command_t &command, const core_access_t &first) const;
  atomics &slices_of(unsigned home) { return *atomics_[sim_.memories() == 1 ? 0 : home]; }

  simulation &sim_;
  global_memory &gm_;
  std::vector<std::unique_ptr<die>> dies_;
  std::vector<std::unique_ptr<atomics>> atomics_;  // of each die of a system, else one
  std::unique_ptr<links> links_;                   // null: there is no system
};

traffic::traffic(simulation &sim, global_memory &gm) : sim_(sim), gm_(gm) {
  for (unsigned i = 0; i < sim.memories(); ++i) {
    atomics_.push_back(std::make_unique<atomics>(sim, gm, i, sim.memories()));
  }
  if (sim.options.system != nullptr) {
    links_ = std::make_unique<links>(sim, *sim.options.system);
  }
  for (unsigned i = 0; i < sim.config.soc.dies; ++i) {
    dies_.push_back(std::make_unique<die>(sim, i, gm.bytes()));
    dies_.back()->l2().on_write_back = [&gm](uint64_t base, uint64_t written) {
      gm.traffic_of(GM_BASE + base).hbm_write += written;
    };
  }
  if (sim.options.l2_warm) {
    warm_up();
  }
}

// Fills L2 as a run before this one would have: with as much of the inputs as the dies' L2s hold together, the first
// first.  Each die is given all of that, since it is not known here which part its cores will read; of a system each
// has its own.
void traffic::warm_up() {
  if (links_) {
    return warm_up_system();
  }
  uint64_t room = dies_.size() * (uint64_t{sim_.config.gm.l2_mb} << 20);
  for (const global_memory::array &a : gm_.arrays()) {
    if (a.read_only) {
      const uint64_t bytes = std::min(a.end - a.begin, room);
      room -= bytes;
      for (const auto &d : dies_) {
        d->l2().warm(a.begin - GM_BASE, bytes);
      }
    }
  }
}

void traffic::warm_up_system() {
  std::vector<uint64_t> room(dies_.size(), uint64_t{sim_.config.gm.l2_mb} << 20);
  for (const global_memory::array &a : gm_.arrays()) {
    const unsigned home = gm_.home(a.begin, 0);
    const uint64_t bytes = a.read_only ? std::min(a.end - a.begin, room[home]) : 0;
    room[home] -= bytes;
    dies_[home]->l2().warm(a.begin - GM_BASE, bytes);
  }
}

// The first byte in global memory that a command moves.
uint64_t traffic::address_of(const command_t &command, const core_access_t &first) const {
  switch (command.header.opcode_) {
    case OP_SIGNAL:
      return command.signal.gm;
    case OP_GATHER_IN:
      return command.gather_in.gm;
    default:
      return first.base;
  }
}

// True if each row of a move begins at a multiple of gm.align_bytes. Rows without gaps are one.
bool traffic::aligned(const core_access_t &gm) const {
  const uint64_t align = sim_.config.gm.align_bytes;
  return (gm.base - GM_BASE) % align == 0 && (gm.rows <= 1 || gm.pitch % align == 0);
}

// The rows of a GATHER_IN, each as a move of its own.
traffic::gathered traffic::gather(l2_cache &l2, const core_memory_t &buffers, const cmd_gather_in_t &command) {
  gathered all = {};
  for (uint32_t row = 0; row < command.rows; ++row) {
    uint64_t address = 0;
    if (core_gather_row(&buffers, &command, row, &address) == CORE_GATHER_ROW) {
      const uint64_t offset = address - GM_BASE;
      all.cold += l2.read(offset, 1, command.row_bytes, 0, &sim_.result.hbm_read);
      all.share += estimate_efficiency(&sim_.config, command.row_bytes, offset % sim_.config.gm.align_bytes == 0);
      ++all.count;
    }
  }
  all.share = all.count > 0 ? all.share / all.count : 1;
  return all;
}

memory::course traffic::begin(mover &who, unsigned die_index, const core_memory_t &buffers, const command_t &command,
                              uint64_t number, uint64_t now) {
  core_access_t accesses[CORE_MAX_ACCESSES];
  const size_t all = core_accesses(&command, accesses);
  size_t count = 0;    // of those to global memory, which come first from here on
  uint64_t bytes = 0;  // of these
  for (size_t i = 0; i < all; ++i) {
    if (accesses[i].space == SPACE_GM) {
      bytes += accesses[i].rows * accesses[i].row_bytes;
      accesses[count++] = accesses[i];
    }
  }
  command_t sent = command;
  if (command.header.opcode_ == OP_COPY_OUT && command.copy_out.skip_zero != 0) {
    sent.copy_out.rows = static_cast<uint32_t>(core_rows_sent(&buffers, &command));
    bytes = uint64_t{sent.copy_out.rows} * sent.copy_out.row_bytes;
  }
  const uint64_t address = address_of(command, accesses[0]);
  const unsigned home = gm_.home(address, die_index);
  die &d = *dies_[home];
  uint64_t cold = 0;
  double share = 0;  // of the pipe's rate; 0: as one move
  if (command.header.opcode_ == OP_GATHER_IN) {
    const gathered rows = gather(d.l2(), buffers, command.gather_in);
    sent.gather_in.rows = rows.count;
    cold = rows.cold;
    share = rows.share;
    bytes += uint64_t{rows.count} * command.gather_in.row_bytes;
  }
  core_move_t move;
  core_moves(&sim_.config, &sent, &move);
  double limit = move.bytes_per_cycle;
  if (command.header.opcode_ == OP_SIGNAL) {
    accesses[0] = {SPACE_GM, true, false, address, 1, move.bytes, move.bytes};
    bytes = move.bytes;
  } else {
    limit *=
        share > 0 ? share : estimate_efficiency(&sim_.config, static_cast<double>(move.bytes), aligned(accesses[0]));
  }
  uint64_t travel = 0;  // to another die
  if (home != die_index) {
    const system_level_t &level = links_->level(die_index, home);
    limit = std::min(limit, config_bytes_per_cycle(&sim_.config, move.store ? level.store_gbps : level.load_gbps));
    travel = config_cycles(&sim_.config, level.latency_us);
  }
  double latency_us = sim_.config.gm.write_latency_us;
  if (move.store) {
    d.l2().write(accesses[0].base - GM_BASE, accesses[0].rows, accesses[0].row_bytes, accesses[0].pitch);
    sim_.result.l2_write += bytes;
    gm_.traffic_of(accesses[0].base).l2_write += bytes;
  } else {
    for (size_t i = 0; i < count; ++i) {
      const core_access_t &a = accesses[i];
      soc_traffic_t &books = gm_.traffic_of(a.base);
      const uint64_t before = sim_.result.hbm_read;
      cold += d.l2().read(a.base - GM_BASE, a.rows, a.row_bytes, a.pitch, &sim_.result.hbm_read);
      books.hbm_read += sim_.result.hbm_read - before;
      books.l2_read += a.rows * a.row_bytes;
    }
    sim_.result.l2_read += bytes;
    latency_us = sim_.config.gm.l2_latency_us + (cold > 0 ? sim_.config.gm.hbm_latency_us : 0);
  }
  cold = std::min(cold, move.bytes);  // a gather's list is not counted as moved
  if (home == die_index) {
    d.begin(who, now, cold, move.bytes - cold, limit);
  } else if (move.store) {
    links_->begin(who, die_index, home, move.bytes, limit, now);
  } else {
    links_->begin(who, home, die_index, move.bytes, limit, now);
  }
  const auto duration = static_cast<uint64_t>(std::ceil(static_cast<double>(move.bytes) / limit * (1 - 1e-9)));
  if (core_is_atomic(&command)) {
    sim_.result.atomic_bytes += bytes;
    if (bytes == 0) {
      who.answered(number, now);
    } else {
      slices_of(home).send(who, buffers, command, number, travel, duration, now);
    }
  }
  return {config_cycles(&sim_.config, latency_us) + (move.store ? 1 : 2) * travel, duration};
}

uint64_t traffic::written_back() const {
  uint64_t bytes = 0;
  for (const auto &d : dies_) {
    bytes += d->l2().written_back();
  }
  return bytes;
}

void traffic::report(soc_result_t &result) const {
  result.hbm_write += written_back();
  for (const auto &slices : atomics_) {
    slices->report(result);
  }
  if (links_) {
    links_->report(result);
  }
}

}  // namespace

std::unique_ptr<memory> make_memory(simulation &sim, global_memory &gm) { return std::make_unique<traffic>(sim, gm); }

}  // namespace soc
