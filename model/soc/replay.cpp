// SPDX-License-Identifier: Apache-2.0
#include "soc/replay.h"

#include <algorithm>
#include <cstring>

#include "hal/registers.h"
#include "soc/replayer.h"
#include "soc/watch/tensor_values.h"

namespace soc {
namespace {

bool writes(const command_t &command) {
  core_access_t access[CORE_MAX_ACCESSES];
  const size_t count = core_accesses(&command, access);
  return std::any_of(access, access + count, [](const core_access_t &a) { return a.write; });
}

}  // namespace

void replayer::add_core(const watched_core &core) {
  units_.push_back({core.name, core.kind, core.memory});
  unit_of_track_.resize(unit_of_track_.size() + core.pipes.size(), units_.size() - 1);
}

}  // namespace soc

soc_replay::soc_replay(const soc::replayer &machine, const soc_record_t &record, uint64_t end,
                       const soc::cycle_window &window, const soc_buffer_t *buffers, size_t count,
                       soc::source_lines &lines)
    : units_(machine.units()),
      unit_of_track_(machine.unit_of_track()),
      reached_(units_.size()),
      lines_(lines),
      window_(window) {
  for (size_t i = 0; i < record.command_count; ++i) {
    const soc_command_t &c = record.commands[i];
    if (c.done <= end && soc::writes(c.command)) {
      effects_.push_back(&c);
      reach(unit_of_track_[c.track], c.command);
    }
  }
  // Effects of one cycle have the order of arithmetic.h, which numbers pipes as tracks are.
  std::sort(effects_.begin(), effects_.end(), [](const soc_command_t *a, const soc_command_t *b) {
    return a->done != b->done ? a->done < b->done : a->track != b->track ? a->track < b->track : a->number < b->number;
  });
  arrays_.assign(buffers, buffers + count);
  std::sort(arrays_.begin(), arrays_.end(),
            [](const soc_buffer_t &a, const soc_buffer_t &b) { return a.address < b.address; });
  for (const soc_buffer_t &a : arrays_) {
    const auto *init = static_cast<const uint8_t *>(a.init);
    first_.emplace_back();
    if (!a.read_only && init != nullptr) {
      first_.back().assign(init, init + a.bytes);
    }
  }
}

void soc_replay::reach(size_t unit, const command_t &command) {
  core_access_t access[CORE_MAX_ACCESSES];
  const size_t count = core_accesses(&command, access);
  for (size_t i = 0; i < count; ++i) {
    const core_access_t &a = access[i];
    uint64_t &end = reached_[unit][a.space];
    end = std::max(end, a.base + (a.rows - 1) * a.pitch + a.row_bytes);
  }
}

uint64_t soc_replay::cleared() const {
  uint64_t bytes = 0;
  for (const auto &spaces : reached_) {
    for (unsigned space = SPACE_GM + 1; space < SPACE_COUNT; ++space) {
      bytes += spaces[space];
    }
  }
  for (const soc_buffer_t &a : arrays_) {
    bytes += a.read_only ? 0 : a.bytes;
  }
  return bytes;
}

// Sets memories to their state before the first command, as far as any command looks. A vector core's L1 is its cube
// core's. Arrays that are only read still have that state.
void soc_replay::clear() const {
  for (size_t i = 0; i < units_.size(); ++i) {
    const core_memory_t &memory = *units_[i].memory;
    for (unsigned space = SPACE_GM + 1; space < SPACE_COUNT; ++space) {
      if (space != SPACE_KV && memory.base[space] != nullptr) {
        std::memset(memory.base[space], 0xFF, std::min(reached_[i][space], memory.bytes[space]));
      }
    }
  }
  for (size_t i = 0; i < arrays_.size(); ++i) {
    uint8_t *bytes = units_.front().memory->base[SPACE_GM] + (arrays_[i].address - GM_BASE);
    if (!arrays_[i].read_only && first_[i].empty()) {
      std::memset(bytes, 0xFF, arrays_[i].bytes);
    } else if (!arrays_[i].read_only) {
      std::copy(first_[i].begin(), first_[i].end(), bytes);
    }
  }
}

soc_effect_t soc_replay::effect(size_t index) const {
  const soc_command_t *what = effects_[index];
  const soc::replayer::unit &unit = units_[unit_of_track_[what->track]];
  return {what, unit.memory, unit.name.c_str(), unit.kind};
}

void soc_replay::run(size_t end, const soc_replay_look_t &look) {
  clear();
  types_ = look.types ? std::make_unique<soc::tensor_book>() : nullptr;
  if (types_) {
    types_->given(any().memory->base[SPACE_GM], arrays_.data(), arrays_.size());
  }
  for (size_t i = 0; i < end; ++i) {
    const soc_effect_t e = effect(i);
    if (look.before == nullptr) {
      core_execute(e.memory, &e.what->command);
    } else {
      command_t command = e.what->command;
      if (!look.before(look.context, i, &command)) {
        continue;
      }
      core_execute(e.memory, &command);
    }
    if (types_) {
      types_->executed(*e.memory, e.what->command);
    }
    if (look.after != nullptr) {
      look.after(look.context, i, &e.what->command);
    }
  }
}

// Within one array, and one that may be written?
bool soc_replay::within(const core_access_t &access) const {
  uint64_t bytes = 0;
  if (access.rows == 0 || __builtin_mul_overflow(access.rows - 1, access.pitch, &bytes) ||
      __builtin_add_overflow(bytes, access.row_bytes, &bytes)) {
    return false;
  }
  return std::any_of(arrays_.begin(), arrays_.end(), [&](const soc_buffer_t &a) {
    return access.base >= a.address && access.base - a.address <= a.bytes &&
           bytes <= a.bytes - (access.base - a.address) && !(access.write && a.read_only);
  });
}

bool soc_replay::legal(size_t index, const command_t &command) {
  char error[CORE_ERROR_BYTES];
  core_access_t access[CORE_MAX_ACCESSES];
  const soc_effect_t e = effect(index);
  if (!core_check(e.kind, e.memory, &command, error)) {
    return false;
  }
  const size_t count = core_accesses(&command, access);
  const bool good =
      std::all_of(access, access + count, [this](const core_access_t &a) { return a.space != SPACE_GM || within(a); });
  if (good) {
    reach(unit_of_track_[e.what->track], command);
  }
  return good;
}

const char *soc_replay::line(size_t index) const {
  return lines_.find_use(effects_[index]->command.header.pc_, effects_[index]->firmware).c_str();
}

const soc::replayer::unit *soc_replay::find(const char *core) const {
  for (const soc::replayer::unit &unit : units_) {
    if (unit.name == core) {
      return &unit;
    }
  }
  return nullptr;
}

extern "C" {

size_t soc_replay_effects(const soc_replay_t *replay) { return replay->size(); }
soc_effect_t soc_replay_effect(const soc_replay_t *replay, size_t index) { return replay->effect(index); }
const char *soc_replay_line(soc_replay_t *replay, size_t index) { return replay->line(index); }

bool soc_replay_in_window(const soc_replay_t *replay, size_t index) { return replay->in_window(index); }

core_tensor_t soc_replay_typed(const soc_replay_t *replay, size_t index, const core_tensor_t *tensor) {
  return replay->typed(index, *tensor);
}

soc_dump_type_t soc_replay_values(const soc_replay_t *replay, size_t index, const core_tensor_t *tensor, void *values) {
  const std::vector<uint8_t> bytes = soc::dump_values(*replay->effect(index).memory, *tensor);
  std::copy(bytes.begin(), bytes.end(), static_cast<uint8_t *>(values));
  return soc::dump_type(tensor->type);
}

const core_memory_t *soc_replay_memory(const soc_replay_t *replay, const char *core, const char **name) {
  const soc::replayer::unit *unit = replay->find(core);
  if (unit == nullptr) {
    return nullptr;
  }
  *name = unit->name.c_str();
  return unit->memory;
}

const core_memory_t *soc_replay_any_memory(const soc_replay_t *replay) { return replay->any().memory; }

const soc_buffer_t *soc_replay_arrays(const soc_replay_t *replay, size_t *count) {
  *count = replay->arrays().size();
  return replay->arrays().data();
}

void soc_replay_run(soc_replay_t *replay, size_t end, const soc_replay_look_t *look) { replay->run(end, *look); }

bool soc_replay_legal(soc_replay_t *replay, size_t index, const command_t *command) {
  return replay->legal(index, *command);
}

uint64_t soc_replay_cleared(const soc_replay_t *replay) { return replay->cleared(); }

}  // extern "C"
