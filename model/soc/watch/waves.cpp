// SPDX-License-Identifier: Apache-2.0
#include "soc/watch/waves.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <stdexcept>

#include "core/core.h"

namespace soc {
namespace {

waves_t *make_file(const soc_options_t &options) {
  waves_options_t waves = {};
  waves.path = options.trace;
  waves.unit = "1ps";
  waves.per_cycle = 1e6 / options.config.soc.clock_mhz;
  waves.scopes = options.trace_scopes;
  waves.scope_count = options.trace_scope_count;
  waves.keep = options.trace_keep;
  return waves_new(&waves);
}

std::string lower(const char *text) {
  std::string word = text;
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

const unsigned kPipesOf[OP_COUNT] = {
#define COMMAND(NAME, name, pipes, text) (pipes),
#define FIELD(type, name, text)
#define END_COMMAND(name)
#include "hal/commands.def"
#undef COMMAND
#undef FIELD
#undef END_COMMAND
};

// Of the first core that can push it, if the mark names none: by its only pipe.
const char *usual_core(unsigned pipe) {
  return pipe == PIPE_V || pipe == PIPE_MTE3                              ? "vector0_0"
         : pipe == PIPE_LOAD || pipe == PIPE_ATTN || pipe == PIPE_STORE ? "engine0"
                                                                          : "cube0";
}

}  // namespace

bool core_exists(const std::string &core, const config_soc_t &soc) {
  for (unsigned i = 0; i < soc.ai_cores; ++i) {
    if (core == "cube" + std::to_string(i)) {
      return true;
    }
    for (unsigned sub = 0; sub < soc.vector_cores; ++sub) {
      if (core == "vector" + std::to_string(i) + "_" + std::to_string(sub)) {
        return true;
      }
    }
  }
  for (unsigned i = 0; i < soc.engines; ++i) {
    if (core == "engine" + std::to_string(i)) {
      return true;
    }
  }
  return false;
}

// --- marks ------------------------------------------------------------------------------------

command_mark::command_mark(const waves_mark_t &mark, const config_t &config, const char *option)
    : left_(mark.number) {
  if (mark.command[0] == '\0') {
    return;
  }
  const auto refuse = [option](const std::string &what) {
    throw std::runtime_error(std::string("--") + option + ": " + what);
  };
  for (unsigned opcode = 0; opcode < OP_COUNT; ++opcode) {
    opcode_ = lower(core_command_name(opcode)) == mark.command ? opcode : opcode_;
  }
  if (!named()) {
    refuse(std::string("no command '") + mark.command + "'; amalgam commands lists them");
  }
  unsigned count = 0;
  for (unsigned pipe = 0; pipe < PIPE_COUNT; ++pipe) {
    const bool takes_it = (kPipesOf[opcode_] >> pipe & 1) != 0;
    if (takes_it && (mark.pipe[0] == '\0' || lower(core_pipe_name(pipe)) == mark.pipe)) {
      pipe_ = pipe;
      ++count;
    }
  }
  if (count != 1) {
    refuse(count == 0 ? std::string("pipe '") + mark.pipe + "' takes no " + mark.command
                      : std::string(mark.command) + ": say of which pipe, as cube0.m." +
                            mark.command + "#1");
  }
  core_ = mark.core[0] != '\0'   ? mark.core
          : opcode_ == OP_COPY_IN ? "vector0_0"
                                  : usual_core(pipe_);
  if (!core_exists(core_, config.soc)) {
    refuse("no core '" + core_ + "' in this machine");
  }
}

bool command_mark::meets(const std::string &core, const command_t &command) {
  return command.header.opcode_ == opcode_ && command.header.pipe_ == pipe_ && left_ != 0 &&
         core == core_ && --left_ == 0;
}

// --- signals ----------------------------------------------------------------------------------

waves::waves(const soc_options_t &options)
    : everything_(options.trace_scope_count > 0),
      from_(options.trace_window.from.cycle),
      to_(options.trace_window.to.cycle),
      from_mark_(options.trace_window.from, options.config, "trace-window"),
      to_mark_(options.trace_window.to, options.config, "trace-window"),
      file_(make_file(options)) {
  if (file_ == nullptr) {
    throw std::runtime_error("out of memory");
  }
}

waves::~waves() { waves_delete(file_); }

uint32_t waves::add_signal(const std::string &name, unsigned bits, const char *const *labels) {
  const uint32_t signal = waves_signal(file_, name.c_str(), bits, labels);
  if (values_.size() <= signal) {
    values_.resize(signal + 1);
    ours_.resize(signal + 1);
  }
  ours_[signal] = signal != 0;
  return signal;
}

uint32_t waves::add_real(const std::string &name) {
  const uint32_t signal = waves_real(file_, name.c_str());
  if (values_.size() <= signal) {
    values_.resize(signal + 1);
    ours_.resize(signal + 1);
  }
  ours_[signal] = signal != 0;
  return signal;
}

void waves::begin() {
  char message[WAVES_MESSAGE_BYTES] = "";
  if (!waves_begin(file_, message)) {
    throw std::runtime_error(message);
  }
  is_changed_.resize(values_.size());
  begun_ = true;
  waves_open_window(file_, false);
  if (!from_mark_.named()) {
    note(0, from_, 0, OPEN);
  }
  if (!to_mark_.named() && to_ != 0) {
    note(0, to_ + 1, 0, CLOSE);
  }
}

// --- events -----------------------------------------------------------------------------------

void waves::note(uint32_t signal, uint64_t cycle, uint64_t value, action what) {
  if (signal != 0 || what == OPEN || what == CLOSE) {
    // A window opens before anything else happens in its first cycle.
    const uint64_t order = what == OPEN ? 0 : ++order_;
    events_.push({std::max(cycle, reached_), order, value, signal, what});
  }
}

void waves::set_real(uint32_t signal, uint64_t cycle, double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  set(signal, cycle, bits);
}

void waves::command_begins(const std::string &core, const command_t &command, uint64_t begin) {
  if (from_mark_.named() && from_mark_.meets(core, command)) {
    note(0, begin, 0, OPEN);
  }
}

void waves::command_ends(const std::string &core, const command_t &command, uint64_t end) {
  if (to_mark_.named() && to_mark_.meets(core, command)) {
    note(0, end + 1, 0, CLOSE);
  }
}

void waves::open_window() {
  waves_open_window(file_, true);
  for (uint32_t signal = 1; signal < values_.size(); ++signal) {
    if (ours_[signal]) {
      waves_set(file_, signal, values_[signal]);
    }
  }
  for (const auto &record : units_) {
    record();
  }
}

void waves::apply(const event &e) {
  if (e.what == SET || e.what == ADD) {
    const uint64_t value = e.what == SET ? e.value : values_[e.signal] + e.value;
    if (value != values_[e.signal]) {
      values_[e.signal] = value;
      if (!is_changed_[e.signal]) {
        is_changed_[e.signal] = true;
        changed_.push_back(e.signal);
      }
    }
    return;
  }
  waves_at(file_, e.cycle);
  if (e.what == OPEN) {
    open_window();
  } else {
    waves_open_window(file_, false);
  }
}

// Only what a signal is at the end of a cycle counts.
void waves::write_changed(uint64_t cycle) {
  if (waves_is_open(file_) && !changed_.empty()) {
    waves_at(file_, cycle);
    for (const uint32_t signal : changed_) {
      waves_set(file_, signal, values_[signal]);
    }
  }
  for (const uint32_t signal : changed_) {
    is_changed_[signal] = false;
  }
  changed_.clear();
}

void waves::reach(uint64_t cycle) {
  while (!events_.empty() && events_.top().cycle < cycle) {
    const uint64_t at = events_.top().cycle;
    while (!events_.empty() && events_.top().cycle == at) {
      const event e = events_.top();
      events_.pop();
      apply(e);
    }
    write_changed(at);
  }
  reached_ = std::max(reached_, cycle);
}

bool waves::unit_at(uint64_t cycle) {
  reach(cycle);
  // A window that opens in this cycle is open for the unit, too.
  while (!events_.empty() && events_.top().cycle == cycle && events_.top().what == OPEN) {
    const event e = events_.top();
    events_.pop();
    apply(e);
  }
  if (waves_is_open(file_)) {
    waves_at(file_, cycle);
    return true;
  }
  return false;
}

bool waves::end(bool badly) {
  if (!begun_) {
    return true;
  }
  reach(UINT64_MAX);
  return waves_end(file_, badly);
}

}  // namespace soc
