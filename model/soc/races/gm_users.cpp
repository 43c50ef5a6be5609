// SPDX-License-Identifier: Apache-2.0
#include "soc/races/gm_users.h"

#include <sys/mman.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace soc {

gm_users::gm_users(uint64_t memory) : mapped_((memory / kLine + 1) * sizeof(uint32_t)), states_(1) {
  void *map = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) {
    throw std::runtime_error("race detector: no address space for the state of " + std::to_string(memory >> 20) +
                             " MiB of global memory");
  }
  lines_ = static_cast<uint32_t *>(map);
}

gm_users::~gm_users() { munmap(lines_, mapped_); }

void gm_users::forget() {
  madvise(lines_, mapped_, MADV_DONTNEED);  // zero again
  states_.resize(1);
  free_.clear();
}

std::optional<unsigned> gm_users::access(const user &who, const core_access_t &access, uint64_t base) {
  const bool gaps = access.pitch != access.row_bytes;
  const uint64_t rows = gaps ? access.rows : 1;
  const uint64_t bytes = gaps ? access.row_bytes : access.rows * access.row_bytes;
  const part now = {0, kLine, who.domain, static_cast<uint8_t>(who.agent), access.write, who.since};
  bool good = true;
  for (uint64_t row = 0; row < rows && good; ++row) {
    const uint64_t begin = base + row * access.pitch;
    good = use_bytes(who, now, begin, begin + bytes);
  }
  retire_steps();
  return good ? std::nullopt : std::optional<unsigned>(races_with_);
}

// A rest of a line, whole lines, a rest. False: a race.
inline bool gm_users::use_bytes(const user &who, const part &now, uint64_t begin, uint64_t end) {
  const uint64_t first = (begin + kLine - 1) / kLine, last = end / kLine;  // whole ones
  if (first > last) {
    return use_rest(who, now, begin, end);
  }
  return (begin == first * kLine || use_rest(who, now, begin, first * kLine)) && use_lines(who, now, first, last) &&
         (end == last * kLine || use_rest(who, now, last * kLine, end));
}

// Mostly they are in few states, in turn.
inline bool gm_users::use_lines(const user &who, const part &now, uint64_t first, uint64_t end) {
  for (uint64_t line = first; line < end; ++line) {
    const uint64_t key = lines_[line] | kLine << 48;
    step &s = steps_[key % kSteps];
    if (s.key != key && !make_step(who, now, key, s)) {
      return false;
    }
    lines_[line] = s.to;
    ++s.lines;
  }
  return true;
}

bool gm_users::use_rest(const user &who, part now, uint64_t begin, uint64_t end) {
  const uint64_t line = begin / kLine;
  now.begin = static_cast<uint16_t>(begin - line * kLine);
  now.end = static_cast<uint16_t>(end - line * kLine);
  const uint64_t key = lines_[line] | uint64_t{now.begin} << 32 | uint64_t{now.end} << 48;
  step &s = steps_[(key + now.begin / 4 + now.end / 32) % kSteps];
  if (s.key != key && !make_step(who, now, key, s)) {
    return false;
  }
  lines_[line] = s.to;
  ++s.lines;
  return true;
}

// What lines of a state become when a part of them is used now. False: a race.
bool gm_users::make_step(const user &who, const part &now, uint64_t key, step &to_make) {
  const auto from = static_cast<uint32_t>(key);
  retire(to_make);
  if (!follow(who, now, states_[from])) {
    return false;
  }
  to_make = {key, number_of(next_, from), 0};
  used_.push_back(&to_make);
  return true;
}

// Its lines are in another state now.
void gm_users::retire(step &old) {
  const auto from = static_cast<uint32_t>(old.key);
  states_[from].lines -= old.lines;
  states_[old.to].lines += old.lines;
  left_.push_back(from);
  old = {};
}

// An access is over.
void gm_users::retire_steps() {
  for (step *s : used_) {
    retire(*s);
  }
  for (const uint32_t number : left_) {
    if (states_[number].lines == 0 && !states_[number].parts.empty()) {
      states_[number].parts.clear();
      free_.push_back(number);
    }
  }
  used_.clear();
  left_.clear();
  made_.clear();
}

// What stands in next_ is who used the line when this part of it has been used, too. False: a race.
bool gm_users::follow(const user &who, part now, const state &from) {
  next_.clear();
  for (const part &p : from.parts) {
    if (p.is_like(now) && p.begin <= now.end && now.begin <= p.end) {
      now.begin = std::min(now.begin, p.begin);  // both are one
      now.end = std::max(now.end, p.end);
    }
  }
  for (const part &p : from.parts) {
    if (p.end <= now.begin || now.end <= p.begin) {
      next_.push_back(p);
      continue;
    }
    const bool near = p.domain == now.domain;
    if ((p.write || now.write) && !near && who.syncs.seen(who.clock, p.domain, p.agent) <= p.since) {
      races_with_ = p.domain;
      return false;
    }
    const bool after = near ? p.agent == now.agent || who.clock.seen[p.agent] > p.since : p.write || now.write;
    if (after && (now.write || !p.write)) {
      keep_rest(p, now);
    } else {
      next_.push_back(p);
    }
  }
  next_.push_back(now);
  return true;
}

// A later access takes the place of an earlier one, but for bytes that it has not touched.
void gm_users::keep_rest(const part &old, const part &now) {
  if (old.begin < now.begin) {
    next_.push_back(old);
    next_.back().end = now.begin;
  }
  if (old.end > now.end) {
    next_.push_back(old);
    next_.back().begin = now.end;
  }
}

// A state with these parts: the old one, one that this access has made already, or a new one.
uint32_t gm_users::number_of(const std::vector<part> &parts, uint32_t old) {
  if (states_[old].parts == parts) {
    return old;
  }
  for (const uint32_t number : made_) {
    if (states_[number].parts == parts) {
      return number;
    }
  }
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(states_.size()));
    states_.emplace_back();
  }
  const uint32_t number = free_.back();
  free_.pop_back();
  states_[number].parts = parts;
  made_.push_back(number);
  return number;
}

}  // namespace soc
