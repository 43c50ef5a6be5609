// SPDX-License-Identifier: Apache-2.0
#include "soc/watch/profile.h"

#include <algorithm>

#include "soc/scalar/source_line.h"

namespace soc {
void profile::add_core(const watched_core &core) {
  for (const unsigned pipe : core.pipes) {
    tracks_.push_back({core.kind, pipe});
  }
}

void profile::done(const soc_command_t &command) {
  const track &t = tracks_[command.track];
  const unsigned opcode = command.command.header.opcode_;
  const unsigned op = core_operation(&command.command);
  sum &s = sums_[{t.kind, t.pipe, opcode, op, firmware_, command.command.header.pc_}];
  ++s.count;
  s.cycles += command.end - command.begin;
}

uint64_t profile::pipes_of(const place &of) const {
  return static_cast<uint64_t>(std::count_if(tracks_.begin(), tracks_.end(),
                                             [&](const track &t) { return t.kind == of.kind && t.pipe == of.pipe; }));
}

std::vector<soc_profile_t> profile::rows(source_lines &lines) const {
  std::map<std::tuple<core_kind_t, unsigned, unsigned, unsigned, std::string>, soc_profile_t> by_line;
  for (const auto &[p, s] : sums_) {  // a line may have several program counters
    const std::string &line = lines.find_use(p.pc, p.firmware);
    soc_profile_t &row = by_line[{p.kind, p.pipe, p.opcode, p.op, line}];
    row.core = core_kind_name(p.kind);
    row.pipe = core_pipe_name(p.pipe);
    row.command = core_command_name(p.opcode);
    row.op = core_operation_name(p.opcode, p.op);
    row.line = line.c_str();
    row.count += s.count;
    row.cycles += s.cycles;
    row.pipes = pipes_of(p);
  }
  std::vector<soc_profile_t> rows;
  rows.reserve(by_line.size());
  for (const auto &entry : by_line) {
    rows.push_back(entry.second);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const soc_profile_t &a, const soc_profile_t &b) { return a.cycles > b.cycles; });
  return rows;
}

}  // namespace soc
