// SPDX-License-Identifier: Apache-2.0
#include "soc/races/gm_users.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace soc {

gm_users::gm_users(uint64_t memory)
    : mapped_((memory / kLine + 1) * sizeof(uint32_t) + (memory / kBlock + 1) * sizeof(uint16_t)), states_(1) {
  void *map = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) {
    throw std::runtime_error("race detector: no address space for the state of " + std::to_string(memory >> 20) +
                             " MiB of global memory");
  }
  lines_ = static_cast<uint32_t *>(map);
  blocks_ = reinterpret_cast<uint16_t *>(lines_ + memory / kLine + 1);
}

gm_users::~gm_users() { munmap(lines_, mapped_); }

void gm_users::forget() {
  madvise(lines_, mapped_, MADV_DONTNEED);  // zero again
  states_.resize(1);
  free_.clear();
  alone_.clear();
}

std::optional<unsigned> gm_users::access(const user &who, const core_access_t &access, uint64_t base) {
  const bool gaps = access.pitch != access.row_bytes;
  const uint64_t rows = gaps ? access.rows : 1;
  const uint64_t bytes = gaps ? access.row_bytes : access.rows * access.row_bytes;
  const auto agent = static_cast<uint8_t>(who.agent);
  const lone_access all = {base, access.pitch, rows, bytes, agent, access.write};
  if (is_alone(all, who)) {
    return std::nullopt;
  }
  share(all);
  const part now = {0, kLine, who.domain, agent, access.write, who.since};
  bool good = true;
  for (uint64_t row = 0; row < rows && good; ++row) {
    const uint64_t begin = base + row * access.pitch;
    good = use_bytes(who, now, begin, begin + bytes);
  }
  retire_steps();
  return good ? std::nullopt : std::optional<unsigned>(races_with_);
}

// --- accesses of a domain, each once ----------------------------------------------------------

gm_users::slot &gm_users::table::find(const lone_access &what) {
  const uint64_t mixed =
      what.begin ^ what.pitch << 40 ^ what.rows << 32 ^ what.row_bytes << 20 ^ what.agent << 1 ^ what.write;
  size_t i = mixed * 0x9e3779b97f4a7c15u >> 32;
  for (;; ++i) {
    slot &s = slots[i & (slots.size() - 1)];
    if (s.what.rows == 0 || s.what == what) {
      return s;
    }
  }
}

void gm_users::table::note(const lone_access &what, uint32_t since) {
  if (2 * taken >= slots.size()) {
    resize(std::max<size_t>(64, 2 * slots.size()));
  }
  slot &s = find(what);
  taken += s.what.rows == 0;
  s = {what, since};
}

void gm_users::table::resize(size_t size) {
  std::vector<slot> before(size);
  std::swap(before, slots);
  for (const slot &s : before) {
    if (s.what.rows != 0) {
      find(s.what) = s;
    }
  }
}

// --- one domain alone -------------------------------------------------------------------------

// Are these blocks all one domain's, or all several domains'? Mostly they are.
bool gm_users::are_alike(uint64_t first, uint64_t last) const {
  return std::memcmp(&blocks_[first], &blocks_[first + 1], (last - first) * sizeof *blocks_) == 0;
}

// Has nobody else used any of these blocks? Then the access is noted.
bool gm_users::is_alone(const lone_access &now, const user &who) {
  const auto mine = static_cast<uint16_t>(who.domain + 1);
  const uint64_t first = now.begin / kBlock, last = (now.end() - 1) / kBlock;
  const auto is_other = [mine](uint16_t owner) { return owner != 0 && owner != mine; };
  if (are_alike(first, last) ? is_other(blocks_[first]) : std::any_of(&blocks_[first], &blocks_[last + 1], is_other)) {
    return false;
  }
  if (alone_.size() < mine) {
    alone_.resize(mine);
  }
  if (alone_[who.domain].taken >= kMostAlone) {
    return false;
  }
  alone_[who.domain].note(now, who.since);
  std::fill(&blocks_[first], &blocks_[last + 1], mine);
  return true;
}

// From now on all blocks of an access are several domains'.
void gm_users::share(const lone_access &now) {
  const uint64_t first = now.begin / kBlock, last = (now.end() - 1) / kBlock;
  if (blocks_[first] == kShared && are_alike(first, last)) {
    return;
  }
  for (uint64_t b = first, end = b; b <= last; b = end) {
    const uint16_t owner = blocks_[b];
    for (end = b; end <= last && blocks_[end] == owner; ++end) {
      blocks_[end] = kShared;
    }
    if (owner != 0 && owner != kShared) {
      share_of(static_cast<uint16_t>(owner - 1), b * kBlock, end * kBlock);
    }
  }
}

// What a domain did from one byte to another is written to the lines.
void gm_users::share_of(uint16_t domain, uint64_t begin, uint64_t end) {
  table before;
  std::swap(before, alone_[domain]);
  alone_[domain].resize(before.slots.size());
  for (const slot &s : before.slots) {
    const lone_access &old = s.what;
    if (old.rows != 0 && old.begin < end && begin < old.end()) {
      write_out(domain, old, s.since, begin, end);
    }
    if (old.rows != 0 && (old.begin < begin || end < old.end())) {
      alone_[domain].note(old, s.since);
    }
  }
}

// They come in any order, and do not race.
void gm_users::write_out(uint16_t domain, const lone_access &old, uint32_t since, uint64_t begin, uint64_t end) {
  static const meetings no_meetings;
  static const vector_clock nothing;
  const user who = {no_meetings, nothing, since, domain, old.agent};
  const part then = {0, kLine, domain, old.agent, old.write, since};
  for (uint64_t row = 0; row < old.rows; ++row) {
    const uint64_t from = std::max(begin, old.begin + row * old.pitch);
    const uint64_t to = std::min(end, old.begin + row * old.pitch + old.row_bytes);
    if (from < to) {
      use_bytes(who, then, from, to);
    }
  }
  retire_steps();
}

// --- several domains --------------------------------------------------------------------------

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
    const bool after = !near                  ? p.write || now.write
                       : p.agent == now.agent ? p.since <= now.since
                                              : who.clock.seen[p.agent] > p.since;
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
