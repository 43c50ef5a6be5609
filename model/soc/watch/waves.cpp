// SPDX-License-Identifier: Apache-2.0
#include "soc/watch/waves.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace soc {
namespace {

waves_t *make_file(const soc_options_t &options) {
  waves_options_t waves = {};
  waves.path = options.watch.trace;
  waves.unit = "1ps";
  waves.per_cycle = 1e6 / options.config.soc.clock_mhz;
  waves.scopes = options.watch.trace_scopes;
  waves.scope_count = options.watch.trace_scope_count;
  waves.keep = options.watch.trace_keep;
  return waves_new(&waves);
}

}  // namespace

// --- signals ----------------------------------------------------------------------------------

waves::waves(const soc_options_t &options)
    : everything_(options.watch.trace_scope_count > 0),
      from_(options.watch.trace_window.from.cycle),
      to_(options.watch.trace_window.to.cycle),
      from_mark_(options.watch.trace_window.from, options.config, "trace-window"),
      to_mark_(options.watch.trace_window.to, options.config, "trace-window"),
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
