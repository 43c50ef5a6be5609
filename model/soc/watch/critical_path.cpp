// SPDX-License-Identifier: Apache-2.0
#include "soc/watch/critical_path.h"

#include <algorithm>
#include <cstdio>

#include "soc/scalar/source_line.h"

namespace soc {

namespace {
constexpr uint32_t kNobody = UINT32_MAX;
}  // namespace

const char *const critical_path::kWhat[] = {"busy",   "latency", "flag",  "scalar",
                                              "launch", "data",    "buffer"};

// --- what happens -----------------------------------------------------------------------------

void critical_path::add_pipe(const std::string &core, core_kind_t kind, unsigned group,
                             unsigned other, unsigned id) {
  if (logs_.empty() || logs_.back().name != core) {
    last_push_.push_back({kNobody, 0});
  }
  logs_.push_back({core, static_cast<uint32_t>(last_push_.size() - 1), kind, group, other, id, 0, {}});
}

void critical_path::pushed(unsigned pipe, const command_t &command, uint64_t asked,
                           uint64_t cycle) {
  pipe_log &l = logs_[pipe];
  entry e = {};
  e.opcode = command.header.opcode_;
  e.pc = command.header.pc_;
  e.flag = flag_of(command);
  e.full = cycle > asked;
  e.pushed = cycle;
  e.before_pipe = last_push_[l.core].pipe;
  e.before = last_push_[l.core].index;
  last_push_[l.core] = {pipe, l.entries.size()};
  l.entries.push_back(e);
}

void critical_path::waited(unsigned pipe, uint64_t number, uint64_t begin, uint64_t end) {
  took_effect(pipe, number, begin, end, end, end);
}

void critical_path::took_effect(unsigned pipe, uint64_t number, uint64_t begin, uint64_t end,
                                uint64_t ready, uint64_t done) {
  entry &e = log(pipe, number);
  e.begin = begin;
  e.end = end;
  e.ready = ready;
  e.done = done;
}

// --- flags ------------------------------------------------------------------------------------

bool critical_path::is_wait(unsigned opcode) {
  return opcode == OP_WAIT_FLAG || opcode == OP_CROSS_WAIT || opcode == OP_PAIR_WAIT ||
         opcode == OP_PIPE_BARRIER || opcode == OP_SYNC_ALL;
}

uint32_t critical_path::flag_of(const command_t &command) {
  const auto one = [](uint32_t from, uint32_t to, uint32_t event) {
    return (from * PIPE_COUNT + to) * FLAG_EVENTS + event;
  };
  switch (command.header.opcode_) {
    case OP_SET_FLAG:
      return one(command.header.pipe_, command.set_flag.to, command.set_flag.event);
    case OP_WAIT_FLAG:
      return one(command.wait_flag.from, command.header.pipe_, command.wait_flag.event);
    case OP_CROSS_SET:
      return command.cross_set.flag;
    case OP_CROSS_WAIT:
      return command.cross_wait.flag;
    case OP_PAIR_SET:
      return command.pair_set.flag;
    case OP_PAIR_WAIT:
      return command.pair_wait.flag;
    case OP_SYNC_ALL:
      return command.header.pipe_;
    default:
      return 0;
  }
}

void critical_path::index_flags() {
  flags_.clear();
  for (uint32_t pipe = 0; pipe < logs_.size(); ++pipe) {
    const pipe_log &l = logs_[pipe];
    for (size_t i = 0; i < l.entries.size(); ++i) {
      const entry &e = l.entries[i];
      if (e.opcode == OP_SET_FLAG || e.opcode == OP_CROSS_SET || e.opcode == OP_PAIR_SET ||
          (is_wait(e.opcode) && e.opcode != OP_PIPE_BARRIER)) {
        flags_[flag_key(l.core, e.opcode, e.flag)].push_back({pipe, i});
      }
    }
  }
  // Several pipes of a core may use the same cross-core flag.
  for (auto &[key, places] : flags_) {
    std::stable_sort(places.begin(), places.end(), [this](const place &a, const place &b) {
      return at(a).done < at(b).done;
    });
  }
}

size_t critical_path::nth(const place &wait) const {
  const entry &e = at(wait);
  const auto &all = flags_.at(flag_key(logs_[wait.pipe].core, e.opcode, e.flag));
  auto it = std::lower_bound(
      all.begin(), all.end(), e.done,
      [this](const place &p, uint64_t done) { return at(p).done < done; });
  while (it->pipe != wait.pipe || it->index != wait.index) {
    ++it;
  }
  return static_cast<size_t>(it - all.begin());
}

// The sets that a wait is for, the SYNC_ALLs that a SYNC_ALL is with.
std::vector<critical_path::place> critical_path::setters_of(const place &wait) const {
  const pipe_log &own = logs_[wait.pipe];
  const entry &e = at(wait);
  const size_t number = nth(wait);
  const unsigned opcode = e.opcode == OP_WAIT_FLAG    ? OP_SET_FLAG
                          : e.opcode == OP_CROSS_WAIT ? OP_CROSS_SET
                          : e.opcode == OP_PAIR_WAIT  ? OP_PAIR_SET
                                                      : OP_SYNC_ALL;
  std::vector<place> setters;
  uint32_t seen = kNobody;
  for (const pipe_log &l : logs_) {
    const bool sends = opcode == OP_SET_FLAG    ? l.core == own.core
                       : opcode == OP_CROSS_SET ? l.group == own.group && l.kind != own.kind
                       : opcode == OP_PAIR_SET  ? l.group == own.other && l.kind != own.kind
                                                : l.kind == own.kind && l.id == own.id;
    if (!sends || l.core == seen) {
      continue;
    }
    seen = l.core;
    const auto found = flags_.find(flag_key(l.core, opcode, e.flag));
    if (found != flags_.end() && number < found->second.size()) {
      setters.push_back(found->second[number]);
    }
  }
  return setters;
}

// --- the way back -----------------------------------------------------------------------------

critical_path::cause critical_path::cause_of(const place &where, what kind) const {
  const pipe_log &l = logs_[where.pipe];
  const entry &e = at(where);
  return {l.kind, l.id, static_cast<unsigned>(kind), e.opcode, firmware_, e.pc};
}

// Time goes back from p.time to `since`.
void critical_path::link(const position &p, what kind, uint64_t since) {
  const uint64_t from = std::min(since, p.time);
  sum &s = links_[cause_of(p.where, kind)];
  s.cycles += p.time - from;
  s.times += 1;
}

// The last command before it in its pipe that took effect: effects come in order.
bool critical_path::effect_before(const place &where, place &before) const {
  before = where;
  while (before.index > 0) {
    --before.index;
    if (!is_wait(at(before).opcode)) {
      return true;
    }
  }
  return false;
}

void critical_path::from_done(position &p) {
  const entry &e = at(p.where);
  place before;
  if (e.done > e.ready && effect_before(p.where, before)) {
    p = {before, DONE, std::min(p.time, at(before).done)};
    return;
  }
  if (p.time > e.end) {
    link(p, LATENCY, e.end);
  }
  p = {p.where, FREE, std::min(p.time, e.end)};
}

void critical_path::note_wait(const place &where) {
  const entry &e = at(where);
  const bool back = e.opcode == OP_WAIT_FLAG && e.flag / FLAG_EVENTS / PIPE_COUNT > logs_[where.pipe].id;
  sum &s = waits_[cause_of(where, back ? BUFFER : DATA)];
  s.cycles += e.end - e.begin;
  s.times += 1;
}

void critical_path::from_wait(position &p) {
  const entry &e = at(p.where);
  if (e.end <= e.begin) {
    p.next = START;   // it did not wait
    return;
  }
  note_wait(p.where);
  place last = p.where;
  if (e.opcode == OP_PIPE_BARRIER) {
    if (!effect_before(p.where, last) || at(last).done <= e.begin) {
      link(p, FLAG, e.begin);
      p = {p.where, START, e.begin};
      return;
    }
  } else {
    uint64_t latest = 0;
    for (const place &setter : setters_of(p.where)) {
      const uint64_t came = at(setter).opcode == OP_SYNC_ALL ? at(setter).begin : at(setter).done;
      if (came >= latest) {
        latest = came;
        last = setter;
      }
    }
  }
  if (e.opcode == OP_SYNC_ALL) {   // the one that came last had come to it when its pipe was done
    place before;
    const uint64_t begin = at(last).begin;
    const bool effect = effect_before(last, before) && at(before).done > begin;
    const uint64_t since = effect ? at(before).done : begin;
    link(p, FLAG, since);
    p = {effect ? before : last, effect ? DONE : START, std::min(p.time, since)};
    return;
  }
  const uint64_t since = at(last).done;
  link(p, FLAG, since);
  p = {last, DONE, std::min(p.time, since)};
}

void critical_path::from_free(position &p) {
  const entry &e = at(p.where);
  if (is_wait(e.opcode)) {
    return from_wait(p);
  }
  link(p, BUSY, e.begin);
  p = {p.where, START, std::min(p.time, e.begin)};
}

void critical_path::from_start(position &p) {
  const entry &e = at(p.where);
  if (p.where.index == 0 || e.pushed > at({p.where.pipe, p.where.index - 1}).end) {
    p = {p.where, PUSHED, std::min(p.time, e.pushed)};
    return;
  }
  const place before = {p.where.pipe, p.where.index - 1};
  p = {before, FREE, std::min(p.time, at(before).end)};
}

void critical_path::from_push(position &p, uint64_t launch) {
  const entry &e = at(p.where);
  if (e.full && p.where.index >= depth_) {   // it waited for the command whose slot it got
    const place popped = {p.where.pipe, p.where.index - depth_};
    p = {popped, FREE, std::min(p.time, at(popped).end)};
    return;
  }
  const bool first = e.before_pipe == kNobody;
  const place before = {first ? p.where.pipe : e.before_pipe, first ? p.where.index : e.before};
  const uint64_t since = first ? launch : at(before).pushed;
  link(p, first ? LAUNCH : SCALAR, since);
  p = {before, first ? OVER : PUSHED, std::min(p.time, since)};
}

void critical_path::walk(place last, uint64_t launch) {
  position p = {last, DONE, at(last).done};
  while (p.next != OVER) {
    switch (p.next) {
      case DONE:
        from_done(p);
        break;
      case FREE:
        from_free(p);
        break;
      case START:
        from_start(p);
        break;
      default:
        from_push(p, launch);
    }
  }
}

void critical_path::end_launch(unsigned firmware, uint64_t begin, uint64_t end,
                               unsigned queue_depth) {
  if (!enabled_) {
    return;
  }
  firmware_ = firmware;
  depth_ = queue_depth;
  total_ += end - begin;
  index_flags();
  for (uint32_t pipe = 0; pipe < logs_.size(); ++pipe) {
    const size_t count = logs_[pipe].entries.size();
    if (count > 0 && at({pipe, count - 1}).done == end) {
      walk({pipe, count - 1}, begin);
      break;
    }
  }
  for (pipe_log &l : logs_) {
    l.first += l.entries.size();
    l.entries.clear();
  }
  last_push_.assign(last_push_.size(), {kNobody, 0});
}

// --- the file ---------------------------------------------------------------------------------

bool critical_path::write(const std::string &path, source_lines &lines) const {
  static const char *const kinds[CORE_KIND_COUNT] = {"cube", "vector", "engine"};
  FILE *file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    return false;
  }
  const auto list = [&](const char *name, const std::map<cause, sum> &sums) {
    std::fprintf(file, "\"%s\":[", name);
    const char *comma = "\n";
    for (const auto &[c, s] : sums) {
      std::fprintf(file,
                   "%s{\"core\":\"%s\",\"pipe\":\"%s\",\"what\":\"%s\",\"command\":\"%s\","
                   "\"line\":\"%s\",\"cycles\":%llu,\"times\":%llu}",
                   comma, kinds[c.kind], core_pipe_name(c.pipe), kWhat[c.what],
                   core_command_name(c.opcode), lines.find_use(c.pc, c.firmware).c_str(),
                   static_cast<unsigned long long>(s.cycles),
                   static_cast<unsigned long long>(s.times));
      comma = ",\n";
    }
    std::fprintf(file, "]");
  };
  std::fprintf(file, "{\"cycles\":%llu,\n", static_cast<unsigned long long>(total_));
  list("links", links_);
  std::fprintf(file, ",\n");
  list("waits", waits_);
  std::fprintf(file, "}\n");
  const bool good = std::ferror(file) == 0;
  return std::fclose(file) == 0 && good;
}

}  // namespace soc
